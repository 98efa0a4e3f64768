//! The statuses of refusals: which a route has, and what each means.

use super::components;
use crate::table::{Entry, Route};
use serde_json::{Map, Value, json};

/// All statuses of refusals, each with its name in the document and what it means.
const ALL: [(u16, &str, &str); 13] = [
    (400, "Unreadable", "The request cannot be read: its body, or one of its headers."),
    (401, "NoKey", "No key was sent, or it is not valid."),
    (403, "Forbidden", "The key does not allow this."),
    (404, "Missing", "There is no such thing for you."),
    (408, "TooSlow", "The body took too long to arrive."),
    (409, "Conflict", "It does not fit what has happened meanwhile, or a guard stops it."),
    (412, "Stale", "It is not what you saw any more."),
    (413, "TooLarge", "Something is larger than its limit, which is named."),
    (415, "NotJson", "The body is not JSON."),
    (422, "Invalid", "The request is wrong; all of it is told."),
    (429, "TooOften", "Too many requests; `Retry-After` says how long to wait."),
    (500, "Trouble", "Trouble of ours; the log has more."),
    (503, "NotNow", "Too much is going on, or the server ends; try again."),
];

/// Statuses that every route with a key can have.
const ALWAYS: [u16; 5] = [401, 403, 429, 500, 503];

/// The statuses of refusals of a route, with what they mean.
#[must_use]
pub fn refused(route: &Route) -> Vec<(u16, &'static str)> {
    let mut found: Vec<u16> = route.refuses.clone();
    if route.entry != Entry::Anybody {
        found.extend(ALWAYS);
    }
    if !route.parameters.is_empty() {
        found.push(400);
    }
    if route.parameters.iter().any(|parameter| parameter.place == "path") {
        found.push(404);
    }
    // What a query or a body names may not be there.
    if route.query.is_some() {
        found.extend([404, 422]);
    }
    if route.body.is_some() {
        found.extend([400, 404, 408, 413, 415, 422]);
    }
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|status| (status, known(status).2)).collect()
}

fn known(status: u16) -> (u16, &'static str, &'static str) {
    ALL.into_iter().find(|(known, ..)| *known == status).unwrap_or((status, "Refused", "It was refused."))
}

/// The answer with this status, by its name.
pub(super) fn reference(status: u16) -> Value {
    json!({ "$ref": format!("#/components/responses/{}", known(status).1) })
}

/// All of them.
pub(super) fn components(problem: &Value) -> Map<String, Value> {
    let made = ALL.into_iter().map(|(status, name, says)| {
        let mut headers = vec!["X-Request-Id"];
        match status {
            401 => headers.push("WWW-Authenticate"),
            429 | 503 => headers.push("Retry-After"),
            _ => {}
        }
        let response = json!({
            "description": says, "headers": components::named(&headers),
            "content": { "application/problem+json": { "schema": problem } },
        });
        (name.to_owned(), response)
    });
    made.collect()
}
