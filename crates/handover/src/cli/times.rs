//! Times as people say them, and as they write them.

use handover_core::{
    refusal::{Code, Refusal},
    time::Timestamp,
};
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) use handover_core::words::{ago, length};

/// The time of this machine.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
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
