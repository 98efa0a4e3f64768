//! The walk over a workflow. A place is a state together with whoever works there, and there may be a million of them; so
//! what does not depend on the place is gone once: transitions once for each state, and rules that name a state once for
//! each agent.

use super::Workflow;
use crate::ids::AgentId;
use std::collections::{BTreeMap, BTreeSet};

/// A state and whoever works there, by number.
pub(super) type Place = (usize, usize);

/// The workflow by numbers.
pub(super) struct Map<'a> {
    workflow: &'a Workflow,
    pub(super) states: Vec<&'a str>,
    pub(super) agents: Vec<&'a AgentId>,
    /// Who is responsible for each state.
    pub(super) owner: Vec<Option<usize>>,
    /// Whether each agent is responsible anywhere.
    settled: Vec<bool>,
    ends: Vec<bool>,
    /// Where each state may be moved to, if somebody is responsible there.
    moves: Vec<Vec<usize>>,
    /// Where each state may be moved to with whoever works in it, as bits; nothing for nowhere.
    leaves: Vec<Vec<u64>>,
    /// Places that the rules of each agent lead to from anywhere.
    ways: Vec<BTreeSet<Place>>,
    /// Whom the rules of each agent lead to in the same state.
    hands: Vec<BTreeSet<usize>>,
    /// Whether a rule of each agent ends the work.
    closes: Vec<bool>,
    /// Where failures go.
    error: Option<(Option<usize>, usize)>,
}

/// What was found on a walk from the start.
pub(super) struct Walk {
    seen: Marks,
    /// Places where the work can end.
    over: Vec<Place>,
    /// Places that nothing leads on from.
    last: Vec<Place>,
}

/// A mark for each place.
struct Marks {
    agents: usize,
    all: Vec<bool>,
}

impl Marks {
    fn new(map: &Map<'_>) -> Self {
        Self { agents: map.agents.len(), all: vec![false; map.states.len() * map.agents.len()] }
    }

    fn has(&self, (state, agent): Place) -> bool {
        self.all[state * self.agents + agent]
    }

    /// Sets a mark; whether it is new.
    fn set(&mut self, (state, agent): Place) -> bool {
        !std::mem::replace(&mut self.all[state * self.agents + agent], true)
    }

    fn set_all(&mut self, places: &[Place]) {
        for place in places {
            self.set(*place);
        }
    }

    fn places(&self) -> impl Iterator<Item = Place> {
        let marked = self.all.iter().enumerate().filter(|(_, marked)| **marked);
        marked.map(|(at, _)| (at / self.agents, at % self.agents))
    }
}

impl<'a> Map<'a> {
    pub(super) fn of(workflow: &'a Workflow) -> Self {
        let states: Vec<&str> = workflow.states.keys().map(String::as_str).collect();
        let agents: Vec<&AgentId> = workflow.agents.keys().collect();
        let agent = |id: &AgentId| agents.binary_search(&id).ok();
        let state = |name: &str| states.binary_search(&name).ok();
        let owner: Vec<_> = workflow.states.values().map(|state| state.agent.as_ref().and_then(agent)).collect();
        let mut settled = vec![false; agents.len()];
        owner.iter().flatten().for_each(|at| settled[*at] = true);
        let route = workflow.on_error.as_ref();
        let error = route
            .and_then(|route| Some((route.next_state.as_deref().and_then(state), route.to.as_ref().and_then(agent)?)));
        let ends = workflow.states.values().map(|state| state.end.is_some()).collect();
        let (moves, leaves) = (vec![vec![]; states.len()], vec![vec![]; states.len()]);
        let (ways, hands) = (vec![BTreeSet::new(); agents.len()], vec![BTreeSet::new(); agents.len()]);
        let closes = vec![false; agents.len()];
        let mut map =
            Self { workflow, states, agents, owner, settled, ends, moves, leaves, ways, hands, closes, error };
        map.add_transitions();
        map.add_rules();
        map
    }

    fn state(&self, name: &str) -> Option<usize> {
        self.states.binary_search(&name).ok()
    }

    fn agent(&self, id: &AgentId) -> Option<usize> {
        self.agents.binary_search(&id).ok()
    }

    fn add_transitions(&mut self) {
        for (from, all) in &self.workflow.transitions {
            let Some(from) = self.state(from) else { continue };
            let to: BTreeSet<usize> = all.iter().filter_map(|to| self.state(to)).collect();
            for to in to {
                match self.owner[to] {
                    Some(_) => self.moves[from].push(to),
                    None => {
                        self.leaves[from].resize(self.states.len().div_ceil(64), 0);
                        self.leaves[from][to / 64] |= 1 << (to % 64);
                    }
                }
            }
        }
    }

    fn add_rules(&mut self) {
        for rule in &self.workflow.rules {
            let Some(from) = self.agent(&rule.from) else { continue };
            let state = rule.next_state.as_deref().and_then(|name| self.state(name));
            match (state, rule.to.as_ref().and_then(|id| self.agent(id))) {
                (Some(state), Some(who)) => drop(self.ways[from].insert((state, who))),
                (None, Some(who)) => drop(self.hands[from].insert(who)),
                (state, None) => {
                    self.closes[from] = true;
                    self.ways[from].extend(state.map(|state| (state, from)));
                }
            }
        }
    }

    /// Whether the rules of whoever works there count.
    pub(super) fn counts(&self, (state, agent): Place) -> bool {
        self.owner[state] == Some(agent) || !self.settled[agent]
    }

    /// Whether anything leads on from a place.
    fn leads_on(&self, (state, agent): Place) -> bool {
        let moves = !self.moves[state].is_empty() || !self.leaves[state].is_empty();
        moves || (self.counts((state, agent)) && !(self.ways[agent].is_empty() && self.hands[agent].is_empty()))
    }

    /// Everything that the work can come to. `steps` counts how often somebody looked where it goes.
    pub(super) fn walk(&self, steps: &mut usize) -> Walk {
        let mut walk = Walk { seen: Marks::new(self), over: Vec::new(), last: Vec::new() };
        let (mut moved, mut gone) = (vec![false; self.states.len()], vec![false; self.agents.len()]);
        // The states without anybody responsible that each agent has come to.
        let mut left = vec![vec![0; self.states.len().div_ceil(64)]; self.agents.len()];
        let start = self.state(&self.workflow.start);
        let mut waiting: Vec<Place> = start.and_then(|at| Some((at, self.owner[at]?))).into_iter().collect();
        walk.seen.set_all(&waiting);
        while let Some(place) = waiting.pop() {
            let (state, agent) = place;
            let counts = self.counts(place);
            if self.ends[state] || (counts && self.closes[agent]) {
                walk.over.push(place);
            } else if !self.leads_on(place) {
                walk.last.push(place);
            }
            let mut next: Vec<Place> = Vec::new();
            if !std::mem::replace(&mut moved[state], true) {
                next.extend(self.moves[state].iter().filter_map(|to| Some((*to, self.owner[*to]?))));
            }
            for (word, (to, come)) in self.leaves[state].iter().zip(&mut left[agent]).enumerate() {
                let new = to & !*come;
                *come |= new;
                next.extend(bits(new).map(|bit| (word * 64 + bit, agent)));
            }
            if counts {
                if !std::mem::replace(&mut gone[agent], true) {
                    next.extend(&self.ways[agent]);
                }
                next.extend(self.hands[agent].iter().map(|who| (state, *who)));
            }
            next.extend(self.error.filter(|(_, who)| *who != agent).map(|(to, who)| (to.unwrap_or(state), who)));
            *steps += 1 + next.len();
            waiting.extend(next.into_iter().filter(|to| walk.seen.set(*to)));
        }
        walk.last.sort_unstable();
        walk
    }
}

/// The numbers of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// The same map, backwards.
struct Back {
    /// States from which each state may be moved to.
    moves: Vec<Vec<usize>>,
    /// Agents whose rules lead to a place from anywhere.
    ways: BTreeMap<Place, Vec<usize>>,
    /// Agents whose rules lead to each agent in the same state.
    hands: Vec<Vec<usize>>,
}

impl Back {
    fn of(map: &Map<'_>) -> Self {
        let (mut moves, mut hands) = (vec![vec![]; map.states.len()], vec![vec![]; map.agents.len()]);
        let mut ways: BTreeMap<Place, Vec<usize>> = BTreeMap::new();
        for (from, all) in map.moves.iter().enumerate() {
            all.iter().for_each(|to: &usize| moves[*to].push(from));
        }
        for agent in 0..map.agents.len() {
            map.hands[agent].iter().for_each(|who| hands[*who].push(agent));
            map.ways[agent].iter().for_each(|place| ways.entry(*place).or_default().push(agent));
        }
        Self { moves, ways, hands }
    }
}

impl Walk {
    /// Places that the work can come to, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        self.seen.places()
    }

    /// Every place from which one of these can be come to. What a state without anybody responsible is moved to by is
    /// left out; whoever asks puts it among the ends.
    fn leading_to(&self, map: &Map<'_>, back: &Back, ends: &[Place], steps: &mut usize) -> Marks {
        let mut found = Marks::new(map);
        let mut waiting = ends.to_vec();
        found.set_all(ends);
        let (mut moved, mut gone) = (vec![false; map.states.len()], vec![false; map.agents.len()]);
        while let Some((state, agent)) = waiting.pop() {
            let mut before: Vec<Place> = Vec::new();
            let own = map.owner[state] == Some(agent);
            for from in back.moves[state].iter().filter(|_| own) {
                if !std::mem::replace(&mut moved[*from], true) {
                    before.extend((0..map.agents.len()).map(|who| (*from, who)));
                }
            }
            for who in back.ways.get(&(state, agent)).into_iter().flatten() {
                if !std::mem::replace(&mut gone[*who], true) {
                    before.extend((0..map.states.len()).map(|at| (at, *who)).filter(|place| map.counts(*place)));
                }
            }
            let handed = back.hands[agent].iter().map(|who| (state, *who));
            before.extend(handed.filter(|place| map.counts(*place)));
            *steps += 1 + before.len();
            waiting.extend(before.into_iter().filter(|place| self.seen.has(*place) && found.set(*place)));
        }
        found
    }

    /// Places from which the work never comes to an end: where it stops, and where it turns for ever. Those that only
    /// lead there are not told, or one mistake would be told of the whole workflow.
    pub(super) fn dead(&self, map: &Map<'_>, steps: &mut usize) -> Vec<Place> {
        let back = Back::of(map);
        // A state without anybody responsible ends the work.
        let leaving = self.places().filter(|(state, _)| !map.leaves[*state].is_empty());
        let over: Vec<Place> = self.over.iter().copied().chain(leaving).collect();
        let ending = self.leading_to(map, &back, &over, steps);
        let stopping = self.leading_to(map, &back, &self.last, steps);
        let turning = self.places().filter(|place| !ending.has(*place) && !stopping.has(*place));
        self.last.iter().copied().chain(turning).collect()
    }
}

#[cfg(test)]
mod tests;
