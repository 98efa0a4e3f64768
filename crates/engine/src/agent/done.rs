//! What the work of an agent may end in.

use handover_core::{
    command::{Giving, Goto, Update},
    handoff::{ContentType, Outcome, ReturnStatus},
    ids::AgentId,
};
use serde_json::Value;

/// What the work ended in: the result, what it changes in the session, and where the work goes next. One step.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub(crate) giving: Giving,
    pub(crate) then: Option<Goto>,
}

impl Done {
    fn with(status: ReturnStatus, content_type: ContentType, body: Value) -> Self {
        let result = Outcome { content_type, body, score: None };
        let updates = Update::default();
        Self { giving: Giving { status, result, updates, notes: String::new(), signal: None }, then: None }
    }

    /// Done, with data.
    #[must_use]
    pub fn json(body: Value) -> Self {
        Self::with(ReturnStatus::Success, ContentType::Json, body)
    }

    /// Done, with words.
    #[must_use]
    pub fn text(body: impl Into<String>) -> Self {
        Self::with(ReturnStatus::Success, ContentType::Text, Value::String(body.into()))
    }

    /// Done in part, with data.
    #[must_use]
    pub fn partial(body: Value) -> Self {
        Self::with(ReturnStatus::Partial, ContentType::Json, body)
    }

    /// Not done, and why.
    #[must_use]
    pub fn failed(why: impl Into<String>) -> Self {
        let mut done = Self::with(ReturnStatus::Failed, ContentType::Json, Value::Null);
        done.giving.notes = why.into();
        done
    }

    /// How good it is; decides a `best_of`.
    #[must_use]
    pub fn score(mut self, score: f64) -> Self {
        self.giving.result.score = Some(score);
        self
    }

    /// How a step of a workflow ended, in the words of its rules.
    #[must_use]
    pub fn signal(mut self, signal: impl Into<String>) -> Self {
        self.giving.signal = Some(signal.into());
        self
    }

    /// The same result, but not done.
    #[must_use]
    pub fn unsuccessful(mut self) -> Self {
        self.giving.status = ReturnStatus::Failed;
        self
    }

    /// The same result, but only a part of what was asked for.
    #[must_use]
    pub fn partly(mut self) -> Self {
        self.giving.status = ReturnStatus::Partial;
        self
    }

    /// Something to add.
    #[must_use]
    pub fn notes(mut self, notes: impl Into<String>) -> Self {
        self.giving.notes = notes.into();
        self
    }

    /// What came out.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.giving.result.body
    }

    /// What it changes in the session.
    #[must_use]
    pub fn update(mut self, update: Update) -> Self {
        self.giving.updates = update;
        self
    }

    /// Hands over to one agent, in the same step.
    #[must_use]
    pub fn goto(mut self, to_agent: AgentId, task: impl Into<String>, reason: impl Into<String>) -> Self {
        self.then = Some(Goto::One { to_agent, task: task.into(), reason: reason.into() });
        self
    }

    /// What is given back, and where the work goes then; for whoever gives it back by hand.
    #[must_use]
    pub fn into_parts(self) -> (Giving, Option<Goto>) {
        (self.giving, self.then)
    }

    /// Goes on in any other way, in the same step.
    #[must_use]
    pub fn then(mut self, goto: Goto) -> Self {
        self.then = Some(goto);
        self
    }
}
