//! What is read, what is refused and how, and that nothing makes a reader fall over.

mod bad;
mod forms;
mod properties;
mod strategies;

use crate::refusal::HandoffError;
use expect_test::Expect;

/// Compares all refusals, one per line, with what is expected.
fn check<T: std::fmt::Debug>(found: Result<T, HandoffError>, expected: &Expect) {
    let text = match found {
        Ok(found) => format!("{found:#?}"),
        Err(error) => error.refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    expected.assert_eq(&text);
}

/// A request with nothing wrong, in which one part can be exchanged.
fn with(part: serde_json::Value) -> String {
    let mut request = serde_json::json!({
        "from_agent": "dojo", "to_agent": "librarian", "type": "delegation",
        "reason": "needs a source", "user_intent": "a citation", "original_request": "who said this?",
        "task": {"description": "find the source"}
    });
    if let (Some(whole), serde_json::Value::Object(part)) = (request.as_object_mut(), part) {
        whole.extend(part);
    }
    request.to_string()
}
