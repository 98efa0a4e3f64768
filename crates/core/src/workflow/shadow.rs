//! Rules that can never fire: those behind one that always fits first, and those that wait for what is never said.

use super::{Rule, State, Workflow};
use crate::{
    decide::validate::Checks,
    ids::AgentId,
    limits,
    nearest::nearest,
    refusal::{Code, Refusal},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Which rule takes a signal of an agent under a condition. Without a signal it takes them all.
type Taken<'a> = HashMap<(&'a AgentId, Option<&'a str>, Option<&'a str>), &'a Rule>;

impl Workflow {
    /// A rule all of whose signals are taken by rules before it.
    pub(super) fn check_shadows(&self, checks: &mut Checks) {
        let mut taken = Taken::new();
        for (i, rule) in self.rules.iter().enumerate() {
            if let Some(first) = shadowed(rule, &taken) {
                let why = if first.condition.is_none() { "fits whatever comes" } else { "has the same condition" };
                let message = format!("rule {} can never fire: rule {} comes first and {why}", rule.id, first.id);
                let refusal = Refusal::new(Code::UselessPart, message).at(format!("rules[{i}]"));
                checks.add(refusal.hint("put the narrower rule first, or give the other one a condition"));
            }
            // One that is used up some day lets the next one through.
            if rule.retry.is_none() {
                let condition = rule.condition.as_ref().map(crate::expression::Condition::source);
                for signal in signals(rule) {
                    taken.entry((&rule.from, condition, signal)).or_insert(rule);
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
        for (id, member) in self.agents.iter().filter(|(_, member)| !member.signals.is_empty()) {
            let own = rules.get(id).map_or(&[][..], Vec::as_slice);
            let said: BTreeSet<&str> = member.signals.iter().map(String::as_str).collect();
            let unspoken = self.unspoken(id);
            for (i, rule) in own {
                for (j, signal) in rule.trigger_state.iter().enumerate() {
                    if !said.contains(signal.as_str()) && !unspoken(signal) {
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

    /// What a step of this agent may end with besides: it says nothing, fails, or is late.
    fn unspoken<'a>(&'a self, agent: &AgentId) -> impl Fn(&str) -> bool + use<'a> {
        let own = |state: &&State| state.agent.as_ref() == Some(agent);
        let settled = self.states.values().any(|state| own(&state));
        let own = self.states.iter().filter(|(_, state)| !settled || own(state));
        let (names, late): (BTreeSet<&str>, BTreeSet<Option<&str>>) =
            own.map(|(name, state)| (name.as_str(), state.on_timeout.as_deref())).unzip();
        move |signal| {
            let state = ["_COMPLETE", "_FAILED", "_TIMEOUT"].into_iter().find_map(|end| signal.strip_suffix(end));
            state.is_some_and(|state| names.contains(state)) || late.contains(&Some(signal))
        }
    }
}

/// The signals of a rule; one that is none for any.
fn signals(rule: &Rule) -> impl Iterator<Item = Option<&str>> {
    let any = rule.trigger_state.is_empty().then_some(None);
    any.into_iter().chain(rule.trigger_state.iter().map(|signal| Some(signal.as_str())))
}

/// The rule before this one that takes what it waits for, when every signal of it is taken.
fn shadowed<'a>(rule: &'a Rule, taken: &Taken<'a>) -> Option<&'a Rule> {
    let condition = rule.condition.as_ref().map(crate::expression::Condition::source);
    let by = |signal: Option<&'a str>| {
        let keys = [(None, None), (condition, None), (None, signal), (condition, signal)];
        keys.into_iter().find_map(|(condition, signal)| taken.get(&(&rule.from, condition, signal)).copied())
    };
    let all: Option<Vec<&Rule>> = signals(rule).map(by).collect();
    all?.first().copied()
}

fn unsaid(rule: &Rule, signal: &str, said: &[String], found: usize) -> Refusal {
    let message = format!("rule {} can never fire by {signal}: {} does not end with it", rule.id, rule.from);
    // Nobody reads the hint of a mistake that is only counted.
    let near = (found <= limits::MISTAKES_MAX).then(|| nearest(signal, said.iter().map(|name| (name.as_str(), name))));
    let near = near.flatten().map(|near| format!("did you mean `{near}`?"));
    Refusal::new(Code::UselessPart, message).hint(near.unwrap_or_else(|| format!("it ends with {}", said.join(", "))))
}
