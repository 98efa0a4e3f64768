//! What happened, as a sentence with its colour. What nobody wants to read as news has none.

use crate::parts::{self, agent, quoted};
use handover_core::{
    event::{Event, StateChange},
    handoff::Status,
    ids::AgentId,
};
use handover_engine::BusMessage;
use maud::{Markup, html};

/// Characters of a text of others within a sentence.
const WORDS: usize = 90;

/// The sentence of a message, and its tone. The record says whose key it was.
pub(crate) fn told(message: &BusMessage, caller: &str) -> Option<(&'static str, Markup)> {
    let hand = parts::key_name(caller);
    let (from, to) = (who(message.source_agent.as_ref()), who(message.target_agent.as_ref()));
    Some(match &message.payload {
        Event::SessionOpened { active_agent, original_request, .. } => {
            ("idle", html! { (agent(active_agent)) " has a new session" (said(original_request)) })
        }
        Event::SessionEnded { reason, .. } => (
            "off",
            html! { @if let Some(name) = hand { (name) " ended the session" } @else { "The session is over" } (said(reason)) },
        ),
        Event::SessionReopened(hand) => ("wait", html! { (hand.by) " opened the session again" (said(&hand.reason)) }),
        Event::Initiated { request, handoff, by_hand: Some(hand), .. } => (
            "idle",
            html! {
                (hand.by) " had it tried again: " (agent(&request.from_agent)) " hands over to " (agent(&handoff.to_agent))
                (said(&hand.reason))
            },
        ),
        Event::Initiated { request, handoff, .. } => (
            "idle",
            html! { (agent(&request.from_agent)) " hands over to " (agent(&handoff.to_agent)) (said(&request.task.description)) },
        ),
        Event::ApprovalRequested { approval, .. } => {
            let asked = approval.approver.as_deref().unwrap_or("Somebody");
            ("wait", html! { (asked) " is asked whether " (from) " may hand over to " (to) })
        }
        Event::Amended { by, to, .. } => {
            ("wait", html! { (by) " changed what waits for a yes; it goes to " (agent(to)) })
        }
        Event::Approved { by, comment, .. } => {
            ("good", html! { (by) " approved what " (from) " asked of " (to) (said(comment)) })
        }
        Event::Denied { by, comment, .. } => {
            ("bad", html! { (by) " rejected what " (from) " asked of " (to) (said(comment)) })
        }
        Event::Accepted { by, .. } => ("run", html! { (agent(by)) " took what " (from) " handed over" }),
        Event::Rejected { by, reason, .. } => ("bad", html! { (agent(by)) " said no to " (from) (said(reason)) }),
        Event::Deferred { by, reason, .. } => ("idle", html! { (agent(by)) " said later" (said(reason)) }),
        Event::Asked(asking) => ("wait", html! { (to) " asks" (said(&asking.question)) }),
        Event::Answered(answering) => ("run", html! { (answering.by) " answered" (said(&answering.text)) }),
        Event::Rerouted { to, by_hand: Some(hand), .. } => {
            ("wait", html! { (hand.by) " gave it to " (agent(to)) (said(&hand.reason)) })
        }
        Event::Rerouted { from, to, .. } => ("wait", html! { "What " (agent(from)) " had is offered to " (agent(to)) }),
        Event::Closed { status, result, .. } => {
            let hand = hand.filter(|_| *status == Status::Cancelled);
            (parts::tone(*status), closed(*status, hand, (&from, &to), &result.notes))
        }
        event => return trouble(event, &to),
    })
}

/// What is out of the ordinary.
fn trouble(event: &Event, to: &Markup) -> Option<(&'static str, Markup)> {
    Some(match event {
        Event::FellBack { by, error, .. } => ("bad", html! { (agent(by)) " goes on alone" (said(&error.to_string())) }),
        Event::StateChanged(change) => changed(change),
        Event::StateMoved { from, to, .. } => ("idle", html! { "The state went from " (from) " to " (to) }),
        Event::Reminded { .. } => ("wait", html! { (to) " is reminded: its time is up" }),
        Event::Retried { attempt, .. } => ("wait", html! { (to) " tries again: attempt " (attempt) }),
        Event::LeaseLost { .. } => ("bad", html! { (to) " was lost; its work is on offer again" }),
        Event::HeldUp(extension) => ("wait", html! { (to) " can take nothing now" (said(&extension.why)) }),
        Event::HumanAsked { human, why, .. } => {
            ("wait", html! { (agent(human)) " is asked to look at it" (said(why)) })
        }
        Event::ArtifactKept { artifact } => {
            ("idle", html! { (agent(&artifact.created_by)) " made " (quoted(&artifact.path, WORDS)) })
        }
        Event::DecisionMade { decision } => {
            ("idle", html! { (agent(&decision.made_by)) " decided" (said(&decision.description)) })
        }
        _ => return None,
    })
}

fn changed(change: &StateChange) -> (&'static str, Markup) {
    let way = html! { "The workflow went from " (change.from) " to " (change.to) };
    match change.trouble.as_str() {
        "" if change.from == change.to => ("idle", html! { "The workflow begins in " (change.to) }),
        "" => ("idle", html! { (way) @if let Some(rule) = &change.rule { " by rule " (rule) } }),
        trouble => ("bad", html! { "The workflow stopped in " (change.to) (said(trouble)) }),
    }
}

fn closed(status: Status, hand: Option<&str>, (from, to): (&Markup, &Markup), notes: &str) -> Markup {
    if let Some(name) = hand {
        return html! { (name) " took back what " (from) " handed over to " (to) (said(notes)) };
    }
    let verb = match status {
        Status::Completed => " completed what ",
        Status::Failed => " failed at what ",
        Status::TimedOut => " ran out of time with what ",
        Status::Escalated => " passed up what ",
        Status::Cancelled => " no longer has what ",
        Status::AwaitingApproval | Status::Offered | Status::Deferred | Status::Running => " has what ",
    };
    html! { (to) (verb) (from) " handed over" (said(notes)) }
}

fn who(id: Option<&AgentId>) -> Markup {
    id.map_or_else(|| html! { "somebody" }, agent)
}

/// The words of others, where there are any.
fn said(text: &str) -> Markup {
    html! { @if !text.trim().is_empty() { ": " span.soft { (quoted(text.trim(), WORDS)) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use handover_core::{
        event::{ByHand, RerouteReason},
        ids::{HandoffId, SessionId},
        time::Timestamp,
    };
    use handover_engine::BusContext;
    use uuid::Uuid;

    fn message(payload: Event) -> BusMessage {
        BusMessage {
            id: String::new(),
            position: 1,
            kind: payload.bus_type(),
            source_agent: None,
            target_agent: None,
            timestamp: Timestamp(0),
            payload,
            context: BusContext {
                request_id: None,
                session_id: SessionId::new("s").unwrap(),
                tenant: "default".into(),
            },
        }
    }

    #[test]
    fn whoever_ends_a_session_is_named() {
        let ended = Event::SessionEnded { by: AgentId::new("desk").unwrap(), reason: "enough".into() };
        for (caller, expected) in [
            ("<i>olga (k1)", "&lt;i&gt;olga ended the session: "),
            ("engine", "The session is over: "),
            ("local", "The session is over: "),
        ] {
            let text = told(&message(ended.clone()), caller).map(|(_, text)| text.into_string()).unwrap_or_default();
            assert!(text.starts_with(expected) && text.contains("enough"), "{caller}: {text}");
        }
    }

    fn rerouted(by_hand: Option<ByHand>) -> Event {
        let agent = |name: &str| AgentId::new(name).unwrap();
        Event::Rerouted {
            id: HandoffId(Uuid::nil()),
            from: agent("bert"),
            to: agent("carl"),
            why: RerouteReason::ByHand,
            to_human: false,
            reservation: None,
            probe: false,
            routing: None,
            by_hand: by_hand.map(Box::new),
            until: Timestamp(0),
        }
    }

    #[test]
    fn whoever_steps_in_is_named_with_their_reason() {
        let hand = |reason: &str| ByHand { by: "<b>ops".into(), reason: reason.into() };
        for (payload, expected) in [
            (rerouted(None), &["What ", "bert", " had is offered to ", "carl"][..]),
            (rerouted(Some(hand("bert is on leave"))), &["&lt;b&gt;ops gave it to ", "carl", "bert is on leave"]),
            (Event::SessionReopened(hand("a mistake")), &["&lt;b&gt;ops opened the session again", "a mistake"]),
        ] {
            let text = told(&message(payload), "engine").map(|(_, text)| text.into_string()).unwrap_or_default();
            for part in expected {
                assert!(text.contains(part), "{part:?} is not in {text}");
            }
        }
    }
}
