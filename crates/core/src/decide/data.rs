//! What a session shares: variables, artifacts, decisions and file locks.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    agent::Risk,
    command::{NewArtifact, Write},
    event::{Event, LockTaken},
    handoff::{Kind, Request, Trigger},
    ids::{AgentId, ArtifactId, HandoffId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    session::{Artifact, ArtifactStatus, Decision, LockType},
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

impl Draft<'_> {
    fn may_write(&self, by: &AgentId) -> Verdict {
        self.not_ended()?;
        self.speak_for(by)?;
        let mut checks = Checks::default();
        checks.registered("by", by, self.world.agents, Code::UnknownAgent);
        checks.done()
    }

    pub(super) fn set(&mut self, by: &AgentId, writes: Vec<Write>) -> Verdict {
        self.may_write(by)?;
        let mut checks = Checks::default();
        self.check_writes(by, &writes, &mut checks);
        checks.done()?;
        if writes.is_empty() { Ok(()) } else { self.write_variables(by, writes) }
    }

    pub(super) fn check_writes(&self, by: &AgentId, writes: &[Write], checks: &mut Checks) {
        let new: BTreeSet<&str> =
            writes.iter().map(|w| w.name.as_str()).filter(|name| !self.session.variables.contains_key(*name)).collect();
        checks.count("variables", self.session.variables.len() + new.len(), limits::VARIABLES_MAX, "VARIABLES_MAX");
        for write in writes {
            let field =
                format!("variables.{}", write.name.chars().take(limits::VARIABLE_NAME_CHARS_MAX).collect::<String>());
            checks.text(&field, &write.name);
            checks.count(
                &field,
                write.name.chars().count(),
                limits::VARIABLE_NAME_CHARS_MAX,
                "VARIABLE_NAME_CHARS_MAX",
            );
            checks.payload(&field, &write.value);
            if let Some(scope) = self.scope_of(&write.name).filter(|scope| *scope != by.as_str()) {
                let message = format!("\"{}\" is in the scope of {scope}, not of {by}", write.name);
                checks.add(Refusal::new(Code::OutOfScope, message).at(&field));
            }
            let current = self.session.variables.get(&write.name).map_or(0, |variable| variable.version);
            if let Some(expected) = write.expected_version.filter(|expected| *expected != current) {
                let message = format!("\"{}\" has version {current}, not {expected}", write.name);
                let details = json!({"name": write.name, "expected": expected, "current": current});
                checks.add(Refusal::new(Code::VersionConflict, message).at(&field).details(details));
            }
        }
    }

    /// Whose variable this is: what stands before a slash. A name with several slashes belongs to the longest agent id
    /// that it begins with.
    fn scope_of<'n>(&self, name: &'n str) -> Option<&'n str> {
        let registered = |scope: &&str| AgentId::new(scope).is_ok_and(|id| self.agent(&id).is_some());
        let scopes = || name.match_indices('/').map(|(at, _)| &name[..at]);
        scopes().rfind(registered).or_else(|| scopes().next())
    }

    /// Writes variables that were checked.
    pub(super) fn write_variables(&mut self, by: &AgentId, writes: Vec<Write>) -> Result<(), HandoffError> {
        let mut set = BTreeMap::new();
        for write in writes {
            let version = self.session.variables.get(&write.name).map_or(0, |variable| variable.version) + 1;
            set.insert(write.name, (write.value, version));
        }
        self.emit(Event::VariablesSet { by: by.clone(), set });
        Ok(())
    }

    pub(super) fn keep(&mut self, by: &AgentId, artifact: NewArtifact) -> Verdict {
        self.may_write(by)?;
        let mut checks = Checks::default();
        checks.text("path", &artifact.path);
        checks.optional_text("description", &artifact.description);
        checks.count("artifacts", self.session.artifacts.len() + 1, limits::ARTIFACTS_MAX, "ARTIFACTS_MAX");
        checks.done()?;
        self.put_artifact(by, artifact);
        Ok(())
    }

    pub(super) fn put_artifact(&mut self, by: &AgentId, new: NewArtifact) -> ArtifactId {
        let id = ArtifactId(self.ids.next());
        let artifact = Artifact {
            id,
            kind: new.kind,
            path: new.path,
            created_by: by.clone(),
            created_at: self.now,
            description: new.description,
            status: new.status,
        };
        self.made_artifact(id);
        self.emit(Event::ArtifactKept { artifact });
        id
    }

    pub(super) fn mark_artifact(&mut self, by: &AgentId, id: ArtifactId, status: ArtifactStatus) -> Verdict {
        self.may_write(by)?;
        if !self.session.artifacts.contains_key(&id) {
            return Err(Refusal::new(Code::UnknownArtifact, format!("the session has no artifact {id}"))
                .at("id")
                .into());
        }
        self.emit(Event::ArtifactMarked { by: by.clone(), id, status });
        Ok(())
    }

    /// A decision above the agent's autonomy is not made: it goes up by itself.
    pub(super) fn make_decision(&mut self, by: &AgentId, description: String, risk: Risk) -> Verdict {
        self.may_write(by)?;
        let mut checks = Checks::default();
        checks.text("description", &description);
        checks.count("decisions", self.session.decisions.len() + 1, limits::DECISIONS_MAX, "DECISIONS_MAX");
        checks.done()?;
        let max = self.authority(by);
        let escalated_to = if risk > max { Some(self.escalate_decision(by, &description, risk)?) } else { None };
        let decision = Decision {
            decision_id: self.ids.next().to_string(),
            description,
            made_by: by.clone(),
            timestamp: self.now,
            risk_level: risk,
            escalated_to,
        };
        self.emit(Event::DecisionMade { decision });
        Ok(())
    }

    fn escalate_decision(&mut self, by: &AgentId, description: &str, risk: Risk) -> Result<HandoffId, HandoffError> {
        let mut request = Request::new(Kind::Escalation, by.clone(), format!("Decide: {description}"));
        request.trigger = Trigger::Escalation;
        request.reason = format!("the risk is above what {by} may decide");
        request.audit.decision_rationale = description.to_owned();
        request.audit.risk_level = risk;
        if !self.session.original_request.is_empty() {
            request.original_request.clone_from(&self.session.original_request);
        }
        if let Some(held) = self.session.held_by(by) {
            request.task.priority = held.request.task.priority;
            request.original_request.clone_from(&held.request.original_request);
            request.user_intent.clone_from(&held.request.user_intent);
        }
        let made = self.initiate(request)?;
        made.first().copied().ok_or_else(|| Refusal::new(Code::NoLadder, format!("{by} has nobody to ask")).into())
    }

    pub(super) fn lock(&mut self, by: &AgentId, path: String, lock_type: LockType, lease_ms: u64) -> Verdict {
        self.may_write(by)?;
        let mut checks = Checks::default();
        checks.text("path", &path);
        if lease_ms == 0 || lease_ms > limits::LOCK_MS_MAX {
            let message = format!("{lease_ms} ms is not between 1 and {} (LOCK_MS_MAX)", limits::LOCK_MS_MAX);
            checks.add(Refusal::new(Code::OutOfRange, message).at("lease_ms"));
        }
        let others = self.session.locks.iter().filter(|(other, _)| **other != path);
        let held = others.filter(|(_, locks)| locks.iter().any(|lock| lock.until > self.now)).count();
        checks.count("locks", held + 1, limits::LOCKS_MAX, "LOCKS_MAX");
        checks.done()?;
        let excludes = |lock: &&crate::session::Lock| {
            lock.owner != *by && (lock_type == LockType::Exclusive || lock.lock_type == LockType::Exclusive)
        };
        if let Some(held) = self.session.valid_locks(&path, self.now).find(excludes) {
            let message = format!("{path} is locked by {} until {}", held.owner, held.until);
            let details = json!({"owner": held.owner, "until": held.until});
            return Err(Refusal::new(Code::Locked, message).at("path").details(details).into());
        }
        let handoff_id = self.session.held_by(by).map(|held| held.id);
        let until = self.now + lease_ms;
        self.emit(Event::Locked(LockTaken { path, by: by.clone(), lock_type, until, handoff_id }));
        Ok(())
    }

    pub(super) fn unlock(&mut self, by: &AgentId, path: String) -> Verdict {
        self.speak_for(by)?;
        if !self.session.valid_locks(&path, self.now).any(|lock| lock.owner == *by) {
            let refusal = Refusal::new(Code::LockNotHeld, format!("{by} holds no lock on {path}")).at("path");
            return match self.session.held_by(by) {
                Some(held) => Err(between(refusal, held)),
                None => Err(refusal.into()),
            };
        }
        self.emit(Event::Unlocked { path, by: by.clone() });
        Ok(())
    }
}
