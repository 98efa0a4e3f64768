//! How a handoff begins, is changed, taken and given more time.

use super::Touched;
use crate::{
    event::{Asking, Event, RerouteReason},
    guard::watch::Move,
    handoff::{Acceptance, AcceptanceStatus, Edit, Exchange, Handoff, Kind, Phase, Request, Status},
    ids::{AgentId, HandoffId},
    session::{Session, Trail},
    time::Timestamp,
    trace,
};
use std::sync::Arc;

impl Session {
    pub(super) fn begin_handoff(
        &mut self,
        request: &Arc<Request>,
        handoff: &Handoff,
        at: Timestamp,
        touched: &mut Touched,
    ) {
        let step = Move { from: request.from_agent.clone(), to: handoff.to_agent.clone(), digest: handoff.content };
        // What goes on with an earlier one further up was made by the engine.
        let counts = handoff.returns_for == handoff.id && !self.is_asked_by_user(request);
        self.watch.note(request.kind, counts, step, at);
        let mut handoff = handoff.clone();
        handoff.request = request.clone();
        let handoff = Arc::new(handoff);
        self.handoffs = self.handoffs.max(handoff.n);
        touched.handoffs.insert(handoff.id, handoff.clone());
        self.open.insert(handoff.id, handoff);
    }

    pub(super) fn amend(&mut self, id: HandoffId, event: &Event, touched: &mut Touched) {
        let Event::Amended { edit, to, content, authority, reservation, probe, warnings, .. } = event else { return };
        let Some(before) = self.open.get(&id) else { return };
        let (from, kind) = (before.request.from_agent.clone(), before.request.kind);
        let was = Move { from: from.clone(), to: before.to_agent.clone(), digest: before.content };
        self.watch.amend(kind, &was, Move { from, to: to.clone(), digest: *content });
        self.change(id, touched, |handoff| {
            edit.change(Arc::make_mut(&mut handoff.request));
            handoff.edit = Some(Edit::clone(edit));
            handoff.to_agent = to.clone();
            handoff.content = *content;
            handoff.authority = *authority;
            handoff.reservation = reservation.as_deref().cloned();
            handoff.probe = *probe;
            handoff.warn(warnings);
            if let Some(last) = handoff.path.last_mut() {
                *last = to.clone();
            }
            if was.to != *to {
                // Whom a person chose says nothing about a strategy.
                handoff.arm = None;
            }
        });
    }

    pub(super) fn reroute(&mut self, id: HandoffId, event: &Event, at: Timestamp, touched: &mut Touched) {
        let Event::Rerouted { from, to, why, until, reservation, probe, to_human, .. } = event else { return };
        // A person who is asked because nobody else is left takes nobody's place.
        if !to_human {
            self.watch.note_agent(to);
        }
        let by_hand = *why == RerouteReason::ByHand;
        if by_hand {
            self.take_away(id, at);
        }
        self.change(id, touched, |handoff| {
            handoff.reservation = reservation.as_deref().cloned();
            handoff.probe = *probe;
            if by_hand {
                handoff.give_to(to);
            } else {
                handoff.try_no_more(from);
                handoff.reroutes += 1;
            }
            handoff.losses = 0;
            handoff.deferrals = 0;
            handoff.held_up = 0;
            handoff.to_agent = to.clone();
            if let Some(last) = handoff.path.last_mut() {
                *last = to.clone();
            }
            handoff.phase = Phase::Offered { since: at, until: *until };
        });
    }

    /// A person gives it to somebody: what came with it until now goes back, and its time in a workflow begins anew.
    fn take_away(&mut self, id: HandoffId, at: Timestamp) {
        let Some(handoff) = self.open.get(&id).cloned() else { return };
        match handoff.request.kind {
            Kind::Escalation => self.give_ownership_back(&handoff, Status::Cancelled),
            Kind::Sequential => self.own_as_before(&handoff),
            Kind::Delegation | Kind::Broadcast => {}
        }
        if let Some(flow) = self.flow.as_mut().filter(|flow| flow.step == Some(id)) {
            flow.since = at;
        }
    }

    /// Whoever had the session by this handoff has it no more: until somebody takes it, it is the source's, as before.
    fn own_as_before(&mut self, handoff: &Handoff) {
        let trail = self.trail.as_ref().filter(|trail| trail.handoff_id == handoff.id);
        let Some(taker) = trail.and_then(|trail| trail.path.last()) else { return };
        if self.lasting_owner() != taker {
            return;
        }
        let source = handoff.request.from_agent.clone();
        match &mut self.lent_by {
            Some(owner) => *owner = source,
            None => self.active_agent = source,
        }
        self.segment_complete = true;
        let before = &handoff.path[..handoff.path.len().saturating_sub(1)];
        self.trail = (before.len() > 1).then(|| Trail {
            handoff_id: handoff.parent_id.unwrap_or(handoff.id),
            path: before.to_vec(),
            authority: handoff.authority,
            traceparent: handoff.request.context.traceparent.clone(),
        });
    }

    /// Its holder waits for an answer, and lets go of all that it held.
    pub(super) fn ask(&mut self, asking: &Asking, at: Timestamp, touched: &mut Touched) {
        self.end_attempt(asking.id, asking.used, touched);
        self.change(asking.id, touched, |handoff| {
            handoff.questions.push(Exchange { question: asking.question.clone(), asked_at: at, answer: None });
            handoff.phase = Phase::Deferred { until: asking.until };
        });
        self.release_locks_of(asking.id, touched);
    }

    pub(super) fn accept(&mut self, id: HandoffId, event: &Event, at: Timestamp, touched: &mut Touched) {
        let Event::Accepted {
            by,
            lease,
            lease_until,
            lease_ms,
            in_process,
            deadline,
            estimated_completion,
            manifest,
            ..
        } = event
        else {
            return;
        };
        // What goes on below is charged there from its beginning, and this attempt is not made shorter by what was before.
        let again = self.open.get(&id).filter(|handoff| handoff.earlier.is_some());
        let below_ms = again.map(|handoff| self.below_ms(handoff, at));
        let first = self.open.get(&id).is_some_and(|handoff| handoff.accepted_at.is_none());
        if let Some(flow) = self.flow.as_mut().filter(|flow| first && flow.step == Some(id)) {
            // The time of a state begins when somebody begins to work in it.
            flow.since = at;
        }
        self.change(id, touched, |handoff| {
            handoff.phase = Phase::Running {
                lease: *lease,
                lease_until: *lease_until,
                lease_ms: *lease_ms,
                in_process: *in_process,
                deadline: *deadline,
                grace_until: None,
            };
            handoff.accepted_at = Some(at);
            if let Some((earlier, below_ms)) = handoff.earlier.as_mut().zip(below_ms) {
                earlier.below_ms = below_ms;
            }
            handoff.manifest.clone_from(manifest);
            let mut acceptance = answer(AcceptanceStatus::Accepted, by, "", at);
            acceptance.estimated_completion = *estimated_completion;
            handoff.acceptance = Some(acceptance);
        });
        self.watch.note_agent(by);
        let Some(handoff) = self.open.get(&id) else { return };
        match handoff.request.kind {
            // Responsibility moves when somebody takes it, not before.
            Kind::Sequential => {
                self.active_agent = by.clone();
                self.lent_by = None;
                self.segment_complete = false;
                self.trail = Some(Trail {
                    handoff_id: id,
                    path: handoff.path.clone(),
                    authority: handoff.authority,
                    traceparent: trace::handed_on(handoff),
                });
            }
            Kind::Escalation => {
                let owner = std::mem::replace(&mut self.active_agent, by.clone());
                let owner = self.lent_by.get_or_insert(owner).clone();
                self.change(id, touched, |handoff| {
                    if let Some(climb) = &mut handoff.climb {
                        climb.back_to = owner;
                    }
                });
            }
            Kind::Delegation | Kind::Broadcast => {}
        }
    }
}

pub(super) fn extend(handoff: &mut Handoff, later: Timestamp) {
    match &mut handoff.phase {
        Phase::Offered { until, .. } | Phase::AwaitingApproval { until } | Phase::Deferred { until } => *until = later,
        Phase::Running { lease_until, .. } => *lease_until = later,
        Phase::Closed { .. } => {}
    }
}

pub(super) fn move_end(handoff: &mut Handoff, end: Timestamp, lease: Option<Timestamp>, at: Timestamp) {
    match &mut handoff.phase {
        Phase::Offered { until, .. } | Phase::AwaitingApproval { until } | Phase::Deferred { until } => *until = end,
        Phase::Running { deadline, lease_until, grace_until, .. } => {
            *deadline = end;
            *lease_until = lease.unwrap_or(*lease_until);
            // Whoever was reminded has time again.
            *grace_until = grace_until.filter(|_| end <= at);
        }
        Phase::Closed { .. } => {}
    }
}

pub(super) fn answer(status: AcceptanceStatus, by: &AgentId, reason: &str, at: Timestamp) -> Acceptance {
    Acceptance { status, reason: reason.to_owned(), estimated_completion: None, acknowledged_at: at, by: by.clone() }
}
