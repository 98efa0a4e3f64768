//! The page of settings that decisions depend on, read from `policy.rs`: name, type, default and meaning.

use super::{
    MARK, Page,
    limits::{Limit, readable},
};
use std::{collections::BTreeMap, fmt::Write};

/// Where the policy is.
pub const SOURCE: &str = "crates/core/src/policy.rs";

/// One field of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    name: String,
    kind: String,
    default: String,
    meaning: String,
}

/// The fields of `Policy` in order, with the defaults of its `Default`.
pub fn parse(source: &str, limits: &[Limit]) -> Result<Vec<Setting>, String> {
    let fields = block(source, "pub struct Policy {", "}")?;
    let defaults = block(source, "impl Default for Policy {", "\n}")?;
    let defaults: BTreeMap<&str, &str> = defaults.iter().filter_map(|line| line.split_once(": ")).collect();
    let mut settings = Vec::new();
    let mut comment = String::new();
    for line in fields {
        if let Some(text) = line.strip_prefix("///") {
            comment = format!("{comment} {}", text.trim()).trim().to_owned();
        } else if let Some((name, kind)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(": ")) {
            let default =
                defaults.get(name).ok_or_else(|| format!("{SOURCE}: `{name}` has no default that can be read"))?;
            let meaning = std::mem::take(&mut comment);
            settings.push(Setting { name: name.into(), kind: kind.into(), default: value(default, limits)?, meaning });
        }
    }
    Ok(settings)
}

/// The trimmed lines between an opening and the next closing, without their commas.
fn block<'a>(source: &'a str, opening: &str, closing: &str) -> Result<Vec<&'a str>, String> {
    let inner = source.split_once(opening).and_then(|(_, rest)| rest.split_once(closing));
    let (inner, _) = inner.ok_or_else(|| format!("{SOURCE}: `{opening}` is not there"))?;
    Ok(inner.lines().map(|line| line.trim().trim_end_matches(',')).collect())
}

/// A default as people read it. One that names a limit has the limit's value.
fn value(text: &str, limits: &[Limit]) -> Result<String, String> {
    if let Some(name) = text.strip_prefix("limits::") {
        let limit = limits.iter().find(|limit| limit.name == name);
        let limit = limit.ok_or_else(|| format!("{SOURCE}: there is no limit {name}"))?;
        return Ok(format!("{} ([`{name}`](limits.md))", readable(limit.value, &limit.unit)));
    }
    Ok(if text == "None" { "none".to_owned() } else { format!("`{text}`") })
}

pub fn page(settings: &[Setting]) -> Page {
    let mut text = format!(
        "{MARK}\n# Policy\n\nWhat an installation may set, from [policy.rs](../../{SOURCE}). \
        Everything has a default; a name that is not in this table is refused.\n\n\
        | name | type | default | meaning |\n|---|---|---|---|\n"
    );
    for Setting { name, kind, default, meaning } in settings {
        let _ = writeln!(text, "| `{name}` | `{kind}` | {default} | {meaning} |");
    }
    Page { path: "docs/reference/policy.md".into(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "pub struct Policy {\n    /// How long.\n    pub lease_ms: u64,\n    /// Who.\n    pub human: Option<AgentId>,\n}\n\
        impl Default for Policy {\n    fn default() -> Self {\n        Self {\n            lease_ms: limits::LEASE_MS,\n            human: None,\n        }\n    }\n}\n";

    fn lease() -> Limit {
        Limit { line: 1, name: "LEASE_MS".into(), value: 30_000, unit: "milliseconds".into(), meaning: "x".into() }
    }

    #[test]
    fn reads_fields_and_defaults() {
        let page = page(&parse(POLICY, &[lease()]).unwrap());
        assert!(
            page.text.contains("| `lease_ms` | `u64` | 30 s ([`LEASE_MS`](limits.md)) | How long. |"),
            "{}",
            page.text
        );
        assert!(page.text.contains("| `human` | `Option<AgentId>` | none | Who. |"));
    }

    #[test]
    fn a_default_that_cannot_be_read_is_an_error() {
        assert!(parse(POLICY, &[]).is_err());
        assert!(parse(&POLICY.replace("human: None,\n", ""), &[lease()]).is_err());
        assert!(parse("", &[]).is_err());
    }
}
