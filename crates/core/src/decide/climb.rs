//! Escalation: up a ladder that is data, at most three levels, each with its own time and its own assessment.

use super::{Draft, Verdict, between, initiate::Target, validate::Checks};
use crate::{
    agent::Standing,
    event::Event,
    handoff::{Assessment, Climb, Handoff, Kind, Request, Return, ReturnStatus, Rung, Status, Trigger},
    ids::{AgentId, HandoffId, LeaseId},
    limits,
    refusal::{Code, Refusal},
};
use std::sync::Arc;

impl Draft<'_> {
    pub(super) fn escalation_target(&self, request: &Request, checks: &mut Checks) -> Option<Target> {
        let below = self.session.held_by(&request.from_agent).and_then(|held| held.climb.as_ref());
        let depth = below.map_or(0, |climb| climb.depth) + 1;
        if depth > limits::ESCALATION_DEPTH_MAX {
            checks.add(Refusal::new(Code::TooHigh, format!("this is level {} already", depth - 1)).at("type"));
            return None;
        }
        let mut ladder = self.ladder(request);
        if ladder.is_empty() {
            let message = format!("{} has nobody to escalate to", request.from_agent);
            checks.add(Refusal::new(Code::NoLadder, message).at("ladder"));
            return None;
        }
        // Where nobody was named, a rung that cannot decide is passed over.
        if request.ladder.is_empty()
            && request.to_agent.is_none()
            && let Some(able) = ladder.iter().position(|rung| self.can_decide(rung, request))
        {
            ladder.drain(..able);
        }
        ladder.truncate((limits::ESCALATION_DEPTH_MAX - depth + 1) as usize);
        let first = ladder.remove(0);
        let field = if request.ladder.is_empty() { "to_agent" } else { "ladder[0].agent" };
        if first.agent == request.from_agent {
            checks.add(Refusal::new(Code::SelfHandoff, format!("{} is the source", first.agent)).at(field));
        }
        let warnings = self.check_target(field, &first.agent, request, checks);
        let climb = Climb {
            depth,
            rung_ms: first.timeout_ms,
            rest: ladder,
            assessments: below.map(|climb| climb.assessments.clone()).unwrap_or_default(),
            back_to: below.map_or_else(|| self.session.lasting_owner().clone(), |climb| climb.back_to.clone()),
        };
        Some(Target::named(first.agent, warnings, Some(climb)))
    }

    /// Whether this rung can be reached and may take the risk.
    fn can_decide(&self, rung: &Rung, request: &Request) -> bool {
        self.agent(&rung.agent).is_some_and(|agent| {
            agent.standing == Standing::Available
                && agent.profile.accepts_handoffs
                && agent.profile.autonomy_budget.max_risk >= request.risk()
                && self.left_alone(&rung.agent).is_none()
        })
    }

    /// Whether there is anybody to ask.
    pub(super) fn has_ladder(&self, request: &Request) -> bool {
        let mut question = Request::clone(request);
        question.to_agent = None;
        !self.ladder(&question).is_empty()
    }

    /// The rungs of a request: its own, or the chain of `escalates_to`, and a person on top.
    fn ladder(&self, request: &Request) -> Vec<Rung> {
        if !request.ladder.is_empty() {
            return request.ladder.clone();
        }
        let source = self.agent(&request.from_agent).and_then(|agent| agent.profile.escalates_to.clone());
        let first = request.to_agent.clone().or(source);
        let rung_ms = request.return_protocol.timeout_ms.unwrap_or(limits::RUNG_MS);
        self.chain(first, &request.from_agent, rung_ms)
    }

    fn chain(&self, first: Option<AgentId>, not: &AgentId, rung_ms: u64) -> Vec<Rung> {
        let mut rungs: Vec<Rung> = Vec::new();
        let mut next = first;
        while let Some(agent) = next.take() {
            let seen = agent == *not || rungs.iter().any(|rung| rung.agent == agent);
            if seen || rungs.len() >= limits::ESCALATION_DEPTH_MAX as usize {
                break;
            }
            next = self.agent(&agent).and_then(|known| known.profile.escalates_to.clone());
            rungs.push(Rung { agent, timeout_ms: rung_ms });
        }
        let human = self.world.policy.human.iter().filter(|human| *human != not);
        for human in human {
            if rungs.len() < limits::ESCALATION_DEPTH_MAX as usize && rungs.iter().all(|rung| rung.agent != *human) {
                rungs.push(Rung { agent: human.clone(), timeout_ms: self.world.policy.human_accept_ms });
            }
        }
        rungs
    }

    /// The holder cannot decide and hands it further up.
    pub(super) fn escalate(&mut self, id: HandoffId, lease: LeaseId, assessment: String) -> Verdict {
        let handoff = self.held(id, lease)?;
        let mut checks = Checks::default();
        checks.text("assessment", &assessment);
        checks.done()?;
        if let Some(waiting) = self.session.blocked_on(&handoff.to_agent) {
            let message = format!("{} waits for {}", handoff.to_agent, waiting.id);
            return Err(between(Refusal::new(Code::Waiting, message), &handoff));
        }
        if self.climb_on(&handoff, assessment, Trigger::Escalation) {
            return Ok(());
        }
        let level = handoff.climb.as_ref().map_or(0, |climb| climb.depth);
        let message = format!("there is nobody above {} (level {level})", handoff.to_agent);
        Err(between(Refusal::new(Code::TooHigh, message), &handoff))
    }

    /// Closes a handoff as escalated and opens its successor one level up. False when there is nobody above.
    pub(super) fn climb_on(&mut self, handoff: &Handoff, assessment: String, trigger: Trigger) -> bool {
        let Some((rung, rest)) = self.next_rung(handoff) else { return false };
        let below = handoff.climb.as_ref();
        let mut assessments = below.map(|climb| climb.assessments.clone()).unwrap_or_default();
        assessments.push(Assessment { by: handoff.to_agent.clone(), at: self.now, text: assessment.clone() });
        let climb = Climb {
            depth: below.map_or(0, |climb| climb.depth) + 1,
            rung_ms: rung.timeout_ms,
            rest,
            assessments,
            back_to: below.map_or_else(|| self.owner_without(handoff), |climb| climb.back_to.clone()),
        };
        let request = Arc::new(self.successor_request(handoff, &rung, assessment.clone(), trigger));
        let target = Target::named(rung.agent, Vec::new(), Some(climb));
        let successor = self.begin(&request, target, handoff.broadcast_group_id, Some(handoff));
        self.move_member(handoff, successor);
        let result = self.result_of(handoff, ReturnStatus::Partial, assessment);
        let by_holder = trigger == Trigger::Escalation;
        let ended = if by_holder { self.now } else { handoff.attempt_end(self.now) };
        self.emit_closed(handoff, Status::Escalated, result, ended, None, Some(successor));
        true
    }

    /// Who owns the session once this handoff no longer counts.
    fn owner_without(&self, handoff: &Handoff) -> AgentId {
        match handoff.request.kind {
            Kind::Sequential => handoff.request.from_agent.clone(),
            Kind::Delegation | Kind::Broadcast | Kind::Escalation => self.session.lasting_owner().clone(),
        }
    }

    pub(super) fn next_rung(&self, handoff: &Handoff) -> Option<(Rung, Vec<Rung>)> {
        let mut rest = match &handoff.climb {
            Some(climb) if climb.depth >= limits::ESCALATION_DEPTH_MAX => return None,
            Some(climb) => climb.rest.clone(),
            None if !handoff.request.ladder.is_empty() => handoff.request.ladder.clone(),
            None => {
                let up = self.agent(&handoff.to_agent).and_then(|agent| agent.profile.escalates_to.clone());
                let rung_ms = handoff.request.return_protocol.timeout_ms.unwrap_or(limits::RUNG_MS);
                self.chain(up, &handoff.request.from_agent, rung_ms)
            }
        };
        // A rung that is gone or cannot be reached is passed over, not waited for.
        rest.retain(|rung| {
            rung.agent != handoff.to_agent
                && rung.agent != handoff.request.from_agent
                && self.can_decide(rung, &handoff.request)
        });
        if rest.is_empty() {
            return None;
        }
        let first = rest.remove(0);
        Some((first, rest))
    }

    fn successor_request(&self, handoff: &Handoff, rung: &Rung, why: String, trigger: Trigger) -> Request {
        let mut request = Request::clone(&handoff.request);
        request.kind = Kind::Escalation;
        request.trigger = trigger;
        request.idempotency_key = None;
        request.to_agent = Some(rung.agent.clone());
        request.candidates = Vec::new();
        request.capability = None;
        // Whoever is above decides; it need not be able to do the work itself.
        request.validation.required_capabilities = Vec::new();
        request.audit.decision_rationale = why;
        request.context.transfer.mode = None;
        request.context.variables = serde_json::Map::new();
        request.ladder = Vec::new();
        request.needs_approval = false;
        request.return_protocol.timeout_ms = Some(rung.timeout_ms);
        request
    }

    /// In a broadcast the successor takes the place of the member that was escalated.
    fn move_member(&mut self, from: &Handoff, to: HandoffId) {
        let Some(group) = from.broadcast_group_id.and_then(|id| self.session.groups.get(&id).map(|g| (id, g.clone())))
        else {
            return;
        };
        let (id, entry) = group;
        let members = entry.members.iter().map(|(m, _)| if *m == from.id { to } else { *m }).collect();
        self.emit(Event::GroupMoved { group: id, members });
    }

    pub(super) fn result_of(&self, handoff: &Handoff, status: ReturnStatus, notes: String) -> Return {
        let used = self.shown(handoff);
        Return {
            handoff_id: handoff.returns_for,
            from_agent: handoff.to_agent.clone(),
            to_agent: handoff.request.from_agent.clone(),
            status,
            result: crate::handoff::Outcome::default(),
            context_updates: crate::handoff::ContextUpdates::default(),
            completion_time: self.now,
            metrics: crate::handoff::Metrics { duration_ms: self.now.since(handoff.opened_at), ..used },
            notes,
            signal: None,
        }
    }
}
