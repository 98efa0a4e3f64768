//! Working time: what an attempt worked itself. The time of work below it counts there, whether that is over or goes on.

use crate::{
    budget::Amount,
    handoff::{Handoff, Metrics},
    ids::HandoffId,
    limits::PATH_MAX,
    session::Session,
    time::Timestamp,
};
use std::collections::HashMap;

impl Session {
    /// What an attempt that ends at this time used and is not charged: as reported, and its own working time.
    #[must_use]
    pub fn used(&self, handoff: &Handoff, metrics: &Metrics, at: Timestamp) -> Amount {
        Amount::used(metrics, handoff.worked(at, self.below_ms(handoff, at)))
    }

    /// Working time below a handoff by this time, in milliseconds: of what is over, and of what goes on so far.
    #[must_use]
    pub fn below_ms(&self, handoff: &Handoff, at: Timestamp) -> u64 {
        let going_on = Below { session: self, known: HashMap::new() }.going_on(handoff.id, at, PATH_MAX);
        handoff.spent_below.ms.saturating_add(going_on)
    }
}

/// Sums over what goes on below. Each is made once: a chain in which everybody is late would be walked over and over.
struct Below<'s> {
    session: &'s Session,
    known: HashMap<(HandoffId, Timestamp), u64>,
}

impl Below<'_> {
    /// What whoever works below a handoff is going to be charged for the time until then.
    fn going_on(&mut self, above: HandoffId, at: Timestamp, depth: usize) -> u64 {
        if let Some(known) = self.known.get(&(above, at)) {
            return *known;
        }
        let mut sum: u64 = 0;
        let below = self.session.open.values().filter(|open| depth > 0 && open.within() == Some(above));
        for child in below {
            let ended = child.attempt_end(at);
            let deeper = self.going_on(child.id, ended, depth - 1);
            let own = child.worked(ended, child.spent_below.ms.saturating_add(deeper));
            sum = sum.saturating_add(own).saturating_add(self.going_on(child.id, at, depth - 1));
        }
        self.known.insert((above, at), sum);
        sum
    }
}
