//! Times as people say them. The exact time is one look away, and the script keeps them fresh.

use handover_core::{
    time::Timestamp,
    words::{self, length},
};
use maud::{Markup, html};

/// What is due within this time is shown as close.
const CLOSE_MS: u64 = 60_000;

/// `3 min ago`, or `in 5 min`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) title=(exact) data-ago { (words::ago(at, now)) } }
}

/// How long something still has; the script counts it down.
pub(crate) fn until(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    let left = if at > now { format!("{} left", length(at.since(now))) } else { "due".to_owned() };
    let close = at.since(now) < CLOSE_MS;
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
