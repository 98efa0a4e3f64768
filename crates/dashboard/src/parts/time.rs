//! Times as people say them. The exact time is one look away, and the script keeps them fresh.

use handover_core::{
    time::Timestamp,
    words::{self, length},
};
use maud::{Markup, html};

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// What is due within this time is shown as close.
const CLOSE_MS: u64 = 60_000;

/// `3 min ago`, or `in 5 min`.
pub(crate) fn ago(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) title=(exact) data-paper=(paper(at)) data-ago { (words::ago(at, now)) } }
}

/// How long something still has; the script counts it down.
pub(crate) fn until(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    let left = if at > now { format!("{} left", length(at.since(now))) } else { "due".to_owned() };
    let close = at.since(now) < CLOSE_MS;
    html! { time.timer.close[close] datetime=(exact) title=(exact) data-paper=(paper(at)) data-until { (left) } }
}

/// The time of day, and the day where it is another one than that of what stands before it. The script says both as whoever
/// looks has them.
pub(crate) fn clock(at: Timestamp, before: Timestamp) -> Markup {
    let exact = at.to_string();
    let date = if day(at) == day(before) { String::new() } else { format!("{}, ", day(at)) };
    html! {
        time datetime=(exact) title=(exact) data-paper=(paper(at)) data-clock {
            (date) (exact.get(11..19).unwrap_or_default()) " UTC"
        }
    }
}

/// Hours and minutes on a scale, in the time of whoever looks.
pub(crate) fn hour(at: Timestamp) -> Markup {
    html! { time datetime=(at.to_string()) data-hour { (hour_words(at)) } }
}

/// The same as text, where nobody looks yet.
pub(crate) fn hour_words(at: Timestamp) -> String {
    format!("{} UTC", at.to_string().get(11..16).unwrap_or_default())
}

/// `16 Nov 2026`.
fn day(at: Timestamp) -> String {
    let exact = at.to_string();
    let number = |from: usize, to: usize| exact.get(from..to).and_then(|part| part.parse::<usize>().ok()).unwrap_or(0);
    let month = MONTHS.get(number(5, 7).wrapping_sub(1)).copied().unwrap_or_default();
    format!("{} {month} {}", number(8, 10), exact.get(..4).unwrap_or_default())
}

/// `16 Nov 2026, 19:05 UTC`: on paper nothing is "ago".
fn paper(at: Timestamp) -> String {
    format!("{}, {}", day(at), hour_words(at))
}

/// The day and the time, exactly.
pub(crate) fn moment(at: Timestamp) -> Markup {
    let exact = at.to_string();
    html! { time datetime=(exact) data-paper=(paper(at)) { (exact.get(..19).unwrap_or_default().replace('T', " ")) " UTC" } }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half past eight in the evening of 28 February 2026.
    const EVENING: Timestamp = Timestamp(1_772_310_600_000);

    #[test]
    fn a_day_is_said_where_it_is_another() {
        for (at, before, expected) in [
            (EVENING, EVENING, ">20:30:00 UTC<"),
            (EVENING, Timestamp(EVENING.0 + 86_400_000), ">28 Feb 2026, 20:30:00 UTC<"),
            (Timestamp(EVENING.0 + 4 * 3_600_000), EVENING, ">1 Mar 2026, 00:30:00 UTC<"),
        ] {
            let text = clock(at, before).into_string();
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
    }

    #[test]
    fn paper_has_the_day_and_the_time() {
        for text in [ago(EVENING, EVENING), until(EVENING, EVENING), clock(EVENING, EVENING), moment(EVENING)] {
            let text = text.into_string();
            assert!(text.contains("data-paper=\"28 Feb 2026, 20:30 UTC\""), "{text}");
        }
        assert_eq!(
            hour(EVENING).into_string(),
            "<time datetime=\"2026-02-28T20:30:00.000Z\" data-hour>20:30 UTC</time>"
        );
    }
}
