//! The tools of MCP servers: a server is started when it is first needed, and each of its tools becomes a [`Tool`].

mod content;
mod http;
mod link;
mod names;
mod offer;
mod server;
mod watch;

pub(super) use http::header;
pub(super) use names::{Names, begins};
pub(super) use server::{Listing, Server};

use super::{CallContext, Tool, ToolOutcome};
use crate::model::ToolSpec;
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

/// A tool of an MCP server.
pub struct McpTool {
    spec: ToolSpec,
    /// The name that the server gives it.
    theirs: String,
    server: Arc<Server>,
}

impl McpTool {
    /// The name that the server gives it.
    pub(super) fn theirs(&self) -> &str {
        &self.theirs
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }
}

#[async_trait]
impl Tool for McpTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn call(&self, arguments: Value, at: &CallContext) -> ToolOutcome {
        self.server.call(&self.theirs, arguments, at).await
    }
}
