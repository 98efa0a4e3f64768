//! Rules that may fit at the same time. The first counts, which may be meant so; whoever reads the file is told.

use super::{Noted, Rule, Workflow};
use crate::{ids::AgentId, limits};
use std::collections::BTreeMap;

/// A rule with a condition, and what must hold for it.
struct Narrow<'a> {
    at: usize,
    rule: &'a Rule,
    parts: Vec<String>,
}

/// Pairs of rules of one agent, with a signal in common, that lead elsewhere and are not plainly apart. Of each rule the
/// first is told, and only so many pairs are looked at: these are hints, and a large file is no reason to wait.
pub(super) fn notes(workflow: &Workflow) -> Vec<Noted> {
    let mut by_agent: BTreeMap<&AgentId, Vec<Narrow<'_>>> = BTreeMap::new();
    for (at, rule) in workflow.rules.iter().enumerate() {
        // A rule without a condition behind others is the rest, and meant so.
        let Some(condition) = &rule.condition else { continue };
        by_agent.entry(&rule.from).or_default().push(Narrow { at, rule, parts: parts(condition.source()) });
    }
    let mut notes = Vec::new();
    let mut pairs = 0;
    for rules in by_agent.values() {
        for (n, second) in rules.iter().enumerate() {
            // The nearest before it are the likeliest to be confused with it.
            let left = limits::RULE_PAIRS_MAX.saturating_sub(pairs);
            let before = &rules[n.saturating_sub(left)..n];
            pairs += before.len();
            if let Some(first) = before.iter().find(|first| overlap(first, second)) {
                let (one, other) = (&first.rule.id, &second.rule.id);
                let message = format!("rules {one} and {other} may both fit; the first counts");
                notes.push(Noted { field: format!("rules[{}]", second.at), message });
            }
        }
    }
    notes.sort_by_key(|note| (note.field.len(), note.field.clone()));
    notes
}

/// Whether both may fit.
fn overlap(first: &Narrow<'_>, second: &Narrow<'_>) -> bool {
    let (one, other) = (&first.rule, &second.rule);
    let elsewhere = one.to != other.to || one.next_state != other.next_state;
    elsewhere && meet(&one.trigger_state, &other.trigger_state) && !apart(&first.parts, &second.parts)
}

/// Whether one signal can be meant for both.
fn meet(one: &[String], other: &[String]) -> bool {
    one.is_empty() || other.is_empty() || one.iter().any(|signal| other.contains(signal))
}

/// Whether two conditions plainly exclude each other: a part of one is the opposite of a part of the other.
fn apart(one: &[String], other: &[String]) -> bool {
    one.iter().any(|a| other.iter().any(|b| opposite(a, b) || opposite(b, a)))
}

fn opposite(a: &str, b: &str) -> bool {
    let denied = |inner: &str| inner == a || inner.strip_prefix('(').and_then(|it| it.strip_suffix(')')) == Some(a);
    if b.strip_prefix('!').is_some_and(denied) {
        return true;
    }
    let (Some((left, sign, right)), Some((other_left, other_sign, other_right))) = (compared(a), compared(b)) else {
        return false;
    };
    if left != other_left {
        return false;
    }
    let numbers = || number(right).zip(number(other_right));
    match (sign, other_sign) {
        ("==", "==") => right != other_right && literal(right) && literal(other_right),
        ("==", "!=") => right == other_right,
        ("==", "<") => numbers().is_some_and(|(is, below)| is >= below),
        ("==", "<=") => numbers().is_some_and(|(is, most)| is > most),
        ("==", ">") => numbers().is_some_and(|(is, above)| is <= above),
        ("==", ">=") => numbers().is_some_and(|(is, least)| is < least),
        ("<=", ">=") => numbers().is_some_and(|(most, least)| most < least),
        ("<" | "<=", ">" | ">=") => right == other_right || numbers().is_some_and(|(most, least)| most <= least),
        _ => false,
    }
}

/// The two sides of a comparison.
fn compared(part: &str) -> Option<(&str, &'static str, &str)> {
    let at = part.find(['=', '!', '<', '>']).filter(|at| *at > 0)?;
    let rest = &part[at..];
    let sign = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|sign| rest.starts_with(sign))?;
    Some((&part[..at], sign, &rest[sign.len()..]))
}

/// A value that stands for itself. A text that goes on after its quotes is none.
fn literal(text: &str) -> bool {
    let quoted = |quote: char| {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inner.is_some_and(|inner| !inner.contains([quote, '\\']))
    };
    number(text).is_some() || quoted('\'') || quoted('"') || matches!(text, "true" | "false" | "null")
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The parts of a condition that must all hold, without spaces outside of quotes.
fn parts(source: &str) -> Vec<String> {
    let (mut depth, mut quote, mut escaped) = (0_i32, None, false);
    let mut all = vec![String::new()];
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            // Where anything may hold instead, nothing must.
            (None, '|' | '?') if depth == 0 => return Vec::new(),
            (None, '&') if depth == 0 => {
                letters.next();
                all.push(String::new());
                continue;
            }
            (None, letter) if letter.is_whitespace() => continue,
            _ => {}
        }
        if let Some(part) = all.last_mut() {
            part.push(letter);
        }
    }
    all.truncate(limits::CONDITION_PARTS_MAX);
    all
}
