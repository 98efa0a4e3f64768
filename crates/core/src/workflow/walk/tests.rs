//! The walk finds what a plain walk over every place finds, and stays small where that one does not.

use super::*;
use crate::limits;
use serde_json::{Value, json};

/// A small generator whose numbers are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, max: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % max.max(1) as u64).unwrap()
    }

    fn name(&mut self, letter: &str, max: usize) -> Value {
        json!(format!("{letter}{}", self.below(max)))
    }
}

/// Any workflow whose names fit together.
fn any(dice: &mut Dice) -> Workflow {
    let (agents, states, rules) = (1 + dice.below(4), 2 + dice.below(5), dice.below(7));
    let (mut all, mut moves) = (json!({}), json!({}));
    for i in 0..states {
        let ends = i > 0 && dice.below(4) == 0;
        let mut state = if ends { json!({"end": "completed"}) } else { json!({}) };
        if !ends || dice.below(3) == 0 {
            state["agent"] = dice.name("a", agents);
        }
        if !ends {
            let to: Vec<Value> = (0..dice.below(3)).map(|_| dice.name("S", states)).collect();
            moves[format!("S{i}")] = json!(to);
        }
        all[format!("S{i}")] = state;
    }
    let mut rule = |i: usize| {
        let mut rule = json!({"id": i.to_string(), "from": dice.name("a", agents), "reason": "r"});
        if dice.below(3) > 0 {
            rule["to"] = dice.name("a", agents);
        }
        if dice.below(2) > 0 {
            rule["next_state"] = dice.name("S", states);
        }
        rule
    };
    let rules: Vec<Value> = (0..rules).map(&mut rule).collect();
    let team: serde_json::Map<String, Value> = (0..agents).map(|i| (format!("a{i}"), json!({}))).collect();
    let mut flow =
        json!({"name": "x", "agents": team, "start": "S0", "states": all, "transitions": moves, "rules": rules});
    if dice.below(3) == 0 {
        flow["on_error"] = json!({"to": dice.name("a", agents)});
    }
    serde_json::from_value(flow).unwrap()
}

/// The places that the work can come to and those where it never ends, by going every way from every place.
fn plainly(map: &Map<'_>) -> (Vec<Place>, Vec<Place>) {
    let next = |(state, agent): Place| {
        let to = map.workflow.transitions.get(map.states[state]).into_iter().flatten();
        let to = to.map(|name| map.state(name).unwrap());
        let mut next: Vec<Place> = to.map(|to| (to, map.owner[to].unwrap_or(agent))).collect();
        let mut over = map.ends[state];
        for rule in map.workflow.rules.iter().filter(|rule| map.agent(&rule.from) == Some(agent)) {
            let to = rule.next_state.as_ref().map(|name| map.state(name).unwrap());
            match rule.to.as_ref().filter(|_| map.counts((state, agent))) {
                Some(who) => next.push((to.unwrap_or(state), map.agent(who).unwrap())),
                None if map.counts((state, agent)) => {
                    over = true;
                    next.extend(to.map(|to| (to, agent)));
                }
                None => {}
            }
        }
        (next, over)
    };
    let mut seen: BTreeSet<Place> = BTreeSet::from([(0, map.owner[0].unwrap())]);
    let mut waiting: Vec<Place> = seen.iter().copied().collect();
    while let Some(place) = waiting.pop() {
        let failed = map.error.filter(|(_, who)| *who != place.1).map(|(to, who)| (to.unwrap_or(place.0), who));
        waiting.extend(next(place).0.into_iter().chain(failed).filter(|to| seen.insert(*to)));
    }
    let leading = |ends: &dyn Fn(Place) -> bool| {
        let mut found: BTreeSet<Place> = seen.iter().copied().filter(|place| ends(*place)).collect();
        loop {
            let more = seen.iter().filter(|place| next(**place).0.iter().any(|to| found.contains(to)));
            let more: Vec<Place> = more.copied().filter(|place| !found.contains(place)).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    };
    let stops = |place: Place| matches!(next(place), (all, false) if all.is_empty());
    let (ending, stopping) = (leading(&|place| next(place).1), leading(&stops));
    let turns = |place: Place| !ending.contains(&place) && !stopping.contains(&place);
    let dead = seen.iter().copied().filter(|place| stops(*place) || turns(*place)).collect();
    (seen.into_iter().collect(), dead)
}

#[test]
fn it_finds_what_a_plain_walk_finds() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut dead_ones, mut good) = (0, 0);
    for _ in 0..2_000 {
        let workflow = any(&mut dice);
        let map = Map::of(&workflow);
        let walk = map.walk(&mut 0);
        let mut dead = walk.dead(&map, &mut 0);
        dead.sort_unstable();
        let found = (walk.places().collect::<Vec<_>>(), dead);
        assert_eq!(found, plainly(&map), "{workflow:?}");
        if found.1.is_empty() { good += 1 } else { dead_ones += 1 }
    }
    assert!(dead_ones > 200 && good > 200, "{dead_ones} {good}");
}

/// States that all lead to one another, half of them ends, and agents without a state who hand on in each.
fn large(states: usize, agents: usize, rules: usize) -> Workflow {
    let names: Vec<String> = (0..states).map(|i| format!("S{i}")).collect();
    let of_state = |i: usize| if i.is_multiple_of(2) { json!({"agent": "a0"}) } else { json!({"end": "completed"}) };
    let all: serde_json::Map<String, Value> = (0..states).map(|i| (names[i].clone(), of_state(i))).collect();
    let moves: serde_json::Map<String, Value> =
        (0..states).step_by(2).map(|i| (names[i].clone(), json!(names))).collect();
    let team: serde_json::Map<String, Value> = (0..agents).map(|i| (format!("a{i}"), json!({}))).collect();
    let rule = |i: usize| {
        let (from, to) = (i % agents, (i + 1 + i / agents) % agents);
        json!({"id": i.to_string(), "from": format!("a{from}"), "to": format!("a{to}"), "reason": "r"})
    };
    let rules: Vec<Value> = (0..rules).map(rule).collect();
    let flow = json!({"name": "x", "agents": team, "start": "S0", "states": all, "transitions": moves, "rules": rules});
    serde_json::from_value(flow).unwrap()
}

#[test]
fn its_work_grows_with_the_file_and_not_with_every_way_from_every_place() {
    let (states, agents, rules) = (200, 200, limits::WORKFLOW_RULES_MAX / 5);
    let workflow = large(states, agents, rules);
    let map = Map::of(&workflow);
    let mut steps = 0;
    let walk = map.walk(&mut steps);
    assert_eq!(walk.dead(&map, &mut steps), []);
    assert_eq!(walk.places().count(), states * agents);
    // There are four million ways from all places.
    let transitions = states / 2 * states;
    let most = 3 * (states * agents + states * rules + transitions + states * agents);
    assert!(steps < most && most < states * agents * states / 2, "{steps} steps, at most {most}");
}
