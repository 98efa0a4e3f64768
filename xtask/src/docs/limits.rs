//! The page of limits, read from `limits.rs`: name, value, unit and what it bounds.

use super::{MARK, Page};
use handover_core::words::grouped;
use std::fmt::Write;

/// Where the limits are.
pub const SOURCE: &str = "crates/core/src/limits.rs";
/// All files with limits, in the order of the page.
pub const SOURCES: [&str; 12] = [
    SOURCE,
    "crates/core/src/limits/agents.rs",
    "crates/core/src/limits/server.rs",
    "crates/core/src/limits/bus.rs",
    "crates/core/src/limits/nodes.rs",
    "crates/core/src/limits/postgres.rs",
    "crates/core/src/limits/telemetry.rs",
    "crates/core/src/limits/client.rs",
    "crates/core/src/limits/mcp.rs",
    "crates/core/src/limits/dashboard.rs",
    "crates/core/src/limits/a2a.rs",
    "crates/core/src/limits/remote.rs",
];

/// A named bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    pub line: usize,
    pub name: String,
    pub value: u64,
    pub unit: String,
    pub meaning: String,
}

/// All limits of the source, in order. Whatever cannot be understood is an error.
pub fn parse(source: &str) -> Result<Vec<Limit>, String> {
    let mut limits = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    for (at, line) in source.lines().enumerate() {
        if let Some(text) = line.strip_prefix("///") {
            comment.push(text.trim());
        } else if let Some(rest) = line.strip_prefix("pub const ") {
            let limit = limit(at + 1, rest, &comment.join(" "));
            limits.push(
                limit
                    .ok_or_else(|| format!("{SOURCE}:{}: not of the form `pub const NAME: type = number;`", at + 1))?,
            );
            comment.clear();
        } else if !["", "//", "mod ", "pub use "].iter().any(|start| begins(line, start)) {
            return Err(format!("{SOURCE}:{}: only documented constants belong here", at + 1));
        }
    }
    if limits.is_empty() { Err(format!("{SOURCE}: no limits found")) } else { Ok(limits) }
}

/// Whether a line begins so; an empty beginning means an empty line.
fn begins(line: &str, start: &str) -> bool {
    if start.is_empty() { line.trim().is_empty() } else { line.starts_with(start) }
}

fn limit(line: usize, rest: &str, comment: &str) -> Option<Limit> {
    let (name, rest) = rest.split_once(':')?;
    let (_, number) = rest.split_once('=')?;
    let value = product(number.trim().strip_suffix(';')?)?;
    (!comment.is_empty()).then(|| Limit {
        line,
        name: name.trim().to_owned(),
        value,
        unit: unit(comment),
        meaning: comment.to_owned(),
    })
}

/// A product of whole numbers, such as `24 * 60 * 1_000`.
fn product(text: &str) -> Option<u64> {
    text.split('*').try_fold(1_u64, |all, part| all.checked_mul(part.trim().replace('_', "").parse().ok()?))
}

/// The words after the last `in` that names a unit, or the bytes that it begins with; a plain count has none.
fn unit(comment: &str) -> String {
    if comment.starts_with("Bytes ") {
        return "bytes".to_owned();
    }
    let words = comment.rsplit(", in ").next().filter(|words| words.len() < comment.len());
    words.and_then(|words| words.split(['.', ';', ':']).next()).unwrap_or_default().trim().to_owned()
}

/// A value as people read it: `24 h`, `16 KiB`, `1,000`.
pub(super) fn readable(value: u64, unit: &str) -> String {
    let scales: &[(u64, &str)] = match unit {
        "milliseconds" => &[(86_400_000, "days"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")],
        _ if unit.starts_with("bytes") => &[(1024 * 1024, "MiB"), (1024, "KiB"), (1, "bytes")],
        _ => &[],
    };
    let scale = scales
        .iter()
        .find(|(size, name)| value >= *size && value.is_multiple_of(*size) && (*name != "days" || value > *size));
    scale.map_or_else(|| grouped(value), |(size, name)| format!("{} {name}", grouped(value / size)))
}

pub fn page(limits: &[Limit]) -> Page {
    let mut text = format!(
        "{MARK}\n# Limits\n\nEvery queue, payload, wait and loop is bounded by a name in [limits.rs](../../{SOURCE}). \
        What is above its limit is refused and\nchanges nothing; see [HO0106](../errors/HO0106.md).\n\n\
        | name | value | in its unit | what it bounds |\n|---|---|---|---|\n"
    );
    for Limit { name, value, unit, meaning, .. } in limits {
        let raw = if unit.is_empty() { grouped(*value) } else { format!("{} {unit}", grouped(*value)) };
        let _ = writeln!(text, "| `{name}` | {} | {raw} | {meaning} |", readable(*value, unit));
    }
    Page { path: "docs/reference/limits.md".into(), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_name_value_and_unit() {
        let source = "//! x\n\n/// Longest text, in bytes of JSON.\npub const TEXT_MAX: usize = 16 * 1_024;\n/// Retries.\npub const R: u32 = 3;\n";
        let limits = parse(source).unwrap();
        let seen: Vec<_> = limits.iter().map(|l| (l.line, l.name.as_str(), l.value, l.unit.as_str())).collect();
        assert_eq!(seen, [(4, "TEXT_MAX", 16_384, "bytes of JSON"), (6, "R", 3, "")]);
    }

    #[test]
    fn what_it_cannot_read_is_an_error() {
        assert!(parse("/// x\npub const A: u64 = B + 1;").is_err());
        assert!(parse("pub const SILENT: u64 = 1;").is_err());
        assert!(parse("/// x\nfn f() {}").is_err());
        assert!(parse("//! x").is_err());
    }

    #[test]
    fn units_and_values_read_well() {
        assert_eq!(unit("How long, at least, in milliseconds."), "milliseconds");
        assert_eq!(unit("First backoff, in milliseconds; it doubles."), "milliseconds");
        assert_eq!(unit("Bytes of rows that share one sync."), "bytes");
        assert_eq!(unit("Most locks held at once in one session."), "");
        assert_eq!(readable(86_400_000, "milliseconds"), "24 h");
        assert_eq!(readable(30_000, "milliseconds"), "30 s");
        assert_eq!(readable(262_144, "bytes of JSON"), "256 KiB");
        assert_eq!(readable(100_000, ""), "100,000");
    }
}
