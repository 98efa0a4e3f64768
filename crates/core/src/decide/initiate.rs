//! Initiating: a request is checked as a whole, gets a target, and becomes a handoff that is offered or waits for approval.

use super::{Draft, Verdict, asking::Asked, budget::Together, validate::Checks};
use crate::{
    agent::{AgentKind, Standing},
    budget::Amount,
    command::Write,
    digest::Digest,
    event::{Event, Routed},
    handoff::{Climb, Handoff, Kind, Phase, Request, Reservation, Trigger},
    ids::{AgentId, GroupId, HandoffId},
    limits,
    refusal::HandoffError,
    time::Timestamp,
    trace,
};
use std::sync::Arc;

/// A target that passed every check.
pub(super) struct Target {
    pub(super) to: AgentId,
    pub(super) warnings: Vec<String>,
    pub(super) routing: Option<Box<Routed>>,
    pub(super) climb: Option<Climb>,
    /// The digest of what it is given, where the guards have looked at it.
    pub(super) content: Option<Digest>,
    /// What is set aside for it.
    pub(super) reservation: Option<Reservation>,
}

impl Target {
    /// A target that somebody named.
    pub(super) fn named(to: AgentId, warnings: Vec<String>, climb: Option<Climb>) -> Self {
        Self { to, warnings, routing: None, climb, content: None, reservation: None }
    }
}

impl Draft<'_> {
    pub(super) fn initiate(&mut self, mut request: Request) -> Result<Vec<HandoffId>, HandoffError> {
        let agents = (request.from_agent.clone(), request.to_agent.clone());
        let prepared = self.prepare(&mut request);
        let targets = prepared.map_err(|error| error.between(&agents.0, agents.1.as_ref()))?;
        self.merge_variables(&request)?;
        // Whose work this goes on with, before that work is closed by completing the part.
        request.parent_id = request.parent_id.or_else(|| self.working_on(&request.from_agent));
        self.inherit_trace(&mut request);
        if request.kind == Kind::Sequential && request.completes_segment && !self.session.segment_complete {
            self.complete_part(&request.from_agent);
        }
        let request = Arc::new(request);
        if request.kind == Kind::Broadcast {
            return Ok(self.open_group(&request, targets));
        }
        let mut made = Vec::new();
        for target in targets {
            made.push(self.begin(&request, target, None, None));
        }
        Ok(made)
    }

    /// All checks; nothing is emitted here.
    pub(super) fn prepare(&mut self, request: &mut Request) -> Result<Vec<Target>, HandoffError> {
        if request.kind == Kind::Escalation
            && let Some(held) = self.session.held_by(&request.from_agent)
            && held.request.task.priority.level() < request.task.priority.level()
        {
            // Whoever is above is in no less of a hurry than whoever asks.
            request.task.priority = held.request.task.priority;
        }
        let mut escalated = Checks::default();
        self.escalate_by_itself(request, &mut escalated);
        let mut checks = self.check_request(request);
        checks.append(escalated);
        let variables: Vec<Write> = variable_writes(request);
        self.check_writes(&request.from_agent, &variables, &mut checks);
        let mut targets = Vec::new();
        match request.kind {
            Kind::Sequential | Kind::Delegation => targets.extend(self.find_target(request, &mut checks)),
            Kind::Broadcast => targets = self.broadcast_targets(request, &mut checks),
            Kind::Escalation => targets.extend(self.escalation_target(request, &mut checks)),
        }
        self.check_guards(request, &mut targets, &mut checks);
        self.check_budgets(request, &mut targets, &mut checks);
        self.say_why_not_asked(&targets, &mut checks);
        self.passes(checks)?;
        for target in &targets {
            self.answer.warnings.extend(target.warnings.iter().cloned());
        }
        Ok(targets)
    }

    fn find_target(&self, request: &mut Request, checks: &mut Checks) -> Option<Target> {
        if let Some(to) = request.to_agent.clone() {
            let Some(why) = self.cannot_be_reached(&to).filter(|_| request.has_others()) else {
                let warnings = self.check_target("to_agent", &to, request, checks);
                return Some(Target::named(to, warnings, None));
            };
            // The one who was named cannot be reached, and the request says who else may take it.
            let mut target = self.route(request, std::slice::from_ref(&to), checks)?;
            target.warnings.push(format!("{to}: {why}; {} takes it", target.to));
            return Some(target);
        }
        self.note_mismatch(request);
        self.route(request, &[], checks)
    }

    fn route(&self, request: &Request, not: &[AgentId], checks: &mut Checks) -> Option<Target> {
        let routed = self.choose(request, not);
        let Some(to) = routed.agent.clone() else {
            // Where no model was asked, that nobody was found says nothing: what kept it from being asked does.
            if self.not_asked().is_none() {
                checks.add(self.nobody(request, &routed));
            }
            return None;
        };
        let warnings = self.check_target("to_agent", &to, request, checks);
        let routing = Some(Box::new(routed));
        Some(Target { to, warnings, routing, climb: None, content: None, reservation: None })
    }

    /// Why this agent cannot be given anything now, where it is known at all.
    pub(super) fn cannot_be_reached(&self, to: &AgentId) -> Option<String> {
        match self.agent(to)?.standing {
            Standing::Unavailable => Some("it is unavailable".into()),
            Standing::Draining => Some("it is draining".into()),
            Standing::Available => self.left_alone(to),
        }
    }

    /// The engine sees by itself that the source lacks what the task needs.
    fn note_mismatch(&self, request: &mut Request) {
        let Some(source) = self.agent(&request.from_agent) else { return };
        let lacks = |capability: &str| source.profile.proficiency(capability).is_none();
        let required = request.validation.required_capabilities.iter().any(|needed| lacks(&needed.capability_id));
        if request.trigger == Trigger::ExplicitRequest && (required || request.capability.as_deref().is_some_and(lacks))
        {
            request.trigger = Trigger::CapabilityMismatch;
        }
    }

    fn merge_variables(&mut self, request: &Request) -> Verdict {
        let writes = variable_writes(request);
        if writes.is_empty() { Ok(()) } else { self.write_variables(&request.from_agent, writes) }
    }

    /// Makes the handoff and offers it, or asks for approval first.
    pub(super) fn begin(
        &mut self,
        request: &Arc<Request>,
        target: Target,
        group: Option<GroupId>,
        successor_of: Option<&Handoff>,
    ) -> HandoffId {
        let id = HandoffId(self.ids.next());
        let parent = successor_of.map(|before| before.id).or(request.parent_id);
        let hard_deadline = self.hard_deadline(request, parent, self.now);
        let content = target.content.unwrap_or_else(|| self.content(request, &request.task));
        let reservation = match successor_of {
            Some(_) => self.set_aside(request, &target.to, None, &Together::alone()).unwrap_or_default(),
            None => target.reservation,
        };
        let asked = Asked::new(request, &target.to, reservation.as_ref(), self.session.handoffs);
        let (approval, troubles) = match successor_of {
            // What goes on further up needs no approval, but for a target that a rule names: a ladder is no way around.
            Some(_) => self.approval_of_target(&asked),
            None => self.approval_for(&asked),
        };
        self.answer.warnings.extend(troubles.iter().cloned());
        let until = match &approval {
            Some(approval) => self.now + approval.within_ms,
            None => self.window(&target.to, target.climb.as_ref()),
        };
        let until = hard_deadline.map_or(until, |deadline| deadline.min(until));
        let phase = match &approval {
            Some(_) => Phase::AwaitingApproval { until },
            None => self.first_phase(until),
        };
        // One that waits for a person, or for its agent, tries nothing yet, and keeps nobody else from trying.
        let held_up = self.way.as_ref().is_some_and(|way| way.held_up.is_some());
        let probe = approval.is_none() && !held_up && self.probes(&target.to, id);
        if let Some(reservation) = &reservation {
            self.post_reservation(reservation, &target.to);
        }
        let handoff = Handoff {
            id,
            session_id: self.session.id.clone(),
            n: self.session.handoffs + 1,
            request: request.clone(),
            path: self.path(request, parent, successor_of, &target.to),
            content,
            authority: self.handed_authority(request, &target.to),
            reservation,
            spent_below: Amount::default(),
            earlier: None,
            approval: None,
            edit: None,
            arm: target.routing.as_ref().and_then(|routed| routed.experiment.clone()),
            probe,
            to_agent: target.to,
            parent_id: parent,
            broadcast_group_id: group,
            returns_for: successor_of.map_or(id, |before| before.returns_for),
            mark: self.session.mark.clone(),
            phase,
            attempt: 1,
            reroutes: 0,
            losses: 0,
            deferrals: 0,
            held_up: 0,
            tried: Vec::new(),
            opened_at: self.now,
            accepted_at: None,
            closed_at: None,
            hard_deadline,
            climb: target.climb,
            acceptance: None,
            questions: Vec::new(),
            manifest: None,
            warnings: target.warnings.into_iter().take(limits::WARNINGS_MAX).collect(),
            result: None,
            metrics: crate::handoff::Metrics::default(),
        };
        let by_hand = self.again.as_ref().map(|again| Box::new(again.hand.clone()));
        let (request, handoff, routing) = (request.clone(), Box::new(handoff), target.routing);
        self.emit(Event::Initiated { request, handoff, routing, by_hand });
        match approval {
            Some(approval) => {
                self.emit(Event::ApprovalRequested { id, until, approval: Box::new(approval), warnings: troubles });
            }
            None => self.note_held_up(id),
        }
        self.made(id);
        id
    }

    /// On offer at once, or after the time that a way of the workflow waits.
    fn first_phase(&self, until: Timestamp) -> Phase {
        match self.way.as_ref().map(|way| way.wait_ms).filter(|ms| *ms > 0) {
            Some(ms) => Phase::Deferred { until: self.now + ms },
            None => Phase::Offered { since: self.now, until },
        }
    }

    /// The handoff that an agent works on, or by which it came to own the session.
    pub(super) fn working_on(&self, agent: &AgentId) -> Option<HandoffId> {
        let held = self.session.held_by(agent).map(|held| held.id);
        held.or_else(|| {
            let trail = self.session.trail.as_ref().filter(|_| self.session.active_agent == *agent);
            trail.map(|trail| trail.handoff_id)
        })
    }

    /// Work that goes on with other work is part of the same trace, where one came from outside.
    fn inherit_trace(&self, request: &mut Request) {
        if request.context.traceparent.is_some() {
            return;
        }
        let open = request.parent_id.and_then(|parent| self.session.open.get(&parent));
        let trail = self.session.trail.as_ref().filter(|trail| Some(trail.handoff_id) == request.parent_id);
        request.context.traceparent =
            open.and_then(|parent| trace::handed_on(parent)).or_else(|| trail.and_then(|t| t.traceparent.clone()));
    }

    /// Until when this agent may take its time to acknowledge.
    pub(super) fn window(&self, to: &AgentId, climb: Option<&Climb>) -> Timestamp {
        let profile = self.agent(to).map(|agent| &agent.profile);
        let human = profile.is_some_and(|profile| profile.kind == AgentKind::Human);
        let usual = if human { self.world.policy.human_accept_ms } else { self.world.policy.accept_ms };
        let ms = profile.and_then(|profile| profile.accept_within_ms).unwrap_or(usual);
        self.now + climb.map_or(ms, |climb| ms.min(climb.rung_ms))
    }

    /// A child is over when its parent must be, and nothing goes on when the time of the session is over.
    pub(super) fn hard_deadline(
        &self,
        request: &Request,
        parent: Option<HandoffId>,
        since: Timestamp,
    ) -> Option<Timestamp> {
        let constraints = &request.context.constraints;
        let time = constraints.budget.and_then(|budget| budget.time_ms).map(|ms| since + ms);
        let parent = parent.and_then(|id| self.session.open.get(&id));
        let inherited = parent.filter(|_| matches!(request.kind, Kind::Delegation | Kind::Broadcast));
        let running = inherited.and_then(|parent| match &parent.phase {
            Phase::Running { deadline, .. } => Some(*deadline),
            Phase::AwaitingApproval { .. } | Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Closed { .. } => {
                None
            }
        });
        let hard = inherited.and_then(|parent| parent.hard_deadline);
        let session = self.session_deadline().filter(|_| request.kind != Kind::Escalation);
        [constraints.deadline, time, running, hard, session].into_iter().flatten().min()
    }

    pub(super) fn path(
        &self,
        request: &Request,
        parent: Option<HandoffId>,
        successor_of: Option<&Handoff>,
        to: &AgentId,
    ) -> Vec<AgentId> {
        if let Some(again) = &self.again {
            return again.path_to(to);
        }
        let before = successor_of.map(|before| &before.path);
        let before = before.or_else(|| parent.and_then(|id| self.session.open.get(&id)).map(|parent| &parent.path));
        let trail = self.session.trail.as_ref().filter(|trail| Some(trail.handoff_id) == parent);
        let before = before.or(trail.map(|trail| &trail.path));
        let mut path = before.cloned().unwrap_or_default();
        if path.last() != Some(&request.from_agent) && successor_of.is_none() {
            path.push(request.from_agent.clone());
        }
        path.push(to.clone());
        let excess = path.len().saturating_sub(limits::PATH_MAX);
        path.drain(..excess);
        path
    }
}

pub(super) fn variable_writes(request: &Request) -> Vec<Write> {
    let variables = request.context.variables.iter();
    variables.map(|(name, value)| Write { name: name.clone(), value: value.clone(), expected_version: None }).collect()
}
