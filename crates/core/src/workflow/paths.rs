//! Where the work can get, and from where it comes to an end. A place is a state together with whoever works there: an
//! agent without a state of its own may work in any of them.

use super::{
    Workflow,
    walk::{Map, Place},
};
use crate::{
    decide::validate::Checks,
    ids::AgentId,
    limits,
    refusal::{Code, Refusal},
};
use std::collections::{BTreeMap, BTreeSet};

impl Workflow {
    /// Whether somebody can begin.
    pub(super) fn check_start(&self, checks: &mut Checks) -> bool {
        let start = self.states.get(&self.start);
        let begins = start.is_some_and(|state| state.agent.is_some());
        // One that has neither an agent nor an end is told of by itself.
        if !begins && start.is_some_and(|state| state.end.is_some()) {
            let refusal = Refusal::new(Code::BadWorkflow, format!("{} ends before anything begins", self.start));
            checks.add(refusal.at("start").hint("start in a state that has an agent"));
        }
        begins
    }

    /// States that cannot be reached or left, and rules of somebody who never has work.
    pub(super) fn check_paths(&self, checks: &mut Checks) {
        let (map, before) = (Map::of(self), checks.found());
        let steps = &mut 0;
        let walk = map.walk(steps);
        // So many are told at most, and there may be a million.
        let dead = walk.dead(&map, steps).into_iter().take(limits::MISTAKES_MAX + 1);
        dead.for_each(|place| map.tell_dead(place, checks));
        let reached: BTreeSet<usize> = walk.places().map(|(state, _)| state).collect();
        let lost: Vec<&str> =
            (0..map.states.len()).filter(|at| !reached.contains(at)).map(|at| map.states[at]).collect();
        // The engine goes there by itself when the work cannot go on.
        let lost: Vec<&str> = lost.into_iter().filter(|state| self.failed_state() != Some(state)).collect();
        let works: BTreeSet<&AgentId> =
            walk.places().filter(|place| map.counts(*place)).map(|(_, agent)| map.agents[agent]).collect();
        let idle: Vec<usize> = (0..self.rules.len()).filter(|i| !works.contains(&self.rules[*i].from)).collect();
        // What something leads to is lost with it, and is told when that is mended. Only where all of it leads to one
        // another, all of it is told.
        let (first_lost, first_idle) = (self.led_to_by_nothing(&lost), self.handed_to_by_nobody(&idle));
        let none = checks.found() == before && first_lost.is_empty() && first_idle.is_empty();
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
