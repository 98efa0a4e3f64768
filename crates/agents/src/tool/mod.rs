//! What a model can call: programs, and the tools of MCP servers.
//!
//! ```text
//! settings ── Tools::new ──▶ Tools ── toolbox(names) ──▶ Toolbox ── call ──▶ ToolOutcome
//!                              │ starts servers when they are first needed
//! ```
//!
//! Whatever goes wrong with a tool is a [`ToolOutcome`] in words that a model can act on. Nothing hangs, and nothing is
//! without a bound.

mod arguments;
pub mod command;
pub mod mcp;
mod settings;
mod sources;
mod toolbox;

pub use settings::{CommandSettings, McpSettings, ToolSettings};
pub use sources::{Times, Tools};
pub use toolbox::Toolbox;

use crate::model::{Call, CallResult, ToolSpec};
use async_trait::async_trait;
use handover_core::{
    ids::{AgentId, HandoffId, SessionId},
    limits::TOOL_CONTENT_BYTES_MAX,
};
use serde_json::Value;

/// Something that a model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// What a model is told of it.
    fn spec(&self) -> ToolSpec;

    /// Does it. The arguments fit the schema of its parameters, as far as that is understood.
    async fn call(&self, arguments: Value, at: &CallContext) -> ToolOutcome;
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// What the model is told.
    pub content: String,
    /// Whether it went wrong.
    pub failed: bool,
}

impl ToolOutcome {
    /// It went well. Content that is too long is cut with a note.
    #[must_use]
    pub fn done(content: impl Into<String>) -> Self {
        Self { content: shortened(content.into()), failed: false }
    }

    /// It went wrong. Content that is too long is cut with a note.
    #[must_use]
    pub fn failed(content: impl Into<String>) -> Self {
        Self { content: shortened(content.into()), failed: true }
    }

    /// As the result of a call of a model.
    #[must_use]
    pub fn of(self, call: &Call) -> CallResult {
        CallResult { id: call.id.clone(), name: call.name.clone(), content: self.content, failed: self.failed }
    }

    /// The same, whoever made it, with content that is not too long.
    fn bounded(self) -> Self {
        Self { content: shortened(self.content), failed: self.failed }
    }
}

/// Who calls, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallContext {
    /// The session.
    pub session: SessionId,
    /// The handoff that is worked on.
    pub handoff: HandoffId,
    /// The agent that calls.
    pub agent: AgentId,
    /// The call's id, as the model gave it.
    pub call_id: String,
    /// The same for the same call of the same handoff, however often it is tried: a tool can use it to do a thing once.
    pub key: String,
    /// Where the call stands in a trace.
    pub traceparent: Option<String>,
}

impl CallContext {
    /// The call with this number within its handoff, counted from the first call that the agent ever made for it.
    #[must_use]
    pub fn new(
        session: SessionId,
        handoff: HandoffId,
        agent: AgentId,
        call_id: impl Into<String>,
        number: u64,
    ) -> Self {
        Self { session, handoff, agent, call_id: call_id.into(), key: format!("{handoff}-{number}"), traceparent: None }
    }
}

/// A text up to the bound of a result, with a note when it was longer.
fn shortened(text: String) -> String {
    if text.len() <= TOOL_CONTENT_BYTES_MAX {
        return text;
    }
    let note = format!("\n[cut: this is the beginning of {} bytes (TOOL_CONTENT_BYTES_MAX)]", text.len());
    beginning(&text, TOOL_CONTENT_BYTES_MAX - note.len()).to_owned() + &note
}

/// The beginning of a text, so many bytes at most, and no half characters.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_content_is_cut_with_a_note() {
        let long = "ü".repeat(TOOL_CONTENT_BYTES_MAX);
        let cut = ToolOutcome::done(long.clone()).content;
        assert!(cut.len() <= TOOL_CONTENT_BYTES_MAX, "{}", cut.len());
        assert!(
            cut.ends_with(&format!("ü\n[cut: this is the beginning of {} bytes (TOOL_CONTENT_BYTES_MAX)]", long.len()))
        );
        assert_eq!(ToolOutcome::failed("x").bounded(), ToolOutcome { content: "x".into(), failed: true });
    }
}
