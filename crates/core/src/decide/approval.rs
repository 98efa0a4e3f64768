//! A person's yes or no, before a handoff is offered. It is for one target, one content and one rule: a change voids it.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    digest::Digest,
    event::Event,
    handoff::{Approval, Edit, Handoff, Phase, Request, Reservation, Status},
    ids::{AgentId, HandoffId},
    policy::{ApprovalRule, OnExpiry},
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::Arc;

impl Draft<'_> {
    /// The approval that a handoff needs, if any.
    pub(super) fn approval_for(
        &self,
        request: &Request,
        to: &AgentId,
        reservation: Option<&Reservation>,
        by_engine: bool,
    ) -> Option<Approval> {
        if by_engine {
            return None;
        }
        let rule = self.world.policy.approvals.iter().find(|rule| self.fits(rule, request, to, reservation));
        let from_risk = self.world.policy.approval_from_risk.is_some_and(|from| request.audit.risk_level >= from);
        if rule.is_none() && !request.needs_approval && !from_risk {
            return None;
        }
        let mut rest = rule.map(|rule| rule.approvers.clone()).unwrap_or_default();
        rest.retain(|approver| approver.who != request.from_agent.as_str());
        let first = (!rest.is_empty()).then(|| rest.remove(0));
        Some(Approval {
            rule: rule.map(|rule| rule.name.clone()).unwrap_or_default(),
            digest: Digest::of_json(&(to, request, rule)),
            approver: first.map(|approver| approver.who),
            asked: Vec::new(),
            rest,
            on_expiry: rule.map_or(OnExpiry::Deny, |rule| rule.on_expiry),
            approved_by: None,
        })
    }

    fn fits(&self, _rule: &ApprovalRule, _request: &Request, _to: &AgentId, _held: Option<&Reservation>) -> bool {
        false
    }

    /// How long whoever is asked now has.
    pub(super) fn approval_ms(&self, _approval: &Approval) -> u64 {
        self.world.policy.approval_ms
    }

    /// A handoff that was approved for one target goes to another: it is asked again.
    pub(super) fn ask_again(&mut self, _id: HandoffId) {}

    pub(super) fn amend(&mut self, _id: HandoffId, _by: &str, _edit: Edit) -> Verdict {
        Ok(())
    }

    pub(super) fn approve(
        &mut self,
        id: HandoffId,
        by: String,
        comment: String,
        _digest: Option<Digest>,
        _edit: Option<Edit>,
    ) -> Verdict {
        let handoff = self.awaiting(id, &by, &comment)?;
        let until = self.window(&handoff.to_agent, handoff.climb.as_ref());
        let until = handoff.at_most(until);
        self.emit(Event::Approved { id, by, comment, until });
        Ok(())
    }

    pub(super) fn deny(&mut self, id: HandoffId, by: String, comment: String, _digest: Option<Digest>) -> Verdict {
        self.awaiting(id, &by, &comment)?;
        let notes = if comment.is_empty() { format!("denied by {by}") } else { format!("denied by {by}: {comment}") };
        self.emit(Event::Denied { id, by, comment });
        self.close(id, Status::Cancelled, &notes);
        Ok(())
    }

    fn awaiting(&self, id: HandoffId, by: &str, comment: &str) -> Result<Arc<Handoff>, HandoffError> {
        let mut checks = Checks::default();
        checks.text("by", by);
        checks.optional_text("comment", comment);
        checks.done()?;
        let handoff = self.handoff(id)?;
        // Whoever is bound to certain agents cannot borrow another name to approve its own request.
        let bound = self.world.caller.acts_as.as_ref();
        if bound.is_some_and(|agents| agents.iter().all(|agent| agent.as_str() != by)) {
            let message = format!("{} may not decide as {by}", self.world.caller.name);
            return Err(between(Refusal::new(Code::NotYourAgent, message).at("by"), &handoff));
        }
        if by == handoff.request.from_agent.as_str() {
            let message = format!("{by} asked for this and cannot decide it");
            return Err(between(Refusal::new(Code::OwnApproval, message).at("by"), &handoff));
        }
        let refusal = match &handoff.phase {
            Phase::AwaitingApproval { .. } => return Ok(handoff),
            Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Running { .. } => {
                let status = handoff.status().word();
                Refusal::new(Code::NotAwaitingApproval, format!("handoff {id} is {status} already"))
            }
            Phase::Closed { .. } => Refusal::new(Code::Closed, format!("handoff {id} is closed")),
        };
        Err(between(refusal, &handoff))
    }
}
