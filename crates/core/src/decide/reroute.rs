//! Rerouting: somebody said no or did not answer. The next candidate is asked, at most three, then a person.

use super::{Draft, asking::Asked};
use crate::{
    event::{Event, RerouteReason, Routed},
    handoff::{Approval, Handoff, Kind, Priority, Reservation, Status, Trigger},
    ids::{AgentId, HandoffId},
    limits,
};

impl Draft<'_> {
    pub(super) fn reroute(&mut self, id: HandoffId, why: RerouteReason) {
        let Some(handoff) = self.session.open.get(&id).cloned() else { return };
        if handoff.request.kind == Kind::Escalation {
            self.next_level(&handoff, why);
            return;
        }
        let urgent = handoff.request.task.priority == Priority::Urgent && why != RerouteReason::AtCapacity;
        let human = self.free_human(&handoff);
        let next = self.next_routed(&handoff);
        let found = next.as_ref().and_then(|routed| routed.agent.clone());
        match (found, human) {
            // Somebody must act now, and a person surely can.
            (_, Some(human)) if urgent => self.offer_to(&handoff, human, why, true, None),
            (Some(next_agent), _) => self.offer_to(&handoff, next_agent, why, false, next),
            (None, Some(human)) => self.offer_to(&handoff, human, why, true, next),
            (None, None) => {
                let asked = handoff.reroutes + 1;
                let said = handoff.acceptance.as_ref().filter(|_| why == RerouteReason::Rejected);
                let said = said.map(|answer| format!(": {}", answer.reason)).unwrap_or_default();
                let notes = format!("nobody is left to take it: {} (asked {asked}){said}", words(why));
                self.close(id, Status::Failed, &notes);
            }
        }
    }

    /// A rung that does not answer is not replaced by a peer; the level above is asked.
    fn next_level(&mut self, handoff: &Handoff, why: RerouteReason) {
        let text = format!("{} did not decide: {}", handoff.to_agent, words(why));
        if !self.climb_on(handoff, text.clone(), Trigger::Timeout) {
            self.close(handoff.id, Status::Failed, &text);
        }
    }

    pub(super) fn next_candidate(&self, handoff: &Handoff) -> Option<AgentId> {
        self.next_routed(handoff).and_then(|routed| routed.agent)
    }

    /// Whether somebody else could be asked.
    pub(super) fn has_next(&self, handoff: &Handoff) -> bool {
        self.next_candidate(handoff).is_some() || self.free_human(handoff).is_some()
    }

    fn next_routed(&self, handoff: &Handoff) -> Option<Routed> {
        if handoff.reroutes >= limits::REROUTES_MAX {
            return None;
        }
        let named = handoff.request.capability.is_some()
            || !handoff.request.candidates.is_empty()
            || !handoff.request.validation.required_capabilities.is_empty()
            || handoff.request.to_agent.is_none();
        named.then(|| self.choose_next(handoff))
    }

    /// The best of those who were not asked before and can be asked in place of the one before.
    fn choose_next(&self, handoff: &Handoff) -> Routed {
        let mut not = handoff.tried.clone();
        not.push(handoff.to_agent.clone());
        for _ in 0..limits::CANDIDATES_MAX {
            let routed = self.choose_within(&handoff.request, &not);
            match &routed.agent {
                // What was set aside for the one before must be set aside for the next.
                Some(agent) if !self.can_afford(handoff, agent) => not.push(agent.clone()),
                Some(_) | None => return routed,
            }
        }
        Routed { agent: None, ..self.choose_within(&handoff.request, &not) }
    }

    fn free_human(&self, handoff: &Handoff) -> Option<AgentId> {
        let human = self.world.policy.human.clone()?;
        let asked = handoff.tried.contains(&human) || handoff.to_agent == human || handoff.request.from_agent == human;
        (!asked && self.agent(&human).is_some() && self.can_afford(handoff, &human)).then_some(human)
    }

    fn offer_to(
        &mut self,
        handoff: &Handoff,
        to: AgentId,
        why: RerouteReason,
        to_human: bool,
        routing: Option<Routed>,
    ) {
        let until = self.window(&to, None);
        let until = handoff.at_most(until);
        let from = handoff.to_agent.clone();
        // Whoever had no room did not say no.
        if why != RerouteReason::AtCapacity {
            self.remember_no(handoff);
        }
        self.end_probe(handoff);
        let reservation = self.move_share(handoff, &to);
        let (approval, troubles) = self.approval_of_move(handoff, &to, reservation.as_ref());
        let probe = approval.is_none() && self.probes(&to, handoff.id);
        let (reservation, routing) = (reservation.map(Box::new), routing.map(Box::new));
        let (id, by_hand) = (handoff.id, None);
        self.emit(Event::Rerouted { id, from, to, why, to_human, reservation, probe, routing, by_hand, until });
        if let Some(approval) = approval {
            self.ask(handoff, approval, troubles);
        }
    }

    /// The approval that a handoff needs where it goes to another target than anybody was asked about.
    pub(super) fn approval_of_move(
        &self,
        handoff: &Handoff,
        to: &AgentId,
        held: Option<&Reservation>,
    ) -> (Option<Approval>, Vec<String>) {
        self.approval_for(&Asked::new(&handoff.request, to, held, handoff.n.saturating_sub(1)))
    }
}

fn words(why: RerouteReason) -> &'static str {
    match why {
        RerouteReason::Rejected => "it was rejected",
        RerouteReason::NotAcknowledged => "it was not acknowledged in time",
        RerouteReason::AtCapacity => "everybody is at capacity",
        RerouteReason::LeasesLost => "its holder was lost too often",
        RerouteReason::CircuitOpen => "it failed too often of late",
        RerouteReason::Unreachable => "it cannot be reached any more",
        RerouteReason::ByHand => "a person decided so",
    }
}
