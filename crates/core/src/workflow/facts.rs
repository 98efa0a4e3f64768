//! What a condition of a rule can see. `docs/guides/workflows.md` lists the fields.

use crate::{expression::Context, handoff::Handoff, session::Session};
use serde_json::{Map, Value, json};
use std::{cell::OnceCell, collections::BTreeMap};

/// The names that a condition of a rule can use.
pub const RULE_ROOTS: [&str; 5] = ["session", "task", "outcome", "tries", "event"];

/// How a step ended, as the engine sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With a result.
    Well,
    /// It failed, or nobody took it.
    Badly,
    /// Time ran out.
    Late,
}

/// What conditions of rules look at, each part made when it is first asked for.
pub struct Facts<'a> {
    pub(super) session: Option<&'a Session>,
    pub(super) step: Option<&'a Handoff>,
    /// What came of the step: its data, and how it ended.
    pub(super) outcome: Value,
    pub(super) event: Value,
    tries: BTreeMap<String, u32>,
    made: [OnceCell<Value>; 3],
}

impl<'a> Facts<'a> {
    /// Of a step that ended: its signal, how, what it gave, what it said.
    #[must_use]
    pub fn of_step(session: &'a Session, step: &'a Handoff, ended: (&str, Ended), data: &Value, notes: &str) -> Self {
        let (signal, how) = ended;
        let score = step.result.as_ref().and_then(|result| result.result.score);
        let data = if data.is_null() { json!({}) } else { data.clone() };
        let outcome = json!({
            "signal": signal, "ok": how == Ended::Well, "late": how == Ended::Late, "data": data, "notes": notes,
            "score": score,
        });
        Self::with(Some(session), Some(step), outcome, Value::Null)
    }

    /// Of something that came from outside.
    #[must_use]
    pub fn of_event(event: Value) -> Self {
        Self::with(None, None, json!({}), event)
    }

    fn with(session: Option<&'a Session>, step: Option<&'a Handoff>, outcome: Value, event: Value) -> Self {
        let tries =
            session.and_then(|session| session.flow.as_ref()).map(|flow| flow.tries.clone()).unwrap_or_default();
        Self { session, step, outcome, event, tries, made: Default::default() }
    }

    /// What the step gave.
    pub(super) fn data(&self) -> &Value {
        self.outcome.get("data").unwrap_or(&Value::Null)
    }

    fn of_session(&self) -> Value {
        let Some(session) = self.session else { return json!({}) };
        let variables: Map<String, Value> =
            session.variables.iter().map(|(name, variable)| (name.clone(), variable.value.clone())).collect();
        json!({
            "id": session.id,
            "tenant": session.tenant,
            "user": session.user_id,
            "request": session.original_request,
            "state": session.flow.as_ref().map(|flow| flow.state.as_str()).unwrap_or_default(),
            "active_agent": session.active_agent,
            "handoffs": session.handoffs,
            "tokens": session.metrics.tokens,
            "cost": session.metrics.cost,
            "variables": variables,
            "metadata": if session.metadata.is_null() { json!({}) } else { session.metadata.clone() },
        })
    }

    fn of_task(&self) -> Value {
        let Some(step) = self.step else { return json!({"payload": {}}) };
        let task = &step.request.task;
        json!({
            "type": task.kind,
            "description": task.description,
            "priority": task.priority,
            "payload": if task.payload.is_null() { json!({}) } else { task.payload.clone() },
            "from": step.request.from_agent,
            "to": step.to_agent,
            "attempt": step.attempt,
        })
    }
}

impl Context for Facts<'_> {
    fn root(&self, name: &str) -> Option<&Value> {
        match name {
            "session" => Some(self.made[0].get_or_init(|| self.of_session())),
            "task" => Some(self.made[1].get_or_init(|| self.of_task())),
            "tries" => Some(self.made[2].get_or_init(|| json!(self.tries))),
            "outcome" => Some(&self.outcome),
            "event" => Some(&self.event),
            _ => None,
        }
    }
}
