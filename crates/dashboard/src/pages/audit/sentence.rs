//! A record as a sentence: what is news is told as everywhere; the rest, which the trail has and news has not, is told here.

use crate::{parts, told};
use handover_core::{event::Event, record::Record};
use handover_engine::BusMessage;
use maud::{Markup, html};

/// Characters of a text of others within a sentence.
const WORDS: usize = 90;

/// The tone and the sentence of a record.
pub(super) fn sentence(record: &Record, message: Option<&BusMessage>) -> (&'static str, Markup) {
    message.and_then(|message| told::told(message, &record.caller)).unwrap_or_else(|| ("off", quiet(record)))
}

fn quiet(record: &Record) -> Markup {
    match &record.event {
        Event::LimitsChanged { by, .. } => html! { (by) " changed how far the session may go" },
        Event::MessagesAppended { count, mark } => {
            let said = if *count == 1 { " message was" } else { " messages were" };
            html! { (parts::number(*count)) (said) " said in the conversation, which has " (parts::number(mark.messages)) " now" }
        }
        Event::VariablesSet { by, set } => {
            let names: Vec<&str> = set.keys().map(String::as_str).collect();
            html! { (by) " set " code { (parts::quoted(&names.join(", "), WORDS)) } }
        }
        Event::ArtifactMarked { by, status, .. } => {
            html! { (by) " marked an artifact as " (format!("{status:?}").to_lowercase()) }
        }
        Event::Locked(lock) => html! { (lock.by) " locked " code { (parts::quoted(&lock.path, WORDS)) } },
        Event::Unlocked { path, by } => html! { (by) " gave back the lock on " code { (parts::quoted(path, WORDS)) } },
        Event::Used { by, metrics } => html! { (by) " used " (parts::number(metrics.tokens)) " tokens in a turn" },
        Event::ModelAsked { by, metrics } => {
            html! { "A model was asked who takes what " (by) " has; it used " (parts::number(metrics.tokens)) " tokens" }
        }
        Event::SegmentCompleted { by } => html! { (by) " completed its part" },
        Event::GroupOpened { from_agent, members, .. } => html! { (from_agent) " asked " (members.len()) " at once" },
        Event::GroupDecided { winners, members, .. } => {
            html! { "A broadcast is decided: " (winners.len()) " of " (members.len()) " count" }
        }
        Event::Offered { .. } => html! { "It is on offer again" },
        Event::Heartbeat { .. } => html! { "Its holder is alive" },
        Event::StepRecorded { name, .. } => html! { "Recorded the step " (parts::quoted(name, WORDS)) },
        Event::Extended(extension) => html! { "It has longer: " (parts::quoted(&extension.why, WORDS)) },
        Event::DeadlineMoved(_) => html! { "The time of the session was changed, and its deadline with it" },
        Event::ReturnTaken { by, .. } => html! { (by) " took the result" },
        Event::AgentRegistered { profile } => html! { (profile.id) " is registered" },
        Event::AgentStanding { agent, standing, why } => {
            html! { (agent) " is " (format!("{standing:?}").to_lowercase()) ": " (parts::quoted(why, WORDS)) }
        }
        Event::BreakerMoved { agent, breaker, why } => {
            let state = if breaker.open_until.is_some() { "open" } else { "closed" };
            html! { "The breaker of " (agent) " is " (state) ": " (parts::quoted(why, WORDS)) }
        }
        Event::AccessDenied(denied) => {
            html! { "Somebody was refused " (parts::quoted(&denied.what, WORDS)) ": " (denied.why.title()) }
        }
        Event::AgentRemoved { agent } => html! { (agent) " is removed" },
        Event::Sealed { through, heads } => {
            html! { "A checkpoint over " (heads.len()) " chains, up to record " (parts::number(*through)) }
        }
        Event::Pruned { records, heads } => {
            html! { (parts::number(*records)) " records of " (heads.len()) " sessions were kept long enough and removed" }
        }
        // What is news has its sentence; what comes later has its word at least.
        _ => html! { (record.event_type.replace('_', " ")) },
    }
}
