//! From a message of A2A to a request of ours (pure): its texts say what is to be done, the rest is data.

use crate::wrong::{Kind, Wrong};
use a2a::{Message, Part, PartContent};
use handover_core::{
    a2a::Lineage,
    digest::Digest,
    handoff::{Kind as HandoffKind, Request},
    ids::AgentId,
    limits::{A2A_PARTS_MAX, EXECUTION_MS, KEY_CHARS_MAX, PAYLOAD_BYTES_MAX, TEXT_BYTES_MAX, WAIT_MS_MAX},
    time::Timestamp,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The common media types that are taken in parts with content; all of [`TAKEN`] are. A reference is taken whatever it
/// points to.
pub(crate) const INPUT_MODES: [&str; 16] = [
    "text/plain",
    "text/markdown",
    "text/html",
    "text/csv",
    "application/json",
    "application/pdf",
    "application/octet-stream",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/mpeg",
    "audio/wav",
    "audio/ogg",
    "video/mp4",
    "video/webm",
];
/// What is taken, in words.
const TAKEN: &str = "text/*, image/*, audio/*, video/*, application/json and all that ends with +json, application/pdf and \
                     application/octet-stream are taken, and a url part whatever it points to";
/// The media types that results come in.
pub(crate) const OUTPUT_MODES: [&str; 2] = ["text/plain", "application/json"];
/// Under this name the request remembers what A2A needs of the message.
pub(crate) const NOTE: &str = "a2a";

/// How a message becomes a request: by whom, for whom, and what was said besides.
pub(crate) struct Asked<'m> {
    pub(crate) message: &'m Message,
    /// The metadata of the request around the message.
    pub(crate) metadata: Option<&'m HashMap<String, Value>>,
    /// The media types that the caller takes; all when nothing is said.
    pub(crate) modes: Vec<String>,
    /// Where it stands in a trace by the header of the request.
    pub(crate) traceparent: Option<String>,
    pub(crate) from: AgentId,
    pub(crate) to: Option<AgentId>,
    pub(crate) now: Timestamp,
}

/// Whether a message can be one, before anything is done by it.
pub(crate) fn check(message: &Message) -> Result<(), Wrong> {
    if message.message_id.trim().is_empty() {
        return Err(Wrong::field("message.messageId", "it is empty"));
    }
    // It becomes a part of a key.
    let chars = message.message_id.chars().count();
    if chars > KEY_CHARS_MAX / 2 || message.message_id.contains(char::is_control) {
        let max = KEY_CHARS_MAX / 2;
        return Err(Wrong::field("message.messageId", format!("it has {chars} characters; at most {max} plain ones")));
    }
    if message.role != a2a::Role::User {
        return Err(Wrong::field("message.role", "a client sends messages of ROLE_USER"));
    }
    if message.parts.is_empty() {
        return Err(Wrong::field("message.parts", "there are none"));
    }
    if message.parts.len() > A2A_PARTS_MAX {
        let count = message.parts.len();
        let what = format!("there are {count}; at most {A2A_PARTS_MAX} are allowed (A2A_PARTS_MAX)");
        return Err(Wrong::field("message.parts", what));
    }
    message.parts.iter().enumerate().try_for_each(|(at, part)| check_media(at, part))
}

fn check_media(at: usize, part: &Part) -> Result<(), Wrong> {
    let Some(media) = part.media_type.as_deref().filter(|media| !media.is_empty()) else { return Ok(()) };
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let json = essence == "application/json" || essence.ends_with("+json");
    let fits = match &part.content {
        PartContent::Url(_) => true,
        PartContent::Text(_) => essence.starts_with("text/") || json,
        PartContent::Data(_) => json,
        PartContent::Raw(_) => {
            let known = ["text/", "image/", "audio/", "video/"].iter().any(|family| essence.starts_with(family));
            known || json || essence == "application/pdf" || essence == "application/octet-stream"
        }
    };
    if fits {
        return Ok(());
    }
    let shown: String = essence.chars().filter(|c| !c.is_control()).take(80).collect();
    let wrong = Wrong::new(Kind::ContentType, format!("content of type \"{shown}\" is not taken here"));
    let place = format!("message.parts[{at}].mediaType");
    Err(wrong.and(&place, "such a part cannot have it").with("hint", TAKEN))
}

/// Whether results can be given in a way that the caller takes.
pub(crate) fn check_modes(modes: &[String]) -> Result<(), Wrong> {
    let takes = |mode: &String| {
        let mode = mode.trim().to_ascii_lowercase();
        mode == "*/*" || mode.starts_with("text/") || mode == "application/*" || mode.contains("json")
    };
    if modes.is_empty() || modes.iter().any(takes) {
        return Ok(());
    }
    let wrong = Wrong::new(Kind::ContentType, "results come as text/plain or application/json");
    Err(wrong.and("configuration.acceptedOutputModes", "it has neither of them"))
}

/// The texts of a message, as one.
pub(crate) fn text(message: &Message) -> String {
    let texts: Vec<&str> = message.parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n\n").trim().to_owned()
}

/// The request that a message makes.
pub(crate) fn request(asked: Asked<'_>) -> Result<Request, Wrong> {
    let Asked { message, metadata, modes, traceparent, from, to, now } = asked;
    let lineage = lineage(message, metadata);
    let (description, payload, whole) = task(message)?;
    let mut request = Request::new(HandoffKind::Delegation, from, description);
    "a message by A2A".clone_into(&mut request.reason);
    request.to_agent = to;
    request.capability = said(message, metadata, "skillId").and_then(Value::as_str).map(str::to_owned);
    request.task.payload = payload;
    request.context.artifacts = urls(message);
    request.context.traceparent = lineage.traceparent.clone().or(traceparent);
    request.context.constraints.deadline = lineage.due(now);
    request.context.constraints.budget = lineage.budget;
    let left = request.context.constraints.deadline.map_or(EXECUTION_MS, |due| due.since(now).max(1));
    request.return_protocol.timeout_ms = Some(left.min(WAIT_MS_MAX));
    request.context.metadata = note(message, &lineage, &modes, whole);
    Ok(request)
}

/// What goes with the work, by the metadata of the message or of the request around it.
fn lineage(message: &Message, metadata: Option<&HashMap<String, Value>>) -> Lineage {
    Lineage::read(|key| said(message, metadata, key))
}

fn said<'m>(message: &'m Message, metadata: Option<&'m HashMap<String, Value>>, key: &str) -> Option<&'m Value> {
    message.metadata.as_ref().and_then(|own| own.get(key)).or_else(|| metadata.and_then(|around| around.get(key)))
}

/// What the request remembers of the message: for the way back, and for whoever reads the trail.
fn note(message: &Message, lineage: &Lineage, modes: &[String], whole: bool) -> Value {
    let mut note = Map::from_iter([("message_id".to_owned(), json!(message.message_id))]);
    if whole {
        note.insert("parts".to_owned(), json!(true));
    }
    if !modes.is_empty() {
        note.insert("modes".to_owned(), json!(modes));
    }
    let path = (!lineage.path.is_empty()).then_some(&lineage.path);
    let origin = json!({"session": lineage.session, "handoff": lineage.handoff, "path": path});
    let origin: Map<String, Value> = origin
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, v)| !v.is_null())
        .map(|(k, v)| (k.clone(), v.clone()))
        .collect();
    if !origin.is_empty() {
        note.insert("origin".to_owned(), Value::Object(origin));
    }
    json!({NOTE: note})
}

/// What is to be done, with which data, and whether the data is a list of parts.
fn task(message: &Message) -> Result<(String, Value, bool), Wrong> {
    let text = text(message);
    let long = text.len() > TEXT_BYTES_MAX;
    let data: Vec<&Part> = message.parts.iter().filter(|part| long || part.as_text().is_none()).collect();
    let (payload, whole) = match data.as_slice() {
        [] => (Value::Null, false),
        [Part { content: PartContent::Data(data), .. }] => (data.clone(), false),
        parts => (json!({"parts": parts}), true),
    };
    let bytes = if payload.is_null() { 0 } else { payload.to_string().len() };
    if bytes > PAYLOAD_BYTES_MAX {
        let what = format!("their data has {bytes} bytes; at most {PAYLOAD_BYTES_MAX} are taken (PAYLOAD_BYTES_MAX)");
        return Err(Wrong::field("message.parts", what).with("hint", "send a url part that points to the content"));
    }
    let description = match (text.as_str(), long) {
        ("", _) => "Work on the data of this message.".to_owned(),
        (text, false) => text.to_owned(),
        (text, true) => format!("{} … (the whole text is in the data)", text.chars().take(500).collect::<String>()),
    };
    Ok((description, payload, whole))
}

fn urls(message: &Message) -> Vec<String> {
    let url = |part: &Part| match &part.content {
        PartContent::Url(url) => Some(url.clone()),
        PartContent::Text(_) | PartContent::Raw(_) | PartContent::Data(_) => None,
    };
    message.parts.iter().filter_map(url).collect()
}

/// The parts of the message that a request came from, as far as it remembers them.
pub(crate) fn parts_of(request: &Request) -> Vec<Value> {
    let note = &request.context.metadata[NOTE];
    let payload = &request.task.payload;
    if note["parts"] == json!(true) && payload["parts"].is_array() {
        // Whoever asks by another way may say the same of what is none.
        let parts = payload["parts"].as_array().into_iter().flatten();
        let parts: Vec<Value> = parts.filter(|part| part.is_object()).cloned().collect();
        let has_text = parts.iter().any(|part| part.get("text").is_some());
        let first = (!has_text).then(|| json!({"text": request.task.description}));
        return first.into_iter().chain(parts).collect();
    }
    let data = (!payload.is_null()).then(|| json!({"data": payload, "mediaType": "application/json"}));
    std::iter::once(json!({"text": request.task.description})).chain(data).collect()
}

/// The word of a message that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) yes: bool,
    /// Why.
    pub(crate) comment: String,
    /// What was seen, where that is said.
    pub(crate) digest: Option<Digest>,
}

/// The word of a message that decides: yes or no, and why; nothing where it is neither.
pub(crate) fn verdict(message: &Message) -> Result<Option<Verdict>, Wrong> {
    for (at, part) in message.parts.iter().enumerate() {
        if let PartContent::Data(data) = &part.content
            && let Some(yes) = data["approve"].as_bool()
        {
            let comment = data["comment"].as_str().unwrap_or_default().to_owned();
            let seen = Some(&data["digest"]).filter(|said| !said.is_null());
            let digest = seen.map(|said| said.as_str().and_then(|text| text.parse().ok()).ok_or(())).transpose();
            let digest = digest.map_err(|()| {
                Wrong::field(&format!("message.parts[{at}].data.digest"), "it is not the digest that the task shows")
            })?;
            return Ok(Some(Verdict { yes, comment, digest }));
        }
    }
    let text = text(message);
    let (word, rest) = text.split_once(|c: char| !c.is_alphanumeric()).unwrap_or((&text, ""));
    let comment = rest.trim_start_matches([',', '.', ':', ';', '!', ' ', '\n']).trim().to_owned();
    Ok(match word.to_lowercase().as_str() {
        "yes" | "approve" | "approved" => Some(Verdict { yes: true, comment, digest: None }),
        "no" | "deny" | "denied" | "reject" | "rejected" => Some(Verdict { yes: false, comment, digest: None }),
        _ => None,
    })
}

#[cfg(test)]
#[path = "inward/tests.rs"]
mod tests;
