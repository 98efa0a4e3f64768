//! Finding a target: who can take this, ranked, and why the others cannot.

use super::Draft;
use crate::{
    agent::{Agent, Agents, Profile, Standing},
    event::{Candidate, Routed},
    handoff::{Request, RequiredCapability},
    ids::AgentId,
    limits,
    policy::Strategy,
};

/// Whether a profile has this capability, and well enough.
pub(super) fn has(profile: &Profile, needed: &RequiredCapability) -> bool {
    profile.proficiency(&needed.capability_id).is_some_and(|p| p >= needed.min_proficiency.unwrap_or(0.0))
}

/// Names of agents that have at least one of these capabilities.
pub(super) fn suggest(agents: &Agents, required: &[RequiredCapability]) -> Vec<String> {
    let mut names: Vec<String> = required
        .iter()
        .flat_map(|needed| agents.who_can(&needed.capability_id).filter(|agent| has(&agent.profile, needed)))
        .map(|agent| agent.profile.id.to_string())
        .take(limits::CANDIDATES_MAX)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Ranks whoever could take a request: the explicit list, or everybody with a capability that it asks for.
#[must_use]
pub fn choose(agents: &Agents, request: &Request, not: &[AgentId]) -> Routed {
    let mut wanted = request.validation.required_capabilities.clone();
    if let Some(capability) = &request.capability {
        wanted.push(RequiredCapability { capability_id: capability.clone(), min_proficiency: None });
    }
    let mut candidates: Vec<(bool, Candidate)> = pool(agents, request, &wanted)
        .into_iter()
        .map(|agent| {
            let excluded = exclusion(agent, request, &wanted, not);
            let score = score(agent, &wanted);
            (agent.has_room(), Candidate { agent: agent.profile.id.clone(), score, excluded, why: String::new() })
        })
        .collect();
    // Those who can before those who cannot, then those with room, then the best; the id makes it repeatable.
    if request.candidates.is_empty() {
        candidates.sort_by(|(room_a, a), (room_b, b)| {
            let can = a.excluded.is_empty().cmp(&b.excluded.is_empty()).reverse();
            can.then(room_b.cmp(room_a)).then(b.score.total_cmp(&a.score)).then(a.agent.cmp(&b.agent))
        });
    } else {
        candidates.sort_by_key(|(room, candidate)| (!candidate.excluded.is_empty(), !room));
    }
    let candidates: Vec<Candidate> =
        candidates.into_iter().map(|(_, candidate)| candidate).take(limits::CANDIDATES_MAX).collect();
    let agent = candidates.iter().find(|c| c.excluded.is_empty()).map(|c| c.agent.clone());
    Routed {
        strategy: Strategy::BestMatch,
        by: String::new(),
        agent,
        candidates,
        experiment: None,
        shadow: None,
        note: String::new(),
    }
}

impl Draft<'_> {
    /// Finds somebody for a request, and says how.
    pub(super) fn choose(&self, request: &Request, not: &[AgentId]) -> Routed {
        choose(self.world.agents, request, &self.and_left_alone(not))
    }
}

fn pool<'a>(agents: &'a Agents, request: &Request, wanted: &[RequiredCapability]) -> Vec<&'a Agent> {
    if !request.candidates.is_empty() {
        return request.candidates.iter().filter_map(|id| agents.get(id)).collect();
    }
    let mut pool: Vec<&Agent> = wanted.iter().flat_map(|needed| agents.who_can(&needed.capability_id)).collect();
    pool.sort_by(|a, b| a.profile.id.cmp(&b.profile.id));
    pool.dedup_by(|a, b| a.profile.id == b.profile.id);
    pool
}

fn exclusion(agent: &Agent, request: &Request, wanted: &[RequiredCapability], not: &[AgentId]) -> String {
    let profile = &agent.profile;
    if profile.id == request.from_agent {
        return "it is the source".into();
    }
    if not.contains(&profile.id) {
        return "it was asked before".into();
    }
    match agent.standing {
        Standing::Available => {}
        Standing::Unavailable => return "it is unavailable".into(),
        Standing::Draining => return "it is draining".into(),
    }
    if !profile.accepts_handoffs {
        return "it takes no handoffs".into();
    }
    if request.risk() > profile.autonomy_budget.max_risk {
        return "it may not take the risk".into();
    }
    if !wanted.is_empty() && !wanted.iter().any(|needed| has(profile, needed)) {
        return "it has none of the capabilities".into();
    }
    String::new()
}

/// The mean proficiency over what is wanted; 0 for what is lacking.
fn score(agent: &Agent, wanted: &[RequiredCapability]) -> f64 {
    if wanted.is_empty() {
        return 1.0;
    }
    let sum: f64 = wanted
        .iter()
        .map(|needed| {
            if has(&agent.profile, needed) {
                agent.profile.proficiency(&needed.capability_id).unwrap_or(0.0)
            } else {
                0.0
            }
        })
        .sum();
    #[expect(clippy::cast_precision_loss, reason = "at most CAPABILITIES_MAX")]
    let count = wanted.len() as f64;
    sum / count
}
