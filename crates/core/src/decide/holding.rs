//! Holding up: a step of a workflow whose agent can take nothing for a while waits, durably, and is tried again. Each
//! wait is longer than the one before, and there are only so many.

use super::{Draft, Verdict, validate::Checks};
use crate::{
    event::{Event, Extension, RerouteReason},
    handoff::{Handoff, Status},
    ids::HandoffId,
    limits,
    time::Timestamp,
};

impl Draft<'_> {
    /// The end of the checks of a request. What only keeps a step of a workflow waiting does not refuse it.
    pub(super) fn passes(&mut self, checks: Checks) -> Verdict {
        let Err(error) = checks.done() else { return Ok(()) };
        let passes_by = error.refusals.iter().all(|refusal| refusal.code.is_temporary());
        let Some(way) = self.way.as_mut().filter(|_| passes_by) else { return Err(error) };
        let why: Vec<&str> = error.refusals.iter().map(|refusal| refusal.message.as_str()).collect();
        way.held_up = Some(why.join("; "));
        way.wait_ms = way.wait_ms.max(limits::STEP_WAIT_MS);
        Ok(())
    }

    /// A step that was begun though its agent can take nothing now says so in the trail.
    pub(super) fn note_held_up(&mut self, id: HandoffId) {
        let why = self.way.as_mut().and_then(|way| way.held_up.take());
        let until = self.session.open.get(&id).and_then(|handoff| handoff.phase.end());
        if let (Some(why), Some(until)) = (why, until) {
            self.emit(Event::HeldUp(Extension { id, until, why }));
        }
    }

    /// Why a step that nobody works on cannot be offered now, where that passes by.
    pub(super) fn holds_up(&self, handoff: &Handoff) -> Option<String> {
        if !self.session.is_step(handoff.id) || handoff.lease().is_some() || self.is_probe(handoff) {
            return None;
        }
        let (from, to) = (&handoff.request.from_agent, &handoff.to_agent);
        if let Some(why) = self.cannot_be_reached(to) {
            return Some(format!("{to}: {why}"));
        }
        // The step itself is among those that are counted.
        let (max, pace) = (self.world.policy.loops.pair_per_minute, self.session.watch.pace(from, to, self.now));
        (max > 0 && pace > max).then(|| format!("{from} handed over to {to} {pace} times within a minute"))
    }

    /// Waits once more; where it waited often enough, whoever else can takes it, or it comes to nothing.
    pub(super) fn hold_up(&mut self, handoff: &Handoff, why: String) {
        let tries = limits::STEP_WAITS_MAX;
        if handoff.held_up < tries {
            let until = handoff.at_most(self.next_try(handoff));
            return self.emit(Event::HeldUp(Extension { id: handoff.id, until, why }));
        }
        // Nobody is blamed for work that it was never given.
        self.unjudged = Some(handoff.id);
        if self.has_next(handoff) {
            self.reroute(handoff.id, RerouteReason::Unreachable);
        } else {
            let notes = format!("{} could not take it in {tries} tries (STEP_WAITS_MAX): {why}", handoff.to_agent);
            self.close(handoff.id, Status::Failed, &notes);
        }
        self.unjudged = None;
    }

    /// When it is tried again: twice as long after each try, and not before the agent may be asked again.
    fn next_try(&self, handoff: &Handoff) -> Timestamp {
        let wait_ms = limits::STEP_WAIT_MS << handoff.held_up.min(limits::STEP_WAITS_DOUBLED);
        let open_until = self.breaker(&handoff.to_agent).open_until.unwrap_or(Timestamp(0));
        (self.now + wait_ms).max(open_until)
    }
}
