//! How an agent of a workflow is run.

use serde::{Deserialize, Serialize};

/// How an agent is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// One that comes with this program, by name.
    Builtin(String),
    /// A program: it reads its work as JSON and writes what came of it as JSON.
    Command(Vec<String>),
}

impl Runner {
    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Builtin(name) => name.trim().is_empty(),
            Self::Command(words) => words.first().is_none_or(|word| word.trim().is_empty()),
        }
    }
}
