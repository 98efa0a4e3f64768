//! Returning: the holder gives its result back. Result, updates and what follows are one step.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    agent::AgentKind,
    command::{Giving, Goto, Prepared, Update, Write},
    event::Event,
    handoff::{ContextUpdates, Handoff, Kind, Metrics, ReturnStatus, Status},
    ids::{AgentId, HandoffId, LeaseId},
    limits,
    message::{NewMessage, Role},
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::Arc;
use uuid::Uuid;

impl Draft<'_> {
    pub(super) fn give_back(
        &mut self,
        id: HandoffId,
        lease: LeaseId,
        giving: Giving,
        then: Option<Box<Goto>>,
    ) -> Verdict {
        let handoff = self.held(id, lease)?;
        let by = handoff.to_agent.clone();
        self.check_giving(&handoff, &giving)?;
        self.check_signal(&handoff, &giving, then.as_deref())?;
        let context_updates = self.update(&by, &giving.updates)?;
        let mut result = self.result_of(&handoff, giving.status, giving.notes);
        result.result = giving.result;
        result.context_updates = context_updates;
        let body = if giving.updates.metrics.tokens == 0 { text_of(&result.result.body) } else { String::new() };
        let used = self.used(&by, Some(&handoff), &giving.updates, &body);
        result.metrics = Metrics { duration_ms: self.now.since(handoff.opened_at), ..used };
        let status = match giving.status {
            ReturnStatus::Success | ReturnStatus::Partial => Status::Completed,
            ReturnStatus::Failed | ReturnStatus::Timeout => Status::Failed,
        };
        match status {
            Status::Completed => self.did_well(&by),
            // Whoever says in the words of the workflow what went wrong has done its part.
            _ if giving.signal.is_some() => {}
            _ => self.failed_at_work(&by),
        }
        result.signal = giving.signal;
        self.say_as_person(&handoff, &result.result.body);
        self.end_with(&handoff, status, result, self.now);
        if self.session.is_step(id) {
            return self.follow_rules(id);
        }
        match then {
            Some(goto) => self.go_on(&by, *goto, Some(&handoff)),
            None => Ok(()),
        }
    }

    /// What a person answers to the user is part of the conversation. Other agents say it themselves, while they work.
    fn say_as_person(&mut self, handoff: &Handoff, body: &serde_json::Value) {
        let by = &handoff.to_agent;
        let person = self.agent(by).is_some_and(|agent| agent.profile.kind == AgentKind::Human);
        let asked = self.session.serves(&handoff.request.from_agent);
        let owner = self.session.user_id.is_some() && self.session.lasting_owner() == by;
        let text = text_of(body);
        if person && (asked || owner) && self.session.flow.is_none() && !text.trim().is_empty() {
            let mut message = NewMessage::new(Role::Assistant, text);
            message.agent = Some(by.clone());
            self.append(vec![Prepared::from_new(message)]);
        }
    }

    /// Takes a return out of the inbox of whoever waited for it.
    pub(super) fn take(&mut self, of: Uuid, by: &AgentId, waiting: Option<&AgentId>) -> Verdict {
        self.speak_for(by)?;
        match waiting {
            Some(to) if to == by => {
                self.emit(Event::ReturnTaken { of, by: by.clone() });
                Ok(())
            }
            Some(to) => Err(Refusal::new(Code::NotYours, format!("the return of {of} is for {to}")).into()),
            None => Err(Refusal::new(Code::NoReturn, format!("no return of {of} waits for {by}")).into()),
        }
    }

    fn check_giving(&self, handoff: &Handoff, giving: &Giving) -> Verdict {
        let mut checks = Checks::default();
        if giving.status == ReturnStatus::Timeout {
            let message = "timeout is for the engine to say; allowed are success, partial, failed";
            checks.add(Refusal::new(Code::UnknownValue, message).at("status"));
        }
        checks.payload("result.body", &giving.result.body);
        // JSON has no word for an infinite number: the record would say something else than the session.
        if giving.result.score.is_some_and(|score| !score.is_finite()) {
            checks.add(Refusal::new(Code::OutOfRange, "a score is a finite number").at("result.score"));
        }
        checks.optional_text("notes", &giving.notes);
        self.check_update(&handoff.to_agent, &giving.updates, &mut checks);
        if let Some(waiting) = self.session.blocked_on(&handoff.to_agent) {
            let message = format!("{} waits for {} from {}", handoff.to_agent, waiting.id, waiting.to_agent);
            checks.add(Refusal::new(Code::Waiting, message));
        }
        checks.done().map_err(|error| error.between(&handoff.request.from_agent, Some(&handoff.to_agent)))
    }

    pub(super) fn check_update(&self, by: &AgentId, update: &Update, checks: &mut Checks) {
        self.check_writes(by, &writes(update), checks);
        checks.payload("updates.workflow_state", &update.workflow_state);
        let count = self.session.artifacts.len() + update.artifacts.len();
        checks.count("artifacts", count, limits::ARTIFACTS_MAX, "ARTIFACTS_MAX");
        for (i, artifact) in update.artifacts.iter().enumerate() {
            checks.text(&format!("updates.artifacts[{i}].path"), &artifact.path);
            checks.optional_text(&format!("updates.artifacts[{i}].description"), &artifact.description);
        }
        checks.range("updates.metrics.cost", update.metrics.cost, 0.0, f64::MAX);
        checks.count("updates.usage", update.usage.len(), limits::USAGE_MAX, "USAGE_MAX");
        for (i, usage) in update.usage.iter().enumerate() {
            checks.optional_text(&format!("updates.usage[{i}].model"), &usage.model);
        }
    }

    /// Merges an update into the session; it was checked before.
    pub(super) fn update(&mut self, by: &AgentId, update: &Update) -> Result<ContextUpdates, HandoffError> {
        let writes = writes(update);
        if !writes.is_empty() {
            self.write_variables(by, writes)?;
        }
        let artifacts_produced =
            update.artifacts.iter().map(|artifact| self.put_artifact(by, artifact.clone())).collect();
        if !update.workflow_state.is_null() {
            self.emit(Event::WorkflowMoved { state: update.workflow_state.clone() });
        }
        Ok(ContextUpdates { variables_changed: update.context.clone(), artifacts_produced })
    }

    /// The source of a sequential handoff marks its part as complete: what it holds is done.
    pub(super) fn complete_part(&mut self, by: &AgentId) {
        match self.part_of(by).cloned() {
            Some(held) => {
                self.did_well(by);
                let result = self.result_of(&held, ReturnStatus::Success, "its part is complete".into());
                self.end_with(&held, Status::Completed, result, self.now);
            }
            None => self.emit(Event::SegmentCompleted { by: by.clone() }),
        }
    }

    /// The sequential handoff by which an agent owns the session, while it works on it.
    pub(super) fn part_of(&self, agent: &AgentId) -> Option<&Arc<Handoff>> {
        let held = self.session.held_by(agent).filter(|_| self.session.active_agent == *agent);
        held.filter(|held| held.request.kind == Kind::Sequential)
    }
}

/// A result as a model would have written it.
fn text_of(body: &serde_json::Value) -> String {
    match body {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn writes(update: &Update) -> Vec<Write> {
    let set = update.context.iter();
    set.map(|(name, value)| Write { name: name.clone(), value: value.clone(), expected_version: None }).collect()
}

/// A refusal for a turn that nobody but the owner can end.
pub(super) fn not_owner(by: &AgentId, handoff: Option<&Handoff>) -> HandoffError {
    let refusal = Refusal::new(Code::NotOwner, format!("{by} does not own the session"));
    match handoff {
        Some(handoff) => between(refusal, handoff),
        None => refusal.into(),
    }
}
