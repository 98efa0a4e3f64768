//! Where the work can get, and from where it comes to an end. A place is a state together with whoever works there: an
//! agent without a state of its own may work in any of them.

use super::Workflow;
use crate::{
    decide::validate::Checks,
    ids::AgentId,
    refusal::{Code, Refusal},
};
use std::collections::{BTreeMap, BTreeSet};

/// A state and whoever works there, by number.
type Place = (usize, usize);

/// The workflow by numbers, so that a large one is walked quickly.
struct Map<'a> {
    workflow: &'a Workflow,
    states: Vec<&'a str>,
    agents: Vec<&'a AgentId>,
    /// Who is responsible for each state.
    owner: Vec<Option<usize>>,
    /// Whether each agent is responsible anywhere.
    settled: Vec<bool>,
    ends: Vec<bool>,
    /// Where each state may be moved to.
    moves: Vec<Vec<usize>>,
    /// Where the rules of each agent lead: a state, else the same; somebody, else the end.
    ways: Vec<BTreeSet<(Option<usize>, Option<usize>)>>,
    /// Where failures go.
    error: Option<(Option<usize>, usize)>,
}

/// What was found on a walk from the start.
#[derive(Default)]
struct Walk {
    seen: BTreeSet<Place>,
    /// Who comes to each place, by rules and transitions.
    before: BTreeMap<Place, Vec<Place>>,
    /// Places where the work can end.
    over: Vec<Place>,
    /// Places that nothing leads on from.
    last: Vec<Place>,
}

impl<'a> Map<'a> {
    fn of(workflow: &'a Workflow) -> Self {
        let states: Vec<&str> = workflow.states.keys().map(String::as_str).collect();
        let agents: Vec<&AgentId> = workflow.agents.keys().collect();
        let state = |name: &str| states.binary_search(&name).ok();
        let agent = |id: &AgentId| agents.binary_search(&id).ok();
        let owner: Vec<_> = workflow.states.values().map(|state| state.agent.as_ref().and_then(agent)).collect();
        let mut settled = vec![false; agents.len()];
        owner.iter().flatten().for_each(|at| settled[*at] = true);
        let moves = states.iter().map(|name| {
            workflow.transitions.get(*name).into_iter().flatten().filter_map(|to| state(to)).collect::<Vec<_>>()
        });
        let mut ways = vec![BTreeSet::new(); agents.len()];
        for rule in &workflow.rules {
            let way = (rule.next_state.as_deref().and_then(state), rule.to.as_ref().and_then(agent));
            ways.get_mut(agent(&rule.from).unwrap_or(usize::MAX)).map(|all: &mut BTreeSet<_>| all.insert(way));
        }
        let route = workflow.on_error.as_ref();
        let error = route
            .and_then(|route| Some((route.next_state.as_deref().and_then(state), route.to.as_ref().and_then(agent)?)));
        let ends = workflow.states.values().map(|state| state.end.is_some()).collect();
        let moves = moves.collect();
        Self { workflow, owner, settled, ends, moves, ways, error, states, agents }
    }

    /// Whether the rules of whoever works there count.
    fn counts(&self, (state, agent): Place) -> bool {
        self.owner[state] == Some(agent) || !self.settled[agent]
    }

    /// Where the work goes from a place by rules and transitions, and whether it can end there.
    fn next(&self, place: Place) -> (Vec<Place>, bool) {
        let (state, agent) = place;
        let moved = self.moves[state].iter().map(|to| (*to, self.owner[*to].unwrap_or(agent)));
        let mut next: Vec<Place> = moved.collect();
        let mut over = self.ends[state];
        if self.counts(place) {
            for (to, who) in &self.ways[agent] {
                match who {
                    Some(who) => next.push((to.unwrap_or(state), *who)),
                    None => {
                        over = true;
                        next.extend(to.map(|to| (to, agent)));
                    }
                }
            }
        }
        (next, over)
    }

    /// Everything that the work can come to.
    fn walk(&self) -> Walk {
        let mut walk = Walk::default();
        let start = self.states.binary_search(&self.workflow.start.as_str()).ok();
        let mut waiting: Vec<Place> = start.and_then(|at| Some((at, self.owner[at]?))).into_iter().collect();
        walk.seen.extend(&waiting);
        while let Some(place) = waiting.pop() {
            let (next, over) = self.next(place);
            if over {
                walk.over.push(place);
            } else if next.is_empty() {
                walk.last.push(place);
            }
            next.iter().for_each(|to| walk.before.entry(*to).or_default().push(place));
            let failed = self.error.filter(|(_, who)| *who != place.1).map(|(to, who)| (to.unwrap_or(place.0), who));
            waiting.extend(next.into_iter().chain(failed).filter(|to| walk.seen.insert(*to)));
        }
        walk
    }
}

impl Walk {
    /// Every place from which one of these can be come to.
    fn leading_to(&self, ends: &[Place]) -> BTreeSet<Place> {
        let mut found: BTreeSet<Place> = ends.iter().copied().collect();
        let mut waiting = ends.to_vec();
        while let Some(place) = waiting.pop() {
            waiting.extend(self.before.get(&place).into_iter().flatten().filter(|from| found.insert(**from)));
        }
        found
    }

    /// Places from which the work never comes to an end: where it stops, and where it turns for ever. Those that only
    /// lead there are not told, or one mistake would be told of the whole workflow.
    fn dead(&self) -> Vec<Place> {
        let (ending, stopping) = (self.leading_to(&self.over), self.leading_to(&self.last));
        let turning = self.seen.iter().filter(|place| !ending.contains(*place) && !stopping.contains(*place));
        self.last.iter().chain(turning).copied().collect()
    }
}

impl Workflow {
    /// Whether somebody can begin.
    pub(super) fn check_start(&self, checks: &mut Checks) -> bool {
        let begins = self.states.get(&self.start).is_some_and(|state| state.agent.is_some());
        if !begins {
            let refusal = Refusal::new(Code::BadWorkflow, format!("{} ends before anything begins", self.start));
            checks.add(refusal.at("start").hint("start in a state that has an agent"));
        }
        begins
    }

    /// States that cannot be reached or left, and rules of somebody who never has work.
    pub(super) fn check_paths(&self, checks: &mut Checks) {
        let map = Map::of(self);
        let walk = map.walk();
        walk.dead().into_iter().for_each(|place| map.tell_dead(place, checks));
        let reached: BTreeSet<usize> = walk.seen.iter().map(|(state, _)| *state).collect();
        let lost: Vec<&str> =
            (0..map.states.len()).filter(|at| !reached.contains(at)).map(|at| map.states[at]).collect();
        // The engine goes there by itself when the work cannot go on.
        let lost: Vec<&str> = lost.into_iter().filter(|state| self.failed_state() != Some(state)).collect();
        let works: BTreeSet<&AgentId> =
            walk.seen.iter().filter(|place| map.counts(**place)).map(|(_, agent)| map.agents[*agent]).collect();
        let idle: Vec<usize> = (0..self.rules.len()).filter(|i| !works.contains(&self.rules[*i].from)).collect();
        // What something leads to is lost with it, and is told when that is mended. Only where all of it leads to one
        // another, all of it is told.
        let (first_lost, first_idle) = (self.led_to_by_nothing(&lost), self.handed_to_by_nobody(&idle));
        let none = checks.is_clean() && first_lost.is_empty() && first_idle.is_empty();
        for state in if none { lost } else { first_lost } {
            let refusal = Refusal::new(Code::UselessPart, format!("{state} cannot be reached"));
            let hint = "add a rule or a transition that leads to it, or remove it";
            checks.add(refusal.at(format!("states.{state}")).hint(hint));
        }
        for i in if none { idle } else { first_idle } {
            let rule = &self.rules[i];
            let message = format!("rule {} can never fire: nothing is ever handed to {}", rule.id, rule.from);
            let refusal = Refusal::new(Code::UselessPart, message).at(format!("rules[{i}].from"));
            checks.add(refusal.hint(format!("add a rule with `to: {}`, or remove this one", rule.from)));
        }
    }

    /// Of these states, those that no rule and no transition of another state leads to.
    fn led_to_by_nothing<'a>(&self, states: &[&'a str]) -> Vec<&'a str> {
        let by_rule = self.rules.iter().filter_map(|rule| Some((Some(&rule.from), rule.next_state.as_deref()?)));
        let moved = self.transitions.iter().flat_map(|(from, all)| all.iter().filter(move |to| *to != from));
        let mut led: BTreeMap<&str, BTreeSet<Option<&AgentId>>> = BTreeMap::new();
        for (by, to) in by_rule.chain(moved.map(|to| (None, to.as_str()))) {
            led.entry(to).or_default().insert(by);
        }
        // Whoever is responsible for the state may lead to it from there alone, which leads nowhere.
        let own = |state: &str| self.states.get(state).and_then(|state| state.agent.as_ref());
        let alone =
            |state: &&&str| led.get(**state).is_none_or(|by| by.iter().all(|by| by.is_some() && *by == own(state)));
        states.iter().filter(alone).copied().collect()
    }

    /// Of these rules, those of somebody whom no state, no rule and no error leads to.
    fn handed_to_by_nobody(&self, rules: &[usize]) -> Vec<usize> {
        let states = self.states.values().filter_map(|state| state.agent.as_ref());
        let given = self.rules.iter().filter_map(|rule| rule.to.as_ref());
        let failed = self.on_error.iter().filter_map(|route| route.to.as_ref());
        let named: BTreeSet<&AgentId> = states.chain(given).chain(failed).collect();
        rules.iter().copied().filter(|i| !named.contains(&self.rules[*i].from)).collect()
    }
}

impl Map<'_> {
    fn tell_dead(&self, place: Place, checks: &mut Checks) {
        let (state, agent) = (self.states[place.0], self.agents[place.1]);
        let (message, hint) = if !self.counts(place) {
            let own = self.owner.iter().position(|owner| *owner == Some(place.1)).map_or("", |at| self.states[at]);
            let message = format!("{agent} is given work in {state}, where its rules do not count");
            (message, format!("let the rule lead to a state of {agent}, such as `next_state: {own}`"))
        } else if self.owner[place.0] == Some(place.1) {
            let message = format!("from {state} the work never comes to an end");
            let hint = format!("add a rule `from: {agent}` that leads on, or say `end: completed` if it is the last");
            (message, hint)
        } else {
            let message = format!("{agent} is given work in {state}, and from there it never comes to an end");
            (message, format!("add a rule `from: {agent}` that leads on"))
        };
        checks.add(Refusal::new(Code::UselessPart, message).at(format!("states.{state}")).hint(hint));
    }
}
