//! Lengths of time as people write them: `250ms`, `2s`, `5m`, `24h`, `7d`, or several of them as in `1h 30m`.

use crate::limits::QUOTE_CHARS_MAX;
use serde::{
    Deserializer, Serializer,
    de::{Error, Visitor},
};
use std::fmt;

/// The units, the longest first, in milliseconds.
const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
/// What a length of time looks like, for messages.
const EXPECTED: &str = "a length of time such as `30s`, `5m` or `24h`";

/// Milliseconds of a text. A bare number is refused: it is seconds to some and milliseconds to others.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let shown: String = text.chars().take(QUOTE_CHARS_MAX).collect();
    let wrong = || format!("expected {EXPECTED}, found `{shown}`");
    let mut rest = text.trim();
    if !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()) {
        return Err(format!("`{shown}` has no unit; write `{shown}ms` or `{shown}s`"));
    }
    let mut sum = None;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let (_, ms) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(wrong)?;
        // What is too long for a number is too long to wait for, and is told so where waits are checked.
        let part = number.parse::<u64>().unwrap_or(u64::MAX).saturating_mul(*ms);
        if number.is_empty() {
            return Err(wrong());
        }
        sum = Some(part.saturating_add(sum.unwrap_or(0)));
        rest = after.trim_start();
    }
    sum.ok_or_else(wrong)
}

/// The same length in the longest unit that fits it exactly.
pub(crate) fn text(ms: u64) -> String {
    let fits = UNITS.iter().find(|(_, unit)| ms >= *unit && ms.is_multiple_of(*unit));
    fits.map_or_else(|| "0ms".to_owned(), |(name, unit)| format!("{}{name}", ms / unit))
}

struct Span;

impl Visitor<'_> for Span {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        parse(text).map_err(E::custom)
    }
}

/// A length of time that is always there.
pub(super) mod always {
    use super::{Deserializer, Serializer, Span, text};

    pub(crate) fn serialize<S: Serializer>(ms: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&text(*ms))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        from.deserialize_str(Span)
    }
}

/// A length of time that may be left out, for `#[serde(with = "...")]`.
pub mod maybe {
    use super::{Deserializer, Serializer, always};

    /// Writes it in the longest unit that fits it.
    ///
    /// # Errors
    /// As the serializer has them.
    pub fn serialize<S: Serializer>(ms: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        match ms {
            Some(ms) => always::serialize(ms, to),
            None => to.serialize_none(),
        }
    }

    /// Reads it, in milliseconds.
    ///
    /// # Errors
    /// When it is no length of time, or has no unit.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
        always::deserialize(from).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_is_read_and_written() {
        let table = [
            ("250ms", 250, "250ms"),
            ("2s", 2_000, "2s"),
            ("5m", 300_000, "5m"),
            ("24h", 86_400_000, "1d"),
            ("7d", 604_800_000, "7d"),
            ("1h 30m", 5_400_000, "90m"),
            (" 1m30s ", 90_000, "90s"),
            ("2 s", 2_000, "2s"),
            ("0s", 0, "0ms"),
            ("99999999999999999999d", u64::MAX, "18446744073709551615ms"),
        ];
        for (given, ms, written) in table {
            assert_eq!(parse(given), Ok(ms), "{given}");
            assert_eq!(text(ms), written, "{given}");
            assert_eq!(parse(written), Ok(ms), "{written}");
        }
    }

    #[test]
    fn what_is_none_is_told() {
        for bad in ["", " ", "s", "5x", "5 minutes", "-5s", "1.5h", "5s5", "ms5", "PT5S", "5M", "soon"] {
            let told = parse(bad).unwrap_err();
            assert!(told.starts_with("expected a length of time such as"), "{bad}: {told}");
        }
        assert_eq!(parse("5000").unwrap_err(), "`5000` has no unit; write `5000ms` or `5000s`");
    }
}
