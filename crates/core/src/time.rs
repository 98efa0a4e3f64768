//! Points in time: milliseconds since 1970 in UTC, written as ISO-8601. The core never asks for the time; it is told.

use serde::{Deserialize, Serialize};
use std::{fmt, ops};

/// A point in time, in milliseconds since 1970-01-01 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

/// The last time that can be written and read back: 9999-12-30T21:59:59.999Z.
const LAST: i64 = 253_402_207_199_999;

impl Timestamp {
    /// Milliseconds from `earlier` to `self`; 0 when `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

impl ops::Add<u64> for Timestamp {
    type Output = Self;
    fn add(self, ms: u64) -> Self {
        Self(self.0.saturating_add(i64::try_from(ms).unwrap_or(i64::MAX)).min(LAST))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What is out of range is written as the nearest time that can be read back.
        match jiff::Timestamp::from_millisecond(self.0.clamp(0, LAST)) {
            Ok(time) => write!(f, "{time:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

impl std::str::FromStr for Timestamp {
    type Err = jiff::Error;
    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse::<jiff::Timestamp>().map(|time| Self(time.as_millisecond()))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_written_as_iso_8601_in_utc() {
        let time = Timestamp(1_700_000_000_123);
        assert_eq!(time.to_string(), "2023-11-14T22:13:20.123Z");
        assert_eq!(time.to_string().parse::<Timestamp>().unwrap(), time);
    }

    #[test]
    fn never_overflows() {
        assert_eq!(Timestamp(i64::MAX) + u64::MAX, Timestamp(LAST));
        assert_eq!(Timestamp(5).since(Timestamp(9)), 0);
        for time in [Timestamp(i64::MIN), Timestamp(i64::MAX), Timestamp(LAST)] {
            let text = serde_json::to_string(&time).unwrap();
            assert!(serde_json::from_str::<Timestamp>(&text).is_ok(), "{text}");
        }
    }
}
