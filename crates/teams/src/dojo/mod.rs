//! The dojo: a partner for thinking who hands over to a librarian for a reference and to a debugger for a snippet, and
//! has the conversation back each time.
//!
//! | agent | it ends with |
//! |---|---|
//! | `dojo` | `NEEDS_REFERENCE`, `NEEDS_DEBUGGING`, `ANSWERED` or `NOT_UNDERSTOOD` |
//! | `librarian` | `REFERENCE_FOUND` or `NOTHING_FOUND` |
//! | `debugger` | `FAULT_FOUND`, `NO_FAULT_FOUND` or `CANNOT_CHECK` |
//!
//! What one of them finds out is said in the session, so that the next one has it in its view, and is in the payload too.

mod brackets;
mod debugger;
mod librarian;
mod partner;
mod snippet;

use crate::room::{Room, nobody};
use handover_engine::agent::{Done, Failure, Work};
use serde::Deserialize;

/// The agents of the team, by name.
pub const AGENTS: [&str; 3] = ["dojo", "librarian", "debugger"];

/// The settings of the team: the `with` of its workflow.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The folder with the notes.
    pub(crate) notes: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self { notes: "notes".to_owned() }
    }
}

pub(crate) async fn run(role: &str, work: &Work, room: &Room) -> Result<Done, Failure> {
    match role {
        "dojo" => partner::run(work).await,
        "librarian" => librarian::run(work, room).await,
        "debugger" => debugger::run(work).await,
        _ => Err(nobody("dojo", role)),
    }
}

/// Says something in the session, once.
async fn say(work: &Work, words: &str) -> Result<(), Failure> {
    work.step("say", || async { Ok::<_, Failure>(work.say(words).await.map(drop)?) }).await
}
