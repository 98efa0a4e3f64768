//! Tools that models can call from outside.

use crate::model::ToolSpec;
use async_trait::async_trait;
use handover_core::ids::{AgentId, HandoffId, SessionId};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// Where a tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallContext {
    /// The session.
    pub session: SessionId,
    /// The handoff that its caller works on.
    pub handoff: HandoffId,
    /// Who calls.
    pub agent: AgentId,
    /// The call's id.
    pub call_id: String,
    /// The same for every try of the same call: what a tool needs to do a thing once.
    pub key: String,
}

/// What came of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutcome {
    /// What it says.
    pub content: String,
    /// Whether it went wrong.
    pub failed: bool,
}

/// Something that a model can call.
#[async_trait]
pub trait Tool: Send + Sync + 'static {
    /// How a model is told of it.
    fn spec(&self) -> ToolSpec;
    /// Calls it.
    async fn call(&self, arguments: Value, at: &CallContext) -> ToolOutcome;
}

/// Tools by name.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl Toolbox {
    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }
}
