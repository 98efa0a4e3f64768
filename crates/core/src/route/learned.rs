//! `learned`: the best record, with room for those who have little of one.
//!
//! UCB1 over what ended: the share that succeeded, plus √(2 ln N / n), where n is how often the agent was tried and N
//! how often all of them were. The second part shrinks as the record grows, so that nobody is judged by one bad day, and
//! nobody is tried for ever. Whoever was never tried comes first, the most proficient before the others.

use super::{
    By, Scene, best_match,
    rank::{Rated, Tier},
    semantic,
};
use crate::{
    handoff::RequiredCapability,
    ids::AgentId,
    ledger::{Account, Ledger},
};

/// How often an agent was tried, and how often well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tried {
    pub(super) ended: u64,
    pub(super) succeeded: u64,
}

/// What is taken for the share that succeeds where nothing has ended.
const UNKNOWN: f64 = 0.5;

pub(super) fn rate(scene: &Scene<'_>, rated: &mut [Rated<'_>]) {
    let wanted = scene.wanted();
    if scene.by() == By::Task {
        // The record is of work in general; that the agent fits this task is said by its profile alone.
        semantic::leave_out_unfit(rated);
        semantic::put_behind(rated);
    }
    let records: Vec<Tried> =
        rated.iter().map(|entry| record(scene.ledger, &entry.agent.profile.id, &wanted)).collect();
    let considered = rated.iter().zip(&records).filter(|(entry, _)| entry.can() && entry.tier == Tier::Usual);
    let total: u64 = considered.map(|(_, tried)| tried.ended).sum();
    for (entry, tried) in rated.iter_mut().zip(records) {
        let proficiency =
            if wanted.is_empty() { entry.score } else { best_match::proficiency(&entry.agent.profile, &wanted) };
        // What is under way counts as tried, so that one who is slow is not given everything meanwhile.
        let pending = u64::from(entry.agent.load) + u64::from(entry.agent.waiting);
        if tried.ended == 0 && pending > 0 {
            let (_, bonus) = bound(Tried { ended: pending, succeeded: 0 }, total + pending);
            entry.score = UNKNOWN + bonus;
            (entry.rank, entry.second) = (entry.score, proficiency);
            entry.why = Box::new(move || format!("nothing of it has ended, {pending} under way, +{bonus:.2} for that"));
            continue;
        }
        if tried.ended == 0 {
            entry.score = proficiency;
            (entry.rank, entry.second) = (f64::INFINITY, proficiency);
            entry.why = Box::new(move || format!("it was never tried; its proficiency is {proficiency:.2}"));
            continue;
        }
        let (mean, _) = bound(tried, total);
        let (_, bonus) = bound(Tried { ended: tried.ended + pending, ..tried }, total + pending);
        entry.score = mean + bonus;
        (entry.rank, entry.second) = (entry.score, proficiency);
        entry.why = Box::new(move || format!("{}, +{bonus:.2} for being tried seldom", words(tried)));
    }
}

/// The share that succeeded, and what is added because that is not known for certain.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn bound(tried: Tried, total: u64) -> (f64, f64) {
    let (ended, total) = (tried.ended as f64, total.max(1) as f64);
    (tried.succeeded as f64 / ended, (2.0 * total.ln() / ended).sqrt())
}

/// "7 of 9 succeeded".
pub(super) fn words(tried: Tried) -> String {
    format!("{} of {} succeeded", tried.succeeded, tried.ended)
}

/// The record of an agent in what is wanted; where it has none, in anything.
pub(super) fn record(ledger: &Ledger, agent: &AgentId, wanted: &[RequiredCapability]) -> Tried {
    let of = |account: &Account| {
        let sample = ledger.get(account).map(|entry| entry.sample).unwrap_or_default();
        Tried { ended: sample.ended, succeeded: sample.succeeded }
    };
    let skills = wanted.iter().map(|needed| of(&Account::skill(agent, &needed.capability_id)));
    let sum = skills.fold(Tried::default(), |sum, one| Tried {
        ended: sum.ended + one.ended,
        succeeded: sum.succeeded + one.succeeded,
    });
    if sum.ended > 0 { sum } else { of(&Account::of_agent(agent)) }
}
