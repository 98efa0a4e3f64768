//! Whether a workflow can be: every name known, every value in its bounds, nothing that contradicts itself. What leads
//! where is looked at afterwards, in `paths` and `shadow`.

use super::{Payload, Retry, Rule, State, Workflow, dear::Dear};
use crate::{
    decide::validate::Checks,
    expression::on_one_stack,
    ids::AgentId,
    limits,
    nearest::nearest,
    policy::{SessionLimits, check_session_limits},
    refusal::{Code, HandoffError, Refusal},
};
use serde_json::json;
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
    /// Checks all of it, and gives what is worth a second look.
    ///
    /// # Errors
    /// With everything that is wrong.
    pub fn check(&self) -> Result<Vec<Noted>, HandoffError> {
        let mut checks = on_one_stack(|| self.parts());
        if !is_enough(&checks) {
            // What leads where only makes sense when the names do. Where nothing is wrong, they do.
            let leads = checks.is_clean() || self.leads_somewhere();
            if leads && self.check_start(&mut checks) {
                self.check_paths(&mut checks);
            }
            self.check_shadows(&mut checks);
            self.check_signals(&mut checks);
        }
        checks.done()?;
        Ok(super::overlap::notes(self))
    }

    /// What is wrong with each part by itself, whatever the others say: for a workflow of which only some parts could
    /// be read.
    #[must_use]
    pub fn check_parts(&self) -> Vec<Refusal> {
        on_one_stack(|| self.parts()).done().err().map(|error| error.refusals).unwrap_or_default()
    }

    fn parts(&self) -> Checks {
        let mut checks = Checks::default();
        name("name", &self.name, &mut checks);
        super::named::file_name("name", &self.name, &mut checks);
        checks.optional_text("description", &self.description);
        checks.payload("with", &self.with);
        self.check_agents(&mut checks);
        self.check_states(&mut checks);
        self.check_transitions(&mut checks);
        checks.count("rules", self.rules.len(), limits::WORKFLOW_RULES_MAX, "WORKFLOW_RULES_MAX");
        let mut dear = Dear::of(self, &mut checks);
        let responsible = self.states.values().filter_map(|state| state.agent.as_ref()).collect();
        for (i, rule) in self.rules.iter().enumerate().take(limits::WORKFLOW_RULES_MAX) {
            self.check_rule(&format!("rules[{i}]"), rule, &responsible, &mut checks);
            dear.condition(&format!("rules[{i}]"), rule.condition.as_ref(), &mut checks);
            dear.schema(&format!("rules[{i}].payload"), &rule.payload, &mut checks);
        }
        self.check_twice(&mut checks);
        self.check_route(&mut checks);
        self.check_events(&mut dear, &mut checks);
        check_session_limits("limits", &SessionLimits { time_ms: None, ..self.limits }, &mut checks);
        if let Some(ms) = self.limits.time_ms {
            wait("limits.time", ms, &mut checks);
        }
        checks
    }

    /// Whether every name that a way is made of is known, and there are no more of them than a walk is made for.
    fn leads_somewhere(&self) -> bool {
        let state = |name: &String| self.states.contains_key(name);
        let agent = |id: &AgentId| self.agents.contains_key(id);
        let few = self.agents.len() <= limits::WORKFLOW_AGENTS_MAX
            && self.states.len() <= limits::WORKFLOW_STATES_MAX
            && self.rules.len() <= limits::WORKFLOW_RULES_MAX;
        let known = |rule: &Rule| {
            agent(&rule.from) && rule.to.as_ref().is_none_or(agent) && rule.next_state.as_ref().is_none_or(state)
        };
        let route = self.on_error.as_ref();
        few && state(&self.start)
            && self.states.values().all(|entry| entry.agent.as_ref().is_none_or(agent))
            && self.transitions.iter().all(|(from, all)| state(from) && all.iter().all(state))
            && self.rules.iter().all(known)
            && route.and_then(|route| route.to.as_ref()).is_none_or(agent)
            && route.and_then(|route| route.next_state.as_ref()).is_none_or(state)
    }

    fn check_agents(&self, checks: &mut Checks) {
        checks.count("agents", self.agents.len(), limits::WORKFLOW_AGENTS_MAX, "WORKFLOW_AGENTS_MAX");
        for (id, member) in &self.agents {
            let field = format!("agents.{id}");
            checks.optional_text(&format!("{field}.about"), &member.about);
            names(&format!("{field}.signals"), &member.signals, checks);
            let at = format!("{field}.capabilities");
            checks.count(&at, member.capabilities.len(), limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
            member.capabilities.iter().enumerate().for_each(|(i, text)| checks.text(&format!("{at}[{i}]"), text));
            checks.payload(&format!("{field}.with"), &member.with);
            if member.at_once == Some(0) {
                let refusal = Refusal::new(Code::OutOfRange, "0 would take nothing").at(format!("{field}.at_once"));
                checks.add(refusal.hint("leave it out, or give 1 or more"));
            }
            if member.run.as_ref().is_some_and(super::Runner::is_empty) {
                let refusal = Refusal::new(Code::EmptyField, "it names nothing to run").at(format!("{field}.run"));
                checks.add(refusal.hint("write `command: [program, argument]` or `builtin: name`"));
            }
        }
    }

    fn check_states(&self, checks: &mut Checks) {
        checks.count("states", self.states.len(), limits::WORKFLOW_STATES_MAX, "WORKFLOW_STATES_MAX");
        self.is_state("start", &self.start, checks);
        for (state, entry) in &self.states {
            let field = format!("states.{state}");
            name(&field, state, checks);
            super::named::file_name(&field, state, checks);
            self.check_state(&field, state, entry, checks);
        }
    }

    fn check_state(&self, field: &str, state: &str, entry: &State, checks: &mut Checks) {
        checks.optional_text(&format!("{field}.about"), &entry.about);
        if let Some(agent) = &entry.agent {
            self.is_agent(&format!("{field}.agent"), agent, checks);
        }
        if entry.agent.is_none() && entry.end.is_none() {
            let message = format!("nobody is responsible for {}", quoted(state));
            let refusal = Refusal::new(Code::BadWorkflow, message).at(field);
            checks.add(refusal.hint("give it an `agent`, or say `end: completed` or `end: failed`"));
        }
        if let Some(ms) = entry.timeout_ms {
            wait(&format!("{field}.timeout"), ms, checks);
        }
        if let Some(signal) = &entry.on_timeout {
            let at = format!("{field}.on_timeout");
            name(&at, signal, checks);
            if entry.timeout_ms.is_none() {
                let message = format!("{} has no time that could run out", quoted(state));
                let refusal = Refusal::new(Code::BadWorkflow, message).at(at);
                checks.add(refusal.hint("give the state a `timeout`, such as `timeout: 24h`, or leave this out"));
            }
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
                let message = format!("{} ends the workflow; nothing follows it", quoted(from));
                let refusal = Refusal::new(Code::BadWorkflow, message).at(&field);
                checks.add(refusal.hint("remove this transition, or the `end` of the state"));
            }
        }
    }

    fn check_rule(&self, field: &str, rule: &Rule, responsible: &BTreeSet<&AgentId>, checks: &mut Checks) {
        name(&format!("{field}.id"), &rule.id, checks);
        checks.text(&format!("{field}.reason"), &rule.reason);
        checks.optional_text(&format!("{field}.task"), &rule.task);
        self.is_agent(&format!("{field}.from"), &rule.from, checks);
        if let Some(to) = &rule.to {
            self.is_agent(&format!("{field}.to"), to, checks);
            if *to == rule.from {
                let refusal = Refusal::new(Code::SelfHandoff, format!("{to} would hand over to itself"));
                let hint = "let the agent move the state itself; see `transitions`";
                checks.add(refusal.at(format!("{field}.to")).hint(hint));
            }
        }
        names(&format!("{field}.trigger_state"), &rule.trigger_state, checks);
        self.check_target_state(field, rule, responsible, checks);
        check_payload(&format!("{field}.payload"), &rule.payload, checks);
        if let Some(retry) = &rule.retry {
            check_retry(&format!("{field}.retry"), retry, checks);
        }
    }

    /// The next state exists, and whoever goes on is responsible for it, or for no state by itself.
    fn check_target_state(&self, field: &str, rule: &Rule, responsible: &BTreeSet<&AgentId>, checks: &mut Checks) {
        let Some(next) = &rule.next_state else { return };
        let field = format!("{field}.next_state");
        self.is_state(&field, next, checks);
        let Some(state) = self.states.get(next) else { return };
        match (&rule.to, &state.agent) {
            (None, Some(agent)) if state.end.is_none() => {
                let refusal = Refusal::new(Code::BadWorkflow, format!("nobody goes on in {next}")).at(&field);
                checks.add(refusal.hint(format!("say `to: {agent}`, or lead to a state that ends the workflow")));
            }
            (Some(to), Some(agent)) if to != agent && responsible.contains(to) => {
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
            if let Some(first) = seen.get(rule.id.as_str()) {
                let message = format!("two rules have the id {}", quoted(&rule.id));
                let refusal = Refusal::new(Code::DuplicateId, message).at(format!("rules[{i}].id"));
                let details = json!({"first": format!("rules[{first}].id")});
                checks.add(refusal.hint("give one of the two another id, or remove it").details(details));
            } else {
                seen.insert(&rule.id, i);
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
    }

    fn check_events<'a>(&'a self, dear: &mut Dear<'a>, checks: &mut Checks) {
        checks.count("events", self.events.len(), limits::WORKFLOW_EVENTS_MAX, "WORKFLOW_EVENTS_MAX");
        for (i, event) in self.events.iter().enumerate().take(limits::WORKFLOW_EVENTS_MAX) {
            let field = format!("events[{i}]");
            name(&format!("{field}.on"), &event.on, checks);
            dear.condition(&field, event.condition.as_ref(), checks);
        }
    }

    fn is_agent(&self, field: &str, agent: &AgentId, checks: &mut Checks) {
        if self.agents.contains_key(agent) {
            return;
        }
        let near = near(agent.as_str(), self.agents.keys().map(AgentId::as_str), checks);
        let hint = near.unwrap_or_else(|| format!("add it under `agents`: `{agent}: {{}}`"));
        checks.add(Refusal::new(Code::UnknownAgent, format!("`{agent}` is not among the agents")).at(field).hint(hint));
    }

    fn is_state(&self, field: &str, state: &str, checks: &mut Checks) {
        if self.states.contains_key(state) {
            return;
        }
        let near = near(state, self.states.keys().map(String::as_str), checks);
        let hint = near.unwrap_or_else(|| "add it under `states`, with its `agent`".to_owned());
        let message = format!("{} is not among the states", quoted(state));
        checks.add(Refusal::new(Code::UnknownState, message).at(field).hint(hint));
    }
}

/// Whether so much is wrong that what is dear to look at can wait until some of it is mended.
fn is_enough(checks: &Checks) -> bool {
    checks.found() > limits::MISTAKES_MAX
}

fn check_retry(field: &str, retry: &Retry, checks: &mut Checks) {
    checks.range(&format!("{field}.max"), f64::from(retry.max), 1.0, f64::from(limits::RULE_TRIES_MAX));
    checks.range(&format!("{field}.factor"), f64::from(retry.factor), 1.0, f64::from(limits::RETRY_FACTOR_MAX));
    if retry.backoff_ms > 0 {
        wait(&format!("{field}.backoff"), retry.backoff_ms, checks);
    }
}

fn check_payload(field: &str, payload: &Payload, checks: &mut Checks) {
    let mut seen: BTreeSet<&str> = payload.set.keys().map(String::as_str).collect();
    checks.count(field, payload.names().count(), limits::RULE_FIELDS_MAX, "RULE_FIELDS_MAX");
    for (list, names) in [("required", &payload.required), ("optional", &payload.optional)] {
        for (i, name) in names.iter().enumerate() {
            let at = format!("{field}.{list}[{i}]");
            checks.text(&at, name);
            if !seen.insert(name) {
                let refusal = Refusal::new(Code::DuplicateId, format!("{} is named twice", quoted(name))).at(at);
                checks.add(refusal.hint("name it once, under `required`, `optional` or `set`"));
            }
        }
    }
    for (name, value) in &payload.set {
        checks.payload(&format!("{field}.set.{name}"), value);
    }
}

/// A name of a state, a rule, a signal or a workflow.
fn name(field: &str, text: &str, checks: &mut Checks) {
    checks.text(field, text);
    let count = text.chars().count();
    if count > limits::STATE_CHARS_MAX {
        let max = limits::STATE_CHARS_MAX;
        let message = format!("it has {count} characters; at most {max} are allowed (STATE_CHARS_MAX)");
        checks.add(Refusal::new(Code::TooLarge, message).at(field));
    }
}

/// Names of signals.
fn names(field: &str, all: &[String], checks: &mut Checks) {
    checks.count(field, all.len(), limits::RULE_SIGNALS_MAX, "RULE_SIGNALS_MAX");
    let mut seen = BTreeSet::new();
    for (i, signal) in all.iter().enumerate() {
        let at = format!("{field}[{i}]");
        name(&at, signal, checks);
        if !seen.insert(signal) {
            let refusal = Refusal::new(Code::DuplicateId, format!("{} is named twice", quoted(signal))).at(at);
            checks.add(refusal.hint("name it once"));
        }
    }
}

fn wait(field: &str, ms: u64, checks: &mut Checks) {
    if ms == 0 || ms > limits::WAIT_MS_MAX {
        let max = super::span::text(limits::WAIT_MS_MAX);
        let message = format!("{} is not between 1ms and {max} (WAIT_MS_MAX)", super::span::text(ms));
        checks.add(Refusal::new(Code::OutOfRange, message).at(field).hint(format!("use 1ms to {max}")));
    }
}

/// "Did you mean" one of these names. Nobody reads the hint of a mistake that is only counted.
fn near<'a>(wanted: &str, names: impl Iterator<Item = &'a str>, checks: &Checks) -> Option<String> {
    if wanted.len() > limits::SLIP_BYTES_MAX || is_enough(checks) {
        return None;
    }
    let near = nearest(wanted, names.map(|name| (name, name)))?;
    Some(format!("did you mean `{near}`?"))
}

/// A name as a message may repeat it.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(limits::QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
