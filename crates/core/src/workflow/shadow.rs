//! Rules that can never fire: those behind one that always fits first, and those that wait for what is never said.

use super::{Rule, Workflow, numbers::Numbers};
use crate::{
    decide::validate::Checks,
    ids::AgentId,
    limits,
    nearest::nearest,
    refusal::{Code, Refusal},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Which rule takes a signal of an agent under a condition. Without a signal it takes them all.
type Taken<'a> = HashMap<(usize, Option<usize>, Option<usize>), &'a Rule>;

impl Workflow {
    /// A rule all of whose signals are taken by rules before it.
    pub(super) fn check_shadows(&self, checks: &mut Checks) {
        let (mut taken, mut numbers) = (Taken::new(), Numbers::default());
        for (i, rule) in self.rules.iter().enumerate() {
            let condition = rule.condition.as_ref().map(|condition| numbers.of(condition.source()));
            let (from, signals) = (numbers.of(rule.from.as_str()), signals(rule, &mut numbers));
            if let Some(first) = shadowed((from, condition, &signals), &taken) {
                let why = if first.condition.is_none() { "fits whatever comes" } else { "has the same condition" };
                let message = format!("rule {} can never fire: rule {} comes first and {why}", rule.id, first.id);
                let refusal = Refusal::new(Code::UselessPart, message).at(format!("rules[{i}]"));
                checks.add(refusal.hint("put the narrower rule first, or give the other one a condition"));
            }
            // One that is used up some day lets the next one through.
            if rule.retry.is_none() {
                for signal in signals {
                    taken.entry((from, condition, signal)).or_insert(rule);
                }
            }
        }
    }

    /// Where an agent says which signals it ends with, its rules wait for these and no others.
    pub(super) fn check_signals(&self, checks: &mut Checks) {
        let mut rules: BTreeMap<&AgentId, Vec<(usize, &Rule)>> = BTreeMap::new();
        for (i, rule) in self.rules.iter().enumerate() {
            rules.entry(&rule.from).or_default().push((i, rule));
        }
        let (anywhere, by_owner) = self.unspoken();
        for (id, member) in self.agents.iter().filter(|(_, member)| !member.signals.is_empty()) {
            let own = rules.get(id).map_or(&[][..], Vec::as_slice);
            let said: BTreeSet<&str> = member.signals.iter().map(String::as_str).collect();
            let unspoken = by_owner.get(id).unwrap_or(&anywhere);
            for (i, rule) in own {
                for (j, signal) in rule.trigger_state.iter().enumerate() {
                    if !said.contains(signal.as_str()) && !unspoken.has(signal) {
                        checks.add(
                            unsaid(rule, signal, &member.signals, checks.found())
                                .at(format!("rules[{i}].trigger_state[{j}]")),
                        );
                    }
                }
            }
            let heard: BTreeSet<&str> =
                own.iter().flat_map(|(_, rule)| &rule.trigger_state).map(String::as_str).collect();
            let any = own.iter().any(|(_, rule)| rule.trigger_state.is_empty());
            let unheard = |signal: &&String| !any && !heard.contains(signal.as_str());
            for (i, signal) in member.signals.iter().enumerate().filter(|(_, signal)| unheard(signal)) {
                let message = format!("{id} may end with {signal}, and no rule leads on from there");
                let refusal = Refusal::new(Code::UselessPart, message).at(format!("agents.{id}.signals[{i}]"));
                checks.add(refusal.hint(format!("add a rule `from: {id}` with this `trigger_state`")));
            }
        }
    }

    /// What steps may end with besides, by whoever is responsible: they say nothing, fail, or are late. An agent without a
    /// state of its own may work in any.
    fn unspoken(&self) -> (Unspoken<'_>, BTreeMap<&AgentId, Unspoken<'_>>) {
        let (mut any, mut own) = (Unspoken::default(), BTreeMap::<_, Unspoken<'_>>::new());
        for (name, state) in &self.states {
            let of_owner = state.agent.as_ref().map(|agent| own.entry(agent).or_default());
            for unspoken in of_owner.into_iter().chain([&mut any]) {
                unspoken.states.insert(name);
                unspoken.late.extend(state.on_timeout.as_deref());
            }
        }
        (any, own)
    }
}

/// Signals that come without anybody saying them.
#[derive(Default)]
struct Unspoken<'a> {
    states: BTreeSet<&'a str>,
    late: BTreeSet<&'a str>,
}

impl Unspoken<'_> {
    fn has(&self, signal: &str) -> bool {
        let state = ["_COMPLETE", "_FAILED", "_TIMEOUT"].into_iter().find_map(|end| signal.strip_suffix(end));
        state.is_some_and(|state| self.states.contains(state)) || self.late.contains(signal)
    }
}

/// The signals of a rule by number; one that is none for any.
fn signals<'a>(rule: &'a Rule, numbers: &mut Numbers<'a>) -> Vec<Option<usize>> {
    if rule.trigger_state.is_empty() {
        return vec![None];
    }
    rule.trigger_state.iter().map(|signal| Some(numbers.of(signal))).collect()
}

/// The rule before this one that takes what it waits for, when every signal of it is taken.
fn shadowed<'a>(rule: (usize, Option<usize>, &[Option<usize>]), taken: &Taken<'a>) -> Option<&'a Rule> {
    let (from, condition, signals) = rule;
    let by = |signal: &Option<usize>| {
        let keys = [(None, None), (condition, None), (None, *signal), (condition, *signal)];
        keys.into_iter().find_map(|(condition, signal)| taken.get(&(from, condition, signal)).copied())
    };
    let all: Option<Vec<&Rule>> = signals.iter().map(by).collect();
    all?.first().copied()
}

fn unsaid(rule: &Rule, signal: &str, said: &[String], found: usize) -> Refusal {
    let message = format!("rule {} can never fire by {signal}: {} does not end with it", rule.id, rule.from);
    // Nobody reads the hint of a mistake that is only counted.
    if found > limits::MISTAKES_MAX {
        return Refusal::new(Code::UselessPart, message);
    }
    let near = nearest(signal, said.iter().map(|name| (name.as_str(), name)));
    let near = near.map(|near| format!("did you mean `{near}`?"));
    Refusal::new(Code::UselessPart, message).hint(near.unwrap_or_else(|| format!("it ends with {}", said.join(", "))))
}
