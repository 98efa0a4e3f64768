//! Whether an agent can be the target of a request: there, willing, allowed to take the risk, able.

use super::{Draft, route::suggest, validate::Checks};
use crate::{
    agent::{Risk, Standing},
    handoff::{Request, RequiredCapability},
    ids::AgentId,
    refusal::{Code, Refusal},
};
use serde_json::json;

impl Draft<'_> {
    /// Whether this agent can be the target. Gives the warnings of a partial match.
    pub(super) fn check_target(
        &self,
        field: &str,
        to: &AgentId,
        request: &Request,
        checks: &mut Checks,
    ) -> Vec<String> {
        let Some(agent) = self.agent(to) else {
            checks.registered(field, to, self.world.agents, Code::UnknownTarget);
            return Vec::new();
        };
        match agent.standing {
            Standing::Available => {}
            Standing::Unavailable => {
                checks.add(Refusal::new(Code::TargetUnavailable, format!("{to} is unavailable")).at(field));
            }
            Standing::Draining => {
                checks.add(Refusal::new(Code::TargetUnavailable, format!("{to} is draining")).at(field));
            }
        }
        if !agent.profile.accepts_handoffs {
            checks.add(Refusal::new(Code::TargetTakesNone, format!("{to} takes no handoffs")).at(field));
        }
        if agent.standing == Standing::Available {
            self.check_breaker(field, to, checks);
        }
        self.check_risk(field, to, request.risk(), agent.profile.autonomy_budget.max_risk, checks);
        self.check_capabilities(field, to, &request.validation.required_capabilities, checks)
    }

    pub(super) fn check_risk(&self, field: &str, to: &AgentId, risk: Risk, max: Risk, checks: &mut Checks) {
        if risk > max {
            let message = format!("the risk is {risk:?}, {to} may take {max:?} at most").to_lowercase();
            let mut refusal = Refusal::new(Code::AutonomyTooSmall, message).at(field);
            let able = self
                .world
                .agents
                .iter()
                .find(|a| a.profile.autonomy_budget.max_risk >= risk && a.profile.accepts_handoffs);
            if let Some(able) = able {
                refusal = refusal.hint(format!("{} may", able.profile.id));
            }
            checks.add(refusal);
        }
    }

    pub(super) fn check_capabilities(
        &self,
        field: &str,
        to: &AgentId,
        required: &[RequiredCapability],
        checks: &mut Checks,
    ) -> Vec<String> {
        let Some(agent) = self.agent(to) else { return Vec::new() };
        let gaps = crate::route::lacks(&agent.profile, required);
        if gaps.is_empty() {
            return Vec::new();
        }
        if gaps.len() < required.len() {
            return vec![format!("{to} lacks {}", gaps.join(", "))];
        }
        let others = suggest(self.world.agents, required);
        let message = format!("{to} has none of: {}", gaps.join(", "));
        let mut refusal = Refusal::new(Code::CapabilityMismatch, message).at(field);
        if !others.is_empty() {
            refusal = refusal.hint(format!("who has: {}", others.join(", ")));
        }
        checks.add(refusal.details(json!({"missing": gaps, "suggested": others})));
        Vec::new()
    }
}
