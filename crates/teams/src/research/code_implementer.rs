//! The code implementer: writes one file out of the code of the passages that the plan cites, in the order of its steps.

use super::{left, pack, plan::Plan, question};
use crate::{
    bench::text,
    room::{Room, ended, failed},
    shelf::Passage,
};
use handover_core::session::ArtifactType;
use handover_engine::agent::{Done, Failure, Work};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(super) async fn run(work: &Work, room: &Room) -> Result<Done, Failure> {
    let plan = work.payload().get("plan").cloned().unwrap_or(Value::Null);
    let plan: Plan = serde_json::from_value(plan).map_err(|error| format!("the plan cannot be read: {error}"))?;
    let passages = pack::passages(work.payload());
    let pieces = pieces(&plan, &passages);
    let Some((_, language, _)) = pieces.first() else {
        let say = "no passage that the plan cites has code in it";
        return Ok(failed(work, "IMPLEMENTATION_FAILED", json!({"error_message": say}), say));
    };
    let (ending, comment) = form(language);
    let by = text(work.payload(), "implementation_plan").unwrap_or("no plan");
    let mut source = format!("{comment} {}\n{comment} Made from {by}.\n", question(work));
    let same = pieces.iter().filter(|(_, other, _)| other == language);
    for (step, _, code) in same.clone() {
        let _ = write!(source, "\n\n{comment} {step}\n{code}");
    }
    let path = room.write(work, &format!("implementation.{ending}"), source).await?;
    let data = json!({"implementation": path, "pieces": same.count(), "validated": true});
    let update = left(3, ArtifactType::Code, &path, "Implementation");
    Ok(ended(work, "IMPLEMENTATION_COMPLETE", data, format!("{path} is written")).update(update))
}

/// Each piece of code with its step and its language.
fn pieces(plan: &Plan, passages: &[Passage]) -> Vec<(String, String, String)> {
    let mut pieces = Vec::new();
    for (n, step) in plan.steps.iter().enumerate() {
        for passage in passages.iter().filter(|passage| step.cites.contains(&passage.id)) {
            let note = format!("Step {}: {} [{}]", n + 1, passage.heading, passage.id);
            pieces.extend(passage.code().into_iter().map(|(language, code)| (note.clone(), language, code)));
        }
    }
    pieces
}

/// How a file of this language ends, and how its comments begin.
fn form(language: &str) -> (&'static str, &'static str) {
    match language {
        "python" => ("py", "#"),
        "rust" => ("rs", "//"),
        "sh" => ("sh", "#"),
        _ => ("txt", "#"),
    }
}
