//! Who is considered at all, and who of them is left out and why. Bounded, however many are registered.

use super::{By, Scene, rank::Rated, semantic, text};
use crate::{
    agent::{Agent, Profile, Standing},
    handoff::RequiredCapability,
    ids::AgentId,
    limits,
    policy::Strategy,
};
use std::collections::BTreeSet;

/// Whether a profile has this capability, and well enough.
pub(crate) fn has(profile: &Profile, needed: &RequiredCapability) -> bool {
    profile.proficiency(&needed.capability_id).is_some_and(|p| p >= needed.min_proficiency.unwrap_or(0.0))
}

/// What of these a profile lacks.
pub(crate) fn lacks<'a>(profile: &Profile, required: &'a [RequiredCapability]) -> Vec<&'a str> {
    required.iter().filter(|needed| !has(profile, needed)).map(|needed| needed.capability_id.as_str()).collect()
}

/// Everybody who is considered, with why not where it is so.
pub(super) fn gather<'a>(scene: &Scene<'a>, strategy: Strategy) -> Vec<Rated<'a>> {
    match scene.by() {
        By::List => {
            let mut seen = BTreeSet::new();
            let listed = scene.request.candidates.iter().filter(|id| seen.insert(*id));
            let known = listed.filter_map(|id| scene.agents.get(id));
            known.map(|agent| Rated::of(agent, exclusion(scene, agent))).collect()
        }
        By::Capability => by_capability(scene, strategy),
        By::Task => by_text(scene, strategy),
    }
}

/// The most proficient who can take it. Whoever cannot takes no place from those who can.
fn by_capability<'a>(scene: &Scene<'a>, strategy: Strategy) -> Vec<Rated<'a>> {
    let required = &scene.request.validation.required_capabilities;
    let names: Vec<&str> = match &scene.request.capability {
        // Whoever lacks the one that is asked for is no candidate, whatever else it can do.
        Some(capability) => vec![capability],
        None => required.iter().map(|needed| needed.capability_id.as_str()).collect(),
    };
    let (mut rated, mut seen) = (Vec::new(), BTreeSet::<&AgentId>::new());
    let most = (limits::POOL_MAX / names.len().max(1)).max(1);
    let (mut left_out, mut scanned) = (0, 0);
    // They come in the order of `best_match`, but for how busy they are: nobody after an idle one is better.
    let in_order = strategy == Strategy::BestMatch && scene.wanted().len() == 1;
    let single = names.len() == 1;
    for name in names {
        let (mut found, mut idle) = (0, false);
        for agent in scene.agents.who_can(name) {
            scanned += 1;
            let enough = in_order && idle && found >= limits::ROUTED_CANDIDATES_MAX;
            if enough || found == most || scanned > limits::POOL_SCANNED_MAX {
                break;
            }
            if !single && !seen.insert(&agent.profile.id) {
                continue;
            }
            let excluded = exclusion(scene, agent);
            found += usize::from(excluded.is_none());
            idle |= excluded.is_none() && agent.load == 0 && agent.waiting == 0;
            left_out += usize::from(excluded.is_some());
            if excluded.is_none() || left_out <= limits::ROUTED_CANDIDATES_MAX {
                rated.push(Rated::of(agent, excluded));
            }
        }
    }
    rated
}

/// Those whose profiles have some bearing on the task. A model may pick others too, as far as there is room for them.
fn by_text<'a>(scene: &Scene<'a>, strategy: Strategy) -> Vec<Rated<'a>> {
    let mut rated = fitting(scene, limits::TEXT_POOL_MAX);
    if rated.len() == limits::TEXT_POOL_MAX && !rated.iter().any(Rated::can) {
        rated = fitting(scene, limits::POOL_MAX);
    }
    if strategy == Strategy::Llm && rated.len() < limits::PICK_CANDIDATES_MAX {
        let seen: BTreeSet<AgentId> = rated.iter().map(|entry| entry.agent.profile.id.clone()).collect();
        let others = scene.agents.iter().filter(|agent| !seen.contains(&agent.profile.id));
        let room = limits::PICK_CANDIDATES_MAX - rated.len();
        let others = others.take(limits::POOL_MAX).filter(|agent| exclusion(scene, agent).is_none()).take(room);
        rated.extend(others.map(|agent| Rated::of(agent, None)));
    }
    rated
}

/// The best so many by their words.
fn fitting<'a>(scene: &Scene<'a>, most: usize) -> Vec<Rated<'a>> {
    let found = scene.agents.rank(&scene.text(), most);
    let rate = |found: text::Found| {
        let agent = scene.agents.get(&found.agent)?;
        let mut entry = Rated::of(agent, exclusion(scene, agent));
        entry.score = found.score;
        entry.why = Box::new(move || semantic::fits(found.score, &found.because));
        Some(entry)
    };
    found.into_iter().filter_map(rate).collect()
}

/// Why this agent cannot be given the work, if it cannot. Being busy is no reason: it comes after those with room.
pub(super) fn exclusion(scene: &Scene<'_>, agent: &Agent) -> Option<String> {
    let (profile, request) = (&agent.profile, scene.request);
    let why = if profile.id == request.from_agent {
        "it is the source"
    } else if scene.not.contains(&profile.id) {
        "it was asked before"
    } else if agent.standing == Standing::Unavailable {
        "it is unavailable"
    } else if agent.standing == Standing::Draining {
        "it is draining"
    } else if !profile.accepts_handoffs {
        "it takes no handoffs"
    } else if request.risk() > profile.autonomy_budget.max_risk {
        "it may not take the risk"
    } else {
        return lacking(scene, profile).or_else(|| (scene.left_out)(agent));
    };
    Some(why.to_owned())
}

/// One that has a part of what is required can take it, with a warning; one that has nothing of it cannot.
fn lacking(scene: &Scene<'_>, profile: &Profile) -> Option<String> {
    let one = scene.request.capability.as_deref();
    if let Some(capability) = one.filter(|capability| profile.proficiency(capability).is_none()) {
        return Some(format!("it lacks {capability}"));
    }
    let required = &scene.request.validation.required_capabilities;
    let gaps = lacks(profile, required);
    if required.is_empty() || gaps.len() < required.len() {
        return None;
    }
    let first = required.first().filter(|_| required.len() == 1);
    let known = first.and_then(|needed| Some((needed, profile.proficiency(&needed.capability_id)?)));
    Some(match known {
        Some((needed, proficiency)) => format!(
            "its proficiency in {} is {proficiency}, {} is needed",
            needed.capability_id,
            needed.min_proficiency.unwrap_or(0.0)
        ),
        None => "it has none of the capabilities".to_owned(),
    })
}
