//! Who can be given work: capability profiles, and the directory that the engine keeps of them.

mod bare;
mod known;
mod profile;

pub use known::Known;
pub use profile::{AgentKind, Autonomy, Capability, Profile, Risk};

use crate::{ids::AgentId, route::text::TextIndex};
use serde::{Deserialize, Serialize};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Whether an agent can be reached and takes new work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It takes work.
    #[default]
    Available,
    /// It did not acknowledge, or failed its health checks.
    Unavailable,
    /// It finishes what it has and takes nothing new.
    Draining,
}

/// An agent as the engine sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// What it says of itself.
    pub profile: Arc<Profile>,
    /// Whether it can be reached.
    pub standing: Standing,
    /// Tasks it works on now.
    pub load: u32,
    /// Offers that wait for it.
    pub waiting: u32,
    /// When it was last given something, as a number that grows; 0 when it never was.
    pub turn: u64,
    /// Health checks failed in a row.
    pub failures: u32,
}

impl Agent {
    /// Whether it has room for one more task.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.load < self.profile.max_concurrent_tasks
    }

    /// Whether it has a place that no offer waits for already.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.load.saturating_add(self.waiting) < self.profile.max_concurrent_tasks
    }

    /// What it works on and what waits for it, as a share of what it takes at once; above 1 when more waits.
    #[must_use]
    pub fn share_taken(&self) -> f64 {
        let taken = f64::from(self.load) + f64::from(self.waiting);
        taken / f64::from(self.profile.max_concurrent_tasks.max(1))
    }
}

/// A place in the index of a capability: the most proficient first, then whoever waited longest for a turn; and where
/// the agent is kept.
type Place = (Reverse<u64>, u64, AgentId, usize);

/// All agents that are registered, with an index by capability and one by their words.
#[derive(Debug, Clone, Default)]
pub struct Agents {
    by_id: BTreeMap<AgentId, usize>,
    /// The agents themselves, so that an index finds one in a single step.
    kept: Vec<Option<Agent>>,
    vacant: Vec<usize>,
    by_capability: BTreeMap<String, BTreeSet<Place>>,
    text: TextIndex,
    /// Agents with a budget of their own.
    limited: usize,
    /// Agents that belong to one tenant.
    owned: usize,
    /// The number of the latest turn.
    turns: u64,
}

impl Agents {
    /// The agent with this id.
    #[must_use]
    pub fn get(&self, id: &AgentId) -> Option<&Agent> {
        self.by_id.get(id).and_then(|at| self.kept[*at].as_ref())
    }

    /// The agent with this id, to change its standing or load. Its turn is changed by `follow` alone.
    pub fn get_mut(&mut self, id: &AgentId) -> Option<&mut Agent> {
        self.by_id.get(id).and_then(|at| self.kept[*at].as_mut())
    }

    /// Whether anybody has a budget of its own.
    #[must_use]
    pub fn has_budgets(&self) -> bool {
        self.limited > 0
    }

    /// Whether anybody belongs to one tenant.
    #[must_use]
    pub fn has_owned(&self) -> bool {
        self.owned > 0
    }

    /// All of them, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.by_id.values().filter_map(|at| self.kept[*at].as_ref())
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Puts an agent in, keeping the work of the one it replaces.
    pub fn put(&mut self, profile: Arc<Profile>, standing: Standing) {
        let (load, waiting, turn) =
            self.get(&profile.id).map_or((0, 0, 0), |agent| (agent.load, agent.waiting, agent.turn));
        self.remove(&profile.id.clone());
        self.limited += usize::from(profile.budget.is_some());
        self.owned += usize::from(profile.tenant.is_some());
        self.text.put(&profile);
        let agent = Agent { profile, standing, load, waiting, turn, failures: 0 };
        let at = self.vacant.pop().unwrap_or(self.kept.len());
        self.index(&agent, at);
        self.by_id.insert(agent.profile.id.clone(), at);
        match self.kept.get_mut(at) {
            Some(place) => *place = Some(agent),
            None => self.kept.push(Some(agent)),
        }
    }

    /// Takes an agent out.
    pub fn remove(&mut self, id: &AgentId) -> Option<Agent> {
        let at = self.by_id.remove(id)?;
        let agent = self.kept[at].take()?;
        self.vacant.push(at);
        self.limited -= usize::from(agent.profile.budget.is_some());
        self.owned -= usize::from(agent.profile.tenant.is_some());
        self.text.remove(id);
        self.unindex(&agent, at);
        Some(agent)
    }

    fn index(&mut self, agent: &Agent, at: usize) {
        for name in index_names(&agent.profile) {
            let place = place(agent, name, at);
            match self.by_capability.get_mut(name) {
                Some(places) => places.insert(place),
                None => self.by_capability.entry(name.to_owned()).or_default().insert(place),
            };
        }
    }

    fn unindex(&mut self, agent: &Agent, at: usize) {
        for name in index_names(&agent.profile) {
            if let Some(places) = self.by_capability.get_mut(name) {
                places.remove(&place(agent, name, at));
                if places.is_empty() {
                    self.by_capability.remove(name);
                }
            }
        }
    }

    /// Follows a decision: from whom an offer is gone, and to whom one went.
    pub fn follow(&mut self, (from, to): &(Vec<AgentId>, Vec<AgentId>)) {
        from.iter().for_each(|id| self.offer_gone(id));
        to.iter().for_each(|id| self.offered(id));
    }

    /// Takes back what a decision that came to nothing was counted for. A turn that was had stays had.
    pub fn unfollow(&mut self, (from, to): &(Vec<AgentId>, Vec<AgentId>)) {
        to.iter().for_each(|id| self.offer_gone(id));
        from.iter().for_each(|id| self.count_waiting(id, 1));
    }

    /// So many more offers wait for this agent.
    pub fn count_waiting(&mut self, id: &AgentId, offers: u32) {
        if let Some(agent) = self.get_mut(id) {
            agent.waiting = agent.waiting.saturating_add(offers);
        }
    }

    /// Takes over how much everybody has to do: what each works on, and what waits for it. Nothing for those who are not
    /// named. Gives whoever works on less than before.
    pub fn take_over(&mut self, loads: &BTreeMap<AgentId, (u32, u32)>) -> Vec<AgentId> {
        let mut less = Vec::new();
        for agent in self.kept.iter_mut().flatten() {
            let (load, waiting) = loads.get(&agent.profile.id).copied().unwrap_or_default();
            if load < agent.load {
                less.push(agent.profile.id.clone());
            }
            (agent.load, agent.waiting) = (load, waiting);
        }
        less
    }

    fn offer_gone(&mut self, id: &AgentId) {
        if let Some(agent) = self.get_mut(id) {
            agent.waiting = agent.waiting.saturating_sub(1);
        }
    }

    /// A handoff went on offer to this agent: it had its turn.
    fn offered(&mut self, id: &AgentId) {
        let Some(at) = self.by_id.get(id).copied() else { return };
        let Some(mut agent) = self.kept[at].take() else { return };
        self.unindex(&agent, at);
        self.turns += 1;
        agent.turn = self.turns;
        agent.waiting = agent.waiting.saturating_add(1);
        self.index(&agent, at);
        self.kept[at] = Some(agent);
    }

    /// Everybody who can do this: the most proficient first, among equals whoever waited longest for a turn.
    pub fn who_can(&self, capability: &str) -> impl Iterator<Item = &Agent> + use<'_> {
        self.by_capability.get(capability).into_iter().flatten().filter_map(|(.., at)| self.kept[*at].as_ref())
    }

    /// The names of all capabilities.
    pub(crate) fn capabilities(&self) -> impl Iterator<Item = &str> {
        self.by_capability.keys().map(String::as_str)
    }

    /// Everybody by what they say of themselves.
    #[must_use]
    pub fn text(&self) -> &TextIndex {
        &self.text
    }

    /// The registered id that is most like this one, for a hint.
    #[must_use]
    pub fn nearest(&self, id: &str) -> Option<&AgentId> {
        crate::nearest::nearest(id, self.by_id.keys().map(|k| (k.as_str(), k)))
    }
}

fn place(agent: &Agent, capability: &str, at: usize) -> Place {
    let proficiency = agent.profile.proficiency(capability).unwrap_or(0.0).max(0.0);
    // The bits of numbers that are not negative are in the order of the numbers.
    (Reverse(proficiency.to_bits()), agent.turn, agent.profile.id.clone(), at)
}

fn index_names(profile: &Profile) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = profile.capabilities.iter().map(|c| c.id.as_str()).collect();
    if !profile.specialization.is_empty() {
        names.insert(&profile.specialization);
    }
    names
}
