//! Which version of the protocol somebody speaks, and which extensions they ask for.

use crate::wrong::{Kind, Wrong};
use axum::http::HeaderMap;
use handover_core::a2a::LINEAGE;

/// The name of the parameter: a header, or a parameter of the address.
pub(crate) const VERSION: &str = "a2a-version";
/// The header with the extensions that somebody asks for, and the one that says which are used.
pub(crate) const EXTENSIONS: &str = "a2a-extensions";

/// The versions that are spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// 1.0.
    One,
    /// 0.3: who says nothing.
    Old,
}

/// The version of a request. Numbers of patches do not count.
pub(crate) fn version(headers: &HeaderMap, query: &str) -> Result<Version, Wrong> {
    let header = headers.get(VERSION).map(|value| value.to_str().unwrap_or("?").trim().to_owned());
    let text = header.filter(|text| !text.is_empty()).or_else(|| in_query(query)).unwrap_or_default();
    let mut numbers = text.split('.');
    match (numbers.next().unwrap_or_default(), numbers.next(), numbers.next(), numbers.next()) {
        ("", None, None, None) => Ok(Version::Old),
        ("1", Some("0"), patch, None) if is_patch(patch) => Ok(Version::One),
        ("0", Some("3"), patch, None) if is_patch(patch) => Ok(Version::Old),
        _ => Err(not_spoken(&text)),
    }
}

fn is_patch(patch: Option<&str>) -> bool {
    patch.is_none_or(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()))
}

fn in_query(query: &str) -> Option<String> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    pairs.find(|(name, _)| name.eq_ignore_ascii_case(VERSION)).map(|(_, value)| value.trim().to_owned())
}

fn not_spoken(text: &str) -> Wrong {
    let shown: String = text.chars().filter(|c| !c.is_control()).take(20).collect();
    Wrong::new(Kind::Version, format!("version \"{shown}\" of A2A is not spoken here")).with("supported", "1.0, 0.3")
}

/// This place speaks 1.0 alone.
pub(crate) fn only_one(version: Version) -> Result<(), Wrong> {
    match version {
        Version::One => Ok(()),
        Version::Old => Err(Wrong::new(Kind::Version, "HTTP+JSON is spoken here in version 1.0 alone")
            .with("supported", "1.0")
            .with("hint", "send the header `A2A-Version: 1.0`, or use JSON-RPC for version 0.3")),
    }
}

/// Whether the extension of ours is asked for: then the answer says that it is used.
pub(crate) fn asks_for_lineage(headers: &HeaderMap) -> bool {
    let all = headers.get_all(EXTENSIONS).iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|value| value.split(',')).any(|uri| uri.trim() == LINEAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_its_first_two_numbers_and_nothing_means_the_old_one() {
        let old = Some(Version::Old);
        for (header, query, expected) in [
            (None, "", old),
            (Some(""), "", old),
            (Some("0.3"), "", old),
            (Some("0.3.0"), "", old),
            (Some("1.0"), "", Some(Version::One)),
            (Some("1.0.7"), "", Some(Version::One)),
            (Some(" 1.0 "), "", Some(Version::One)),
            (None, "A2A-Version=1.0", Some(Version::One)),
            (Some("0.3"), "A2A-Version=1.0", old),
            (Some("1"), "", None),
            (Some("1.1"), "", None),
            (Some("2.0"), "", None),
            (Some("0.2"), "", None),
            (Some("1.0.x"), "", None),
            (Some("1.0.0.0"), "", None),
            (Some("latest"), "", None),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(header) = header {
                headers.insert(VERSION, header.parse().unwrap());
            }
            assert_eq!(version(&headers, query).ok(), expected, "{header:?} {query}");
        }
    }
}
