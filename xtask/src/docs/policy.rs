//! The page of settings, read from the sources of the policy: names, types and meanings from the structs, defaults from
//! the default policy itself.

use super::{MARK, Page};
use handover::core::policy::Policy;
use serde_json::Value;
use std::fmt::Write;

/// Structs of one file, with their places in the default policy.
type Wanted = &'static [(&'static str, Option<&'static str>)];

/// Where the settings are: the file, and the structs of it that the page shows, in order. A place in the default policy
/// stands beside those that have one.
pub const SOURCES: &[(&str, Wanted)] = &[
    ("crates/core/src/policy/mod.rs", &[("Policy", Some(""))]),
    (
        "crates/core/src/policy/guards.rs",
        &[
            ("SessionLimits", Some("/limits")),
            ("Classes", Some("/classes")),
            ("Loops", Some("/loops")),
            ("BreakerPolicy", Some("/breaker")),
            ("Budgets", Some("/budgets")),
        ],
    ),
    ("crates/core/src/budget.rs", &[("Limit", None), ("Budget", None), ("Price", None)]),
    ("crates/core/src/policy/approvals.rs", &[("ApprovalRule", None), ("When", None), ("Approver", None)]),
    ("crates/core/src/policy/routing.rs", &[("Routing", Some("/routing")), ("Experiment", None)]),
];

/// A struct of settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    name: String,
    meaning: String,
    fields: Vec<Field>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Field {
    name: String,
    kind: String,
    meaning: String,
}

/// The structs of a source that are wanted.
pub fn parse(source: &str, wanted: &[(&str, Option<&str>)]) -> Result<Vec<Settings>, String> {
    wanted.iter().map(|(name, _)| settings(source, name)).collect()
}

fn settings(source: &str, name: &str) -> Result<Settings, String> {
    let opening = format!("pub struct {name} {{\n");
    let (before, rest) = source.split_once(&opening).ok_or_else(|| format!("`{name}` is not in its file"))?;
    let (inner, _) = rest.split_once("\n}").ok_or_else(|| format!("`{name}` has no end"))?;
    let above: Vec<&str> = before.lines().rev().take_while(|line| line.starts_with(['/', '#'])).collect();
    let meaning = above.iter().rev().filter_map(|line| line.strip_prefix("///")).map(str::trim).collect::<Vec<_>>();
    Ok(Settings { name: name.to_owned(), meaning: meaning.join(" "), fields: fields(inner) })
}

fn fields(inner: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    let (mut meaning, mut renamed) = (String::new(), None);
    for line in inner.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("///") {
            meaning = format!("{meaning} {}", text.trim()).trim().to_owned();
        } else if let Some((_, rest)) = line.split_once("rename = \"") {
            renamed = rest.split('"').next().map(str::to_owned);
        } else if let Some((name, kind)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
            let name = renamed.take().unwrap_or_else(|| name.to_owned());
            let kind = kind.trim_end_matches(',').to_owned();
            fields.push(Field { name, kind, meaning: std::mem::take(&mut meaning) });
        }
    }
    fields
}

pub fn page(all: &[Settings]) -> Result<Page, String> {
    let defaults = serde_json::to_value(Policy::default()).map_err(|error| error.to_string())?;
    let places = SOURCES.iter().flat_map(|(_, wanted)| wanted.iter());
    let mut text = format!(
        "{MARK}\n# Policy\n\nWhat an installation may set, in code as `Policy` or in a file under `policy:`. \
        Everything has a default; a name that is not in these tables is refused.\n"
    );
    for (settings, (_, place)) in all.iter().zip(places) {
        let _ = write!(text, "\n## {}\n\n{}\n\n", settings.name, settings.meaning);
        let at = place.map(|place| defaults.pointer(place).cloned().unwrap_or(Value::Null));
        text += if at.is_some() {
            "| name | type | default | meaning |\n|---|---|---|---|\n"
        } else {
            "| name | type | meaning |\n|---|---|---|\n"
        };
        for Field { name, kind, meaning } in &settings.fields {
            let default = at.as_ref().map(|at| format!(" {} |", value(at.get(name)))).unwrap_or_default();
            let _ = writeln!(text, "| `{name}` | `{kind}` |{default} {meaning} |");
        }
    }
    Ok(Page { path: "docs/reference/policy.md".into(), text })
}

/// A default as people read it.
fn value(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "none".to_owned(),
        Some(Value::Object(map)) if map.is_empty() => "none".to_owned(),
        Some(Value::Array(list)) if list.is_empty() => "none".to_owned(),
        Some(Value::Object(map)) if map.values().all(Value::is_number) => {
            map.iter().map(|(name, n)| format!("{name} `{n}`")).collect::<Vec<_>>().join(", ")
        }
        Some(Value::Object(_)) => "see below".to_owned(),
        Some(other) => format!("`{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/// How far.\n#[derive(Debug)]\npub struct Loops {\n    /// How often.\n    #[serde(rename = \"often\")]\n    pub repeats: u32,\n}\n";

    #[test]
    fn reads_names_types_and_meanings() {
        let found = parse(SOURCE, &[("Loops", None)]).unwrap();
        assert_eq!(found[0].meaning, "How far.");
        let field = Field { name: "often".into(), kind: "u32".into(), meaning: "How often.".into() };
        assert_eq!(found[0].fields, [field]);
        assert!(parse(SOURCE, &[("Loop", None)]).is_err());
    }

    #[test]
    fn a_default_reads_as_it_is_written() {
        assert_eq!(value(Some(&serde_json::json!(5))), "`5`");
        assert_eq!(value(Some(&serde_json::json!({}))), "none");
    }
}
