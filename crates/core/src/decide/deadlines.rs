//! Deadlines that follow the time of the session when that is changed. What is tighter for a reason of its own stays.

use super::Draft;
use crate::{
    event::{DeadlineMove, Event},
    handoff::{Handoff, Kind, Phase},
    ids::HandoffId,
    limits,
    time::Timestamp,
};
use std::{collections::BTreeMap, sync::Arc};

impl Draft<'_> {
    /// The session had to be over at another time before: open handoffs follow, those above first.
    pub(super) fn move_deadlines(&mut self, before: Option<Timestamp>) {
        let end = self.session_deadline();
        if end == before {
            return;
        }
        let was = self.session.open.clone();
        let mut open: Vec<&Arc<Handoff>> = was.values().collect();
        open.sort_by_key(|handoff| handoff.n);
        // Whoever is above is asked whether or not the session has time left.
        for handoff in open.into_iter().filter(|handoff| handoff.request.kind != Kind::Escalation) {
            let hard = if self.came_from(handoff, before, &was) {
                self.hard_deadline(&handoff.request, handoff.parent_id, handoff.opened_at)
            } else {
                [handoff.hard_deadline, end].into_iter().flatten().min()
            };
            self.move_deadline(handoff, hard);
        }
    }

    /// Whether the deadline of a handoff is that of the session: at once, or by the work that it belongs to.
    fn came_from(&self, handoff: &Handoff, before: Option<Timestamp>, was: &BTreeMap<HandoffId, Arc<Handoff>>) -> bool {
        let parent = handoff.parent_id.and_then(|id| was.get(&id).zip(self.session.open.get(&id)));
        let moved = parent.filter(|(was, is)| was != is).map(|(was, _)| was);
        let above = moved.is_some_and(|was| {
            handoff.hard_deadline.is_some_and(|hard| Some(hard) == was.hard_deadline || Some(hard) == working_end(was))
        });
        handoff.hard_deadline == before || above
    }

    fn move_deadline(&mut self, handoff: &Handoff, hard: Option<Timestamp>) {
        let with = Handoff { hard_deadline: hard, ..handoff.clone() };
        let later = match (handoff.hard_deadline, hard) {
            (Some(was), Some(is)) => is > was,
            (was, is) => was.is_some() && is.is_none(),
        };
        // Only a window that the deadline had cut short gets more of its own.
        let cut = |end: Timestamp| later && handoff.hard_deadline == Some(end);
        let (mut lease_until, end) = (None, handoff.phase.end());
        let Some(end) = end else { return };
        let until = match &handoff.phase {
            Phase::AwaitingApproval { .. } if cut(end) => {
                let asked = handoff.approval.as_ref().map(|approval| approval.within_ms);
                self.now + asked.unwrap_or(self.world.policy.approval_ms)
            }
            Phase::Offered { .. } if cut(end) => self.window(&handoff.to_agent, handoff.climb.as_ref()),
            Phase::Running { .. } if cut(end) => self.deadline(&with, handoff.accepted_at.unwrap_or(self.now)),
            Phase::AwaitingApproval { .. }
            | Phase::Offered { .. }
            | Phase::Deferred { .. }
            | Phase::Running { .. }
            | Phase::Closed { .. } => end,
        };
        let until = with.at_most(until);
        if let Phase::Running { lease_until: held, in_process: true, .. } = &handoff.phase {
            lease_until = Some((*held).max(until + limits::LEASE_MS_MAX));
        }
        if hard != handoff.hard_deadline || until != end {
            self.emit(Event::DeadlineMoved(DeadlineMove { id: handoff.id, hard_deadline: hard, until, lease_until }));
        }
    }
}

/// When whoever works on it must be done.
fn working_end(handoff: &Handoff) -> Option<Timestamp> {
    handoff.phase.end().filter(|_| handoff.lease().is_some())
}
