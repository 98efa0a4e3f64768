//! Asking a person: which rule asks, who is asked and for how long, and what happens when nobody answers.

use super::{Draft, Verdict, facts, validate::Checks};
use crate::{
    agent::Standing,
    budget::{self, Share},
    digest::Digest,
    event::{Event, RerouteReason},
    handoff::{Approval, Handoff, Kind, Request, Reservation, Status},
    ids::{AgentId, HandoffId},
    policy::{ApprovalRule, Approver, EXPRESSION_ROOTS, OnExpiry, Policy},
    time::Timestamp,
};
use std::sync::Arc;

/// Who approves what the rules let pass when nobody answers.
const POLICY: &str = "policy";

/// What the rules look at.
pub(super) struct Asked<'a> {
    pub(super) request: &'a Request,
    pub(super) to: &'a AgentId,
    /// What is set aside for it, or what it asks for where nothing is.
    pub(super) share: Share,
    /// Handoffs of the session before it.
    pub(super) before: u64,
    pub(super) made: facts::Made,
}

impl<'a> Asked<'a> {
    pub(super) fn new(request: &'a Request, to: &'a AgentId, held: Option<&Reservation>, before: u64) -> Self {
        let held = held.map(|held| held.share).unwrap_or_default();
        let own = request.context.constraints.budget.map(|budget| budget.share()).unwrap_or_default();
        let share = Share { tokens: held.tokens.or(own.tokens), micros: held.micros.or(own.micros), ms: None };
        Self { request, to, share, before, made: facts::Made::default() }
    }

    pub(super) fn of(handoff: &'a Handoff) -> Self {
        Self::new(&handoff.request, &handoff.to_agent, handoff.reservation.as_ref(), handoff.n.saturating_sub(1))
    }
}

/// The digest of what is to be approved now: this target, this content, and the rule as the policy has it.
#[must_use]
pub fn approval_digest(handoff: &Handoff, policy: &Policy) -> Digest {
    let name = handoff.approval.as_ref().map(|approval| approval.rule.as_str()).unwrap_or_default();
    digest_of(&handoff.to_agent, &handoff.request, policy.rule(name))
}

/// Who may decide now: whoever is or was asked, or whom the rule names where it is another by now. Nobody is named:
/// anybody but the source may.
#[must_use]
pub fn deciders(handoff: &Handoff, policy: &Policy) -> Vec<String> {
    let Some(approval) = &handoff.approval else { return Vec::new() };
    if approval.digest == approval_digest(handoff, policy) {
        return approval.approver.iter().chain(&approval.asked).cloned().collect();
    }
    let named = named(policy.rule(&approval.rule), &handoff.request.from_agent);
    named.into_iter().map(|approver| approver.who).collect()
}

fn digest_of(to: &AgentId, request: &Request, rule: Option<&ApprovalRule>) -> Digest {
    Digest::of_json(&(to, request, rule))
}

/// Whom a rule asks. Nobody is asked about their own request.
fn named(rule: Option<&ApprovalRule>, source: &AgentId) -> Vec<Approver> {
    let all = rule.map(|rule| rule.approvers.as_slice()).unwrap_or_default();
    all.iter().filter(|approver| approver.who != source.as_str()).cloned().collect()
}

impl Draft<'_> {
    /// The approval that a handoff needs, if any, and what went wrong with the rules on the way.
    pub(super) fn approval_for(&self, asked: &Asked<'_>) -> (Option<Approval>, Vec<String>) {
        let policy = self.world.policy;
        let mut troubles = Vec::new();
        let rule = policy.approvals.iter().find(|rule| self.fits(rule, asked, &mut troubles));
        let from_risk = policy.approval_from_risk.is_some_and(|from| asked.request.risk() >= from);
        let needed = rule.is_some() || asked.request.needs_approval || from_risk;
        (needed.then(|| self.approval_by(rule, asked)), troubles)
    }

    /// The approval by a rule that names this very target, if any.
    pub(super) fn approval_of_target(&self, asked: &Asked<'_>) -> (Option<Approval>, Vec<String>) {
        let mut troubles = Vec::new();
        let mut rules = self.world.policy.approvals.iter().filter(|rule| rule.when.to.contains(asked.to));
        let rule = rules.find(|rule| self.fits(rule, asked, &mut troubles));
        (rule.map(|rule| self.approval_by(Some(rule), asked)), troubles)
    }

    /// An approval by this rule, from its first approver on.
    pub(super) fn approval_by(&self, rule: Option<&ApprovalRule>, asked: &Asked<'_>) -> Approval {
        let approval = Approval {
            rule: rule.map(|rule| rule.name.clone()).unwrap_or_default(),
            digest: digest_of(asked.to, asked.request, rule),
            approver: None,
            asked: Vec::new(),
            rest: named(rule, &asked.request.from_agent),
            on_expiry: rule.map_or(OnExpiry::Deny, |rule| rule.on_expiry),
            within_ms: self.world.policy.approval_ms,
            approved_by: None,
            approved_at: None,
        };
        self.next_approver(&approval).unwrap_or(approval)
    }

    /// The same approval, with the next one asked. Those before may still answer.
    fn next_approver(&self, approval: &Approval) -> Option<Approval> {
        let mut next = approval.clone();
        if next.rest.is_empty() {
            return None;
        }
        let approver = next.rest.remove(0);
        next.asked.extend(next.approver.replace(approver.who));
        next.within_ms = approver.within_ms.unwrap_or(self.world.policy.approval_ms);
        Some(next)
    }

    /// Whether all conditions of a rule fit. One that cannot be answered counts as fitting: nothing slips through.
    fn fits(&self, rule: &ApprovalRule, asked: &Asked<'_>, troubles: &mut Vec<String>) -> bool {
        let (when, request) = (&rule.when, asked.request);
        let plain = when.risk.is_none_or(|risk| request.risk() >= risk)
            && (when.to.is_empty() || when.to.contains(asked.to))
            && (when.from.is_empty() || when.from.contains(&request.from_agent))
            && (when.kinds.is_empty() || when.kinds.contains(&request.kind))
            && when.cost_above.is_none_or(|cost| asked.share.micros.unwrap_or(0) > budget::micros(cost))
            && when.tokens_above.is_none_or(|tokens| asked.share.tokens.unwrap_or(0) > tokens);
        let Some(condition) = when.expression.as_ref().filter(|_| plain) else { return plain };
        let answer = match condition.compiled(&EXPRESSION_ROOTS) {
            Ok(expression) => {
                let facts = facts::Facts { session: &self.session, target: self.agent(asked.to), asked };
                expression.holds(&facts).map_err(|trouble| trouble.to_string())
            }
            Err(mistake) => Err(mistake.to_string()),
        };
        answer.unwrap_or_else(|trouble| {
            troubles.push(format!("the rule \"{}\" asks, because its expression failed: {trouble}", rule.name));
            true
        })
    }

    /// Asks for an approval of a handoff that is there already.
    pub(super) fn ask(&mut self, handoff: &Handoff, approval: Approval, warnings: Vec<String>) {
        let until = handoff.at_most(self.now + approval.within_ms);
        self.answer.warnings.extend(warnings.iter().cloned());
        self.emit(Event::ApprovalRequested { id: handoff.id, until, approval: Box::new(approval), warnings });
    }

    /// Whoever is asked did not decide in time: the next one is asked, or the rule decides.
    pub(super) fn approval_ran_out(&mut self, handoff: &Arc<Handoff>, until: Timestamp) {
        let expired = "the approval expired";
        let Some(approval) = &handoff.approval else { return self.close(handoff.id, Status::Cancelled, expired) };
        if self.is_over(handoff) {
            return self.close(handoff.id, Status::Cancelled, "the deadline passed before it was approved");
        }
        let awake = self.world.awake_since + approval.within_ms;
        if until <= self.world.awake_since && awake > self.now {
            return self.extend(handoff, awake, "the engine was not running");
        }
        if let Some(next) = self.next_approver(approval) {
            return self.ask(handoff, next, Vec::new());
        }
        // A rule that is another by now approves nothing that was asked under the old one.
        let same = approval.digest == approval_digest(handoff, self.world.policy);
        if approval.on_expiry == OnExpiry::Deny || !same {
            return self.close(handoff.id, Status::Cancelled, expired);
        }
        let comment = format!("nobody decided in time, and the rule \"{}\" approves then", approval.rule);
        self.let_pass(handoff.id, POLICY.to_owned(), comment);
    }

    /// It is approved and offered. What waited for a person was kept from nobody's notice meanwhile: where its agent
    /// can take nothing by now, it goes the way of any offer.
    pub(super) fn let_pass(&mut self, id: HandoffId, by: String, comment: String) {
        let Some(handoff) = self.session.open.get(&id).cloned() else { return };
        let until = handoff.at_most(self.window(&handoff.to_agent, handoff.climb.as_ref()));
        let held_up = self.held_up(&handoff);
        let stuck = self.stuck(&handoff);
        let probe = stuck.is_none() && self.probes(&handoff.to_agent, id);
        self.emit(Event::Approved { id, by, comment, until, probe });
        if let Some(why) = held_up {
            return self.hold_up(&handoff, why);
        }
        if let Some(why) = stuck {
            self.unjudged = Some(id);
            self.reroute(id, why);
            self.unjudged = None;
        }
    }

    /// A yes to what nobody could take is refused: it can be given later, or with another target.
    pub(super) fn check_can_pass(&self, handoff: &Handoff) -> Verdict {
        if self.stuck(handoff).is_none() || self.held_up(handoff).is_some() {
            return Ok(());
        }
        let next = match handoff.request.kind {
            Kind::Escalation => self.next_rung(handoff).is_some(),
            Kind::Sequential | Kind::Delegation | Kind::Broadcast => self.has_next(handoff),
        };
        if next {
            return Ok(());
        }
        let mut checks = Checks::default();
        self.check_target("to_agent", &handoff.to_agent, &handoff.request, &mut checks);
        checks.done().map_err(|mut error| {
            for refusal in error.refusals.iter_mut().filter(|refusal| refusal.hint.is_empty()) {
                "approve it later, or with another to_agent".clone_into(&mut refusal.hint);
            }
            error.between(&handoff.request.from_agent, Some(&handoff.to_agent))
        })
    }

    /// Why a step of a workflow waits once it is approved, where its agent could do it.
    fn held_up(&self, handoff: &Handoff) -> Option<String> {
        self.holds_up(handoff).filter(|_| self.is_able(handoff))
    }

    /// Why the agent of a handoff cannot be offered it now. Its profile may be another than when it was chosen.
    fn stuck(&self, handoff: &Handoff) -> Option<RerouteReason> {
        let agent = self.agent(&handoff.to_agent);
        let there = agent.filter(|agent| agent.standing == Standing::Available && agent.profile.accepts_handoffs);
        if there.is_none() || !self.is_able(handoff) {
            return Some(RerouteReason::Unreachable);
        }
        let tries = self.is_probe(handoff);
        self.left_alone(&handoff.to_agent).filter(|_| !tries).map(|_| RerouteReason::CircuitOpen)
    }

    /// Whether the agent of a handoff may take its risk and can do what it needs. The person who is asked where nobody
    /// else is left was not chosen for that.
    fn is_able(&self, handoff: &Handoff) -> bool {
        let (to, request) = (&handoff.to_agent, &handoff.request);
        let Some(agent) = self.agent(to).filter(|_| self.world.policy.human.as_ref() != Some(to)) else { return true };
        let mut checks = Checks::default();
        self.check_risk("to_agent", to, request.risk(), agent.profile.autonomy_budget.max_risk, &mut checks);
        self.check_capabilities("to_agent", to, &request.validation.required_capabilities, &mut checks);
        checks.done().is_ok()
    }
}
