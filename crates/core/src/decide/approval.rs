//! A person's yes or no, before a handoff is offered. It is for one target, one content and one rule: a change voids it.

use super::{
    Draft, Verdict,
    asking::{Asked, approval_digest, deciders},
    between,
    validate::Checks,
};
use crate::{
    access::Right,
    digest::Digest,
    event::Event,
    handoff::{Approval, Edit, Handoff, Phase, Status},
    ids::HandoffId,
    refusal::{Code, HandoffError, Refusal},
};
use serde_json::json;
use std::sync::Arc;

impl Draft<'_> {
    pub(super) fn approve(
        &mut self,
        id: HandoffId,
        by: String,
        comment: String,
        digest: Option<Digest>,
        edit: Option<Edit>,
    ) -> Verdict {
        let handoff = self.waiting_for(id, &by, &comment)?;
        self.check_decider(&handoff, &by)?;
        let before = self.check_seen(&handoff, digest)?;
        let now = approval_digest(&handoff, self.world.policy);
        match edit.filter(|edit| !edit.is_empty()) {
            Some(edit) => {
                let asked = self.change_and_ask(&handoff, &before, &by, edit)?;
                self.check_still_decider(&handoff, &before, &asked, &by)?;
            }
            // What is approved is always what was last asked for, on the record: here, by the rule as it is now.
            None if before.digest != now => {
                let anew = self.approval_by(self.world.policy.rule(&before.rule), &Asked::of(&handoff));
                self.ask(&handoff, anew, Vec::new());
            }
            None => {}
        }
        let handoff = self.handoff(id)?;
        self.check_can_pass(&handoff)?;
        self.let_pass(id, by, comment);
        Ok(())
    }

    pub(super) fn deny(&mut self, id: HandoffId, by: String, comment: String, digest: Option<Digest>) -> Verdict {
        let handoff = self.waiting_for(id, &by, &comment)?;
        self.check_decider(&handoff, &by)?;
        if digest.is_some() {
            self.check_seen(&handoff, digest)?;
        }
        let notes = if comment.is_empty() { format!("denied by {by}") } else { format!("denied by {by}: {comment}") };
        self.emit(Event::Denied { id, by, comment });
        self.close(id, Status::Cancelled, &notes);
        Ok(())
    }

    /// Changes a handoff without deciding it. Whoever is asked decides about what it is now.
    pub(super) fn amend(&mut self, id: HandoffId, by: &str, edit: Edit, digest: Option<Digest>) -> Verdict {
        let handoff = self.waiting_for(id, by, "")?;
        if by != handoff.request.from_agent.as_str() {
            self.check_decider(&handoff, by)?;
        }
        self.check_not_empty(&handoff, &edit)?;
        let before = match digest {
            Some(_) => self.check_seen(&handoff, digest)?,
            None => self.approval_of(&handoff)?,
        };
        self.change_and_ask(&handoff, &before, by, edit).map(|_| ())
    }

    /// Makes a change and asks for the approval of what it comes to.
    fn change_and_ask(
        &mut self,
        handoff: &Handoff,
        before: &Approval,
        by: &str,
        edit: Edit,
    ) -> Result<Approval, HandoffError> {
        let void = before.digest != approval_digest(handoff, self.world.policy);
        let changed = self.check_edit(handoff, edit)?;
        self.change(handoff, by, changed);
        let handoff = self.handoff(handoff.id)?;
        let (approval, troubles) = self.approval_anew(&handoff, before, void);
        self.ask(&handoff, approval.clone(), troubles);
        Ok(approval)
    }

    /// The approval of a handoff that was changed. Whoever the same rule has come to goes on being asked. A change
    /// after which nothing would ask any more does not end the wait: only a decision does.
    fn approval_anew(&self, handoff: &Handoff, before: &Approval, void: bool) -> (Approval, Vec<String>) {
        let asked = Asked::of(handoff);
        let (fresh, troubles) = self.approval_for(&asked);
        let same = fresh.as_ref().is_none_or(|fresh| fresh.rule == before.rule);
        if same && !void {
            let digest = approval_digest(handoff, self.world.policy);
            return (Approval { digest, ..before.clone() }, troubles);
        }
        (fresh.unwrap_or_else(|| self.approval_by(None, &asked)), troubles)
    }

    /// A handoff that waits for approval, for somebody who gives their name.
    fn waiting_for(&self, id: HandoffId, by: &str, comment: &str) -> Result<Arc<Handoff>, HandoffError> {
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
        Ok(handoff)
    }

    /// Whether somebody may decide: not about their own request, not after it is decided, and only who is asked.
    fn check_decider(&self, handoff: &Handoff, by: &str) -> Verdict {
        if by == handoff.request.from_agent.as_str() {
            let message = format!("{by} asked for this and cannot decide it");
            return Err(between(Refusal::new(Code::OwnApproval, message).at("by"), handoff));
        }
        self.check_waits(handoff)?;
        let named = deciders(handoff, self.world.policy);
        if named.iter().any(|who| who == by) {
            return Ok(());
        }
        if named.is_empty() {
            // Where nobody is named, whoever runs the work decides, and no agent by itself.
            self.world.caller.may(Right::Operate)?;
        }
        if named.is_empty() && by == handoff.to_agent.as_str() {
            let message = format!("{by} is to be given this and cannot decide it");
            return Err(between(Refusal::new(Code::OwnApproval, message).at("by"), handoff));
        }
        if named.is_empty() {
            return Ok(());
        }
        Err(between(not_asked(by, &named), handoff))
    }

    fn check_waits(&self, handoff: &Handoff) -> Verdict {
        let (id, status) = (handoff.id, handoff.status().word());
        let refusal = match &handoff.phase {
            Phase::AwaitingApproval { .. } => return Ok(()),
            Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Running { .. } => {
                let message = format!("handoff {id} is {status} already{}", approved(handoff));
                Refusal::new(Code::NotAwaitingApproval, message)
            }
            Phase::Closed { .. } => Refusal::new(Code::Closed, format!("handoff {id} is closed")),
        };
        Err(between(refusal, handoff))
    }

    /// Says of a handoff that is over how it was decided, and when.
    pub(super) fn check_undecided(&self, over: &Handoff) -> Verdict {
        if over.session_id != self.session.id || self.session.open.contains_key(&over.id) {
            return Ok(());
        }
        let status = over.status().word();
        let at = over.closed_at.map(|at| format!(" since {at}")).unwrap_or_default();
        let notes = over.result.as_ref().map(|result| result.notes.as_str()).filter(|notes| !notes.is_empty());
        let notes = notes.map(|notes| format!(" ({notes})")).unwrap_or_default();
        let message = format!("handoff {} is {status} already{at}{notes}{}", over.id, approved(over));
        Err(between(Refusal::new(Code::Closed, message), over))
    }

    fn approval_of(&self, handoff: &Handoff) -> Result<Approval, HandoffError> {
        self.check_waits(handoff)?;
        let approval = handoff.approval.clone();
        Ok(approval.unwrap_or_else(|| self.approval_by(None, &Asked::of(handoff))))
    }

    /// Whether it is still what was seen: by its digest, or by what was asked for where none is given.
    fn check_seen(&self, handoff: &Handoff, digest: Option<Digest>) -> Result<Approval, HandoffError> {
        let approval = self.approval_of(handoff)?;
        let now = approval_digest(handoff, self.world.policy);
        // Once it was changed, nobody can mean what stands there without having seen it.
        let unseen = digest.is_none() && handoff.edit.is_some();
        let seen = digest.unwrap_or(approval.digest);
        if seen == now && !unseen {
            return Ok(approval);
        }
        let what = if approval.digest == now {
            "the handoff was changed since"
        } else {
            "the rule that asks for the approval was changed since"
        };
        let refusal = Refusal::new(Code::ApprovalChanged, format!("{what}; its digest is {now} now")).at("digest");
        Err(between(refusal.details(json!({"digest": now, "seen": seen, "rule": approval.rule})), handoff))
    }

    /// With a change another rule may ask, and that asks others.
    fn check_still_decider(&self, handoff: &Handoff, before: &Approval, asked: &Approval, by: &str) -> Verdict {
        let Some(who) = asked.approver.as_ref().filter(|who| asked.rule != before.rule && *who != by) else {
            return Ok(());
        };
        let refusal = not_asked(by, std::slice::from_ref(who));
        let hint = format!("with this change the rule \"{}\" asks: amend it, and let {who} decide", asked.rule);
        Err(between(refusal.hint(hint), handoff))
    }
}

fn not_asked(by: &str, named: &[String]) -> Refusal {
    let message = format!("{by} is not asked; {} may decide", named.join(", "));
    Refusal::new(Code::NotApprover, message).at("by").details(json!({"asked": named}))
}

/// Who approved it and when, where somebody did.
fn approved(handoff: &Handoff) -> String {
    let approval = handoff.approval.as_ref();
    let given = approval.and_then(|approval| approval.approved_by.as_ref().zip(approval.approved_at));
    given.map(|(who, at)| format!(": {who} approved it at {at}")).unwrap_or_default()
}
