//! An agent that is a program: it reads its work as one JSON document and writes what came of it as another.
//!
//! It is given the id of the handoff with its work. When this process is killed the program may go on beside its second
//! start: that id is the key by which it can do a thing once.

use crate::{
    assignment,
    program::{Bounds, Program, Status, TRACEPARENT, run},
};
use async_trait::async_trait;
use handover_core::limits::WAIT_MS_MAX;
use handover_engine::agent::{Agent, Done, Failure, Work};
use serde_json::Value;
use std::time::Duration;

/// An agent that is a program.
pub struct CommandAgent {
    program: Program,
    with: Value,
}

impl CommandAgent {
    /// An agent that runs this program. `with` is given to it with each piece of work.
    #[must_use]
    pub fn new(program: Program, with: Value) -> Self {
        Self { program, with }
    }
}

#[async_trait]
impl Agent for CommandAgent {
    async fn run(&self, work: Work) -> Result<Done, Failure> {
        let input = assignment::written(&work, &self.with).await?;
        // The engine ends it at the deadline of the handoff; this is for the day when nobody else does.
        let bounds = Bounds { time: Duration::from_millis(WAIT_MS_MAX), ..Bounds::default() };
        let program = Program {
            environment: self.program.environment.clone().with(TRACEPARENT, work.traceparent()),
            ..self.program.clone()
        };
        let ran = run(&program, format!("{input}\n").into_bytes(), &bounds).await?;
        if !ran.err.trim().is_empty() {
            // What it said of its trouble is in the trail, also where it went well.
            let said = assignment::tame(&ran.err);
            let _: String = work.step("stderr", || async { Ok(said) }).await?;
        }
        match (ran.trouble(&self.program, &bounds).map(|trouble| assignment::tame(&trouble)), ran.status) {
            // It ended by itself and says that it could not do it.
            (Some(trouble), Status::Exit(_)) => Ok(Done::failed(trouble)),
            (Some(trouble), _) => Err(trouble.into()),
            (None, _) => {
                let came = assignment::read(&ran.out)
                    .map_err(|error| format!("`{}` wrote no answer that can be read: {error}", self.program.name()))?;
                assignment::settled(&work, came).await
            }
        }
    }
}
