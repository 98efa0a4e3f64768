//! What happens when time has passed. Every open handoff has a due time; a tick that comes early or late does no harm.

use super::{Draft, Verdict};
use crate::{
    agent::Standing,
    event::{Event, Extension, RerouteReason},
    handoff::{Handoff, Kind, OnTimeout, Phase, Status, Trigger},
    ids::HandoffId,
    limits,
    time::Timestamp,
};

impl Draft<'_> {
    pub(super) fn tick(&mut self, id: HandoffId) -> Verdict {
        let handoff = self.handoff(id)?;
        if handoff.due().is_none_or(|due| due > self.now) {
            return Ok(());
        }
        if self.session.is_step(id) && self.lacks_workflow() {
            self.wait_for_workflow(&handoff);
            return Ok(());
        }
        match &handoff.phase {
            Phase::AwaitingApproval { until } => self.approval_ran_out(&handoff, *until),
            Phase::Offered { since, .. } => self.offer_ran_out(&handoff, *since),
            Phase::Deferred { .. } if handoff.open_question().is_some() => self.nobody_answered(&handoff),
            Phase::Deferred { .. } if self.is_over(&handoff) => self.time_out(&handoff),
            Phase::Deferred { .. } => self.offer_again(&handoff),
            Phase::Running { deadline, grace_until, .. } => match grace_until {
                Some(grace) if *grace <= self.now => self.policy_acts(&handoff),
                None if *deadline <= self.now => self.remind(&handoff),
                Some(_) | None => self.lease_ran_out(&handoff),
            },
            Phase::Closed { .. } => {}
        }
        Ok(())
    }

    /// The process that held the lease is gone, and nobody else can hold it.
    pub(super) fn reclaim(&mut self, id: HandoffId) -> Verdict {
        let handoff = self.handoff(id)?;
        if matches!(handoff.phase, Phase::Running { in_process: true, .. }) {
            self.lose_lease(&handoff);
        }
        Ok(())
    }

    /// The agent is left alone for a while: whoever else can takes what waits for it. With nobody else it goes on waiting.
    /// Or it is back, and what was held up for it is tried now.
    pub(super) fn reconsider(&mut self, id: HandoffId) -> Verdict {
        let handoff = self.handoff(id)?;
        if handoff.open_question().is_some() {
            return Ok(());
        }
        if handoff.held_up > 0 && matches!(handoff.phase, Phase::Deferred { .. }) {
            if self.holds_up(&handoff).is_none() && !self.is_over(&handoff) {
                self.offer_again(&handoff);
            }
            return Ok(());
        }
        let waits = matches!(handoff.phase, Phase::Offered { .. }) && !self.is_probe(&handoff);
        if waits && self.left_alone(&handoff.to_agent).is_some() && self.has_next(&handoff) {
            self.reroute(id, RerouteReason::CircuitOpen);
        }
        Ok(())
    }

    pub(super) fn is_over(&self, handoff: &Handoff) -> bool {
        handoff.hard_deadline.is_some_and(|deadline| deadline <= self.now)
    }

    pub(super) fn offer_again(&mut self, handoff: &Handoff) {
        if let Some(why) = self.holds_up(handoff) {
            return self.hold_up(handoff, why);
        }
        let tries = self.is_probe(handoff);
        if !tries && self.left_alone(&handoff.to_agent).is_some() {
            // What failed before is not tried again; what was only put off waits on where nobody else can take it.
            if handoff.attempt > 1 || self.has_next(handoff) {
                return self.reroute(handoff.id, RerouteReason::CircuitOpen);
            }
            let until = self.breaker(&handoff.to_agent).open_until.filter(|until| *until > self.now);
            let until = until.unwrap_or(self.now + self.world.policy.accept_ms);
            return self.extend(handoff, until, "the agent is left alone");
        }
        let probe = tries || self.probes(&handoff.to_agent, handoff.id);
        let until = self.window(&handoff.to_agent, handoff.climb.as_ref());
        let until = handoff.at_most(until);
        self.emit(Event::Offered { id: handoff.id, until, probe });
    }

    /// Nobody acknowledged in time: asleep, busy, or gone?
    fn offer_ran_out(&mut self, handoff: &Handoff, since: Timestamp) {
        if self.is_over(handoff) {
            return self.time_out(handoff);
        }
        let accept_ms = self.world.policy.accept_ms;
        let awake = self.world.awake_since + accept_ms;
        if awake > self.now && since < self.world.awake_since {
            return self.extend(handoff, awake, "the engine was not running");
        }
        let Some(agent) = self.agent(&handoff.to_agent) else {
            return self.reroute(handoff.id, RerouteReason::NotAcknowledged);
        };
        // A rung that is busy for all of its time is passed over like one that says nothing.
        let rung_ms = handoff.climb.as_ref().map_or(u64::MAX, |climb| climb.rung_ms);
        let queue_end = since + self.world.policy.queue_ms.min(rung_ms);
        let busy = agent.standing != Standing::Unavailable && !agent.has_room();
        if busy && self.now < queue_end {
            return self.wait_in_queue(handoff, queue_end);
        }
        // A person who does not look into the inbox is not out of order.
        if !agent.profile.is_patient() && agent.standing == Standing::Available && !busy {
            let why = format!("handoff {} was not acknowledged", handoff.id);
            self.standings.push((handoff.to_agent.clone(), Standing::Unavailable, why));
        }
        // Whoever worked on a step of a workflow may live in a process that is not running now: it is waited for.
        if self.session.is_step(handoff.id) && handoff.losses > 0 && !self.has_next(handoff) {
            return self.hold_up(handoff, format!("{} did not acknowledge it", handoff.to_agent));
        }
        self.reroute(handoff.id, RerouteReason::NotAcknowledged);
    }

    /// The agent is at capacity: somebody else with room takes it, or it stays in the queue.
    fn wait_in_queue(&mut self, handoff: &Handoff, queue_end: Timestamp) {
        let peers = handoff.request.kind != Kind::Escalation;
        let next = self.next_candidate(handoff).filter(|_| peers).and_then(|id| self.agent(&id));
        if next.is_some_and(crate::agent::Agent::has_room) {
            return self.reroute(handoff.id, RerouteReason::AtCapacity);
        }
        let until = queue_end.min(self.now + self.world.policy.accept_ms);
        self.extend(handoff, until, "the agent is at capacity");
    }

    pub(super) fn extend(&mut self, handoff: &Handoff, until: Timestamp, why: &str) {
        let until = handoff.at_most(until);
        self.emit(Event::Extended(Extension { id: handoff.id, until, why: why.to_owned() }));
    }

    fn remind(&mut self, handoff: &Handoff) {
        self.emit(Event::Reminded { id: handoff.id, grace_until: self.now + handoff.grace_ms() });
    }

    /// No answer after the reminder.
    fn policy_acts(&mut self, handoff: &Handoff) {
        if self.is_waited_out(handoff) {
            self.unjudged = Some(handoff.id);
            self.time_out(handoff);
            self.unjudged = None;
            return;
        }
        self.failed_at_work(&handoff.to_agent);
        if handoff.request.kind == Kind::Escalation {
            return self.go_up_or_fail(handoff);
        }
        match handoff.request.return_protocol.on_timeout {
            OnTimeout::Retry if handoff.attempt <= limits::RETRIES_MAX && !self.is_over(handoff) => self.retry(handoff),
            OnTimeout::Escalate => self.go_up_or_fail(handoff),
            OnTimeout::Retry | OnTimeout::Fail => self.time_out(handoff),
        }
    }

    fn retry(&mut self, handoff: &Handoff) {
        let backoff = limits::RETRY_BASE_MS << (handoff.attempt - 1).min(limits::RETRIES_MAX);
        let used = Some(self.settle_attempt(handoff));
        self.emit(Event::Retried { id: handoff.id, attempt: handoff.attempt + 1, until: self.now + backoff, used });
    }

    fn go_up_or_fail(&mut self, handoff: &Handoff) {
        let text = format!("{} did not finish in time", handoff.to_agent);
        // Past the hard deadline nobody above could decide in time either.
        if self.is_over(handoff) || !self.climb_on(handoff, text, Trigger::Timeout) {
            self.time_out(handoff);
        }
    }

    fn time_out(&mut self, handoff: &Handoff) {
        let notes = match handoff.accepted_at {
            Some(_) if handoff.attempt > 1 => {
                format!("{} did not finish in {} attempts", handoff.to_agent, handoff.attempt)
            }
            Some(_) => format!("{} did not finish in time", handoff.to_agent),
            None => "the deadline passed before anybody took it".to_owned(),
        };
        self.close(handoff.id, Status::TimedOut, &notes);
    }

    fn lease_ran_out(&mut self, handoff: &Handoff) {
        let Phase::Running { lease_ms, .. } = handoff.phase else { return };
        let awake = self.awake_until(handoff, lease_ms);
        if awake > self.now {
            // Nobody could renew a lease while the engine slept.
            let why = "the engine was not running".into();
            self.emit(Event::Extended(Extension { id: handoff.id, until: awake, why }));
            return;
        }
        self.lose_lease(handoff);
    }

    fn lose_lease(&mut self, handoff: &Handoff) {
        let Phase::Running { lease, in_process, .. } = handoff.phase else { return };
        if !in_process {
            self.failed_at_work(&handoff.to_agent);
        }
        let until = self.window(&handoff.to_agent, handoff.climb.as_ref());
        let until = handoff.at_most(until);
        let used = Some(self.settle_attempt(handoff));
        self.emit(Event::LeaseLost { id: handoff.id, lease, until, used });
        if handoff.losses >= limits::LEASE_LOSSES_MAX {
            self.reroute(handoff.id, RerouteReason::LeasesLost);
        }
    }
}
