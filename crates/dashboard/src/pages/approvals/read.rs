//! What a decision turns on, out of the data: its fields, and the values that the rule looked at.

use crate::parts;
use handover_core::{handoff::Request, limits::PAGE_FIELDS, policy::ApprovalRule};
use maud::{Markup, html};
use serde_json::Value;

/// How a rule calls the data.
const DATA: &str = "handoff.payload";
/// Characters of a value in one line.
const SHORT: usize = 60;

/// The fields of the data, each in a few words.
pub(super) fn top(payload: &Value) -> Markup {
    let Value::Object(fields) = payload else { return html! {} };
    html! {
        dl.top {
            @for (name, value) in fields.iter().take(PAGE_FIELDS) { div { dt { (parts::quoted(name, SHORT)) } dd { (short(value)) } } }
            @if fields.len() > PAGE_FIELDS { div { dt { "and more" } dd { (fields.len() - PAGE_FIELDS) " fields" } } }
        }
    }
}

/// A value in a few words: what is large is counted.
fn short(value: &Value) -> Markup {
    let counted = |count: usize, one: &str, more: &str| html! { (count) " " (if count == 1 { one } else { more }) };
    match value {
        Value::Null => html! { "nothing" },
        Value::Bool(yes) => html! { (if *yes { "yes" } else { "no" }) },
        Value::Number(number) => html! { (number) },
        Value::String(text) => parts::quoted(text, SHORT),
        Value::Array(items) => counted(items.len(), "item", "items"),
        Value::Object(fields) => counted(fields.len(), "field", "fields"),
    }
}

/// What the rule read, and what it found there.
pub(super) fn values(rule: &ApprovalRule, request: &Request) -> Markup {
    let Some(condition) = &rule.when.expression else { return html! {} };
    let found = looked_at(condition.source(), &request.task.payload);
    html! {
        @for (path, value) in found.iter().take(PAGE_FIELDS) {
            div { code { (parts::quoted(path, 120)) } " is " b { (short(value)) } }
        }
    }
}

/// The places of the data that a condition names, with their values; each once.
fn looked_at<'a>(source: &str, payload: &'a Value) -> Vec<(String, &'a Value)> {
    let mut found: Vec<(String, &Value)> = Vec::new();
    for (at, _) in source.match_indices(DATA) {
        let (path, value) = follow(&source[at + DATA.len()..], payload);
        let known = found.iter().any(|(before, _)| *before == path);
        if let Some(value) = value.filter(|value| !known && !value.is_object() && !value.is_array()) {
            found.push((path, value));
        }
    }
    found
}

/// Follows `.name` and `[0]` as far as they go.
fn follow<'a>(mut rest: &str, payload: &'a Value) -> (String, Option<&'a Value>) {
    let (mut path, mut value) = (String::new(), Some(payload));
    while let Some((step, after)) = step(rest) {
        path.push_str(&rest[..rest.len() - after.len()]);
        value = value.and_then(|value| match value {
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            other => other.get(step),
        });
        rest = after;
    }
    (path.trim_start_matches('.').to_owned(), value)
}

/// The first step of a path, and what comes after it.
fn step(text: &str) -> Option<(&str, &str)> {
    if let Some(inside) = text.strip_prefix('[') {
        let (step, after) = inside.split_once(']')?;
        return Some((step.trim_matches(['"', '\'']), after));
    }
    let name = text.strip_prefix('.')?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    Some(name.split_at(end)).filter(|(name, _)| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_rule_read_is_found() {
        let payload = json!({"top": [{"price": 7_200, "by": "air"}], "a b": true});
        for (source, expected) in [
            ("has(handoff.payload.top) && handoff.payload.top[0].price > 6500", vec!["top[0].price 7200"]),
            ("handoff.payload.top[0].by == 'air' || handoff.payload.top[0].by == 'sea'", vec!["top[0].by \"air\""]),
            ("handoff.payload['a b']", vec!["['a b'] true"]),
            ("handoff.payload.top[7].price > 1 && handoff.payload.none", vec![]),
            ("handoff.risk == 'high'", vec![]),
            ("handoff.payload[", vec![]),
        ] {
            let found = looked_at(source, &payload);
            let found: Vec<String> = found.iter().map(|(path, value)| format!("{path} {value}")).collect();
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn fields_are_told_shortly() {
        let text =
            top(&json!({"client": "<b>", "seats": 4, "offers": [1, 2], "one": [0], "more": {"a": 1}, "none": null}));
        let text = text.into_string();
        for part in ["&lt;b&gt;", "<dd>4</dd>", "2 items", "1 item<", "1 field<", "nothing"] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(top(&json!("a text")).into_string().is_empty());
    }
}
