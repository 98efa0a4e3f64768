//! The specialists: a generalist who keeps the conversation, and those whom it asks. They are found by what they can do,
//! not by name, so another one takes over where the workflow says so.
//!
//! | agent | its capability | it ends with |
//! |---|---|---|
//! | `generalist` | | `ANSWERED`, `NOT_UNDERSTOOD`, `NO_SPECIALIST` or `SPECIALIST_FAILED` |
//! | `test-specialist` | `testing` | a result; it asks somebody for `security` |
//! | `security-specialist` | `security` | a result |
//! | `deployment-specialist` | `deployment` | a result |

mod deployment;
mod generalist;
mod security;
mod testing;

use crate::{
    bench::text,
    files,
    folder::{self, TextFile},
    room::{Room, nobody},
};
use handover_core::limits::FINDINGS_SHOWN;
use handover_engine::agent::{Done, Failure, Work};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// The agents of the team, by name.
pub const AGENTS: [&str; 4] = ["generalist", "test-specialist", "security-specialist", "deployment-specialist"];

/// How long a specialist may take.
const PART: Duration = Duration::from_secs(60);

/// The settings of the team: the `with` of its workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The folder of the project, where the request names none.
    pub(crate) project: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { project: "projects/shop".to_owned() }
    }
}

/// Something that a specialist found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// Whether it must be mended first.
    pub(crate) blocks: bool,
    /// Where: a file, and a line where there is one.
    pub(crate) at: String,
    /// What.
    pub(crate) what: String,
}

impl Finding {
    fn blocker(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self { blocks: true, at: at.into(), what: what.into() }
    }

    fn note(at: impl Into<String>, what: impl Into<String>) -> Self {
        Self { blocks: false, at: at.into(), what: what.into() }
    }
}

pub(crate) async fn run(role: &str, work: &Work, room: &Room) -> Result<Done, Failure> {
    match role {
        "generalist" => generalist::run(work, room).await,
        "test-specialist" => testing::run(work, room).await,
        "security-specialist" => security::run(work, room).await,
        "deployment-specialist" => deployment::run(work, room).await,
        _ => Err(nobody("specialists", role)),
    }
}

/// The folder of the project, as the request names it.
fn project(work: &Work, room: &Room) -> Result<String, Failure> {
    let settings: Settings = room.settings()?;
    Ok(text(work.payload(), "project").map_or(settings.project, str::to_owned))
}

/// The files of the project.
async fn source(work: &Work, room: &Room) -> Result<Vec<TextFile>, Failure> {
    let folder = room.home(&project(work, room)?)?;
    Ok(files::off_thread(move || folder::read(&folder)).await??)
}

/// Whether a file holds tests.
fn is_test(file: &TextFile) -> bool {
    file.path.starts_with("tests/") || file.path.contains("/tests/") || file.name().starts_with("test_")
}

/// What a specialist gives back.
fn report(mut findings: Vec<Finding>, mut facts: Value, say: &str) -> Done {
    findings.truncate(FINDINGS_SHOWN);
    if let Value::Object(facts) = &mut facts {
        facts.insert("findings".to_owned(), json!(findings));
        facts.insert("summary".to_owned(), json!(say));
    }
    Done::json(facts).notes(say)
}

/// The findings in what came back.
fn findings(body: &Value) -> Vec<Finding> {
    body.get("findings").and_then(|all| serde_json::from_value(all.clone()).ok()).unwrap_or_default()
}
