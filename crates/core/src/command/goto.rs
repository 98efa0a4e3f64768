//! Where the work goes after a turn, and the short forms in which it can be said.

use crate::{
    handoff::{Aggregation, Request, Send},
    ids::AgentId,
    limits,
};
use serde::{Deserialize, Serialize};

/// Where the work goes after a turn. In JSON also short: `"END"`, the name of an agent, or a list of sends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", from = "GotoForm")]
pub enum Goto {
    /// The workflow of the session ends.
    End,
    /// One agent takes over.
    One {
        /// Who.
        to_agent: AgentId,
        /// What it should do; the current task when left out.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        task: String,
        /// Why; a plain sentence when left out.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Any handoff, spelt out.
    Request(Box<Request>),
    /// Several at once.
    Many {
        /// To whom, with which task each.
        sends: Vec<Send>,
        /// When it is decided.
        aggregation: Aggregation,
        /// How long each may take, in milliseconds.
        timeout_ms: u64,
    },
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum GotoForm {
    Word(Word),
    Agent(AgentId),
    Sends(Vec<Send>),
    Spelt(Spelt),
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
enum Word {
    #[serde(rename = "END", alias = "end")]
    End,
}

#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
enum Spelt {
    One {
        to_agent: AgentId,
        #[serde(default)]
        task: String,
        #[serde(default)]
        reason: String,
    },
    Request(Box<Request>),
    Many {
        sends: Vec<Send>,
        #[serde(default)]
        aggregation: Aggregation,
        #[serde(default = "execution_ms")]
        timeout_ms: u64,
    },
}

fn execution_ms() -> u64 {
    limits::EXECUTION_MS
}

impl From<GotoForm> for Goto {
    fn from(form: GotoForm) -> Self {
        match form {
            GotoForm::Word(Word::End) => Self::End,
            GotoForm::Agent(to_agent) => Self::One { to_agent, task: String::new(), reason: String::new() },
            GotoForm::Sends(sends) => {
                Self::Many { sends, aggregation: Aggregation::All, timeout_ms: limits::EXECUTION_MS }
            }
            GotoForm::Spelt(Spelt::One { to_agent, task, reason }) => Self::One { to_agent, task, reason },
            GotoForm::Spelt(Spelt::Request(request)) => Self::Request(request),
            GotoForm::Spelt(Spelt::Many { sends, aggregation, timeout_ms }) => {
                Self::Many { sends, aggregation, timeout_ms }
            }
        }
    }
}
