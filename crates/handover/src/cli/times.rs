//! Times as people say them, and as they write them.

use handover_core::{
    refusal::{Code, Refusal},
    time::Timestamp,
};
use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The time of this machine.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// `3 s ago`, `in 5 min`; a day when it is long ago.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> String {
    let (past, length) = if at <= now { (true, now.since(at)) } else { (false, at.since(now)) };
    if length < SECOND {
        return "just now".to_owned();
    }
    if length >= 30 * DAY {
        return at.to_string().chars().take(10).collect();
    }
    let rough = match length {
        _ if length < MINUTE => format!("{} s", length / SECOND),
        _ if length < HOUR => format!("{} min", length / MINUTE),
        _ if length < DAY => format!("{} h", length / HOUR),
        _ if length < 2 * DAY => "1 day".to_owned(),
        _ => format!("{} days", length / DAY),
    };
    if past { format!("{rough} ago") } else { format!("in {rough}") }
}

/// A length of time in words: `850 ms`, `1.2 s`, `3 min 4 s`, `2 h 5 min`.
pub(crate) fn length(ms: u64) -> String {
    let pair = |large: u64, one: &str, small: u64, two: &str| match small {
        0 => format!("{large} {one}"),
        small => format!("{large} {one} {small} {two}"),
    };
    match ms {
        _ if ms < SECOND => format!("{ms} ms"),
        _ if ms < MINUTE => format!("{}.{} s", ms / SECOND, ms % SECOND / 100),
        _ if ms < HOUR => pair(ms / MINUTE, "min", ms % MINUTE / SECOND, "s"),
        _ if ms < DAY => pair(ms / HOUR, "h", ms % HOUR / MINUTE, "min"),
        _ => pair(ms / DAY, "d", ms % DAY / HOUR, "h"),
    }
}

/// The time of day, to the millisecond, in UTC.
pub(crate) fn clock(at: Timestamp) -> String {
    at.to_string().get(11..23).unwrap_or_default().to_owned()
}

/// A length of time as people write it: `30s`, `5m`, `1h 30m`, `PT30S`.
pub(crate) fn parse_length(text: &str) -> Result<u64, Refusal> {
    let read = |text: &str| {
        let span: jiff::Span = text.trim().parse().ok()?;
        let length = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()).ok()?;
        u64::try_from(length.as_millis()).ok()
    };
    read(text).ok_or_else(|| {
        let refusal = Refusal::new(Code::WrongType, format!("`{text}` is no length of time"));
        refusal.hint("write it as 30s, 5m, 1h 30m or 2d")
    })
}

/// A point in time as people write it: `10m` (ago), `2026-03-01`, `2026-03-01T08:00:00Z`.
pub(crate) fn parse_since(text: &str, now: Timestamp) -> Result<Timestamp, Refusal> {
    if let Ok(ms) = parse_length(text) {
        return Ok(Timestamp(now.0.saturating_sub(i64::try_from(ms).unwrap_or(i64::MAX)).max(0)));
    }
    let day = format!("{text}T00:00:00Z");
    text.parse().or_else(|_| day.parse()).map_err(|_| {
        let refusal = Refusal::new(Code::WrongType, format!("`{text}` is no time"));
        refusal.hint("write it as 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    #[test]
    fn times_are_told_roughly() {
        let cases = [
            (0, "just now"),
            (-999, "just now"),
            (-3_000, "3 s ago"),
            (-59_999, "59 s ago"),
            (-60_000, "1 min ago"),
            (-7_200_000, "2 h ago"),
            (-90_000_000, "1 day ago"),
            (-400_000_000, "4 days ago"),
            (-40 * 86_400_000, "2023-10-05"),
            (300_000, "in 5 min"),
        ];
        for (offset, expected) in cases {
            assert_eq!(ago(Timestamp(NOW.0 + offset), NOW), expected);
        }
    }

    #[test]
    fn lengths_are_told_in_two_units_at_most() {
        let cases = [
            (0, "0 ms"),
            (850, "850 ms"),
            (1_250, "1.2 s"),
            (184_000, "3 min 4 s"),
            (180_000, "3 min"),
            (7_500_000, "2 h 5 min"),
            (90_000_000, "1 d 1 h"),
        ];
        for (ms, expected) in cases {
            assert_eq!(length(ms), expected);
        }
    }

    #[test]
    fn times_are_read_in_every_form() {
        assert_eq!(parse_since("10m", NOW), Ok(Timestamp(NOW.0 - 600_000)));
        assert_eq!(parse_since("1h 30m", NOW), Ok(Timestamp(NOW.0 - 5_400_000)));
        assert_eq!(parse_since("2023-11-14T22:13:20Z", NOW), Ok(NOW));
        assert_eq!(parse_since("1970-01-02", NOW), Ok(Timestamp(86_400_000)));
        assert!(parse_since("yesterday", NOW).is_err());
        assert!(parse_length("-5s").is_err());
        assert!(parse_length("5").is_err());
    }
}
