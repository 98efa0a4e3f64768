//! `semantic`: the profile that fits the text of the task best. Among those with a capability, where one is wanted.

use super::{
    By, Scene, best_match,
    rank::{Rated, Tier},
};
use crate::ids::AgentId;

/// The least score that counts as fitting: below it, a word or two fell together by chance.
pub(super) const FITS_MIN: f64 = 0.05;
/// Whoever fits less than this share of the best one is behind it, even when the best one is busy.
const NEAR_SHARE: f64 = 0.5;

pub(super) fn rate(scene: &Scene<'_>, rated: &mut [Rated<'_>]) {
    if scene.by() == By::Task {
        leave_out_unfit(rated);
    } else {
        score(scene, rated);
    }
    let wanted = scene.wanted();
    for entry in rated.iter_mut() {
        entry.rank = entry.score;
        entry.second = best_match::proficiency(&entry.agent.profile, &wanted);
    }
    put_behind(rated);
}

/// Scores those who were found in another way than by their words.
fn score(scene: &Scene<'_>, rated: &mut [Rated<'_>]) {
    let ids: Vec<AgentId> = rated.iter().map(|entry| entry.agent.profile.id.clone()).collect();
    for (entry, score) in rated.iter_mut().zip(scene.agents.text().scores(&scene.text(), &ids)) {
        entry.score = score;
        entry.why = Box::new(move || fits(score, &[]));
    }
}

/// Where nothing but the text speaks for an agent, it must say something.
pub(super) fn leave_out_unfit(rated: &mut [Rated<'_>]) {
    for entry in rated.iter_mut().filter(|entry| entry.can() && entry.score < FITS_MIN) {
        entry.excluded = "its profile hardly fits the task".to_owned();
    }
}

/// Somebody who fits far worse than the best one comes after it, whoever has room.
pub(super) fn put_behind(rated: &mut [Rated<'_>]) {
    let best = rated.iter().filter(|entry| entry.can()).map(|entry| entry.score).fold(0.0, f64::max);
    for entry in rated.iter_mut().filter(|entry| entry.score < best * NEAR_SHARE) {
        entry.tier = Tier::Behind;
    }
}

/// How well a profile fits, in words.
pub(super) fn fits(score: f64, because: &[String]) -> String {
    if because.is_empty() {
        return format!("its profile fits the task at {score:.2}");
    }
    let words: Vec<String> = because.iter().map(|word| format!("\"{word}\"")).collect();
    format!("its profile fits the task at {score:.2}, by {}", words.join(", "))
}
