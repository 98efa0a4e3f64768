//! `best_match`: the highest proficiency in what is wanted. A list is in order of preference.

use super::{
    By, Scene, pool,
    rank::{Rated, places},
};
use crate::{agent::Profile, handoff::RequiredCapability};
use std::rc::Rc;

#[expect(clippy::cast_precision_loss, reason = "at most CANDIDATES_MAX places")]
pub(super) fn rate(scene: &Scene<'_>, rated: &mut [Rated<'_>]) {
    let wanted: Rc<[RequiredCapability]> = scene.wanted().into();
    let listed = scene.by() == By::List;
    for (i, entry) in rated.iter_mut().enumerate() {
        let score = proficiency(&entry.agent.profile, &wanted);
        entry.score = score;
        entry.rank = if listed { -(i as f64) } else { score };
        let (wanted, agent) = (wanted.clone(), entry.agent);
        entry.why = Box::new(move || {
            let place = listed.then(|| format!("it is number {} of the list", i + 1));
            let skill = (!wanted.is_empty()).then(|| words(score, &wanted));
            place.into_iter().chain(skill).chain([places(agent)]).collect::<Vec<_>>().join("; ")
        });
    }
}

/// The mean proficiency over what is wanted; 0 for what is lacking.
pub(super) fn proficiency(profile: &Profile, wanted: &[RequiredCapability]) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    let of = |needed: &RequiredCapability| {
        let known = profile.proficiency(&needed.capability_id).filter(|_| pool::has(profile, needed));
        known.unwrap_or(0.0)
    };
    #[expect(clippy::cast_precision_loss, reason = "at most CAPABILITIES_MAX")]
    let count = wanted.len() as f64;
    wanted.iter().map(of).sum::<f64>() / count
}

fn words(score: f64, wanted: &[RequiredCapability]) -> String {
    match wanted {
        [one] => format!("its proficiency in {} is {score}", one.capability_id),
        several => format!("its mean proficiency in {} capabilities is {score:.2}", several.len()),
    }
}
