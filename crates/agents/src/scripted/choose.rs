//! Which entry answers a question. Apart from `times`, only the question counts: whoever asks again gets the same.

use super::{
    script::{Entry, Script, When},
    seen::Seen,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// How often the entries of a script have answered.
pub(super) struct Counters(Vec<AtomicU64>);

impl Counters {
    pub(super) fn new(script: &Script) -> Self {
        Self(script.entries.iter().map(|_| AtomicU64::new(0)).collect())
    }

    /// Counts an answer of this entry, unless it has answered often enough.
    fn take(&self, at: usize, times: Option<u64>) -> bool {
        let Some(times) = times else { return true };
        let more = |count: u64| (count < times).then_some(count + 1);
        self.0.get(at).is_some_and(|count| count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok())
    }
}

/// The first entry whose conditions hold and that has not answered too often.
pub(super) fn choose<'s>(script: &'s Script, counters: &Counters, seen: &Seen<'_>) -> Option<&'s Entry> {
    let mut entries = script.entries.iter().enumerate();
    entries.find(|(at, entry)| holds(&entry.when, seen) && counters.take(*at, entry.times)).map(|(_, entry)| entry)
}

/// The groups that the `user` pattern of an entry found.
pub(super) fn groups(when: &When, seen: &Seen<'_>) -> Vec<String> {
    let found = when.user.as_ref().and_then(|pattern| pattern.groups(seen.user()));
    let text = |group: Option<regex::Match<'_>>| group.map(|group| group.as_str().to_owned()).unwrap_or_default();
    found.map(|found| found.iter().skip(1).map(text).collect()).unwrap_or_default()
}

fn holds(when: &When, seen: &Seen<'_>) -> bool {
    let When { agent, system, model, user, turn, after_tool, result, has_tool } = when;
    let texts =
        [(agent, seen.introduced()), (system, seen.ask().system.as_str()), (model, seen.model()), (user, seen.user())];
    texts.iter().all(|(pattern, text)| pattern.as_ref().is_none_or(|pattern| pattern.fits(text)))
        && turn.is_none_or(|turn| turn == seen.turn())
        && has_tool.as_ref().is_none_or(|name| seen.ask().tools.iter().any(|tool| name.fits(&tool.name)))
        && (after_tool.is_none() && result.is_none()
            || seen.results().iter().any(|found| {
                after_tool.as_ref().is_none_or(|name| name.fits(&found.name))
                    && result.as_ref().is_none_or(|text| text.fits(&found.content))
            }))
}
