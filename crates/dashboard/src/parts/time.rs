//! Times as people say them. The exact time is one look away, and the script keeps them fresh.

use handover_core::time::Timestamp;
use maud::{Markup, html};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// `3 min ago`, or `in 5 min`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) title=(exact) data-ago { (said(at, now)) } }
}

/// How long something still has; the script counts it down.
pub(crate) fn until(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    let left = if at > now { format!("{} left", length(at.since(now))) } else { "due".to_owned() };
    let close = at.since(now) < MINUTE;
    html! { time.timer.close[close] datetime=(exact) title=(exact) data-until { (left) } }
}

/// The time of day.
pub(crate) fn clock(at: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) title=(exact) data-clock { (exact.get(11..19).unwrap_or_default()) " UTC" } }
}

/// The day and the time, exactly.
pub(crate) fn moment(at: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) { (exact.get(..19).unwrap_or_default().replace('T', " ")) " UTC" } }
}

fn said(at: Timestamp, now: Timestamp) -> String {
    let (past, long) = if at <= now { (true, now.since(at)) } else { (false, at.since(now)) };
    if long < SECOND {
        return "just now".to_owned();
    }
    if long >= 30 * DAY {
        return at.to_string().chars().take(10).collect();
    }
    let rough = match long {
        _ if long < MINUTE => format!("{} s", long / SECOND),
        _ if long < HOUR => format!("{} min", long / MINUTE),
        _ if long < DAY => format!("{} h", long / HOUR),
        _ if long < 2 * DAY => "1 day".to_owned(),
        _ => format!("{} days", long / DAY),
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
