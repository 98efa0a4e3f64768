//! Numbers, times and how things stand as people say them, wherever they are shown.

use crate::{handoff::Status, time::Timestamp};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// How a handoff stands.
#[must_use]
pub fn standing(status: Status) -> &'static str {
    match status {
        Status::AwaitingApproval => "waits for a yes",
        Status::Offered => "on offer",
        Status::Deferred => "put off",
        Status::Running => "running",
        Status::Completed => "completed",
        Status::Failed => "failed",
        Status::TimedOut => "timed out",
        Status::Escalated => "escalated",
        Status::Cancelled => "cancelled",
    }
}

/// `3 s ago`, `in 5 min`; a day when it is long ago.
#[must_use]
pub fn ago(at: Timestamp, now: Timestamp) -> String {
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
#[must_use]
pub fn length(ms: u64) -> String {
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

/// A whole number with a comma after every three digits, as in 12,400.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
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
    fn numbers_are_grouped() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), expected);
        }
    }
}
