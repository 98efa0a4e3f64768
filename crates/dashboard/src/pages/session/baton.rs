//! The moment of a handoff: who gave it, who has it, and how it stands. It moves when that changes.

use crate::{ask::Ask, parts};
use handover_core::{
    handoff::{Handoff, Status},
    session::Session,
};
use maud::{Markup, html};

pub(crate) fn strip(ask: &Ask, session: &Session, last: Option<&Handoff>) -> Markup {
    let Some(handoff) = last else {
        return html! {
            div.baton data-part="baton" data-key="none" {
                span.soft { "Nothing has been handed over yet. It is with" }
                a.hand.here href=(parts::agent_url(&session.active_agent)) { (session.active_agent) }
            }
        };
    };
    let status = handoff.status();
    let class = match status {
        Status::AwaitingApproval => "baton held",
        Status::Offered | Status::Deferred | Status::Running => "baton",
        Status::Completed => "baton over",
        Status::Failed | Status::TimedOut => "baton stuck",
        Status::Escalated | Status::Cancelled => "baton held",
    };
    // A new handoff is news, and so is each step of it.
    let key = format!("{} {} {}", handoff.id, handoff.to_agent, status.word());
    let has_it = status == Status::Running;
    html! {
        div class=(class) data-part="baton" data-key=(key) {
            a.hand href=(parts::agent_url(&handoff.request.from_agent)) { (handoff.request.from_agent) }
            // The arrow goes into the next line with what it points at.
            span.way {
                span.track aria-hidden="true" { i {} }
                span.unseen { "to" }
                a class=(if has_it { "hand here" } else { "hand" }) href=(parts::agent_url(&handoff.to_agent)) { (handoff.to_agent) }
            }
            (parts::standing(handoff))
            a href=(parts::handoff_url(handoff.id)) { (parts::quoted(&handoff.request.task.description, 80)) }
            span.soft { (parts::ago(handoff.closed_at.or(handoff.accepted_at).unwrap_or(handoff.opened_at), ask.now)) }
            (parts::left(handoff, ask.now))
            @if session.active_agent != handoff.to_agent {
                span.soft { "the session is with " (parts::agent(&session.active_agent)) }
            }
        }
    }
}
