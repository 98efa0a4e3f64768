//! What an agent gives back, in the form of the protocol.

use super::{fields::Fields, place::Place, turn::update};
use crate::{
    command::{Giving, Update},
    handoff::{Metrics, Outcome},
};

pub(super) fn giving(f: &mut Fields<'_>) -> Giving {
    address(f);
    let status = f.word("status");
    let result = f.part("result", outcome);
    let mut updates: Update =
        f.either("context_updates", "updates").and_then(|place| place.object(update)).unwrap_or_default();
    let notes = f.get("notes");
    let (mut audit, mut used) = (None, updates.metrics);
    f.part("audit", |f| audit = account(f, &mut used));
    updates.metrics = used;
    if let (Some(again), Some(_)) = (&audit, &notes) {
        again.twice("notes");
    }
    let notes = notes.or(audit).and_then(Place::free_text).unwrap_or_default();
    Giving { status, result, updates, notes, signal: f.optional_text("signal") }
}

/// Whose return it is. The lease says so already; here only the form counts.
fn address(f: &mut Fields<'_>) {
    f.get("handoff_id").and_then(Place::uuid);
    f.either("from_agent", "from").and_then(Place::agent);
    f.either("to_agent", "to").and_then(Place::agent);
}

fn outcome(f: &mut Fields<'_>) -> Outcome {
    Outcome {
        content_type: f.optional_word("content_type").unwrap_or_default(),
        body: f.payload("body"),
        score: f.get("score").and_then(|place| place.number(f64::MIN, f64::MAX)),
    }
}

/// What the work used, and the notes on it. What the updates say already is not said again here.
fn account<'m>(f: &mut Fields<'m>, used: &mut Metrics) -> Option<Place<'m>> {
    // The engine knows what time it is; here only the form counts.
    f.get("completion_time").and_then(Place::time);
    if let Some(tokens) = unsaid(f.get("tokens_consumed"), used.tokens != 0).and_then(count) {
        used.tokens = tokens;
    }
    if let Some(cost) = unsaid(f.get("cost"), used.cost != 0.0).and_then(|place| place.number(0.0, f64::MAX)) {
        used.cost = cost;
    }
    if let Some(iterations) = unsaid(f.get("iterations"), used.iterations != 0).and_then(count) {
        used.iterations = iterations;
    }
    f.get("notes")
}

fn count(place: Place<'_>) -> Option<u64> {
    place.whole(0, u64::MAX)
}

fn unsaid(place: Option<Place<'_>>, said: bool) -> Option<Place<'_>> {
    if let Some(place) = place.as_ref().filter(|_| said) {
        place.twice("metrics");
    }
    place
}
