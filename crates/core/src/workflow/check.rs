//! Whether a workflow can be: every name known, every state reached and left, every rule one that can fire.

use super::{Rule, Workflow};
use crate::{
    decide::validate::Checks,
    ids::AgentId,
    limits,
    nearest::nearest,
    policy::check_session_limits,
    refusal::{Code, HandoffError, Refusal},
};
use std::collections::{BTreeMap, BTreeSet};

/// Something that can be, and is worth a second look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// Where, such as `rules[3].condition`.
    pub field: String,
    /// What.
    pub message: String,
}

impl Workflow {
    /// Checks all of it.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn check(&self) -> Result<Vec<Noted>, HandoffError> {
        let mut checks = Checks::default();
        self.check_names(&mut checks);
        self.check_states(&mut checks);
        self.check_transitions(&mut checks);
        for (i, rule) in self.rules.iter().enumerate() {
            self.check_rule(&format!("rules[{i}]"), rule, &mut checks);
        }
        self.check_twice(&mut checks);
        self.check_route(&mut checks);
        check_session_limits("limits", &self.limits, &mut checks);
        // What leads where only makes sense when the names do.
        if checks.is_clean() {
            self.check_paths(&mut checks);
            self.check_shadows(&mut checks);
            self.check_signals(&mut checks);
        }
        checks.done()?;
        Ok(super::overlap::notes(self))
    }

    fn check_names(&self, checks: &mut Checks) {
        name("name", &self.name, checks);
        checks.optional_text("description", &self.description);
        checks.count("agents", self.agents.len(), limits::WORKFLOW_AGENTS_MAX, "WORKFLOW_AGENTS_MAX");
        checks.count("states", self.states.len(), limits::WORKFLOW_STATES_MAX, "WORKFLOW_STATES_MAX");
        checks.count("rules", self.rules.len(), limits::WORKFLOW_RULES_MAX, "WORKFLOW_RULES_MAX");
        for (id, member) in &self.agents {
            let field = format!("agents.{id}");
            checks.optional_text(&format!("{field}.about"), &member.about);
            checks.count(
                &format!("{field}.signals"),
                member.signals.len(),
                limits::RULE_SIGNALS_MAX,
                "RULE_SIGNALS_MAX",
            );
            if member.at_once == Some(0) {
                let refusal = Refusal::new(Code::OutOfRange, "0 would take nothing; leave it out or give 1 and more");
                checks.add(refusal.at(format!("{field}.at_once")));
            }
            let bad = member.run.as_ref().is_some_and(super::Runner::is_empty);
            if bad {
                let refusal = Refusal::new(Code::EmptyField, "it names nothing to run");
                checks.add(refusal.at(format!("{field}.run")));
            }
        }
    }

    fn check_states(&self, checks: &mut Checks) {
        self.is_state("start", &self.start, checks);
        for (state, entry) in &self.states {
            let field = format!("states.{state}");
            name(&field, state, checks);
            if let Some(agent) = &entry.agent {
                self.is_agent(&format!("{field}.agent"), agent, checks);
            }
            if entry.agent.is_none() && entry.end.is_none() {
                let refusal = Refusal::new(Code::BadWorkflow, format!("nobody is responsible for {state}")).at(&field);
                checks.add(refusal.hint("give it an `agent`, or say `end: completed` or `end: failed`"));
            }
            if let Some(ms) = entry.timeout_ms {
                checks.wait(&format!("{field}.timeout_ms"), ms);
            }
            if entry.on_timeout.is_some() && entry.timeout_ms.is_none() {
                let refusal = Refusal::new(Code::BadWorkflow, format!("{state} has no time that could run out"));
                checks.add(refusal.at(format!("{field}.on_timeout")).hint("give it a `timeout_ms`, or leave this out"));
            }
        }
        if self.states.get(&self.start).is_some_and(|state| state.agent.is_none()) {
            let refusal = Refusal::new(Code::BadWorkflow, format!("{} ends before anything begins", self.start));
            checks.add(refusal.at("start").hint("start in a state that has an agent"));
        }
    }

    fn check_transitions(&self, checks: &mut Checks) {
        for (from, all) in &self.transitions {
            let field = format!("transitions.{from}");
            self.is_state(&field, from, checks);
            for (i, to) in all.iter().enumerate() {
                self.is_state(&format!("{field}[{i}]"), to, checks);
            }
            if self.end_of(from).is_some() && !all.is_empty() {
                let refusal = Refusal::new(Code::BadWorkflow, format!("{from} ends the workflow; nothing follows it"));
                checks.add(refusal.at(&field));
            }
        }
    }

    fn check_rule(&self, field: &str, rule: &Rule, checks: &mut Checks) {
        name(&format!("{field}.id"), &rule.id, checks);
        checks.text(&format!("{field}.reason"), &rule.reason);
        self.is_agent(&format!("{field}.from"), &rule.from, checks);
        if let Some(to) = &rule.to {
            self.is_agent(&format!("{field}.to"), to, checks);
            if *to == rule.from {
                let refusal = Refusal::new(Code::SelfHandoff, format!("{to} would hand over to itself"));
                checks.add(
                    refusal.at(format!("{field}.to")).hint("let the agent move the state itself; see `transitions`"),
                );
            }
        }
        checks.count(
            &format!("{field}.trigger_state"),
            rule.trigger_state.len(),
            limits::RULE_SIGNALS_MAX,
            "RULE_SIGNALS_MAX",
        );
        for (i, signal) in rule.trigger_state.iter().enumerate() {
            name(&format!("{field}.trigger_state[{i}]"), signal, checks);
        }
        self.check_target_state(field, rule, checks);
        if let Some(Err(mistake)) = rule.condition.as_ref().map(super::RuleCondition::compiled) {
            let refusal = Refusal::new(
                Code::BadExpression,
                format!("{} (line {}, column {})", mistake.message, mistake.line, mistake.column),
            );
            checks.add(refusal.at(format!("{field}.condition")).hint(mistake.hint.clone()));
        }
        check_payload(&format!("{field}.payload"), &rule.payload, checks);
        if let Some(retry) = &rule.retry {
            let at = format!("{field}.retry");
            checks.range(&format!("{at}.max"), f64::from(retry.max), 1.0, f64::from(limits::RULE_TRIES_MAX));
            if retry.backoff_ms > 0 {
                checks.wait(&format!("{at}.backoff_ms"), retry.backoff_ms);
            }
        }
    }

    /// The next state exists, and whoever goes on is responsible for it, or for no state by itself.
    fn check_target_state(&self, field: &str, rule: &Rule, checks: &mut Checks) {
        let Some(next) = &rule.next_state else {
            return;
        };
        let field = format!("{field}.next_state");
        self.is_state(&field, next, checks);
        let Some(state) = self.states.get(next) else { return };
        match (&rule.to, &state.agent) {
            (None, Some(agent)) if state.end.is_none() => {
                let refusal = Refusal::new(Code::BadWorkflow, format!("nobody goes on in {next}")).at(&field);
                checks.add(refusal.hint(format!("say `to: {agent}`, or lead to a state that ends the workflow")));
            }
            (Some(to), Some(agent))
                if to != agent && self.states.values().any(|other| other.agent.as_ref() == Some(to)) =>
            {
                let message = format!("{agent} is responsible for {next}, not {to}");
                let refusal = Refusal::new(Code::BadWorkflow, message).at(&field);
                checks.add(refusal.hint(format!("hand over to {agent}, or lead to a state of {to}")));
            }
            _ => {}
        }
    }

    fn check_twice(&self, checks: &mut Checks) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, rule) in self.rules.iter().enumerate() {
            if let Some(first) = seen.insert(&rule.id, i) {
                let message = format!("two rules have the id `{}`: the {}. and the {}.", rule.id, first + 1, i + 1);
                checks.add(Refusal::new(Code::DuplicateId, message).at(format!("rules[{i}].id")));
            }
        }
    }

    fn check_route(&self, checks: &mut Checks) {
        let Some(route) = &self.on_error else { return };
        if let Some(to) = &route.to {
            self.is_agent("on_error.to", to, checks);
        }
        if let Some(state) = &route.next_state {
            self.is_state("on_error.next_state", state, checks);
        }
        for (i, event) in self.events.iter().enumerate() {
            name(&format!("events[{i}].on"), &event.on, checks);
        }
    }

    fn check_paths(&self, checks: &mut Checks) {
        let (reached, ending) = (self.reached(), self.ending());
        for state in self.states.keys().filter(|state| !reached.contains(state.as_str())) {
            let refusal =
                Refusal::new(Code::UselessPart, format!("{state} cannot be reached")).at(format!("states.{state}"));
            checks.add(refusal.hint("add a rule or a transition that leads to it, or remove it"));
        }
        for state in reached.iter().filter(|state| !ending.contains(*state)) {
            let refusal = Refusal::new(Code::UselessPart, format!("from {state} the work never comes to an end"));
            let hint = "add a rule that leads on, or say `end: completed` if it is the last";
            checks.add(refusal.at(format!("states.{state}")).hint(hint));
        }
        let works = |agent: &AgentId| {
            let responsible =
                reached.iter().any(|state| self.states.get(*state).is_some_and(|s| s.agent.as_ref() == Some(agent)));
            let given = self.rules.iter().any(|rule| rule.to.as_ref() == Some(agent));
            responsible || given || self.on_error.as_ref().is_some_and(|route| route.to.as_ref() == Some(agent))
        };
        for (i, rule) in self.rules.iter().enumerate().filter(|(_, rule)| !works(&rule.from)) {
            let message = format!("rule {} can never fire: nothing is ever handed to {}", rule.id, rule.from);
            checks.add(Refusal::new(Code::UselessPart, message).at(format!("rules[{i}].from")));
        }
    }

    /// A rule behind one that always fits first.
    fn check_shadows(&self, checks: &mut Checks) {
        let mut open: BTreeMap<&AgentId, Vec<&Rule>> = BTreeMap::new();
        for (i, rule) in self.rules.iter().enumerate() {
            let earlier = open.entry(&rule.from).or_default();
            if let Some(first) = earlier.iter().find(|first| first.covers(rule)) {
                let why = match &first.condition {
                    None => "fits whatever comes",
                    Some(_) => "has the same condition",
                };
                let message = format!("rule {} can never fire: rule {} comes first and {why}", rule.id, first.id);
                let refusal = Refusal::new(Code::UselessPart, message).at(format!("rules[{i}]"));
                checks.add(refusal.hint("put the narrower rule first, or give the other one a condition"));
            }
            earlier.push(rule);
        }
    }

    /// Where an agent says which signals it ends with, its rules wait for these and no others.
    fn check_signals(&self, checks: &mut Checks) {
        for (id, member) in self.agents.iter().filter(|(_, member)| !member.signals.is_empty()) {
            let own = || self.rules.iter().enumerate().filter(|(_, rule)| rule.from == *id);
            let known: BTreeSet<&String> = member.signals.iter().chain(self.by_time(id)).collect();
            for (i, rule) in own() {
                for (j, signal) in rule.trigger_state.iter().enumerate().filter(|(_, signal)| !known.contains(signal)) {
                    let message = format!("rule {} can never fire by {signal}: {id} does not end with it", rule.id);
                    let near = nearest(signal, member.signals.iter().map(|name| (name.as_str(), name)));
                    let hint = near.map_or_else(
                        || format!("it ends with {}", member.signals.join(", ")),
                        |near| format!("did you mean \"{near}\"?"),
                    );
                    let refusal = Refusal::new(Code::UselessPart, message).at(format!("rules[{i}].trigger_state[{j}]"));
                    checks.add(refusal.hint(hint));
                }
            }
            let heard = |signal: &String| {
                own().any(|(_, rule)| rule.trigger_state.is_empty() || rule.trigger_state.contains(signal))
            };
            for (i, signal) in member.signals.iter().enumerate().filter(|(_, signal)| !heard(signal)) {
                let message = format!("{id} may end with {signal}, and no rule leads on from there");
                let refusal = Refusal::new(Code::UselessPart, message).at(format!("agents.{id}.signals[{i}]"));
                checks.add(refusal.hint("add a rule with this `trigger_state`"));
            }
        }
    }

    /// The signals that come when the time of a state of this agent runs out.
    fn by_time<'a>(&'a self, agent: &'a AgentId) -> impl Iterator<Item = &'a String> {
        self.states
            .values()
            .filter(move |state| state.agent.as_ref() == Some(agent))
            .filter_map(|state| state.on_timeout.as_ref())
    }

    fn is_agent(&self, field: &str, agent: &AgentId, checks: &mut Checks) {
        if self.agents.contains_key(agent) {
            return;
        }
        let near = nearest(agent.as_str(), self.agents.keys().map(|known| (known.as_str(), known)));
        let hint = near.map_or_else(
            || format!("add it under `agents`: `{agent}: {{}}`"),
            |near| format!("did you mean \"{near}\"?"),
        );
        checks.add(Refusal::new(Code::UnknownAgent, format!("`{agent}` is not among the agents")).at(field).hint(hint));
    }

    fn is_state(&self, field: &str, state: &str, checks: &mut Checks) {
        if self.states.contains_key(state) {
            return;
        }
        let near = nearest(state, self.states.keys().map(|known| (known.as_str(), known)));
        let hint = near.map_or_else(
            || format!("add it under `states`: `{state}: {{agent: …}}`"),
            |near| format!("did you mean \"{near}\"?"),
        );
        checks.add(Refusal::new(Code::UnknownState, format!("`{state}` is not among the states")).at(field).hint(hint));
    }
}

impl Rule {
    /// Whether whatever fits the other one fits this one as well, so that the other one never counts.
    fn covers(&self, other: &Self) -> bool {
        let all = self.trigger_state.is_empty()
            || (!other.trigger_state.is_empty()
                && other.trigger_state.iter().all(|signal| self.trigger_state.contains(signal)));
        let same = match (&self.condition, &other.condition) {
            (None, _) => true,
            (Some(own), Some(other)) => own == other,
            (Some(_), None) => false,
        };
        // One that is used up some day lets the next one through.
        all && same && self.retry.is_none()
    }
}

fn check_payload(field: &str, payload: &super::Payload, checks: &mut Checks) {
    let mut seen = BTreeSet::new();
    checks.count(field, payload.names().count(), limits::RULE_FIELDS_MAX, "RULE_FIELDS_MAX");
    for (list, names) in [("required", &payload.required), ("optional", &payload.optional)] {
        for (i, name) in names.iter().enumerate() {
            let at = format!("{field}.{list}[{i}]");
            checks.text(&at, name);
            if !seen.insert(name) {
                checks.add(Refusal::new(Code::DuplicateId, format!("`{name}` is named twice")).at(at));
            }
        }
    }
    for fault in payload.schema.iter().flat_map(crate::schema::Schema::mistakes) {
        checks.add(Refusal::new(Code::BadWorkflow, fault.message).at(format!("{field}.schema.{}", fault.at)));
    }
}

/// A name of a state, a rule, a signal or a workflow.
fn name(field: &str, text: &str, checks: &mut Checks) {
    checks.text(field, text);
    checks.count(field, text.chars().count(), limits::STATE_CHARS_MAX, "STATE_CHARS_MAX");
}
