//! The handoffs of a session at the side of its page, the latest first.

use crate::{ask::Ask, parts};
use handover_core::{
    handoff::{Handoff, Status},
    ids::HandoffId,
    session::Session,
};
use maud::{Markup, html};

pub(crate) fn card(ask: &Ask, session: &Session, handoffs: &[Handoff], here: Option<HandoffId>) -> Markup {
    let left_out = session.handoffs.saturating_sub(handoffs.len() as u64);
    html! {
        section.card data-part="history" {
            header { h2 { "History" } span.soft { (parts::number(session.handoffs)) @if session.handoffs == 1 { " handoff" } @else { " handoffs" } } }
            @if handoffs.is_empty() { p.soft { "None yet." } }
            ol.history tabindex="0" aria-label="Handoffs, the latest first" {
                @for handoff in handoffs.iter().rev() { (line(ask, handoff, here)) }
            }
            @if left_out > 0 {
                p.soft { a href=(earlier(session, handoffs)) { (parts::number(left_out)) " earlier ones" } }
            }
        }
    }
}

/// Where the list goes on.
fn earlier(session: &Session, shown: &[Handoff]) -> String {
    let first = shown.first().map_or(0, |first| first.n);
    format!("/handoffs?session={}&before={first}", parts::encoded(session.id.as_str()))
}

fn line(ask: &Ask, handoff: &Handoff, here: Option<HandoffId>) -> Markup {
    let took = handoff.closed_at.map(|closed| parts::length(closed.since(handoff.opened_at)));
    html! {
        li class=(parts::tone(handoff.status())) data-key=(format!("history {}", handoff.id)) {
            div.line {
                a href=(parts::handoff_url(handoff.id)) aria-current=[(here == Some(handoff.id)).then_some("true")] {
                    "#" (handoff.n) " " (handoff.request.from_agent) " → " (handoff.to_agent)
                }
                @if handoff.status() != Status::Completed { (parts::standing(handoff)) }
            }
            span.small { (parts::quoted(&handoff.request.task.description, 70)) }
            span.small.soft {
                @if let Some(took) = took { (parts::status_words(handoff.status())) " in " (took) ", " }
                (parts::ago(handoff.opened_at, ask.now))
                @if handoff.attempt > 1 { ", attempt " (handoff.attempt) }
            }
        }
    }
}
