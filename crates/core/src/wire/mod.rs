//! Input from outside: JSON is read here, and everything that is wrong with it is told at once.
//!
//! A derived reader stops at the first mistake; whoever writes a request by hand, or a model that does, would then mend
//! it one answer at a time. Here each mistake becomes a [`Refusal`] with its code, its path and a hint, in the order of
//! the specification, and reading goes on. A value that cannot be read is stood in for by a harmless one: what was read
//! with mistakes never leaves this module.
//!
//! `null` is the same as leaving a field out. What depends on the session or on other agents is checked later, by
//! [`crate::decide`].

mod duration;
mod fields;
mod giving;
mod mistakes;
mod place;
mod profile;
mod request;
mod scan;
mod talk;
#[cfg(test)]
mod tests;
mod turn;
mod words;

use crate::{
    agent::Profile,
    command::{Giving, Turn},
    handoff::Request,
    ids::AgentId,
    message::NewMessage,
    refusal::{Code, HandoffError, Refusal},
};
use mistakes::Mistakes;
use place::Place;
use serde_json::{Value, json};

/// A request for a handoff, and the conversation that came with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The request.
    pub request: Request,
    /// `context.conversation_history`, where the caller sent it: the conversation as it is stored, and what is new.
    pub history: Option<Vec<NewMessage>>,
}

/// Reads a request for a handoff.
///
/// Besides the form of [`Request`] it takes:
/// - `return_protocol.timeout` (and `timeout` of a rung) instead of `timeout_ms`: a number of seconds, an ISO-8601
///   duration such as `"PT30S"`, or a text such as `"30s"`, `"5m"`, `"1h 30m"`;
/// - a plain text as an entry of `validation.required_capabilities`, and of `broadcast.targets`;
/// - `context.transfer.transfer_mode` for `mode`;
/// - `validation.autonomy_budget` as a word or as `{"max_risk": …}`;
/// - `critical` as another word for the priority `urgent`;
/// - `context.conversation_history`, a list of messages; what the engine adds to a stored message (`n`, `at`, `tokens`,
///   `redacted`) may stand in it and is not read.
///
/// # Errors
/// With everything that is wrong with it.
pub fn request(text: &str) -> Result<Parsed, HandoffError> {
    let mut agents = None;
    let parsed = read(text, |place| {
        agents = named(place.value());
        place.object(request::request)
    });
    parsed.map_err(|error| match agents {
        Some((from, to)) => error.between(&from, to.as_ref()),
        None => error,
    })
}

/// Reads the command object that ends a turn: `{goto, update}`.
///
/// `goto` is `"END"`, the name of an agent, a list of sends (or of names), or one of `{"one": …}`, `{"request": …}` and
/// `{"many": …}`. A request in it carries no conversation.
///
/// # Errors
/// With everything that is wrong with it.
pub fn turn(text: &str) -> Result<Turn, HandoffError> {
    read(text, |place| place.object(turn::turn))
}

/// Reads a list of messages to append.
///
/// # Errors
/// With everything that is wrong with them.
pub fn messages(text: &str) -> Result<Vec<NewMessage>, HandoffError> {
    read_at("messages", text, |place| place.list(Some(talk::APPENDED), |item| item.object(talk::message)))
}

/// Reads the profile of an agent.
///
/// A capability may be a plain text; `max_execution_time` (seconds, `"PT5M"`, `"5m"`) may stand for `max_execution_ms`,
/// and `autonomy_budget` may be a word.
///
/// # Errors
/// With everything that is wrong with it.
pub fn profile(text: &str) -> Result<Profile, HandoffError> {
    read(text, |place| place.object(profile::profile))
}

/// Reads what an agent gives back.
///
/// `{status, result {content_type, body, score}, context_updates {variables_changed, artifacts_produced, …},
/// audit {tokens_consumed, cost, iterations, notes}}`; `updates` and `notes` may stand for `context_updates` and
/// `audit.notes`. `handoff_id`, `from_agent`, `to_agent` and `audit.completion_time` may be there and are checked for
/// their form alone: the lease says whose return it is, and the engine what time it is.
///
/// # Errors
/// With everything that is wrong with it.
pub fn giving(text: &str) -> Result<Giving, HandoffError> {
    read(text, |place| place.object(giving::giving))
}

/// Looks at a text before anything of it is parsed: how long it is, and how deep.
///
/// # Errors
/// When it is too long, or nested too deeply.
pub fn checked(text: &str) -> Result<(), HandoffError> {
    scan::size(text)?;
    Ok(scan::depth(text)?)
}

fn read<T>(text: &str, read: impl FnOnce(Place<'_>) -> Option<T>) -> Result<T, HandoffError> {
    read_at("", text, read)
}

/// Reads a text whose paths begin with this name.
fn read_at<T>(name: &str, text: &str, read: impl FnOnce(Place<'_>) -> Option<T>) -> Result<T, HandoffError> {
    scan::size(text)?;
    scan::depth(text)?;
    let value = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
    let mistakes = Mistakes::new()?;
    let found = read(Place::new(value, name.to_owned(), &mistakes));
    mistakes.verdict(found)
}

fn not_json(text: &str, error: &serde_json::Error) -> Refusal {
    let details = json!({"line": error.line(), "column": error.column()});
    let refusal = Refusal::new(Code::NotJson, error.to_string()).details(details);
    if text.trim().is_empty() { refusal.hint("nothing was sent") } else { refusal }
}

/// Between whom a request is, as far as it says so.
fn named(value: &Value) -> Option<(AgentId, Option<AgentId>)> {
    let name = |field| value.get(field).and_then(Value::as_str).and_then(|text| AgentId::new(text).ok());
    Some((name("from_agent")?, name("to_agent")))
}
