//! What came of a task: how it ended, in the words of a handoff. All of it is data of somebody else.

use super::{read, seen::Seen};
use crate::assignment::{Came, tame};
use a2a::{Artifact, Message, Part, PartContent, TaskState};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use handover_core::{
    a2a::read_used,
    budget::Budget,
    command::{NewArtifact, Update},
    digest::Digest,
    limits::{
        BUDGET_COST_MAX, BUDGET_TOKENS_MAX, JSON_DEPTH_MAX, PAYLOAD_BYTES_MAX, QUOTE_CHARS_MAX, REMOTE_FILES_MAX,
        TEXT_BYTES_MAX,
    },
    session::{ArtifactStatus, ArtifactType},
};
use handover_engine::agent::Done;
use serde_json::Value;

/// Where a task stands, and what is to be done about it.
#[derive(Debug, PartialEq)]
pub(super) enum Stands {
    /// It goes on.
    Working,
    /// It is over, and this came of it.
    Over(Box<Came>),
    /// The agent asks.
    Asks(Question),
}

/// Something that the remote agent wants to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    /// By which it is known again; nothing where it cannot be told from the same question asked anew.
    pub(super) mark: Option<Digest>,
}

/// Where this task stands.
///
/// # Errors
/// When what it gives back cannot be kept.
pub(super) fn stands(seen: &Seen) -> Result<Stands, String> {
    let said = || told(seen.status.message.as_ref());
    let failed = |why: String| Ok(Stands::Over(Box::new(Came::Done(Box::new(Done::failed(why))))));
    match seen.status.state {
        TaskState::Unspecified | TaskState::Submitted | TaskState::Working => Ok(Stands::Working),
        TaskState::Completed => {
            let done = result(&seen.artifacts, seen.status.message.as_ref())?;
            let used = read_used(|name| seen.metadata.get(name));
            Ok(Stands::Over(Box::new(Came::Done(Box::new(counted(done, used))))))
        }
        TaskState::Failed => failed(format!("the remote agent failed: {}", said())),
        TaskState::Canceled => failed(format!("the remote agent cancelled the task: {}", said())),
        TaskState::Rejected => {
            Ok(Stands::Over(Box::new(Came::Declined(format!("the remote agent rejected it: {}", said())))))
        }
        TaskState::InputRequired => Ok(Stands::Asks(question(seen))),
        TaskState::AuthRequired => failed(format!(
            "the remote agent needs to be authorised, and only an operator can do that: {}; do what it asks for, at the \
             remote agent or by another key in `secret_env`, and hand over again",
            said()
        )),
    }
}

/// What a message says, as it can be told.
fn told(message: Option<&Message>) -> String {
    let text = tame(&read::text(message));
    if text.trim().is_empty() { "it does not say why".to_owned() } else { text }
}

fn question(seen: &Seen) -> Question {
    let message = seen.status.message.as_ref();
    let text = tame(&read::text(message));
    let id = message.map(|message| message.message_id.as_str()).unwrap_or_default();
    let at = seen.status.timestamp.map(|at| at.to_rfc3339()).unwrap_or_default();
    let known = !(id.is_empty() && at.is_empty());
    let mark = known.then(|| Digest::of_all([id.as_bytes(), b"\0", at.as_bytes(), b"\0", text.as_bytes()]));
    let text =
        if text.trim().is_empty() { "The remote agent asks for input and does not say which.".into() } else { text };
    Question { text, mark }
}

/// What a message alone gives back: an agent may answer without a task.
///
/// # Errors
/// When it cannot be kept.
pub(super) fn of_message(message: &Message) -> Result<Done, String> {
    super::seen::check_parts(message.parts.len())?;
    let used = read_used(|name| message.metadata.as_ref().and_then(|metadata| metadata.get(name)));
    Ok(counted(result(&[], Some(message))?, used))
}

fn counted(mut done: Done, used: handover_core::handoff::Metrics) -> Done {
    let (giving, _) = done.clone().into_parts();
    done = done.update(Update { metrics: used, ..giving.updates });
    done
}

/// The same with no more to be charged than `left`: what somebody else says that it used is believed up to there.
pub(super) fn charged(done: Done, left: Option<Budget>) -> Done {
    let (giving, _) = done.clone().into_parts();
    let (mut used, left) = (giving.updates.metrics, left.unwrap_or_default());
    let tokens = left.tokens.unwrap_or(BUDGET_TOKENS_MAX);
    let cost = left.cost.unwrap_or(f64::from(BUDGET_COST_MAX));
    if used.tokens <= tokens && used.cost <= cost {
        return done;
    }
    let warning = format!(
        "The remote agent says that it used {} tokens and {} of money. It may use {tokens} tokens and {cost} of money (what \
         was set aside for it; else BUDGET_TOKENS_MAX and BUDGET_COST_MAX), and no more is charged.",
        used.tokens, used.cost
    );
    (used.tokens, used.cost) = (used.tokens.min(tokens), used.cost.min(cost));
    let notes = if giving.notes.is_empty() { warning } else { format!("{warning}\n\n{}", giving.notes) };
    done.notes(notes).update(Update { metrics: used, ..giving.updates })
}

/// The result: of the artifacts where there are any, else of the message. Data is the body, words are the body where there is
/// no data and a note where there is, and files become artifacts.
fn result(artifacts: &[Artifact], message: Option<&Message>) -> Result<Done, String> {
    let spoken = message.map(|message| message.parts.as_slice()).unwrap_or_default();
    let mut made: Vec<&Part> = artifacts.iter().flat_map(|artifact| &artifact.parts).collect();
    let mut notes = Vec::new();
    if made.is_empty() {
        made = spoken.iter().collect();
    } else {
        notes.extend(spoken.iter().filter_map(Part::as_text).map(str::to_owned));
    }
    let mut data: Vec<&Value> = made.iter().filter_map(|part| data_of(part)).collect();
    let text = made.iter().filter_map(|part| part.as_text()).collect::<Vec<_>>().join("\n\n");
    let done = match data.len() {
        0 if text.is_empty() => Done::json(Value::Null),
        0 => Done::text(bounded_text(&text)?),
        more => {
            notes.extend((!text.is_empty()).then(|| text.clone()));
            let body = if more == 1 { data.remove(0).clone() } else { data.into_iter().cloned().collect() };
            Done::json(bounded(body)?)
        }
    };
    let (files, lost) = files(&made);
    let done = if lost.is_empty() { done } else { done.partly() };
    let update = Update { artifacts: files, ..Update::default() };
    // What is lost comes first: notes that are long lose their end.
    Ok(done.notes(tame(&[lost, notes].concat().join("\n\n"))).update(update))
}

fn data_of(part: &Part) -> Option<&Value> {
    match &part.content {
        PartContent::Data(value) => Some(value),
        PartContent::Text(_) | PartContent::Raw(_) | PartContent::Url(_) => None,
    }
}

fn bounded_text(text: &str) -> Result<String, String> {
    // Words that are too long are cut nowhere in silence: whoever asked is told.
    if text.len() > PAYLOAD_BYTES_MAX / 2 {
        let most = PAYLOAD_BYTES_MAX / 2;
        return Err(format!(
            "its answer has {} bytes, and at most {most} are kept (half of PAYLOAD_BYTES_MAX)",
            text.len()
        ));
    }
    Ok(text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect())
}

fn bounded(body: Value) -> Result<Value, String> {
    let size = serde_json::to_string(&body).map_or(usize::MAX, |text| text.len());
    if size > PAYLOAD_BYTES_MAX {
        return Err(format!(
            "its answer has {size} bytes, and at most {PAYLOAD_BYTES_MAX} are kept (PAYLOAD_BYTES_MAX)"
        ));
    }
    if deeper_than(&body, JSON_DEPTH_MAX) {
        return Err(format!("its answer is nested deeper than {JSON_DEPTH_MAX} (JSON_DEPTH_MAX)"));
    }
    Ok(body)
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| deeper_than(item, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Files by where they are, and what is to be said of those that are lost. A small one is carried in its own address; a larger
/// one does not fit.
fn files(parts: &[&Part]) -> (Vec<NewArtifact>, Vec<String>) {
    let (mut files, mut lost) = (Vec::new(), Vec::new());
    for part in parts {
        let kind = part.media_type.as_deref().unwrap_or("application/octet-stream");
        let name: String = tame(part.filename.as_deref().unwrap_or(kind)).chars().take(QUOTE_CHARS_MAX).collect();
        let path = match &part.content {
            PartContent::Url(url) => url.clone(),
            PartContent::Raw(bytes) => format!("data:{kind};base64,{}", STANDARD.encode(bytes)),
            PartContent::Text(_) | PartContent::Data(_) => continue,
        };
        if let Some(why) = unkept(&path, files.len()) {
            lost.push(format!("The file {name} was left out: {why}."));
        } else {
            let kind = ArtifactType::File;
            files.push(NewArtifact { kind, path, description: name, status: ArtifactStatus::Final });
        }
    }
    (files, lost)
}

/// Why a file cannot be kept beside so many others; nothing when it can.
fn unkept(path: &str, others: usize) -> Option<String> {
    if path.len() > TEXT_BYTES_MAX {
        let size = path.len();
        return Some(format!("its address has {size} bytes, and at most {TEXT_BYTES_MAX} are kept (TEXT_BYTES_MAX)"));
    }
    if path.is_empty() || path.chars().any(char::is_control) {
        return Some("its address is none".to_owned());
    }
    (others >= REMOTE_FILES_MAX).then(|| format!("there are more than {REMOTE_FILES_MAX} of them (REMOTE_FILES_MAX)"))
}
