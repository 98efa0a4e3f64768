//! The research team: from a question to a plan that is good enough, and a file that is made from it.
//!
//! | agent | it ends with | or fails with |
//! |---|---|---|
//! | `docs-researcher` | `RESEARCH_COMPLETE` | `RESEARCH_FAILED` |
//! | `implementation-planner` | `PLAN_COMPLETE` | |
//! | `analyzer` | `ANALYSIS_COMPLETE`, with a `quality_score` | |
//! | `code-implementer` | `IMPLEMENTATION_COMPLETE` | `IMPLEMENTATION_FAILED` |
//! | `chief-architect` | `SURVEY_COMPLETE` | `SURVEY_FAILED` |
//! | `scout` | answers a broadcast, and has no signal | |
//!
//! What is handed over are passages by their ids; every file that is written is an artifact of the session.

mod analyzer;
mod chief_architect;
mod code_implementer;
mod docs_researcher;
mod implementation_planner;
mod pack;
mod plan;
mod scout;

use crate::{
    bench::text,
    room::{Room, nobody},
};
use handover_core::{
    command::{NewArtifact, Update},
    session::{ArtifactStatus, ArtifactType},
};
use handover_engine::agent::{Done, Failure, Work};
use serde::Deserialize;
use serde_json::{Value, json};

/// The agents of the team, by name.
pub const AGENTS: [&str; 6] =
    ["docs-researcher", "implementation-planner", "analyzer", "code-implementer", "chief-architect", "scout"];

/// The steps of the way, for whoever asks how far it is.
const PHASES: [&str; 4] = ["research", "planning", "analysis", "implementation"];

/// The settings of the team: the `with` of its workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The folder with the documents.
    pub(crate) library: String,
    /// The folder with code that is there already.
    pub(crate) code: String,
    /// How many passages a first look takes along.
    pub(crate) passages: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { library: "library".to_owned(), code: "existing".to_owned(), passages: 4 }
    }
}

pub(crate) async fn run(role: &str, work: &Work, room: &Room) -> Result<Done, Failure> {
    match role {
        "docs-researcher" => docs_researcher::run(work, room).await,
        "implementation-planner" => implementation_planner::run(work, room).await,
        "analyzer" => analyzer::run(work, room).await,
        "code-implementer" => code_implementer::run(work, room).await,
        "chief-architect" => chief_architect::run(work, room).await,
        "scout" => scout::run(work, room).await,
        _ => Err(nobody("research", role)),
    }
}

/// What is asked for: as the payload says it, else as the user said it.
fn question(work: &Work) -> String {
    let asked = text(work.payload(), "question").unwrap_or(&work.handoff().request.original_request);
    asked.trim().to_owned()
}

/// Which round it is; the loop counts from 1.
fn round(work: &Work) -> u64 {
    work.payload().get("round").and_then(Value::as_u64).unwrap_or(1)
}

/// What a step leaves in the session: its file as an artifact, and how far the work is.
fn left(phase: usize, kind: ArtifactType, path: &str, description: &str) -> Update {
    let artifact =
        NewArtifact { kind, path: path.to_owned(), description: description.to_owned(), status: ArtifactStatus::Final };
    let workflow_state = json!({
        "phase": PHASES[phase],
        "next_phase": PHASES.get(phase + 1),
        "completed_steps": PHASES[..=phase],
        "remaining_steps": PHASES[phase + 1..],
    });
    Update { artifacts: vec![artifact], workflow_state, ..Update::default() }
}
