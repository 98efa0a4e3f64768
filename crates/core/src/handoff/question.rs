//! What the holder of a handoff asks before it goes on, and what it is told.

use super::Handoff;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

/// One question, and its answer once there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exchange {
    /// What is asked.
    pub question: String,
    /// When.
    pub asked_at: Timestamp,
    /// What was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Given>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Given {
    /// Who answered.
    pub by: String,
    /// What.
    pub text: String,
    /// When.
    pub at: Timestamp,
}

impl Handoff {
    /// What its agent asked, where nobody has answered yet. Until then nobody works on it.
    #[must_use]
    pub fn open_question(&self) -> Option<&Exchange> {
        self.questions.last().filter(|last| last.answer.is_none())
    }
}
