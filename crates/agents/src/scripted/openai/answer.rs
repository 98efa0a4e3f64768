//! Answers and errors in the format of OpenAI.

use super::super::{
    api::Event,
    said::{Said, snippets, words},
    spot::Refused,
};
use crate::model::StopReason;
use serde_json::{Value, json};

/// When every answer was made: nothing here depends on a clock.
const CREATED: u64 = 1_700_000_000;

/// An answer that comes at once.
pub(in super::super) fn whole(said: &Said) -> Value {
    let calls: Vec<Value> = said
        .calls
        .iter()
        .map(|call| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": format!("call_{}", call.id), "type": "function", "function": function})
        })
        .collect();
    let mut message = json!({"role": "assistant", "content": said.text, "refusal": null, "annotations": []});
    if !calls.is_empty() {
        message["tool_calls"] = Value::Array(calls);
        if said.text.is_empty() {
            message["content"] = Value::Null;
        }
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": reason(said.stop)});
    json!({
        "id": format!("chatcmpl-{}", said.id),
        "object": "chat.completion",
        "created": CREATED,
        "model": said.model,
        "choices": [choice],
        "usage": usage(said),
        "service_tier": "default",
        "system_fingerprint": null,
    })
}

/// An answer as a stream.
pub(in super::super) fn events(said: &Said, with_usage: bool) -> Vec<Event> {
    let mut events = Vec::new();
    let mut send = |choices: Value, usage: Value, piece: bool| {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", said.id),
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": said.model,
            "service_tier": "default",
            "system_fingerprint": null,
            "choices": choices,
        });
        if with_usage {
            chunk["usage"] = usage;
        }
        events.push(Event { text: format!("data: {chunk}\n\n"), piece });
    };
    let choice =
        |delta: Value, reason: Value| json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}]);
    let first = if said.text.is_empty() && !said.calls.is_empty() { Value::Null } else { json!("") };
    send(choice(json!({"role": "assistant", "content": first, "refusal": null}), Value::Null), Value::Null, false);
    for word in words(&said.text) {
        send(choice(json!({"content": word}), Value::Null), Value::Null, true);
    }
    for (at, call) in said.calls.iter().enumerate() {
        let function = json!({"name": call.name, "arguments": ""});
        let opening = json!({"index": at, "id": format!("call_{}", call.id), "type": "function", "function": function});
        send(choice(json!({"tool_calls": [opening]}), Value::Null), Value::Null, false);
        for snippet in snippets(&call.arguments) {
            let more = json!({"index": at, "function": {"arguments": snippet}});
            send(choice(json!({"tool_calls": [more]}), Value::Null), Value::Null, true);
        }
    }
    send(choice(json!({}), json!(reason(said.stop))), Value::Null, false);
    if with_usage {
        send(json!([]), usage(said), false);
    }
    events.push(Event { text: "data: [DONE]\n\n".to_owned(), piece: false });
    events
}

fn reason(stop: StopReason) -> &'static str {
    match stop {
        StopReason::Done => "stop",
        StopReason::Tools => "tool_calls",
        StopReason::Length => "length",
        StopReason::Refused => "content_filter",
    }
}

fn usage(said: &Said) -> Value {
    let used = said.used;
    json!({
        "prompt_tokens": used.input,
        "completion_tokens": used.output,
        "total_tokens": used.input.saturating_add(used.output),
        "prompt_tokens_details": {"cached_tokens": used.cached, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    })
}

/// An error.
pub(in super::super) fn error(refused: &Refused) -> Value {
    let (kind, code) = match refused.status {
        401 => ("invalid_request_error", Some("invalid_api_key")),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("requests", Some("rate_limit_exceeded")),
        500.. => ("server_error", None),
        _ => ("invalid_request_error", None),
    };
    let code = refused.code.or(code);
    json!({"error": {"message": refused.message, "type": kind, "param": refused.param, "code": code}})
}

/// The list of models.
pub(in super::super) fn models(names: &[String]) -> Value {
    let model = |name: &String| json!({"id": name, "object": "model", "created": CREATED, "owned_by": "script"});
    json!({"object": "list", "data": names.iter().map(model).collect::<Vec<_>>()})
}
