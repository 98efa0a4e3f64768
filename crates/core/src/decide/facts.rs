//! What an expression of a rule can see. `docs/guides/approvals.md` lists the fields.

use super::asking::Asked;
use crate::{agent::Agent, budget::units, expression::Context, session::Session};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;

/// What was made of a handoff for its rules so far.
#[derive(Default)]
pub(super) struct Made {
    handoff: OnceCell<Value>,
    session: OnceCell<Value>,
    target: OnceCell<Value>,
}

/// `handoff`, `session` and `target`, each made once, when a rule first asks for it. Every field is always there, so
/// that a rule need not ask whether it is.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) target: Option<&'a Agent>,
    pub(super) asked: &'a Asked<'a>,
}

impl Context for Facts<'_> {
    fn root(&self, name: &str) -> Option<&Value> {
        let (asked, made) = (self.asked, &self.asked.made);
        match name {
            "handoff" => Some(made.handoff.get_or_init(|| handoff(asked))),
            "session" => Some(made.session.get_or_init(|| of_session(self.session, asked.before))),
            "target" => Some(made.target.get_or_init(|| of_target(self.target, asked))),
            _ => None,
        }
    }
}

fn handoff(asked: &Asked<'_>) -> Value {
    let request = asked.request;
    // A map, so that `has(handoff.payload.amount)` can be asked of work without data.
    let payload = if request.task.payload.is_null() { json!({}) } else { request.task.payload.clone() };
    json!({
        "from": request.from_agent,
        "to": asked.to,
        "type": request.kind,
        "trigger": request.trigger,
        "reason": request.reason,
        "description": request.task.description,
        "task_type": request.task.kind,
        "payload": payload,
        "priority": request.task.priority,
        "risk": request.risk(),
        "cost": units(asked.share.micros.unwrap_or(0)),
        "tokens": asked.share.tokens.unwrap_or(0),
        "variables": request.context.variables,
    })
}

fn of_session(session: &Session, before: u64) -> Value {
    let variables: Map<String, Value> =
        session.variables.iter().map(|(name, variable)| (name.clone(), variable.value.clone())).collect();
    json!({
        "id": session.id,
        "tenant": session.tenant,
        "handoffs": before,
        "tokens": session.metrics.tokens,
        "cost": session.metrics.cost,
        "active_agent": session.active_agent,
        "complexity": session.complexity.map(|class| class.word()).unwrap_or_default(),
        "variables": variables,
    })
}

fn of_target(target: Option<&Agent>, asked: &Asked<'_>) -> Value {
    let profile = target.map(|agent| &agent.profile);
    let capabilities: Map<String, Value> = profile
        .iter()
        .flat_map(|profile| &profile.capabilities)
        .map(|capability| (capability.id.clone(), json!(capability.proficiency)))
        .collect();
    json!({
        "id": asked.to,
        "kind": profile.map(|profile| json!(profile.kind)).unwrap_or(json!("")),
        "specialization": profile.map(|profile| profile.specialization.as_str()).unwrap_or_default(),
        "tags": profile.map(|profile| profile.tags.as_slice()).unwrap_or_default(),
        "capabilities": capabilities,
        "max_risk": profile.map(|profile| json!(profile.autonomy_budget.max_risk)).unwrap_or(json!("")),
    })
}
