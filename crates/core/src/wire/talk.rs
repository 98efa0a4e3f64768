//! Messages of a conversation.

use super::{
    fields::Fields,
    place::{Limit, Place},
};
use crate::{
    limits,
    message::{NewMessage, ToolCall},
    refusal::{Code, Refusal},
};
use serde_json::Value;

/// Most messages that are appended at once.
pub(super) const APPENDED: Limit = (limits::MESSAGES_PER_APPEND_MAX, "MESSAGES_PER_APPEND_MAX");
/// What the engine adds to a message that it keeps. Whoever sends a history back sends them too.
const KEPT: [&str; 4] = ["n", "at", "tokens", "redacted"];

pub(super) fn message(f: &mut Fields<'_>) -> NewMessage {
    NewMessage {
        role: f.word("role"),
        content: f.get("content").and_then(Place::content).unwrap_or_default(),
        agent: f.optional_agent("agent"),
        tool_calls: f.list("tool_calls", None, |item| item.object(tool_call)),
        tool_call_id: f.get("tool_call_id").and_then(Place::free_text),
        tool_name: f.get("tool_name").and_then(Place::free_text),
        reasoning: f.boolean("reasoning", false),
        aside: f.boolean("aside", false),
    }
}

fn tool_call(f: &mut Fields<'_>) -> ToolCall {
    ToolCall { id: f.text("id"), name: f.text("name"), arguments: f.payload("arguments") }
}

/// The conversation that a request carries. Most of it is stored already, so it may be longer than an append.
pub(super) fn history(place: Place<'_>) -> Option<Vec<NewMessage>> {
    if let Value::Object(map) = place.value() {
        let refusal = Refusal::new(Code::WrongType, "expected a list of messages, found an object");
        let mode = ["transfer_mode", "max_messages", "include"].iter().any(|name| map.contains_key(*name));
        place.refuse(if mode { refusal.hint("what is shown of it belongs in `context.transfer`") } else { refusal });
        return None;
    }
    place.list(None, |item| {
        item.object(|f| {
            f.skip(&KEPT);
            message(f)
        })
    })
}
