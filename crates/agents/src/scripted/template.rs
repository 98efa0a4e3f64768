//! Texts with places to fill in: `{{user}}`, `{{result.id}}`.

use super::seen::Seen;
use serde_json::Value;

/// The names that a template may use; `result` may be followed by a path, and numbers are groups of the `user` pattern.
pub(super) const NAMES: [&str; 7] = ["user", "task", "result", "agent", "tool", "turn", "model"];

/// A text with places to fill in.
#[derive(Debug, Clone, Default)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads a text; gives the names that are not known beside it. A group is known up to so many.
    pub(super) fn parse(text: &str, groups: usize) -> (Self, Vec<String>) {
        let mut parts = Vec::new();
        let mut unknown = Vec::new();
        let mut rest = text;
        while let Some((before, (name, after))) =
            rest.split_once("{{").and_then(|(before, inner)| Some((before, inner.split_once("}}")?)))
        {
            let name = name.trim();
            if !known(name, groups) {
                unknown.push(name.to_owned());
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Name(name.to_owned()));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        (Self(parts), unknown)
    }

    /// The text for a question. What the question does not have is left empty.
    pub(super) fn fill(&self, seen: &Seen<'_>, groups: &[String]) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Name(name) => value(name, seen, groups),
        };
        self.0.iter().map(part).collect()
    }
}

fn known(name: &str, groups: usize) -> bool {
    let numbered = name.parse::<usize>().is_ok_and(|number| (1..=groups).contains(&number));
    numbered || NAMES.contains(&name) || name.strip_prefix("result.").is_some_and(|path| !path.is_empty())
}

fn value(name: &str, seen: &Seen<'_>, groups: &[String]) -> String {
    match name {
        "user" => seen.user().to_owned(),
        "task" => seen.task().to_owned(),
        "agent" => seen.agent().to_owned(),
        "tool" => seen.results().last().map(|result| result.name.clone()).unwrap_or_default(),
        "turn" => seen.turn().to_string(),
        "model" => seen.model().to_owned(),
        "result" => seen.last_result().to_owned(),
        _ => match name.strip_prefix("result.") {
            Some(path) => inside(seen.last_result(), path),
            None => {
                name.parse::<usize>().ok().and_then(|at| groups.get(at.checked_sub(1)?)).cloned().unwrap_or_default()
            }
        },
    }
}

/// A value inside of a result that is JSON, such as `handoff.id` or `findings.0`.
fn inside(result: &str, path: &str) -> String {
    let whole: Option<Value> = serde_json::from_str(result).ok();
    let pointer: String = path.split('.').map(|step| format!("/{step}")).collect();
    match whole.as_ref().and_then(|whole| whole.pointer(&pointer)) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Fills in every text of a JSON value.
pub(super) fn fill_json(value: &Value, seen: &Seen<'_>, groups: &[String]) -> Value {
    match value {
        Value::String(text) => Value::String(Template::parse(text, 0).0.fill(seen, groups)),
        Value::Array(entries) => entries.iter().map(|entry| fill_json(entry, seen, groups)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), fill_json(value, seen, groups))).collect()
        }
        other => other.clone(),
    }
}
