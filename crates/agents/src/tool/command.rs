//! A tool that is a program: its arguments are JSON on its standard input, and what it writes is the result.

use super::{CallContext, CommandSettings, Tool, ToolOutcome};
use crate::{
    model::ToolSpec,
    program::{self, Bounds, Environment, Program, TRACEPARENT},
};
use async_trait::async_trait;
use handover_core::limits::TOOL_MS;
use serde_json::Value;
use std::{path::Path, time::Duration};

/// A program that a model can call.
pub struct CommandTool {
    spec: ToolSpec,
    program: Program,
    bounds: Bounds,
}

impl CommandTool {
    /// The tool of these settings, in this folder.
    #[must_use]
    pub fn new(name: &str, settings: &CommandSettings, folder: &Path) -> Self {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: settings.description.clone(),
            parameters: settings.parameters.clone(),
        };
        let environment = Environment { set: settings.env.clone(), pass: settings.pass.clone() };
        let program = Program { words: settings.command.clone(), folder: folder.join(&settings.folder), environment };
        let time = Duration::from_millis(settings.timeout_ms.unwrap_or(TOOL_MS));
        Self { spec, program, bounds: Bounds { time, ..Bounds::default() } }
    }

    /// The same with other bounds of its runs.
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }

    /// The program, with who calls it in its variables.
    fn called(&self, at: &CallContext) -> Program {
        let environment = self.program.environment.clone();
        let environment = environment
            .with("HANDOVER_SESSION_ID", at.session.as_str())
            .with("HANDOVER_HANDOFF_ID", at.handoff.to_string())
            .with("HANDOVER_AGENT", at.agent.as_str())
            // An id that a provider made up may hold what no variable can.
            .with("HANDOVER_CALL_ID", at.call_id.replace('\0', ""))
            .with("HANDOVER_CALL_KEY", at.key.as_str());
        let environment = match &at.traceparent {
            Some(traceparent) => environment.with(TRACEPARENT, traceparent.as_str()),
            None => environment,
        };
        Program { environment, ..self.program.clone() }
    }
}

#[async_trait]
impl Tool for CommandTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    async fn call(&self, arguments: Value, at: &CallContext) -> ToolOutcome {
        let program = self.called(at);
        let ran = match program::run(&program, format!("{arguments}\n").into_bytes(), &self.bounds).await {
            Ok(ran) => ran,
            Err(error) => return ToolOutcome::failed(error.to_string()),
        };
        match ran.trouble(&program, &self.bounds) {
            None if ran.out.trim().is_empty() => ToolOutcome::done("It is done; there is no output."),
            None => ToolOutcome::done(ran.out),
            // What it wrote until then often says more than how it ended.
            Some(trouble) if ran.out.trim().is_empty() => ToolOutcome::failed(trouble),
            Some(trouble) => ToolOutcome::failed(format!("{trouble}\nIt wrote:\n{}", ran.out)),
        }
    }
}
