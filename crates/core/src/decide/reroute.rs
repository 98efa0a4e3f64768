//! Rerouting: somebody said no or did not answer. The next candidate is asked, at most three, then a person.

use super::{Draft, route};
use crate::{
    event::{Event, RerouteReason},
    handoff::{Handoff, Kind, Priority, Status, Trigger},
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
        let next = self.next_candidate(&handoff);
        match (next, human) {
            // Somebody must act now, and a person surely can.
            (_, Some(human)) if urgent => self.offer_to(&handoff, human, why, true),
            (Some(next), _) => self.offer_to(&handoff, next, why, false),
            (None, Some(human)) => self.offer_to(&handoff, human, why, true),
            (None, None) => {
                let asked = handoff.reroutes + 1;
                let notes = format!("nobody is left to take it: {} (asked {asked})", words(why));
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
        if handoff.reroutes >= limits::REROUTES_MAX {
            return None;
        }
        let mut not = handoff.tried.clone();
        not.push(handoff.to_agent.clone());
        let named = handoff.request.capability.is_some()
            || !handoff.request.candidates.is_empty()
            || !handoff.request.validation.required_capabilities.is_empty();
        if named { route::choose(self.world.agents, &handoff.request, &not).agent } else { None }
    }

    fn free_human(&self, handoff: &Handoff) -> Option<AgentId> {
        let human = self.world.policy.human.clone()?;
        let asked = handoff.tried.contains(&human) || handoff.to_agent == human || handoff.request.from_agent == human;
        (!asked && self.agent(&human).is_some()).then_some(human)
    }

    fn offer_to(&mut self, handoff: &Handoff, to: AgentId, why: RerouteReason, to_human: bool) {
        let until = self.window(&to, None);
        let until = handoff.at_most(until);
        let from = handoff.to_agent.clone();
        self.emit(Event::Rerouted { id: handoff.id, from, to, why, to_human, until });
    }
}

fn words(why: RerouteReason) -> &'static str {
    match why {
        RerouteReason::Rejected => "it was rejected",
        RerouteReason::NotAcknowledged => "it was not acknowledged in time",
        RerouteReason::AtCapacity => "everybody is at capacity",
        RerouteReason::LeasesLost => "its holder was lost too often",
    }
}
