//! Words and shapes that several commands share.

use super::paint::Style;
use handover_core::handoff::{Handoff, Kind, Priority, Status};
use serde_json::{Value, json};

/// How a status looks.
pub(crate) fn status_style(status: Status) -> Style {
    match status {
        Status::Completed => Style::Green,
        Status::Failed | Status::TimedOut => Style::Red,
        Status::AwaitingApproval | Status::Escalated => Style::Yellow,
        Status::Running => Style::Blue,
        Status::Offered | Status::Deferred => Style::Cyan,
        Status::Cancelled => Style::Dim,
    }
}

/// A status for people.
pub(crate) fn status(status: Status) -> String {
    status.word().replace('_', " ")
}

/// A cell of a status.
pub(crate) fn status_cell(of: Status) -> (String, Style) {
    (status(of), status_style(of))
}

/// How the work moves, in a word.
pub(crate) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Sequential => "sequential",
        Kind::Delegation => "delegation",
        Kind::Broadcast => "broadcast",
        Kind::Escalation => "escalation",
    }
}

/// How urgent, in a word.
pub(crate) fn priority(priority: Priority) -> (String, Style) {
    let (word, style) = match priority {
        Priority::Urgent => ("urgent", Style::Red),
        Priority::High => ("high", Style::Yellow),
        Priority::Normal => ("normal", Style::Plain),
        Priority::Low => ("low", Style::Dim),
    };
    (word.to_owned(), style)
}

/// A plain cell.
#[expect(clippy::needless_pass_by_value, reason = "texts are passed as they come, owned or not")]
pub(crate) fn cell(text: impl ToString) -> (String, Style) {
    (text.to_string(), Style::Plain)
}

/// A handoff for programs: as it is kept, with its status, its request and its result.
pub(crate) fn handoff_json(handoff: &Handoff) -> Value {
    let mut value = serde_json::to_value(handoff).unwrap_or_default();
    value["status"] = json!(handoff.status());
    value["request"] = json!(*handoff.request);
    if let Some(result) = &handoff.result {
        value["result"] = json!(**result);
    }
    value
}

/// `1 record`, `2 records`.
pub(crate) fn count(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}
