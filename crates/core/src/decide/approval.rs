//! A person's yes or no, before a handoff is offered.

use super::{Draft, Verdict, between, validate::Checks};
use crate::{
    event::Event,
    handoff::{Handoff, Phase, Status},
    ids::HandoffId,
    refusal::{Code, HandoffError, Refusal},
};
use std::sync::Arc;

impl Draft<'_> {
    pub(super) fn approve(&mut self, id: HandoffId, by: String, comment: String) -> Verdict {
        let handoff = self.awaiting(id, &by, &comment)?;
        let until = self.window(&handoff.to_agent, handoff.climb.as_ref());
        let until = handoff.at_most(until);
        self.emit(Event::Approved { id, by, comment, until });
        Ok(())
    }

    pub(super) fn deny(&mut self, id: HandoffId, by: String, comment: String) -> Verdict {
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
