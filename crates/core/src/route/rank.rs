//! The order of candidates: what every strategy has in common.

use crate::{agent::Agent, event::Candidate, limits};
use std::cmp::Ordering;

/// An agent that is considered, and how a strategy sees it.
pub(super) struct Rated<'a> {
    pub(super) agent: &'a Agent,
    /// Why not, where it is left out.
    pub(super) excluded: String,
    /// From 0 to 1, for people.
    pub(super) score: f64,
    /// How the score came about. Told only for those that are recorded.
    pub(super) why: Why<'a>,
    pub(super) tier: Tier,
    /// What the strategy goes by; the highest is first.
    pub(super) rank: f64,
    /// What decides between equals before load, turn and id do.
    pub(super) second: f64,
}

/// A reason that is put into words when it is asked for.
pub(super) type Why<'a> = Box<dyn FnOnce() -> String + 'a>;

/// What comes before room: somebody who hardly fits is not given work only because the right one is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Picked,
    Usual,
    Behind,
}

impl<'a> Rated<'a> {
    pub(super) fn of(agent: &'a Agent, excluded: Option<String>) -> Self {
        let excluded = excluded.unwrap_or_default();
        Self { agent, excluded, score: 0.0, why: Box::new(String::new), tier: Tier::Usual, rank: 0.0, second: 0.0 }
    }

    pub(super) fn can(&self) -> bool {
        self.excluded.is_empty()
    }

    pub(super) fn into_candidate(self) -> Candidate {
        Candidate {
            agent: self.agent.profile.id.clone(),
            score: self.score,
            excluded: self.excluded,
            why: (self.why)(),
        }
    }

    /// Those who can before those who cannot, then those with room, then the best of the strategy; among equals the
    /// least loaded, then whoever waited longest for a turn. The id makes it repeatable.
    fn before(&self, other: &Self) -> Ordering {
        let can = other.can().cmp(&self.can()).then(self.tier.cmp(&other.tier));
        let room = other.agent.is_free().cmp(&self.agent.is_free());
        let rank = other.rank.total_cmp(&self.rank).then(other.second.total_cmp(&self.second));
        let load = self.agent.share_taken().total_cmp(&other.agent.share_taken());
        let turn = self.agent.turn.cmp(&other.agent.turn);
        let id = || self.agent.profile.id.cmp(&other.agent.profile.id);
        can.then(room).then(rank).then(load).then(turn).then_with(id)
    }
}

/// The best candidates in order, then the best of those that were left out; so many that a record can hold them.
pub(super) fn in_order(rated: Vec<Rated<'_>>) -> Vec<Candidate> {
    let (can, cannot): (Vec<_>, Vec<_>) = rated.into_iter().partition(Rated::can);
    best(can).into_iter().chain(best(cannot)).map(Rated::into_candidate).collect()
}

/// The first few in order. Only these are sorted.
fn best(mut rated: Vec<Rated<'_>>) -> Vec<Rated<'_>> {
    let most = limits::ROUTED_CANDIDATES_MAX;
    if rated.len() > most {
        rated.select_nth_unstable_by(most - 1, Rated::before);
        rated.truncate(most);
    }
    rated.sort_by(Rated::before);
    rated
}

/// How busy an agent is, in words.
pub(super) fn places(agent: &Agent) -> String {
    let taken = format!("{} of {} places taken", agent.load, agent.profile.max_concurrent_tasks);
    match agent.waiting {
        0 => taken,
        1 => format!("{taken}, 1 offer waits"),
        waiting => format!("{taken}, {waiting} offers wait"),
    }
}
