//! Rules that may fit at the same time. The first counts, which may be meant so; whoever reads the file is told.

use super::{Noted, Rule, Workflow, numbers::Numbers};
use crate::{ids::AgentId, limits};
use std::{cmp::Ordering, collections::BTreeMap};

/// A rule with a condition, and what must hold for it. Texts are numbers here, in order.
struct Narrow<'a> {
    at: usize,
    rule: &'a Rule,
    signals: Vec<usize>,
    claims: Vec<Claim>,
}

/// A part of a condition: what it is about, and what it says of it.
#[derive(Clone, Copy)]
struct Claim {
    about: usize,
    says: Says,
}

#[derive(Clone, Copy)]
enum Says {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It compares so with a value.
    Is(Compared),
}

#[derive(Clone, Copy)]
struct Compared {
    sign: &'static str,
    value: usize,
    /// Whether the value stands for itself.
    literal: bool,
    number: Option<f64>,
}

/// Pairs of rules of one agent, with a signal in common, that lead elsewhere and are not plainly apart. Of each rule the
/// first is told, and only so much is compared: these are hints, and a large file is no reason to wait.
pub(super) fn notes(workflow: &Workflow) -> Vec<Noted> {
    let mut left = limits::RULE_COMPARISONS_MAX;
    notes_within(workflow, &mut left)
}

fn notes_within(workflow: &Workflow, left: &mut usize) -> Vec<Noted> {
    // A rule without a condition behind others is the rest, and meant so.
    let narrow = workflow.rules.iter().enumerate();
    let narrow = narrow.filter_map(|(at, rule)| Some((at, rule, parts(rule.condition.as_ref()?.source()))));
    let narrow: Vec<(usize, &Rule, Vec<String>)> = narrow.collect();
    let mut numbers = Numbers::default();
    let mut by_agent: BTreeMap<&AgentId, Vec<Narrow<'_>>> = BTreeMap::new();
    for (at, rule, parts) in &narrow {
        let mut signals: Vec<usize> = rule.trigger_state.iter().map(|signal| numbers.of(signal)).collect();
        signals.sort_unstable();
        let mut claims: Vec<Claim> = parts.iter().flat_map(|part| claims(part, &mut numbers)).collect();
        claims.sort_unstable_by_key(|claim| claim.about);
        by_agent.entry(&rule.from).or_default().push(Narrow { at: *at, rule, signals, claims });
    }
    let mut notes = Vec::new();
    let mut pairs = 0;
    for rules in by_agent.values() {
        for (n, second) in rules.iter().enumerate() {
            // The nearest before it are the likeliest to be confused with it.
            let room = limits::RULE_PAIRS_MAX.saturating_sub(pairs);
            let before = &rules[n.saturating_sub(room)..n];
            pairs += before.len();
            if let Some(first) = before.iter().find(|first| overlap(first, second, left)) {
                let (one, other) = (&first.rule.id, &second.rule.id);
                let message = format!("rules {one} and {other} may both fit; the first counts");
                notes.push(Noted { field: format!("rules[{}]", second.at), message });
            }
        }
    }
    notes.sort_by_key(|note| (note.field.len(), note.field.clone()));
    notes
}

/// Whether both may fit, as far as there is something left to compare.
fn overlap(first: &Narrow<'_>, second: &Narrow<'_>, left: &mut usize) -> bool {
    let (one, other) = (&first.rule, &second.rule);
    let elsewhere = one.to != other.to || one.next_state != other.next_state;
    let meet = |left: &mut usize| {
        let any = first.signals.is_empty() || second.signals.is_empty();
        any || common((&first.signals, &second.signals), |signal| *signal, left, |_, _| true)
    };
    let apart = |left: &mut usize| {
        common(
            (&first.claims, &second.claims),
            |claim| claim.about,
            left,
            |a, b| opposite(a.says, b.says) || opposite(b.says, a.says),
        )
    };
    elsewhere && meet(left) && !apart(left) && *left > 0
}

/// Whether two ordered lists have entries with the same key that fit. Every comparison takes from what is left.
fn common<T>(
    (one, other): (&[T], &[T]),
    key: impl Fn(&T) -> usize,
    left: &mut usize,
    fit: impl Fn(&T, &T) -> bool,
) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (one.get(i), other.get(j)) {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        match key(a).cmp(&key(b)) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                let same = other[j..].iter().take_while(|b| key(b) == key(a));
                let mut looked = 0;
                let found = same.inspect(|_| looked += 1).any(|b| fit(a, b));
                *left = left.saturating_sub(looked);
                if found {
                    return true;
                }
                i += 1;
            }
        }
    }
    false
}

/// What a part says: it holds, and it may deny something or compare it.
fn claims<'a>(part: &'a str, numbers: &mut Numbers<'a>) -> Vec<Claim> {
    let mut all = vec![Claim { about: numbers.of(part), says: Says::Holds }];
    if let Some(inner) = part.strip_prefix('!') {
        let bare = inner.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let denied = [Some(inner), bare].into_iter().flatten();
        all.extend(denied.map(|inner| Claim { about: numbers.of(inner), says: Says::Fails }));
    }
    if let Some((about, sign, value)) = compared(part) {
        let is = Compared { sign, value: numbers.of(value), literal: literal(value), number: number(value) };
        all.push(Claim { about: numbers.of(about), says: Says::Is(is) });
    }
    all
}

/// Whether two claims about the same exclude each other.
fn opposite(a: Says, b: Says) -> bool {
    let (Says::Is(one), Says::Is(other)) = (a, b) else { return matches!((a, b), (Says::Holds, Says::Fails)) };
    let numbers = || one.number.zip(other.number);
    match (one.sign, other.sign) {
        ("==", "==") => one.value != other.value && one.literal && other.literal,
        ("==", "!=") => one.value == other.value,
        ("==", "<") => numbers().is_some_and(|(is, below)| is >= below),
        ("==", "<=") => numbers().is_some_and(|(is, most)| is > most),
        ("==", ">") => numbers().is_some_and(|(is, above)| is <= above),
        ("==", ">=") => numbers().is_some_and(|(is, least)| is < least),
        ("<=", ">=") => numbers().is_some_and(|(most, least)| most < least),
        ("<" | "<=", ">" | ">=") => one.value == other.value || numbers().is_some_and(|(most, least)| most <= least),
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

#[cfg(test)]
mod tests;
