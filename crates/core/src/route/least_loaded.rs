//! `least_loaded`: the smallest share of places that are taken or waited for.

use super::rank::{Rated, places};

pub(super) fn rate(rated: &mut [Rated<'_>]) {
    for entry in rated {
        let taken = entry.agent.share_taken();
        entry.score = (1.0 - taken).clamp(0.0, 1.0);
        entry.rank = -taken;
        let agent = entry.agent;
        entry.why = Box::new(move || places(agent));
    }
}
