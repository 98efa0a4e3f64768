//! What is dear to check: conditions and patterns. Each different one is compiled once, and only so many are.

use super::{Payload, RULE_ROOTS, Workflow};
use crate::{
    decide::validate::Checks,
    expression::{Condition, Weight},
    limits,
    refusal::{Code, Refusal},
    schema::{Patterns, Schema},
};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// What of a workflow was compiled so far.
#[derive(Default)]
pub(super) struct Dear<'a> {
    conditions: HashMap<&'a str, &'a Condition>,
    patterns: Patterns,
    /// Whether the conditions are too much, so that none of them is compiled.
    heavy: bool,
}

impl<'a> Dear<'a> {
    /// Of a workflow whose conditions are weighed before the first is compiled: what is too much is refused at once.
    pub(super) fn of(workflow: &Workflow, checks: &mut Checks) -> Self {
        let heavy = too_heavy(workflow);
        let found = Self { heavy: heavy.is_some(), ..Self::default() };
        heavy.into_iter().for_each(|refusal| checks.add(refusal));
        found
    }

    /// Whether so much is wrong that what is dear to look at can wait until some of it is mended.
    fn is_enough(&self, checks: &Checks) -> bool {
        self.heavy || checks.found() > limits::MISTAKES_MAX
    }

    pub(super) fn condition(&mut self, field: &str, condition: Option<&'a Condition>, checks: &mut Checks) {
        let Some(condition) = condition.filter(|_| !self.is_enough(checks)) else { return };
        condition.share(self.conditions.entry(condition.source()).or_insert(condition));
        let Err(mistake) = condition.compiled(&RULE_ROOTS) else { return };
        let (line, column) = (mistake.line, mistake.column);
        let refusal = Refusal::new(Code::BadExpression, format!("{} (line {line}, column {column})", mistake.message));
        let details = json!({"line": line, "column": column, "message": mistake.message});
        checks.add(refusal.at(format!("{field}.condition")).hint(mistake.hint.clone()).details(details));
    }

    pub(super) fn schema(&mut self, field: &str, payload: &Payload, checks: &mut Checks) {
        let Some(schema) = payload.schema.as_ref().filter(|_| !self.is_enough(checks)) else { return };
        schema.prepare(&mut self.patterns);
        for fault in Schema::mistakes(schema) {
            let refusal = Refusal::new(Code::BadWorkflow, fault.message).at(format!("{field}.schema.{}", fault.at));
            checks.add(refusal.hint("mend the JSON Schema; the message says what is wrong with it"));
        }
    }
}

/// The first condition with which all different ones are too much to compile.
fn too_heavy(workflow: &Workflow) -> Option<Refusal> {
    let rules = workflow.rules.iter().map(|rule| rule.condition.as_ref()).take(limits::WORKFLOW_RULES_MAX);
    let events = workflow.events.iter().map(|event| event.condition.as_ref()).take(limits::WORKFLOW_EVENTS_MAX);
    let rules = rules.enumerate().map(|(i, condition)| ("rules", i, condition));
    let all = rules.chain(events.enumerate().map(|(i, condition)| ("events", i, condition)));
    let (mut seen, mut sum) = (HashSet::new(), Weight::default());
    for (list, i, condition) in all {
        let Some(condition) = condition.filter(|condition| seen.insert(condition.source())) else { continue };
        let more = condition.weight();
        sum = Weight { tokens: sum.tokens + more.tokens, patterns: sum.patterns + more.patterns };
        if let Some(message) = beyond(sum) {
            let refusal = Refusal::new(Code::TooLarge, message).at(format!("{list}[{i}].condition"));
            return Some(refusal.hint("make the conditions shorter, or split it into several workflows"));
        }
    }
    None
}

/// The bound that so much is beyond, in words.
fn beyond(sum: Weight) -> Option<String> {
    let bounds = [
        (sum.tokens, limits::CONDITION_TOKENS_MAX, "words and signs", "CONDITION_TOKENS_MAX"),
        (sum.patterns, limits::CONDITION_PATTERNS_MAX, "patterns of `matches`", "CONDITION_PATTERNS_MAX"),
    ];
    let (_, max, what, name) = bounds.into_iter().find(|(sum, max, ..)| sum > max)?;
    Some(format!("the conditions up to here have more than {max} {what} ({name})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// A workflow with one rule for each of these.
    fn with(rules: impl Iterator<Item = Value>) -> Workflow {
        let rules = rules.enumerate().map(|(i, more)| {
            let mut rule = json!({"id": format!("r{i}"), "from": "a", "reason": "r", "next_state": "DONE"});
            rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            rule
        });
        let states = json!({"A": {"agent": "a"}, "DONE": {"end": "completed"}});
        let (agents, rules) = (json!({"a": {}}), rules.collect::<Vec<_>>());
        serde_json::from_value(json!({"name": "x", "agents": agents, "start": "A", "states": states, "rules": rules}))
            .unwrap()
    }

    /// What is said of the conditions and schemas of a workflow, and what was compiled for it.
    fn looked_at(workflow: &Workflow) -> (Vec<String>, usize, usize) {
        let mut checks = Checks::default();
        let mut dear = Dear::of(workflow, &mut checks);
        for (i, rule) in workflow.rules.iter().enumerate() {
            dear.condition(&format!("rules[{i}]"), rule.condition.as_ref(), &mut checks);
            dear.schema(&format!("rules[{i}].payload"), &rule.payload, &mut checks);
        }
        let said = checks.done().err().map(|error| error.refusals).unwrap_or_default();
        let said = said.into_iter().map(|one| format!("{}: {}", one.field, one.message)).collect();
        (said, dear.conditions.len(), dear.patterns.len())
    }

    #[test]
    fn what_is_the_same_is_compiled_once() {
        let schema =
            |i: usize| json!({"properties": {"a": {"pattern": "^a"}, "b": {"pattern": format!("^b{}", i % 3)}}});
        let rule =
            |i: usize| json!({"condition": format!("outcome.data.x == {}", i % 5), "payload": {"schema": schema(i)}});
        let workflow = with((0..1_000).map(rule));
        assert_eq!(looked_at(&workflow), (vec![], 5, 4));
        let compiled = |i: usize| workflow.rules[i].condition.as_ref().unwrap().compiled(&RULE_ROOTS).unwrap();
        assert!(compiled(0).is(compiled(995)) && !compiled(0).is(compiled(1)));
    }

    #[test]
    fn too_much_is_refused_before_anything_is_compiled() {
        let tokens = limits::EXPRESSION_TOKENS_MAX;
        let long = |i: usize| format!("{}{i} > 0", "1+".repeat(tokens / 2 - 2));
        let last = limits::CONDITION_TOKENS_MAX / (tokens - 1);
        let pattern = |i: usize| format!("session.id.matches('{i}')");
        let patterns = limits::CONDITION_PATTERNS_MAX;
        type Make<'a> = &'a dyn Fn(usize) -> String;
        let table: [(Make<'_>, usize, &str); 4] = [
            (&long, last, ""),
            (&long, last + 1, "more than 75000 words and signs (CONDITION_TOKENS_MAX)"),
            (&pattern, patterns, ""),
            (&pattern, patterns + 1, "more than 500 patterns of `matches` (CONDITION_PATTERNS_MAX)"),
        ];
        for (make, count, message) in table {
            let workflow = with((0..count).map(|i| json!({"condition": make(i)})));
            let said = too_heavy(&workflow).map(|refusal| format!("{}: {}", refusal.field, refusal.message));
            let at = format!("rules[{}].condition: the conditions up to here have ", count - 1);
            assert_eq!(said, (!message.is_empty()).then(|| at + message));
            if !message.is_empty() {
                assert_eq!(looked_at(&workflow).1, 0, "{message}");
            }
        }
    }

    #[test]
    fn patterns_of_schemas_are_bounded_over_all_rules() {
        let rule = |i: usize| json!({"payload": {"schema": {"properties": {"a": {"pattern": format!("^{i}")}}}}});
        let max = limits::SCHEMA_PATTERNS_MAX;
        assert_eq!(looked_at(&with((0..max).map(rule))), (vec![], 0, max));
        let (said, _, compiled) = looked_at(&with((0..=max).map(rule)));
        let message = "the schemas have more different patterns than SCHEMA_PATTERNS_MAX";
        assert_eq!(said, [format!("rules[{max}].payload.schema.properties.a.pattern: {message}")]);
        assert_eq!(compiled, max);
    }
}
