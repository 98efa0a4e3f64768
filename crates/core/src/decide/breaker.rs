//! Breakers: who is left alone for a while, who may be tried again, and what counts as a failure.

use super::{Draft, initiate::Target, validate::Checks};
use crate::{
    agent::AgentKind,
    guard::breaker::{Breaker, BreakerState},
    handoff::Handoff,
    ids::{AgentId, HandoffId},
    ledger::{Account, Change, Posting},
    refusal::{Code, Refusal},
};
use serde_json::json;

impl Draft<'_> {
    /// Whether this agent has a breaker at all. A person is never left alone: there is nobody else to ask.
    fn has_breaker(&self, agent: &AgentId) -> bool {
        let human = self.agent(agent).is_some_and(|known| known.profile.kind == AgentKind::Human);
        self.world.policy.breaker.failures > 0 && !human
    }

    /// The breaker of an agent, with what this very decision has posted so far.
    pub(super) fn breaker(&self, agent: &AgentId) -> Breaker {
        self.entry(&Account::of_agent(agent)).breaker
    }

    /// Why nothing may go to this agent now.
    pub(super) fn left_alone(&self, agent: &AgentId) -> Option<String> {
        if !self.has_breaker(agent) {
            return None;
        }
        let breaker = self.breaker(agent);
        match breaker.state(self.now) {
            BreakerState::Closed => None,
            BreakerState::Open => {
                let until = breaker.open_until.map(|until| until.to_string()).unwrap_or_default();
                let times = if breaker.failures == 1 { "time" } else { "times" };
                Some(format!("it failed {} {times} in a row and is left alone until {until}", breaker.failures))
            }
            BreakerState::HalfOpen => {
                breaker.probe.map(|probe| format!("handoff {probe} tries whether it is well again"))
            }
        }
    }

    pub(super) fn check_breaker(&self, field: &str, agent: &AgentId, checks: &mut Checks) {
        if let Some(why) = self.left_alone(agent) {
            let breaker = self.breaker(agent);
            let refusal = Refusal::new(Code::BreakerOpen, format!("{agent}: {why}")).at(field);
            checks.add(refusal.details(json!({"open_until": breaker.open_until, "probe": breaker.probe})));
        }
    }

    /// One at a time tries an agent that failed, also within one broadcast.
    pub(super) fn check_one_try(&self, targets: &[Target], checks: &mut Checks) {
        for (i, target) in targets.iter().enumerate() {
            let again = targets[..i].iter().any(|earlier| earlier.to == target.to);
            let tries = || self.breaker(&target.to).state(self.now) == BreakerState::HalfOpen;
            if again && self.has_breaker(&target.to) && tries() {
                let message = format!("{}: one handoff at a time tries whether it is well again", target.to);
                checks.add(Refusal::new(Code::BreakerOpen, message).at(format!("broadcast.targets[{i}]")));
            }
        }
    }

    /// Whether a handoff to this agent is a try, which is posted.
    pub(super) fn probes(&mut self, agent: &AgentId, handoff: HandoffId) -> bool {
        let breaker = self.breaker(agent);
        let tries = self.has_breaker(agent)
            && breaker.state(self.now) == BreakerState::HalfOpen
            && breaker.probe.is_none_or(|probe| probe == handoff);
        if tries && breaker.probe.is_none() {
            let change = Change::Probe { at: self.now, handoff };
            self.postings.push(Posting { account: Account::of_agent(agent), change });
        }
        tries
    }

    /// Whether this very handoff tries if its agent is well again.
    pub(super) fn is_probe(&self, handoff: &Handoff) -> bool {
        self.breaker(&handoff.to_agent).probe == Some(handoff.id)
    }

    /// The agent has the handoff no longer: another may try.
    pub(super) fn end_probe(&mut self, handoff: &Handoff) {
        if self.is_probe(handoff) {
            let change = Change::ProbeOver { handoff: handoff.id };
            self.postings.push(Posting { account: Account::of_agent(&handoff.to_agent), change });
        }
    }

    /// The agent failed at what it had taken.
    pub(super) fn failed_at_work(&mut self, agent: &AgentId) {
        if self.has_breaker(agent) {
            let policy = self.world.policy.breaker;
            let change = Change::Failed { at: self.now, after: policy.failures, cooldown_ms: policy.cooldown_ms };
            self.postings.push(Posting { account: Account::of_agent(agent), change });
        }
    }

    /// The agent did what it had taken.
    pub(super) fn did_well(&mut self, agent: &AgentId) {
        if !self.breaker(agent).is_quiet() {
            self.postings.push(Posting { account: Account::of_agent(agent), change: Change::Well { at: self.now } });
        }
    }
}
