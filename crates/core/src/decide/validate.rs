//! Checks, in the order of the specification. Independent mistakes are collected and reported together.

use super::{Draft, World};
use crate::{
    agent::Known,
    command::Prepared,
    handoff::{Handoff, Kind, Request},
    ids::{AgentId, HandoffId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    trace::TraceParent,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Mistakes found so far.
#[derive(Default)]
pub(crate) struct Checks {
    refusals: Vec<Refusal>,
}

impl Checks {
    pub(crate) fn add(&mut self, refusal: Refusal) {
        self.refusals.push(refusal);
    }

    pub(crate) fn append(&mut self, mut other: Self) {
        self.refusals.append(&mut other.refusals);
    }

    /// Adds those that were not found already.
    pub(crate) fn add_missing(&mut self, refusals: &[Refusal]) {
        for refusal in refusals {
            if !self.refusals.contains(refusal) {
                self.refusals.push(refusal.clone());
            }
        }
    }

    pub(crate) fn done(mut self) -> Result<(), HandoffError> {
        if self.refusals.is_empty() {
            return Ok(());
        }
        // The codes are numbered in the order of the checks.
        self.refusals.sort_by_key(|refusal| refusal.code);
        Err(HandoffError { refusals: self.refusals, agents: String::new(), cause: None })
    }

    /// A text that must be there.
    pub(crate) fn text(&mut self, field: &str, text: &str) {
        if text.trim().is_empty() {
            self.add(Refusal::new(Code::EmptyField, "it is empty").at(field));
        }
        self.optional_text(field, text);
    }

    /// Whether nothing is wrong so far.
    pub(crate) fn is_clean(&self) -> bool {
        self.refusals.is_empty()
    }

    /// How many were found.
    pub(crate) fn found(&self) -> usize {
        self.refusals.len()
    }

    /// A text that may be empty.
    pub(crate) fn optional_text(&mut self, field: &str, text: &str) {
        self.size(field, text.len(), limits::TEXT_BYTES_MAX, "TEXT_BYTES_MAX");
        if let Some(bad) = text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
            self.add(Refusal::new(Code::BadText, format!("it contains {bad:?}")).at(field));
        }
    }

    pub(crate) fn size(&mut self, field: &str, bytes: usize, max: usize, limit: &str) {
        if bytes > max {
            let message = format!("it has {bytes} bytes; at most {max} are allowed ({limit})");
            let details = json!({"limit": limit, "max": max, "actual": bytes});
            self.add(Refusal::new(Code::TooLarge, message).at(field).details(details));
        }
    }

    pub(crate) fn count(&mut self, field: &str, count: usize, max: usize, limit: &str) {
        if count > max {
            let message = format!("there are {count}; at most {max} are allowed ({limit})");
            let details = json!({"limit": limit, "max": max, "actual": count});
            self.add(Refusal::new(Code::TooLarge, message).at(field).details(details));
        }
    }

    pub(crate) fn range(&mut self, field: &str, value: f64, min: f64, max: f64) {
        if !(min..=max).contains(&value) {
            // The largest number there is has 309 digits and helps nobody.
            let (message, upper) = if max < f64::MAX {
                (format!("{value} is not between {min} and {max}"), format!("from {min} to {max}"))
            } else {
                (format!("{value} is not {min} or more"), format!("of {min} or more"))
            };
            let hint = format!("use a number {upper}");
            self.add(Refusal::new(Code::OutOfRange, message).at(field).hint(hint));
        }
    }

    pub(crate) fn wait(&mut self, field: &str, ms: u64) {
        if ms == 0 || ms > limits::WAIT_MS_MAX {
            let message = format!("{ms} ms is not between 1 and {} (WAIT_MS_MAX)", limits::WAIT_MS_MAX);
            let hint = format!("use 1 to {} ms", limits::WAIT_MS_MAX);
            self.add(Refusal::new(Code::OutOfRange, message).at(field).hint(hint));
        }
    }

    /// Data of the caller's own: not too large, not too deep.
    pub(crate) fn payload(&mut self, field: &str, value: &Value) {
        if value.is_null() {
            return;
        }
        if deeper_than(value, limits::JSON_DEPTH_MAX) {
            let message = format!("it is nested more than {} levels deep (JSON_DEPTH_MAX)", limits::JSON_DEPTH_MAX);
            self.add(Refusal::new(Code::TooDeep, message).at(field));
            return;
        }
        self.size(field, json_len(value), limits::PAYLOAD_BYTES_MAX, "PAYLOAD_BYTES_MAX");
    }

    pub(crate) fn registered(&mut self, field: &str, agent: &AgentId, agents: Known<'_>, code: Code) {
        if agents.get(agent).is_some() {
            return;
        }
        let mut refusal = Refusal::new(code, format!("\"{agent}\" is not registered")).at(field);
        if let Some(near) = agents.nearest(agent.as_str()) {
            refusal = refusal.hint(format!("did you mean \"{near}\"?"));
        }
        self.add(refusal);
    }

    pub(crate) fn message(&mut self, i: usize, message: &Prepared, world: &World<'_>) {
        let field = format!("messages[{i}]");
        let said = &message.said;
        let mut bytes = said.content.len();
        for call in &said.tool_calls {
            self.payload(&format!("{field}.tool_calls"), &call.arguments);
            bytes += call.name.len() + call.id.len() + json_len(&call.arguments);
        }
        self.size(&field, bytes, limits::MESSAGE_BYTES_MAX, "MESSAGE_BYTES_MAX");
        if let Some(agent) = &said.agent {
            self.registered(&format!("{field}.agent"), agent, world.agents, Code::UnknownAgent);
            if !world.caller.may_act_as(agent) {
                let text = format!("{} may not speak as {agent}", world.caller.name);
                self.add(Refusal::new(Code::NotYourAgent, text).at(format!("{field}.agent")));
            }
        }
    }
}

/// Bytes of a value as JSON, counted without writing it down.
pub(crate) fn json_len(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

/// Whether a value is nested deeper than this. It looks no deeper than it must, so hostile depth costs nothing.
pub(crate) fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(map) => levels == 0 || map.values().any(|item| deeper_than(item, levels - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

impl Draft<'_> {
    /// Everything about a request that does not depend on who the target is.
    pub(super) fn check_request(&self, request: &Request) -> Checks {
        let mut checks = Checks::default();
        self.check_fields(request, &mut checks);
        self.check_lists(request, &mut checks);
        if request.to_agent.as_ref() == Some(&request.from_agent) {
            checks.add(Refusal::new(Code::SelfHandoff, format!("{} is both", request.from_agent)).at("to_agent"));
        }
        checks.registered("from_agent", &request.from_agent, self.world.agents, Code::UnknownSource);
        self.check_authority(request, &mut checks);
        self.check_kind(request, &mut checks);
        checks
    }

    fn check_fields(&self, request: &Request, checks: &mut Checks) {
        checks.text("reason", &request.reason);
        checks.text("user_intent", &request.user_intent);
        checks.text("original_request", &request.original_request);
        checks.text("task.description", &request.task.description);
        checks.optional_text("task.id", &request.task.id);
        checks.optional_text("task.type", &request.task.kind);
        checks.optional_text("audit.decision_rationale", &request.audit.decision_rationale);
        for (field, text) in [
            ("trace_id", &request.trace_id),
            ("capability", &request.capability),
            ("context.user_id", &request.context.user_id),
            ("context.correlation_id", &request.context.correlation_id),
        ] {
            if let Some(text) = text {
                checks.text(field, text);
            }
        }
        if let Some(text) = &request.context.traceparent
            && let Err(why) = text.parse::<TraceParent>()
        {
            checks.add(Refusal::new(Code::BadTrace, why.to_string()).at("context.traceparent"));
        }
        if let Some(key) = &request.idempotency_key {
            checks.text("idempotency_key", key);
            checks.count("idempotency_key", key.chars().count(), limits::KEY_CHARS_MAX, "KEY_CHARS_MAX");
        }
        checks.payload("task.payload", &request.task.payload);
        checks.payload("context.completed_work", &request.context.completed_work);
        checks.payload("context.metadata", &request.context.metadata);
        if let Some(timeout) = request.return_protocol.timeout_ms {
            checks.wait("return_protocol.timeout_ms", timeout);
        }
        if let Some(budget) = request.context.constraints.budget {
            crate::policy::check_budget("context.constraints.budget", &budget, checks);
        }
        if let Some(deadline) = request.context.constraints.deadline.filter(|deadline| *deadline <= self.now) {
            let message = format!("{deadline} is not after {}", self.now);
            checks.add(Refusal::new(Code::DeadlinePassed, message).at("context.constraints.deadline"));
        }
        if request.context.constraints.deadline.is_some_and(|deadline| deadline > self.now + limits::WAIT_MS_MAX) {
            let message = format!("it is more than {} ms away (WAIT_MS_MAX)", limits::WAIT_MS_MAX);
            checks.add(Refusal::new(Code::OutOfRange, message).at("context.constraints.deadline"));
        }
        for (i, artifact) in request.context.artifacts.iter().enumerate() {
            checks.text(&format!("context.artifacts[{i}]"), artifact);
        }
        if request.context.transfer.max_messages == Some(0) {
            let refusal = Refusal::new(Code::OutOfRange, "0 would show nothing; leave it out or give 1 and more");
            checks.add(refusal.at("context.transfer.max_messages"));
        }
    }

    fn check_lists(&self, request: &Request, checks: &mut Checks) {
        let required = &request.validation.required_capabilities;
        checks.count("validation.required_capabilities", required.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
        for (i, capability) in required.iter().enumerate() {
            let field = format!("validation.required_capabilities[{i}]");
            checks.text(&format!("{field}.capability_id"), &capability.capability_id);
            if let Some(min) = capability.min_proficiency {
                checks.range(&format!("{field}.min_proficiency"), min, 0.0, 1.0);
            }
        }
        checks.count("candidates", request.candidates.len(), limits::CANDIDATES_MAX, "CANDIDATES_MAX");
        for (i, agent) in request.candidates.iter().enumerate() {
            checks.registered(&format!("candidates[{i}]"), agent, self.world.agents, Code::UnknownTarget);
        }
        checks.count("context.artifacts", request.context.artifacts.len(), limits::ARTIFACTS_MAX, "ARTIFACTS_MAX");
        let rungs = request.ladder.len();
        if rungs > limits::ESCALATION_DEPTH_MAX as usize {
            let message =
                format!("it has {rungs} rungs; an escalation climbs at most {}", limits::ESCALATION_DEPTH_MAX);
            checks.add(Refusal::new(Code::TooHigh, message).at("ladder"));
        }
        for (i, rung) in request.ladder.iter().enumerate() {
            checks.registered(&format!("ladder[{i}].agent"), &rung.agent, self.world.agents, Code::UnknownTarget);
            checks.wait(&format!("ladder[{i}].timeout_ms"), rung.timeout_ms);
        }
        let open = self.session.open.len() + request.broadcast.as_ref().map_or(1, |b| b.targets.len());
        checks.count("session.open_handoffs", open, limits::OPEN_HANDOFFS_MAX, "OPEN_HANDOFFS_MAX");
    }

    fn check_authority(&self, request: &Request, checks: &mut Checks) {
        let from = &request.from_agent;
        // Whoever runs the work has it tried once more in the name of whoever asked for it.
        if self.again.is_none() && !self.world.caller.may_act_as(from) {
            let message = format!("{} may not act as {from}", self.world.caller.name);
            checks.add(Refusal::new(Code::NotYourAgent, message).at("from_agent"));
        }
        if let Some(at) = self.session.ended_at {
            checks.add(Refusal::new(Code::SessionEnded, format!("the session ended at {at}")));
        }
        // Only the owner can give the session away; whoever works on a part of it can ask for help.
        let holds = request.kind != Kind::Sequential && self.session.held_by(from).is_some();
        // The rules of a workflow give the session away, whoever owns it; and whoever is served may ask its owner.
        let may = holds || self.way.is_some() || self.session.is_asked_by_user(request);
        if self.session.active_agent != *from && !may {
            let owner = &self.session.active_agent;
            let message = if request.kind == Kind::Sequential {
                format!("only {owner} owns the session and can give it away, not {from}")
            } else {
                format!("{from} neither owns the session ({owner} does) nor works on one of its handoffs")
            };
            checks.add(Refusal::new(Code::NotOwner, message).at("from_agent"));
        }
        if let Some(waiting) = self.session.blocked_on(from) {
            let message = format!("{from} waits for {} from {}", waiting.id, waiting.to_agent);
            checks.add(Refusal::new(Code::Waiting, message).at("from_agent"));
        }
        // Whose work this is a part of is not for the asker to choose: its budget, deadline and waits come with it.
        let owns = self.session.active_agent == *from;
        let trail = self.session.trail.as_ref().filter(|_| owns).map(|trail| trail.handoff_id);
        let holds = |parent: &HandoffId| {
            self.session.open.get(parent).is_some_and(|open| open.to_agent == *from && open.lease().is_some())
        };
        // What is tried once more belongs to what it belonged to.
        let known = |parent: &HandoffId| holds(parent) || trail == Some(*parent) || self.again.is_some();
        if let Some(parent) = request.parent_id.filter(|parent| !known(parent)) {
            let message = format!("{from} does not work on a handoff {parent} of this session");
            checks.add(Refusal::new(Code::UnknownHandoff, message).at("parent_id"));
        }
    }

    fn check_kind(&self, request: &Request, checks: &mut Checks) {
        let no_timeout = request.return_protocol.timeout_ms.is_none();
        match request.kind {
            Kind::Sequential => {
                let going = |open: &&Arc<Handoff>| {
                    open.request.kind == Kind::Sequential
                        && open.accepted_at.is_none()
                        && open.request.from_agent == request.from_agent
                };
                if let Some(going) = self.session.open.values().find(going) {
                    let message = format!("the session is being handed to {} already ({})", going.to_agent, going.id);
                    checks.add(Refusal::new(Code::Waiting, message).at("type"));
                }
                if !request.completes_segment && !self.session.segment_complete {
                    let message = format!("{} has not completed its part", request.from_agent);
                    checks.add(Refusal::new(Code::SegmentOpen, message).at("completes_segment"));
                }
            }
            Kind::Delegation if no_timeout => {
                let refusal = Refusal::new(Code::TimeoutMissing, "a delegation needs a timeout");
                checks.add(refusal.at("return_protocol.timeout_ms"));
            }
            Kind::Broadcast if no_timeout && request.expects_return() => {
                let refusal = Refusal::new(Code::TimeoutMissing, "a broadcast that expects returns needs a timeout");
                checks.add(refusal.at("return_protocol.timeout_ms"));
            }
            Kind::Delegation | Kind::Broadcast => {}
            Kind::Escalation => {
                if request.audit.decision_rationale.trim().is_empty() {
                    let refusal = Refusal::new(Code::RationaleMissing, "an escalation needs a rationale");
                    checks.add(refusal.at("audit.decision_rationale"));
                }
            }
        }
    }
}
