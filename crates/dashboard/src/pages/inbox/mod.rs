//! The inbox of people: work that is offered to them or theirs already, questions that wait for an answer, and results that
//! came back.

mod act;
mod came_back;
mod give;
mod questions;
mod step;
mod task;

pub(crate) use act::{answer, ask_back, decline, defer, give_back, keep, note, take};

use crate::{
    ask::{Answer, Ask},
    page::{Hears, Nav, Page},
    parts,
    people::{self, Found},
    wrong::Wrong,
};
use handover_core::{
    access::Right,
    agent::Agent,
    context::View,
    handoff::{Handoff, Status},
    ids::AgentId,
    limits::{PAGE_TASKS, PEOPLE_LOOK_MAX},
};
use maud::{Markup, html};
use step::Step;

/// A piece of work for a person, with what they are shown of it and how it may end.
struct Task {
    handoff: Handoff,
    view: Option<View>,
    step: Option<Step>,
}

pub(crate) async fn list(ask: Ask) -> Answer {
    let chosen = match ask.query.some("as") {
        Some(_) => Some(ask.query.agent("as")?),
        None => None,
    };
    let people = people(&ask, chosen.as_ref());
    let tasks = tasks(&ask, chosen.as_ref(), &people).await?;
    let questions = questions::asked(&ask, chosen.as_ref()).await?;
    let returns = came_back::waiting(&ask, chosen.as_ref(), &people).await?;
    let body = html! {
        (parts::head(html! { "Inbox" }, filter(chosen.as_ref(), &people)))
        @if !tasks.rows.is_empty() || !questions.is_empty() { (keys(&ask)) }
        section data-part="questions" aria-label="Questions" { (questions::section(&ask, &questions)) }
        section data-part="tasks" aria-labelledby="tasks" {
            h2.part id="tasks" { "Tasks" }
            @if tasks.rows.is_empty() { (nothing(&ask, chosen.as_ref(), &people.rows)) }
            ol.asked { @for task in &tasks.rows { (task::item(&ask, task)) } }
            @if tasks.more { p.soft { "There are more. Choose a person to see theirs." } }
            @if people.more && chosen.is_none() {
                p.soft { "Looked for is what the " (PEOPLE_LOOK_MAX) " people with the most to do have." }
            }
        }
        section data-part="returns" aria-label="Results" { (came_back::section(&ask, &returns)) }
    };
    Page::new("Inbox", Nav::Inbox, body).hears(Hears::All).answer(&ask).await
}

/// The people for whom whoever looks may speak, those with work first. Whoever is named need not be a person.
fn people(ask: &Ask, chosen: Option<&AgentId>) -> Found<Agent> {
    let caller = ask.engine.caller();
    let mut found = people::people(&ask.engine, |agent| caller.may_act_as(&agent.profile.id));
    let named = chosen.filter(|chosen| found.rows.iter().all(|agent| agent.profile.id != **chosen));
    let named = named.filter(|chosen| caller.may_act_as(chosen)).and_then(|chosen| ask.engine.agent(chosen).ok());
    found.rows.extend(named);
    found
}

/// What they have and what they are offered: their own first, then by urgency and age.
async fn tasks(ask: &Ask, chosen: Option<&AgentId>, people: &Found<Agent>) -> Result<Found<Task>, Wrong> {
    if let Some(chosen) = chosen {
        // Says no where this is somebody else's.
        ask.engine.waiting_returns(chosen, 1).await?;
    }
    let theirs = people.rows.iter().filter(|agent| chosen.is_none_or(|chosen| agent.profile.id == *chosen));
    let asked = Found { rows: theirs.cloned().collect(), more: chosen.is_none() && people.more };
    let mut found = people::tasks(&ask.engine, &asked).await?.rows;
    let more = found.len() > PAGE_TASKS;
    found.sort_by_key(|one| {
        (one.status() != Status::Running, one.request.task.priority.level(), one.opened_at, one.id.to_string())
    });
    found.truncate(PAGE_TASKS);
    let mut rows = Vec::with_capacity(found.len());
    for handoff in found {
        let view = ask.engine.view(handoff.id, None).await.ok();
        let step = step::of(ask, &handoff).await;
        rows.push(Task { handoff, view, step });
    }
    Ok(Found { rows, more })
}

/// What every form of the page carries: whose work was looked at.
fn seen(ask: &Ask) -> Markup {
    html! { @if let Some(whose) = ask.query.some("as") { (parts::hidden("view", whose)) } }
}

/// Whether whoever looks may work as this agent.
fn may_work(ask: &Ask, agent: &AgentId) -> bool {
    ask.may(Right::Act) && ask.engine.caller().may_act_as(agent)
}

fn keys(ask: &Ask) -> Markup {
    html! {
        @if ask.may(Right::Act) {
            div.keys {
                kbd { "j" } " " kbd { "k" } " next and previous · " kbd { "a" } " take or answer · " kbd { "e" } " result · " kbd { "q" }
                " ask · " kbd { "l" } " later · " kbd { "r" } " decline · " kbd { "Esc" } " leaves a field · "
                (parts::keys_switch())
            }
        }
    }
}

/// Whose work is shown. Where there are more people than a list has room for, whoever is not in it is named.
fn filter(chosen: Option<&AgentId>, people: &Found<Agent>) -> Markup {
    html! {
        @if !people.rows.is_empty() {
            form.filter.push method="get" action="/inbox" {
                label for="as" { "For" }
                @if people.more {
                    input id="as" name="as" list="people" value=[chosen] placeholder="everybody" spellcheck="false";
                    datalist id="people" { @for agent in &people.rows { option value=(agent.profile.id) {} } }
                } @else {
                    select id="as" name="as" {
                        option value="" { "everybody" }
                        @for agent in &people.rows {
                            option value=(agent.profile.id) selected[chosen == Some(&agent.profile.id)] { (agent.profile.id) }
                        }
                    }
                }
                button type="submit" { "Show" }
            }
        }
    }
}

fn nothing(ask: &Ask, chosen: Option<&AgentId>, people: &[Agent]) -> Markup {
    match chosen {
        Some(chosen) => {
            parts::empty(&format!("Nothing waits for {chosen}"), "What is handed to them shows here at once.", None)
        }
        None if people.is_empty() => parts::empty(
            "No people yet",
            "A person is an agent of the kind human: work is handed to them like to anybody else, and they do it here.",
            Some(&format!(
                "{}\nhandover agents register --name anna --kind human --description 'Decides about refunds'",
                ask.settings()
            )),
        ),
        None => parts::empty(
            "Nothing to do",
            "Nobody of your people has work. What is handed to them shows here at once; to try it:",
            Some(&super::overview::begin(ask)),
        ),
    }
}
