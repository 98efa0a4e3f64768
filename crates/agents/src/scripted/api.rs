//! The two formats in which a question comes.

use super::{anthropic, openai, said::Said, spot::Refused};
use crate::model::Ask;
use serde::Serialize;
use serde_json::Value;

/// A format in which models are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Api {
    /// `POST /v1/chat/completions`.
    OpenAi,
    /// `POST /v1/messages`.
    Anthropic,
}

/// A question as it was sent, and how the answer is wanted.
pub(super) struct Question {
    pub(super) ask: Ask,
    pub(super) stream: bool,
    /// Whether a stream ends with what was used.
    pub(super) usage: bool,
}

/// One event of a stream.
pub(super) struct Event {
    pub(super) text: String,
    /// Whether it is a piece of what is said, and not of the frame around it.
    pub(super) piece: bool,
}

impl Api {
    /// Reads a question, as strictly as the service does.
    pub(super) fn question(self, body: &Value) -> Result<Question, Refused> {
        match self {
            Self::OpenAi => openai::question(body),
            Self::Anthropic => anthropic::question(body),
        }
    }

    /// An answer that comes at once.
    pub(super) fn whole(self, said: &Said) -> Value {
        match self {
            Self::OpenAi => openai::whole(said),
            Self::Anthropic => anthropic::whole(said),
        }
    }

    /// An answer as a stream.
    pub(super) fn events(self, said: &Said, usage: bool) -> Vec<Event> {
        match self {
            Self::OpenAi => openai::events(said, usage),
            Self::Anthropic => anthropic::events(said),
        }
    }

    /// An error, as the service words it.
    pub(super) fn error(self, refused: &Refused) -> Value {
        match self {
            Self::OpenAi => openai::error(refused),
            Self::Anthropic => anthropic::error(refused),
        }
    }

    /// The list of models.
    pub(super) fn models(self, names: &[String]) -> Value {
        match self {
            Self::OpenAi => openai::models(names),
            Self::Anthropic => anthropic::models(names),
        }
    }
}
