//! Results that came back to people and that nobody took note of yet.

use super::may_work;
use crate::{ask::Ask, parts, people::Found, wrong::Wrong};
use handover_core::{
    agent::Agent,
    handoff::{Return, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_TASKS,
};
use handover_engine::StoredReturn;
use maud::{Markup, html};
use serde_json::json;
use std::sync::Arc;
use uuid::Uuid;

/// A result that waits, with what is known of it. That of a broadcast has no handoff of its own.
pub(super) struct Waiting {
    of: Uuid,
    to: AgentId,
    session: SessionId,
    task: String,
    result: Option<Arc<Return>>,
}

/// Of the person who is named, else of all for whom whoever looks may speak.
pub(super) async fn waiting(
    ask: &Ask,
    chosen: Option<&AgentId>,
    people: &Found<Agent>,
) -> Result<Found<Waiting>, Wrong> {
    let mut found = Found { rows: Vec::new(), more: false };
    let ids = people.rows.iter().map(|agent| &agent.profile.id);
    for person in ids.filter(|id| chosen.is_none_or(|chosen| *id == chosen)) {
        for one in ask.engine.waiting_returns(person, PAGE_TASKS + 1 - found.rows.len()).await? {
            found.rows.push(known(ask, one).await);
        }
        if found.rows.len() > PAGE_TASKS {
            found.rows.truncate(PAGE_TASKS);
            found.more = true;
            break;
        }
    }
    Ok(found)
}

async fn known(ask: &Ask, one: StoredReturn) -> Waiting {
    let handoff = ask.engine.handoff(HandoffId(one.of)).await.ok();
    let task = handoff.as_ref().map(|handoff| handoff.request.task.description.clone()).unwrap_or_default();
    let result = handoff.and_then(|handoff| handoff.result);
    Waiting { of: one.of, to: one.to, session: one.session, task, result }
}

pub(super) fn section(ask: &Ask, waiting: &Found<Waiting>) -> Markup {
    html! {
        @if !waiting.rows.is_empty() {
            h2.part { "Came back " span.soft { (parts::at_least(waiting.count())) } }
            (all_seen(ask, waiting))
            ol.asked { @for one in &waiting.rows { (item(ask, one)) } }
            @if waiting.more { p.soft { "There are more. They show when these were seen." } }
        }
    }
}

/// Takes note of all that is shown, at once.
fn all_seen(ask: &Ask, waiting: &Found<Waiting>) -> Markup {
    let theirs: Vec<_> = waiting.rows.iter().filter(|one| may_work(ask, &one.to)).collect();
    let all: Vec<_> = theirs.iter().map(|one| json!({ "of": one.of, "session": one.session, "as": one.to })).collect();
    html! {
        @if all.len() > 1 {
            (parts::form(ask, "/inbox/returns/all", html! {
                (parts::hidden("all", &json!(all).to_string()))
                (super::seen(ask))
                div.buttons { button type="submit" { "Mark all " (all.len()) " as seen" } }
            }))
        }
    }
}

fn item(ask: &Ask, one: &Waiting) -> Markup {
    html! {
        li.card.item.back id=(format!("back-{}", one.of)) data-key=(one.of) {
            header {
                span {
                    @if let Some(result) = &one.result { (parts::agent(&result.from_agent)) " → " }
                    (parts::agent(&one.to))
                }
                @match one.result.as_ref().map(|result| result.status) {
                    Some(ReturnStatus::Success) => { (parts::badge("good", "done")) }
                    Some(ReturnStatus::Partial) => { (parts::badge("wait", "done in part")) }
                    Some(ReturnStatus::Failed) => { (parts::badge("bad", "not done")) }
                    Some(ReturnStatus::Timeout) => { (parts::badge("bad", "out of time")) }
                    None => { (parts::badge("idle", "of several")) }
                }
                @if let Some(result) = &one.result { span.push.soft { (parts::ago(result.completion_time, ask.now)) } }
            }
            h3.title {
                @if one.task.is_empty() { "What several were asked for" }
                @else { a href=(parts::handoff_url(HandoffId(one.of))) { (parts::quoted(&one.task, 200)) } }
            }
            @if let Some(result) = &one.result {
                (parts::body(&result.result.body))
                @if !result.notes.is_empty() { div.soft { (parts::fold(&result.notes)) } }
            }
            p.soft { "In " (parts::session(&one.session)) }
            @if may_work(ask, &one.to) {
                (parts::form(ask, "/inbox/returns", html! {
                    (parts::hidden("of", &one.of.to_string()))
                    (parts::hidden("session", one.session.as_str()))
                    (parts::hidden("as", one.to.as_str()))
                    (super::seen(ask))
                    div.buttons { button type="submit" { "Seen" } }
                }))
            }
        }
    }
}
