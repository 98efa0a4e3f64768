//! Rules that may fit at the same time. The first counts, which may be meant so; whoever reads the file is told.

use super::{Noted, Rule, Workflow};

/// Pairs of rules of one agent, with a signal in common, that lead elsewhere and are not plainly apart.
pub(super) fn notes(workflow: &Workflow) -> Vec<Noted> {
    let mut notes = Vec::new();
    let mut by_agent: std::collections::BTreeMap<_, Vec<(usize, &Rule)>> = std::collections::BTreeMap::new();
    for (i, rule) in workflow.rules.iter().enumerate() {
        by_agent.entry(&rule.from).or_default().push((i, rule));
    }
    for rules in by_agent.values() {
        for (n, (i, rule)) in rules.iter().enumerate() {
            let twins = rules[..n].iter().filter(|(_, first)| overlap(first, rule));
            let Some((_, first)) = twins.take(1).next() else { continue };
            let message = format!("rules {} and {} may both fit; the first counts", first.id, rule.id);
            notes.push(Noted { field: format!("rules[{i}]"), message });
        }
    }
    notes
}

/// Whether both may fit. A rule without a condition behind others is the rest, and meant so.
fn overlap(first: &Rule, second: &Rule) -> bool {
    let meets = first.trigger_state.is_empty()
        || second.trigger_state.is_empty()
        || first.trigger_state.iter().any(|signal| second.trigger_state.contains(signal));
    let elsewhere = first.to != second.to || first.next_state != second.next_state;
    match (&first.condition, &second.condition) {
        (Some(one), Some(other)) => meets && elsewhere && !apart(one.source(), other.source()),
        _ => false,
    }
}

/// Whether two conditions plainly exclude each other: a part of one is the opposite of a part of the other.
fn apart(one: &str, other: &str) -> bool {
    let (one, other) = (parts(one), parts(other));
    one.iter().any(|a| other.iter().any(|b| opposite(a, b) || opposite(b, a)))
}

fn opposite(a: &str, b: &str) -> bool {
    if b.strip_prefix('!').is_some_and(|inner| inner == a || inner == format!("({a})")) {
        return true;
    }
    let (Some((left, sign, right)), Some((other_left, other_sign, other_right))) = (compared(a), compared(b)) else {
        return false;
    };
    if left != other_left {
        return false;
    }
    match (sign, other_sign) {
        ("==", "==") => right != other_right && literal(right) && literal(other_right),
        ("==", "!=") | ("<", ">=") | (">", "<=") => right == other_right,
        ("<" | "<=", ">" | ">=") => number(right).zip(number(other_right)).is_some_and(|(max, min)| max < min),
        _ => false,
    }
}

/// The two sides of a comparison.
fn compared(part: &str) -> Option<(&str, &'static str, &str)> {
    let signs = ["==", "!=", "<=", ">=", "<", ">"];
    let found = signs
        .into_iter()
        .filter_map(|sign| Some((part.find(sign)?, sign)))
        .min_by_key(|(at, sign)| (*at, usize::MAX - sign.len()))?;
    let (at, sign) = found;
    Some((&part[..at], sign, &part[at + sign.len()..]))
}

fn literal(text: &str) -> bool {
    number(text).is_some() || text.starts_with(['\'', '"']) || matches!(text, "true" | "false" | "null")
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The parts of a condition that must all hold, without spaces outside of quotes.
fn parts(source: &str) -> Vec<String> {
    let (mut depth, mut quote) = (0_i32, None);
    let mut all = vec![String::new()];
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            // Where anything may hold instead, nothing must.
            (None, '|') if depth == 0 => return Vec::new(),
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
    all
}
