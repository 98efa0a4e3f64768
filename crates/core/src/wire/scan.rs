//! What is checked before anything is parsed, so that hostile input costs one look at its bytes.

use crate::{
    limits,
    refusal::{Code, Refusal},
};
use serde_json::json;

/// Levels of our own around data of the caller's: a turn, its goto, a request, its broadcast, the targets, one of them,
/// its task.
const LEVELS_AROUND: usize = 7;
/// Deepest nesting of an input as a whole. Well below what the parser's stack can take.
const LEVELS_MAX: usize = limits::JSON_DEPTH_MAX + LEVELS_AROUND;

/// Refuses a text that is too long.
pub(super) fn size(text: &str) -> Result<(), Refusal> {
    let (bytes, max) = (text.len(), limits::REQUEST_BYTES_MAX);
    if bytes <= max {
        return Ok(());
    }
    let message = format!("it has {bytes} bytes; at most {max} are allowed (REQUEST_BYTES_MAX)");
    let details = json!({"limit": "REQUEST_BYTES_MAX", "max": max, "actual": bytes});
    Err(Refusal::new(Code::TooLarge, message).details(details))
}

/// Refuses a text with too many brackets inside one another.
pub(super) fn depth(text: &str) -> Result<(), Refusal> {
    let (mut level, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => level += 1,
            // A bracket too many is the parser's to tell.
            b'}' | b']' => level = level.saturating_sub(1),
            _ => {}
        }
        if level > LEVELS_MAX {
            let message = format!(
                "it is nested more than {LEVELS_MAX} levels deep ({} for your data, JSON_DEPTH_MAX, and {LEVELS_AROUND} around it)",
                limits::JSON_DEPTH_MAX
            );
            return Err(Refusal::new(Code::TooDeep, message));
        }
    }
    Ok(())
}
