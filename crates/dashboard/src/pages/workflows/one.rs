//! One workflow: its picture, its rules, and the sessions in a state.

use super::{Counts, counted, in_state, picture, state_url};
use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
};
use handover_core::{
    glance::Glance,
    graph::Graph,
    limits::PAGE_ROWS,
    refusal::HandoffError,
    time::Timestamp,
    workflow::{End, Rule, Workflow},
};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(crate) async fn show(ask: Ask) -> Answer {
    let name = ask.param("workflow").to_owned();
    let workflow = ask.engine.workflow(&name)?;
    let counts = ask.engine.workflow_states(&name).await?;
    let (fired, since) = fired(&ask, &workflow);
    let chosen = ask.query.get("state").to_owned();
    let graph = picture::draw(&workflow, &counts, &fired, &chosen);
    let body = html! {
        (parts::head(html! { (workflow.name) }, html! { a.push href="/workflows" { "Workflows" } }))
        @if !workflow.description.is_empty() { p.soft { (workflow.description) } }
        section.card data-part="machine" {
            header { h2 { "States" } @if let Some(note) = graph.note() { span.soft.small.push { (note) } } }
            (parts::picture(&graph, &format!("States of {}", workflow.name)))
            (states(&workflow, &graph, &counts, &chosen))
        }
        (sessions(&ask, &workflow, &counts, &chosen).await?)
        (rules(&ask, &workflow, &fired, since))
    };
    Page::new(workflow.name.clone(), Nav::Workflows, body).hears(Hears::All).answer(&ask).await
}

/// How often each rule was used, and since when that is counted.
fn fired(ask: &Ask, workflow: &Workflow) -> (BTreeMap<String, u64>, Option<Timestamp>) {
    let caller = ask.engine.caller();
    if caller.is_restricted() {
        return (BTreeMap::new(), None);
    }
    ask.house.pulse.look(&caller.tenant, |tenant, since, _| {
        let key = |rule: &Rule| (workflow.name.clone(), rule.id.clone());
        let all = workflow.rules.iter().map(|rule| (rule.id.clone(), tenant.rules.get(&key(rule), ask.now)));
        (all.filter(|(_, times)| *times > 0).collect(), since)
    })
}

/// The states as words that lead to their sessions, for whoever does not use the picture.
fn states(workflow: &Workflow, graph: &Graph, counts: &Counts, chosen: &str) -> Markup {
    html! {
        @if counts.is_empty() {
            p.soft.small { "How many sessions are in each state is for those who see all sessions of their tenant." }
        } @else {
            ul.chips aria-label="Sessions in each state" {
                @for (state, count) in graph.nodes().iter().filter_map(|node| counts.get_key_value(&node.id)) {
                    @let tone = match workflow.end_of(state) { Some(End::Completed) => "good", Some(End::Failed) => "bad", None if *count > 0 => "run", None => "off" };
                    li { a href=(state_url(&workflow.name, state)) aria-current=[(state == chosen).then_some("true")] { (state) " " b class=(format!("badge {tone}")) { (in_state(*count)) } } }
                }
            }
        }
    }
}

/// The sessions in the chosen state; where none is chosen, in the fullest that goes on.
async fn sessions(ask: &Ask, workflow: &Workflow, counts: &Counts, chosen: &str) -> Result<Markup, HandoffError> {
    let fullest = || {
        let open = counts.iter().filter(|(state, count)| **count > 0 && workflow.end_of(state).is_none());
        open.max_by_key(|(_, count)| **count).map(|(state, _)| state.clone())
    };
    let state = if chosen.is_empty() { fullest() } else { Some(chosen.to_owned()) };
    let Some(state) = state.filter(|state| counts.contains_key(state)) else { return Ok(html! {}) };
    let skip = ask.query.skip();
    let mut ids = ask.engine.sessions_in_state(&workflow.name, &state, skip, PAGE_ROWS + 1).await?;
    let more = ids.len() > PAGE_ROWS;
    ids.truncate(PAGE_ROWS);
    let found = ask.engine.glances(&ids).await?;
    let (later, earlier) = ask.query.around(skip, more);
    Ok(html! {
        section.card id="sessions" data-part="in-state" {
            header { h2 { "Sessions in " (state) } span.soft { (in_state(counts.get(&state).copied().unwrap_or(0))) } }
            @if found.is_empty() {
                p.soft { "No session is in this state." }
            } @else {
                table.rows {
                    thead { tr { th { "Session" } th { "Who has it" } th { "Since" } th { "Asked for" } } }
                    tbody { @for session in &found { (session_row(ask, session)) } }
                }
            }
            (parts::pager(later, earlier))
        }
    })
}

fn session_row(ask: &Ask, session: &Glance) -> Markup {
    html! {
        tr data-key=(session.id) {
            td.id { (parts::session(&session.id)) }
            td { (parts::agent(&session.active_agent)) }
            td { @if let Some(flow) = &session.flow { (parts::ago(flow.since, ask.now)) } }
            td.wide {
                (parts::quoted(&session.original_request, 90))
                @if let Some(flow) = session.flow.as_ref().filter(|flow| !flow.trouble.is_empty()) {
                    p.soft.small { (parts::badge("bad", "stopped")) " " (parts::quoted(&flow.trouble, 120)) }
                }
            }
        }
    }
}

fn rules(ask: &Ask, workflow: &Workflow, fired: &BTreeMap<String, u64>, since: Option<Timestamp>) -> Markup {
    let skip = ask.query.number("rules").and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0);
    let later = (skip > 0).then(|| ask.query.with("rules", &skip.saturating_sub(PAGE_ROWS).to_string()));
    let more = skip.saturating_add(PAGE_ROWS);
    let earlier = (more < workflow.rules.len()).then(|| ask.query.with("rules", &more.to_string()));
    html! {
        section.card data-part="rules" {
            header {
                h2 { "Rules" }
                span.soft.small.push { @match since { Some(since) => { "used since " (parts::ago(since, ask.now)) ", for a day at most" }, None => "not counted for you, or not yet" } }
            }
            div.scroll tabindex="0" role="region" aria-label="Rules" {
                table.rows.rules {
                    thead { tr { th { "Rule" } th.number { "Used" } th { "When" } th { "Ends with" } th { "It goes to" } th { "Into state" } th { "Why" } } }
                    tbody { @for rule in workflow.rules.iter().skip(skip).take(PAGE_ROWS) { (rule_row(workflow, rule, fired.get(&rule.id).copied().unwrap_or(0))) } }
                }
            }
            (parts::pages(later, earlier))
        }
    }
}

fn rule_row(workflow: &Workflow, rule: &Rule, fired: u64) -> Markup {
    html! {
        tr id=(super::rule_place(&rule.id)) {
            td { code { (rule.id) } }
            td.number data-name="used" { (counted(usize::try_from(fired).unwrap_or(usize::MAX), false)) }
            td { (parts::agent(&rule.from)) }
            td {
                @if rule.trigger_state.is_empty() { span.soft { "anything" } }
                @for signal in &rule.trigger_state { span.tag { (signal) } " " }
                @if let Some(condition) = &rule.condition { p { code { (parts::quoted(condition.source(), 120)) } } }
            }
            td { @match &rule.to { Some(to) => (parts::agent(to)), None => span.soft { "nobody" } } }
            td { @if let Some(state) = &rule.next_state { a href=(state_url(&workflow.name, state)) { (state) } } @else { span.soft { "the same" } } }
            td.wide {
                (parts::quoted(&rule.reason, 120))
                @if let Some(retry) = &rule.retry { span.soft.small { " · at most " (retry.max) " times" @if retry.backoff_ms > 0 { ", waits " (parts::length(retry.backoff_ms)) " and longer" } } }
                @if rule.needs_approval { " " (parts::badge("wait", "needs a yes")) }
            }
        }
    }
}
