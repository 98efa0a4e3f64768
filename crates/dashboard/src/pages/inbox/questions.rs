//! What agents ask before they go on, and the answer to it.

use crate::{ask::Ask, parts, wrong::Wrong};
use handover_core::{
    access::Right,
    handoff::{Exchange, Handoff, Status},
    ids::AgentId,
    limits::{PAGE_MAX, PAGE_TASKS},
};
use handover_engine::HandoffQuery;
use maud::{Markup, html};

/// Handoffs that wait for an answer, the oldest first, looked for among a page of what waits.
pub(super) async fn asked(ask: &Ask, from: Option<&AgentId>) -> Result<Vec<Handoff>, Wrong> {
    let query = HandoffQuery { status: Some(Status::Deferred), limit: PAGE_MAX, ..HandoffQuery::default() };
    let mut waiting = ask.engine.handoffs(query).await?;
    waiting.retain(|one| one.open_question().is_some());
    waiting.retain(|one| from.is_none_or(|from| one.request.from_agent == *from));
    waiting.truncate(PAGE_TASKS);
    Ok(waiting)
}

/// The name under which whoever looks may answer: that of the source, or their own where they run the work.
fn answers_as(ask: &Ask, handoff: &Handoff) -> Option<String> {
    let (caller, from) = (ask.engine.caller(), &handoff.request.from_agent);
    if !ask.may(Right::Act) {
        return None;
    }
    if caller.acts_as.is_some() && caller.may_act_as(from) {
        return Some(from.to_string());
    }
    let own = match caller.acts_as.as_deref() {
        Some(agents) => agents.first().map(ToString::to_string),
        None => Some(ask.own_name().to_owned()),
    };
    own.filter(|_| ask.may(Right::Operate))
}

pub(super) fn section(ask: &Ask, waiting: &[Handoff]) -> Markup {
    html! {
        @if !waiting.is_empty() {
            h2.part { "Questions" }
            ol.asked { @for handoff in waiting { @if let Some(open) = handoff.open_question() { (item(ask, handoff, open)) } } }
        }
    }
}

fn item(ask: &Ask, handoff: &Handoff, open: &Exchange) -> Markup {
    let id = handoff.id;
    html! {
        li.card.item id=(id) data-item data-key=(format!("{id}-{}", handoff.questions.len())) tabindex="-1"
            aria-labelledby=(format!("question-{id}")) {
            header {
                span { (parts::agent(&handoff.to_agent)) " asks " (parts::agent(&handoff.request.from_agent)) }
                span.soft { (parts::ago(open.asked_at, ask.now)) }
                @if let Some(due) = handoff.due() { span.push { (parts::until(due, ask.now)) } }
            }
            h3.title id=(format!("question-{id}")) { (parts::fold(&open.question)) }
            p.soft {
                "About " a href=(parts::handoff_url(id)) { (parts::quoted(&handoff.request.task.description, 160)) }
                " in " (parts::session(&handoff.session_id))
            }
            @for before in handoff.questions.iter().rev().skip(1) {
                @if let Some(given) = &before.answer {
                    p.soft { "Before: " (parts::quoted(&before.question, 200)) " " b { (given.by) ": " } (parts::quoted(&given.text, 200)) }
                }
            }
            @match answers_as(ask, handoff) {
                Some(name) => { div.decide { (answer(ask, handoff, &name)) } }
                None => {
                    p.soft.undecided { "Whoever handed it over answers, or an operator." }
                }
            }
        }
    }
}

fn answer(ask: &Ask, handoff: &Handoff, name: &str) -> Markup {
    let id = handoff.id;
    let inside = html! {
        (parts::hidden("by", name))
        (super::seen(ask))
        div {
            label for=(format!("answer-{id}")) { "Answer" @if parts::key_name(name).is_some() { " as " (name) } }
            textarea id=(format!("answer-{id}")) name="text" required data-press="a" {}
        }
        div.buttons { button.main type="submit" { "Answer" } }
    };
    parts::form_of(ask, &format!("/inbox/{id}/answer"), "long", inside)
}
