//! What a model is told of what came of a call: results, refusals, and what is too long for one.

use super::calls::Outcome;
use handover_core::{
    handoff::{Return, ReturnStatus},
    limits::TOOL_RESULT_BYTES_MAX,
    refusal::{Family, HandoffError},
};
use handover_engine::agent::Failure;
use serde_json::{Value, json};

/// Something is wrong, in words.
pub(super) fn wrong(message: impl Into<String>) -> Value {
    json!({"error": message.into()})
}

/// A refusal of the engine, for a model: what is wrong, where, and how to mend it. What no model can mend, such as an
/// engine that is being closed, is no result: the turn goes on from here at the next start.
pub(super) fn refused(error: HandoffError) -> Result<Value, Failure> {
    if error.code().family() == Family::Trouble {
        return Err(error.into());
    }
    let each = |refusal: &handover_core::refusal::Refusal| json!({"code": refusal.code.text(), "message": refusal.message, "field": refusal.field, "hint": refusal.hint});
    Ok(json!({
        "error": format!("this was refused: {error}"),
        "mistakes": error.refusals.iter().map(each).collect::<Vec<_>>(),
        "hint": "mend it and try again, do the task yourself, or ask the user",
    }))
}

/// What a specialist gave back.
pub(super) fn came_back(result: &Return) -> Outcome {
    let who = result.from_agent.clone();
    let mut value = json!({
        "specialist_name": who,
        "specialist_response": result.result.body,
        "handoff_summary": format!("{} after {}", word(result.status), iterations(result.metrics.iterations)),
    });
    // What it noted is told where the response does not say it.
    if !result.notes.is_empty() && value["specialist_response"] != result.notes.as_str() {
        value["notes"] = json!(result.notes);
    }
    match result.status {
        ReturnStatus::Success | ReturnStatus::Partial => Ok((value, false)),
        ReturnStatus::Failed | ReturnStatus::Timeout => Err(json!({
            "error": format!("the handoff to {who} came to nothing ({}): {}", word(result.status), result.notes),
            "specialist_response": result.result.body,
            "hint": "do it yourself, try somebody else, or ask the user",
        })),
    }
}

fn word(status: ReturnStatus) -> &'static str {
    match status {
        ReturnStatus::Success => "success",
        ReturnStatus::Partial => "partial success",
        ReturnStatus::Failed => "failure",
        ReturnStatus::Timeout => "a timeout",
    }
}

fn iterations(count: u64) -> String {
    if count == 1 { "1 iteration".to_owned() } else { format!("{count} iterations") }
}

/// A result as text.
pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A result that is not too long.
pub(super) fn cut(text: String) -> String {
    let fitting = text.floor_char_boundary(TOOL_RESULT_BYTES_MAX);
    if fitting == text.len() {
        return text;
    }
    format!("{}…\n(cut here; the whole result has {} bytes, TOOL_RESULT_BYTES_MAX)", &text[..fitting], text.len())
}
