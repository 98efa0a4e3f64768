//! Workflows by file: a team that works by rules, checked as a whole before anything is started.
//!
//! ```yaml
//! name: letters
//! agents: {writer: {}, reviewer: {}}
//! start: WRITING
//! states:
//!   WRITING: {agent: writer, timeout: 1h}
//!   REVIEWING: {agent: reviewer}
//!   DONE: {end: completed}
//! rules:
//!   - {id: review, from: writer, to: reviewer, reason: The draft is there, next_state: REVIEWING}
//!   - {id: again, from: reviewer, to: writer, trigger_state: REJECTED, reason: Not good yet, next_state: WRITING}
//!   - {id: done, from: reviewer, trigger_state: REVIEWING_COMPLETE, reason: Approved, next_state: DONE}
//! ```
//!
//! [`read`] and [`parse`] tell all mistakes of a file at once, each with its line and column. `docs/guides/workflows.md`
//! says how to write one, `docs/reference/workflow-file.md` has every field.

mod check;
mod form;
mod read;
mod schema;

pub use crate::yaml::{FileError, Mistake, Note};
pub use form::{FORM, Field, Kind, Part};
pub use read::{parse, read};
pub use schema::schema;

use handover_core::workflow::Workflow;
use std::path::PathBuf;

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkflowFile {
    /// The workflow; it can be defined as it is.
    pub workflow: Workflow,
    /// What can be and is worth a second look, from top to bottom.
    pub notes: Vec<Note>,
    /// The file that it came from, as it was named.
    pub file: String,
    /// The folder of the file, from which its programs are started; empty for the present one.
    pub folder: PathBuf,
}
