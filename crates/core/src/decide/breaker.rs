//! Breakers: who is left alone for a while, who may be tried again, and what counts as a failure.

use super::{Draft, validate::Checks};
use crate::{
    guard::breaker::BreakerState,
    ids::{AgentId, HandoffId},
    ledger::{Account, Change, Posting},
    refusal::{Code, Refusal},
};
use serde_json::json;

impl Draft<'_> {
    fn has_breakers(&self) -> bool {
        self.world.policy.breaker.failures > 0
    }

    /// Why nothing may go to this agent now.
    pub(super) fn left_alone(&self, agent: &AgentId) -> Option<String> {
        if !self.has_breakers() {
            return None;
        }
        let breaker = self.world.ledger.breaker(agent);
        match breaker.state(self.now) {
            BreakerState::Closed => None,
            BreakerState::Open => {
                let until = breaker.open_until.map(|until| until.to_string()).unwrap_or_default();
                Some(format!("it failed {} times in a row and is left alone until {until}", breaker.failures))
            }
            BreakerState::HalfOpen if breaker.probe.is_some() => {
                Some("one handoff tries whether it is well again".to_owned())
            }
            BreakerState::HalfOpen => None,
        }
    }

    pub(super) fn check_breaker(&self, field: &str, agent: &AgentId, checks: &mut Checks) {
        if let Some(why) = self.left_alone(agent) {
            let until = self.world.ledger.breaker(agent).open_until;
            let refusal = Refusal::new(Code::BreakerOpen, format!("{agent}: {why}")).at(field);
            checks.add(refusal.details(json!({"open_until": until})));
        }
    }

    /// Whether a handoff to this agent is a try, which is posted.
    pub(super) fn probes(&mut self, agent: &AgentId, handoff: HandoffId) -> bool {
        let half_open = self.world.ledger.breaker(agent).state(self.now) == BreakerState::HalfOpen;
        if half_open && self.has_breakers() {
            let change = Change::Probe { at: self.now, handoff };
            self.postings.push(Posting { account: Account::of_agent(agent), change });
        }
        half_open && self.has_breakers()
    }

    /// The agent failed at what it had taken.
    pub(super) fn failed_at_work(&mut self, agent: &AgentId) {
        let policy = self.world.policy.breaker;
        if policy.failures > 0 {
            let change = Change::Failed { at: self.now, after: policy.failures, cooldown_ms: policy.cooldown_ms };
            self.postings.push(Posting { account: Account::of_agent(agent), change });
        }
    }

    /// The agent did what it had taken.
    pub(super) fn did_well(&mut self, agent: &AgentId) {
        if !self.world.ledger.breaker(agent).is_quiet() {
            self.postings.push(Posting { account: Account::of_agent(agent), change: Change::Well { at: self.now } });
        }
    }
}
