//! Answers and errors in the format of Anthropic.

use super::super::{
    api::Event,
    said::{Said, SaidCall, snippets, words},
    spot::Refused,
};
use crate::model::StopReason;
use serde_json::{Value, json};

/// When every model was made: nothing here depends on a clock.
const CREATED: &str = "2024-01-01T00:00:00Z";

/// An answer that comes at once.
pub(in super::super) fn whole(said: &Said) -> Value {
    let text = (!said.text.is_empty()).then(|| json!({"type": "text", "text": said.text}));
    // Arguments that are no JSON come as the text that they are, so that they are no object.
    let input = |call: &SaidCall| serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
    let calls = said.calls.iter().map(
        |call| json!({"type": "tool_use", "id": format!("toolu_{}", call.id), "name": call.name, "input": input(call)}),
    );
    let content: Vec<Value> = text.into_iter().chain(calls).collect();
    message(said, &json!(content), Some(reason(said.stop)), said.used.output)
}

fn message(said: &Said, content: &Value, reason: Option<&str>, output: u64) -> Value {
    json!({
        "id": format!("msg_{}", said.id),
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": null,
        "usage": {
            "input_tokens": said.used.input.saturating_sub(said.used.cached),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": said.used.cached,
            "output_tokens": output,
            "service_tier": "standard",
        },
    })
}

/// An answer as a stream.
pub(in super::super) fn events(said: &Said) -> Vec<Event> {
    let mut events =
        vec![event(&json!({"type": "message_start", "message": message(said, &json!([]), None, 1)}), false)];
    let mut index = 0;
    let mut block = |opening: Value, deltas: Vec<Value>| {
        events.push(event(&json!({"type": "content_block_start", "index": index, "content_block": opening}), false));
        if index == 0 {
            events.push(event(&json!({"type": "ping"}), false));
        }
        for delta in deltas {
            events.push(event(&json!({"type": "content_block_delta", "index": index, "delta": delta}), true));
        }
        events.push(event(&json!({"type": "content_block_stop", "index": index}), false));
        index += 1;
    };
    if !said.text.is_empty() {
        let deltas = words(&said.text).into_iter().map(|word| json!({"type": "text_delta", "text": word}));
        block(json!({"type": "text", "text": ""}), deltas.collect());
    }
    for call in &said.calls {
        let deltas = snippets(&call.arguments).into_iter();
        let deltas = deltas.map(|snippet| json!({"type": "input_json_delta", "partial_json": snippet}));
        let id = format!("toolu_{}", call.id);
        block(json!({"type": "tool_use", "id": id, "name": call.name, "input": {}}), deltas.collect());
    }
    let delta = json!({"stop_reason": reason(said.stop), "stop_sequence": null});
    let usage = json!({"output_tokens": said.used.output});
    events.push(event(&json!({"type": "message_delta", "delta": delta, "usage": usage}), false));
    events.push(event(&json!({"type": "message_stop"}), false));
    events
}

fn event(data: &Value, piece: bool) -> Event {
    let name = data["type"].as_str().unwrap_or_default();
    Event { text: format!("event: {name}\ndata: {data}\n\n"), piece }
}

fn reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Done => "end_turn",
        StopReason::Tools => "tool_use",
        StopReason::Length => "max_tokens",
        StopReason::Refused => "refusal",
    }
}

/// An error.
pub(in super::super) fn error(refused: &Refused) -> Value {
    let kind = match refused.status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": refused.message}})
}

/// The list of models.
pub(in super::super) fn models(names: &[String]) -> Value {
    let model = |name: &String| json!({"type": "model", "id": name, "display_name": name, "created_at": CREATED});
    let data: Vec<Value> = names.iter().map(model).collect();
    json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
}
