//! What a handoff shows its receiver: a view on the conversation, and the manifest of what crossed and what was withheld.
//!
//! The way of a message: [`sanitize`] cleans it before it is stored, [`tokens`] counts it, [`view`] decides whether a
//! receiver sees it, [`manifest`] writes down that decision, and [`brief()`] puts it in words for a specialist.

mod brief;
mod described;
pub mod manifest;
mod relevant;
pub mod sanitize;
mod secrets;
mod summarised;
mod summary;
mod terms;
#[cfg(test)]
mod tests;
pub mod tokens;
pub mod view;

pub use brief::brief;
pub use described::described;
pub use manifest::{Manifest, Why, Withheld, recallable, withheld_ranges};
pub use summarised::{Summarised, SummaryLine, SummaryQuestion};
pub use view::{Need, Shown, View, build, build_with, page, plan, to_summarise};

use crate::message::Class;
use serde::{Deserialize, Serialize};

/// Which part of the conversation a view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TransferMode {
    /// All of it, or the latest `max_messages`.
    Full,
    /// A summary and the latest messages.
    Summary,
    /// What bears on the task.
    RelevantOnly,
}

/// Which classes of messages a view shows. What people and agents say to each other is always shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Include {
    /// Instructions.
    pub system_messages: bool,
    /// What agents asked of tools.
    pub tool_calls: bool,
    /// What tools answered.
    pub tool_results: bool,
    /// What agents thought. Left out unless asked for: it is long, and it misleads a reader with another task.
    pub agent_reasoning: bool,
    /// What was said within delegated work. Left out unless asked for: its result is there already.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asides: bool,
}

impl Default for Include {
    fn default() -> Self {
        Self { system_messages: true, tool_calls: true, tool_results: true, agent_reasoning: false, asides: false }
    }
}

impl Include {
    /// Whether messages of this class are shown.
    #[must_use]
    pub fn admits(self, class: Class) -> bool {
        match class {
            Class::Talk => true,
            Class::System => self.system_messages,
            Class::ToolCall => self.tool_calls,
            Class::ToolResult => self.tool_results,
            Class::Reasoning => self.agent_reasoning,
            Class::Aside => self.asides,
        }
    }
}
