//! Authority: the risk that an agent may take, which never widens along a chain. What is above it goes up by itself.

use super::{Draft, validate::Checks};
use crate::{
    agent::Risk,
    handoff::{Kind, Request, Trigger},
    ids::AgentId,
    refusal::{Code, Refusal},
};

impl Draft<'_> {
    /// The risk that this agent may take here: its own, and no more than the chain that led to it.
    pub(super) fn authority(&self, agent: &AgentId) -> Risk {
        let own = self.agent(agent).map_or(Risk::Low, |agent| agent.profile.autonomy_budget.max_risk);
        let held = self.session.held_by(agent).map(|held| held.authority);
        let chain = held.or_else(|| self.authority_on_trail(agent));
        own.min(chain.unwrap_or(Risk::High))
    }

    /// What the chain by which the session was handed on leaves to one of its agents, also when the work came back to
    /// it: no more than anybody before it could take.
    fn authority_on_trail(&self, agent: &AgentId) -> Option<Risk> {
        let trail = self.session.trail.as_ref()?;
        let at = trail.path.iter().rposition(|on_it| on_it == agent)?;
        if at + 1 == trail.path.len() {
            return Some(trail.authority);
        }
        let before = trail.path[..at].iter().filter_map(|earlier| self.agent(earlier));
        before.map(|earlier| earlier.profile.autonomy_budget.max_risk).min()
    }

    /// The risk that a target may take with what this agent hands over. Asking somebody above is the one way to more.
    pub(super) fn handed_authority(&self, request: &Request, to: &AgentId) -> Risk {
        let own = self.agent(to).map_or(Risk::Low, |agent| agent.profile.autonomy_budget.max_risk);
        match request.kind {
            Kind::Escalation if self.is_above(&request.from_agent, to) => own,
            Kind::Escalation => own.min(self.authority(&request.from_agent)),
            Kind::Sequential | Kind::Delegation | Kind::Broadcast => own.min(self.authority(&request.from_agent)),
        }
    }

    /// Whether this agent is above the other by what the house says, and not by what the other says itself.
    fn is_above(&self, from: &AgentId, to: &AgentId) -> bool {
        let up = |agent: &AgentId| self.agent(agent).and_then(|known| known.profile.escalates_to.as_ref());
        let mut chain = std::iter::successors(up(from), |agent| up(agent)).take(crate::limits::PATH_MAX);
        self.world.policy.human.as_ref() == Some(to) || chain.any(|agent| agent == to)
    }

    /// A handoff whose risk is above what its source may decide becomes a question to whoever is above.
    pub(super) fn escalate_by_itself(&mut self, request: &mut Request, checks: &mut Checks) {
        let may = self.authority(&request.from_agent);
        if request.kind == Kind::Escalation || request.risk() <= may || self.agent(&request.from_agent).is_none() {
            return;
        }
        let from = request.from_agent.clone();
        let risk = format!("{:?}", request.risk()).to_lowercase();
        let may = format!("{may:?}").to_lowercase();
        let why = format!("the risk is {risk}, and {from} may decide {may} at most");
        if !self.has_ladder(request) {
            let refusal = Refusal::new(Code::AutonomyTooSmall, why).at("audit.risk_level");
            checks.add(refusal.hint("name somebody above in `escalates_to`, a `ladder`, or a human in the policy"));
            return;
        }
        self.answer.warnings.push(format!("escalated: {why}"));
        request.kind = Kind::Escalation;
        request.trigger = Trigger::Escalation;
        request.to_agent = None;
        request.capability = None;
        request.candidates.clear();
        request.validation.required_capabilities.clear();
        request.broadcast = None;
        request.completes_segment = false;
        if request.audit.decision_rationale.trim().is_empty() {
            request.audit.decision_rationale = format!("{why}: {}", request.reason);
        }
    }
}
