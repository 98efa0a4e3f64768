//! The other two answers to an offer: no, and later.

use super::{Draft, Verdict, validate::Checks};
use crate::{
    event::{Event, RerouteReason},
    ids::{AgentId, HandoffId, LeaseId},
    limits,
};

impl Draft<'_> {
    pub(super) fn reject(&mut self, id: HandoffId, by: &AgentId, reason: String) -> Verdict {
        self.offered_to(id, by)?;
        let mut checks = Checks::default();
        checks.text("reason", &reason);
        checks.done()?;
        self.emit(Event::Rejected { id, by: by.clone(), reason });
        self.reroute(id, RerouteReason::Rejected);
        Ok(())
    }

    /// The holder says no after a look at it. What it used until then is charged.
    pub(super) fn decline(&mut self, id: HandoffId, lease: LeaseId, reason: String) -> Verdict {
        let handoff = self.held(id, lease)?;
        let mut checks = Checks::default();
        checks.text("reason", &reason);
        checks.done()?;
        let until = self.window(&handoff.to_agent, handoff.climb.as_ref());
        let (until, used) = (handoff.at_most(until), Some(self.settle_attempt(&handoff)));
        self.emit(Event::LeaseLost { id, lease, until, used });
        self.emit(Event::Rejected { id, by: handoff.to_agent.clone(), reason });
        self.reroute(id, RerouteReason::Rejected);
        Ok(())
    }

    pub(super) fn defer(&mut self, id: HandoffId, by: &AgentId, for_ms: u64, reason: String) -> Verdict {
        let handoff = self.offered_to(id, by)?;
        let mut checks = Checks::default();
        checks.text("reason", &reason);
        checks.wait("for_ms", for_ms);
        checks.done()?;
        if handoff.deferrals >= limits::DEFERRALS_MAX {
            // Put off too often is as good as a no.
            let reason = format!("put off more than {} times: {reason}", limits::DEFERRALS_MAX);
            self.emit(Event::Rejected { id, by: by.clone(), reason });
            self.reroute(id, RerouteReason::Rejected);
            return Ok(());
        }
        let until = self.now + for_ms;
        let until = handoff.at_most(until);
        self.emit(Event::Deferred { id, by: by.clone(), until, reason });
        Ok(())
    }
}
