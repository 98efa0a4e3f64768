//! The debugger: finds the line of a snippet that is wrong, and explains it.

use super::{
    say,
    snippet::{self, Fault},
};
use crate::{bench::text, room::ended};
use handover_engine::agent::{Done, Failure, Work};
use serde_json::json;

pub(super) async fn run(work: &Work) -> Result<Done, Failure> {
    let given = work.payload().get("snippet").and_then(serde_json::Value::as_str).unwrap_or_default();
    let language = text(work.payload(), "language").unwrap_or_else(|| snippet::guess(given));
    let seen = work.view().items.len();
    let (signal, words, faults) = match snippet::check(language, given) {
        Err(why) => ("CANNOT_CHECK", format!("I cannot check it: {why}."), Vec::new()),
        Ok(faults) if faults.is_empty() => ("NO_FAULT_FOUND", "I find no fault in the snippet.".to_owned(), faults),
        Ok(faults) => ("FAULT_FOUND", explained(given, &faults), faults),
    };
    say(work, &words).await?;
    let data = json!({"diagnosis": {"language": language, "faults": faults, "words": words}, "seen": seen});
    Ok(ended(work, signal, data, words))
}

/// Each fault with its line.
fn explained(text: &str, faults: &[Fault]) -> String {
    let line = |fault: &Fault| {
        let shown = text.lines().nth(fault.line.saturating_sub(1)).unwrap_or_default().trim();
        format!("Line {}, `{shown}`: {}; {}.", fault.line, fault.what, fault.mend)
    };
    faults.iter().map(line).collect::<Vec<_>>().join(" ")
}
