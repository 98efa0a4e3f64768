//! Accepting: who may take an offered handoff, and for how long.
//! An acceptance grants a lease; the lease id fences every later write.

use super::{Draft, Verdict, between, not_approved, validate::Checks};
use crate::{
    command::Prepared,
    context::Manifest,
    event::Event,
    handoff::{Handoff, Phase},
    ids::{AgentId, HandoffId, LeaseId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use std::sync::Arc;

impl Draft<'_> {
    pub(super) fn accept(
        &mut self,
        id: HandoffId,
        by: &AgentId,
        lease_ms: Option<u64>,
        in_process: bool,
        estimated_completion: Option<Timestamp>,
        manifest: Option<Manifest>,
    ) -> Verdict {
        let handoff = self.offered_to(id, by)?;
        let lease_ms = lease_ms.unwrap_or(self.world.policy.lease_ms);
        if !(limits::LEASE_MS_MIN..=limits::LEASE_MS_MAX).contains(&lease_ms) {
            let (min, max) = (limits::LEASE_MS_MIN, limits::LEASE_MS_MAX);
            let message =
                format!("a lease of {lease_ms} ms is not between {min} (LEASE_MS_MIN) and {max} (LEASE_MS_MAX)");
            return Err(between(Refusal::new(Code::OutOfRange, message).at("lease_ms"), &handoff));
        }
        if estimated_completion.is_some_and(|time| time > self.now + limits::WAIT_MS_MAX) {
            let message = format!("it is more than {} ms away (WAIT_MS_MAX)", limits::WAIT_MS_MAX);
            return Err(between(Refusal::new(Code::OutOfRange, message).at("estimated_completion"), &handoff));
        }
        let lease = LeaseId(self.ids.next());
        self.answer.lease = Some(lease);
        let deadline = self.deadline(&handoff, self.now);
        // A holder in this process cannot vanish without the engine: its deadline ends it, and a restart reclaims it.
        let lease_until = if in_process { deadline + limits::LEASE_MS_MAX } else { self.now + lease_ms };
        self.emit(Event::Accepted {
            id,
            by: by.clone(),
            lease,
            lease_until,
            lease_ms,
            in_process,
            deadline,
            estimated_completion,
            manifest: manifest.map(Arc::new),
        });
        Ok(())
    }

    /// The handoff, if it is on offer to this agent now.
    pub(super) fn offered_to(&self, id: HandoffId, by: &AgentId) -> Result<Arc<Handoff>, HandoffError> {
        let handoff = self.handoff(id)?;
        self.speak_for(by)?;
        let refusal = match &handoff.phase {
            Phase::Offered { .. } if handoff.to_agent == *by => return Ok(handoff),
            Phase::Offered { .. } => {
                let message = format!("handoff {id} is offered to {}, not to {by}", handoff.to_agent);
                Refusal::new(Code::OfferedElsewhere, message)
            }
            Phase::Deferred { .. } if handoff.open_question().is_some() => {
                Refusal::new(Code::NotOffered, format!("handoff {id} waits for the answer to a question"))
            }
            Phase::Deferred { until } => {
                Refusal::new(Code::NotOffered, format!("handoff {id} will be offered again at {until}"))
            }
            Phase::Running { .. } => {
                Refusal::new(Code::AlreadyRunning, format!("{} works on handoff {id}", handoff.to_agent))
            }
            Phase::AwaitingApproval { .. } => not_approved(id),
            Phase::Closed { .. } => Refusal::new(Code::Closed, format!("handoff {id} is closed")),
        };
        Err(between(refusal, &handoff))
    }

    /// A running handoff whose lease is still this one.
    pub(super) fn held(&self, id: HandoffId, lease: LeaseId) -> Result<Arc<Handoff>, HandoffError> {
        let handoff = self.handoff(id)?;
        let refusal = match &handoff.phase {
            Phase::Running { lease: current, lease_until, lease_ms, .. } if *current == lease => {
                if self.now < (*lease_until).max(self.awake_until(&handoff, *lease_ms)) {
                    return self.speak_for(&handoff.to_agent).map(|()| handoff);
                }
                Refusal::new(Code::StaleLease, format!("lease {lease} ended at {lease_until}"))
            }
            Phase::Running { .. } => Refusal::new(Code::StaleLease, format!("lease {lease} was given up or replaced")),
            Phase::AwaitingApproval { .. } => not_approved(id),
            Phase::Deferred { .. } if handoff.open_question().is_some() => {
                Refusal::new(Code::StaleLease, format!("lease {lease} was given up with a question"))
            }
            Phase::Offered { .. } | Phase::Deferred { .. } if handoff.accepted_at.is_some() => {
                Refusal::new(Code::StaleLease, format!("lease {lease} was lost; the work is on offer again"))
            }
            Phase::Offered { .. } | Phase::Deferred { .. } => {
                Refusal::new(Code::NotRunning, format!("handoff {id} was not accepted yet"))
            }
            Phase::Closed { .. } => Refusal::new(Code::Closed, format!("handoff {id} is closed")),
        };
        Err(between(refusal, &handoff))
    }

    /// Until when a lease that ran out while the engine slept is still good: nobody could renew it meanwhile.
    pub(super) fn awake_until(&self, handoff: &Handoff, lease_ms: u64) -> Timestamp {
        match handoff.accepted_at {
            Some(at) if at < self.world.awake_since => self.world.awake_since + lease_ms,
            Some(_) | None => Timestamp(0),
        }
    }

    /// When the work must be done: the shortest of what the request, the agent, the rung and the hard deadline say.
    pub(super) fn deadline(&self, handoff: &Handoff, since: Timestamp) -> Timestamp {
        let agent = self.agent(&handoff.to_agent).and_then(|agent| agent.profile.max_execution_ms);
        let asked = handoff.request.return_protocol.timeout_ms;
        let rung = handoff.climb.as_ref().map(|climb| climb.rung_ms);
        let share = handoff.reservation.as_ref().and_then(|held| held.share.ms);
        if let Some(end) = self.end_of_state(handoff) {
            return handoff.at_most(end);
        }
        let shortest = [agent, asked, rung, share].into_iter().flatten().min();
        let end = since + shortest.unwrap_or(self.world.policy.execution_ms);
        handoff.at_most(end)
    }

    pub(super) fn heartbeat(&mut self, id: HandoffId, lease: LeaseId) -> Verdict {
        let handoff = self.held(id, lease)?;
        if let Phase::Running { lease_ms, lease_until, .. } = &handoff.phase {
            // A sign of life never shortens a lease: one in this process lasts longer than a renewal.
            self.emit(Event::Heartbeat { id, lease_until: (self.now + *lease_ms).max(*lease_until) });
        }
        Ok(())
    }

    pub(super) fn record_step(
        &mut self,
        id: HandoffId,
        lease: LeaseId,
        name: String,
        output: serde_json::Value,
        messages: Vec<Prepared>,
    ) -> Verdict {
        self.held(id, lease)?;
        let mut checks = Checks::default();
        self.check_messages(&messages, &mut checks);
        checks.text("name", &name);
        checks.count("name", name.chars().count(), limits::KEY_CHARS_MAX, "KEY_CHARS_MAX");
        checks.payload("output", &output);
        checks.done()?;
        self.append(messages);
        self.emit(Event::StepRecorded { id, name, output });
        Ok(())
    }
}
