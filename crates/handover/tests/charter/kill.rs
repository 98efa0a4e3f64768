//! SIGKILL in every state. The same command again goes on where it was, and nothing is done twice.
//!
//! `HANDOVER_CRASH_SEED` repeats the moments of a run.

use crate::{
    Place,
    moments::{Running, must_be_whole, outbox, rfps},
};
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

const NAMED: [&str; 5] = ["1.1", "2.1", "3.1", "4.1", "5.done"];
const UNNAMED: [&str; 4] = ["1.2", "3.1", "4.1", "5.done"];
/// Quotes take a moment, so that the wait for them can be hit.
const MARKET: [&str; 8] =
    ["--session", "trip", "--with", "market.first_after_ms=250", "--with", "market.every_ms=0", "--with", "poll_ms=20"];

/// How often a moment is tried until the kill hits it.
const TRIES: usize = 10;

/// When to kill.
enum Moment {
    /// It says this: the kind of the event, a field and its value.
    Says(&'static str, &'static str, &'static str),
    /// The market has the request.
    Asked,
    /// The mail is in the outbox.
    Sent,
}

impl Moment {
    fn wait(&self, run: &Running, place: &Place) -> bool {
        match self {
            Self::Says(kind, field, value) => run.says(|event| event["kind"] == *kind && at(event, field) == *value),
            Self::Asked => run.shows(|| rfps(place) > 0),
            Self::Sent => run.shows(|| outbox(place).iter().any(|name| name.ends_with(".eml"))),
        }
    }
}

fn at<'a>(event: &'a Value, field: &str) -> &'a Value {
    event.pointer(field).unwrap_or(&Value::Null)
}

use Moment::{Asked, Says, Sent};

/// Moments, what fails, and the rules that act all in all.
const MOMENTS: [(Moment, &str, &[&str]); 13] = [
    (Says("session_opened", "/workflow", "charter"), "", &NAMED),
    (Says("accepted", "/by", "orchestrator"), "", &NAMED),
    (Asked, "", &NAMED),
    (Says("step_recorded", "/name", "rfp"), "", &NAMED),
    (Says("state_moved", "/to", "AWAITING_QUOTES"), "", &NAMED),
    (Says("state_changed", "/to", "ANALYZING_PROPOSALS"), "", &NAMED),
    (Says("step_recorded", "/name", "letter"), "", &NAMED),
    (Says("state_moved", "/to", "SENDING_PROPOSAL"), "", &NAMED),
    (Sent, "", &NAMED),
    (Says("step_recorded", "/name", "delivery"), "", &NAMED),
    (Says("state_changed", "/to", "COMPLETED"), "", &NAMED),
    (
        Says("initiated", "/handoff/phase/at", "deferred"),
        "faults.market.fail_first=1",
        &["1.1", "2.1", "3.2", "6.2", "3.1", "4.1", "5.done"],
    ),
    (
        Says("initiated", "/handoff/phase/at", "deferred"),
        "faults.mail.fail_first=1",
        &["1.1", "2.1", "3.1", "4.1", "5.1", "6.3", "5.done"],
    ),
];

#[test]
fn killed_in_any_state_it_goes_on_and_does_nothing_twice() {
    std::thread::scope(|scope| {
        for (number, (moment, fault, rules)) in MOMENTS.iter().enumerate() {
            scope.spawn(move || {
                let with = Some(fault).filter(|fault| !fault.is_empty()).map(|fault| ["--with", fault]);
                let more: Vec<&str> = MARKET.into_iter().chain(with.into_iter().flatten()).collect();
                let how = format!("moment {number}");
                // Near the end it may be quicker than the kill: then another one is tried, and the very end may always be.
                let tried = (0..TRIES).find_map(|_| {
                    let place = Place::new();
                    let run = Running::start(place.run(&["jane.json"], &more));
                    assert!(moment.wait(&run, &place), "{how} never came");
                    (run.kill() || number == 10).then_some(place)
                });
                let place = tried.unwrap_or_else(|| panic!("{how} was over before each kill"));
                let story = place.story(&["jane.json"], &more);
                assert_eq!(story.ends[0]["state"], "COMPLETED", "{how}");
                must_be_whole(&place, &[("trip", *rules)], &how);
            });
        }
    });
}

/// Whoever interrupts a run loses nothing either: the services go away after the agents, so that no try is used up.
#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let place = Place::new();
    let slow = MARKET.map(|word| word.replace("=250", "=2600"));
    let slow: Vec<&str> = slow.iter().map(String::as_str).collect();
    let run = Running::start(place.run(&["jane.json"], &slow));
    assert!(run.says(|event| event["kind"] == "state_moved" && event["to"] == "AWAITING_QUOTES"));
    assert_eq!(run.interrupt(), Some(1));
    assert_eq!(place.story(&["jane.json"], &slow).ends[0]["state"], "COMPLETED");
    must_be_whole(&place, &[("trip", &NAMED)], "interrupted");
}

/// Small and good enough: which moments are hit is all that depends on it.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, to: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % to
    }
}

fn seed() -> u64 {
    match std::env::var("HANDOVER_CRASH_SEED") {
        Ok(text) => text.parse().expect("HANDOVER_CRASH_SEED is a number"),
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs()),
    }
}

const ROUNDS: u64 = 4;
/// Fewer than the losses after which a step is given to somebody else.
const KILLS: u64 = 4;
/// About as many lines as three sessions say.
const LINES: u64 = 60;

#[test]
fn killed_at_any_moment_three_sessions_come_to_their_ends() {
    let seed = seed();
    println!("seed {seed}: HANDOVER_CRASH_SEED={seed} repeats the moments of this run");
    let requests = ["jane.json", "omar.json", "anonymous.json"];
    for round in 0..ROUNDS {
        let (place, mut dice, mut kills) = (Place::new(), Dice(seed + round), Vec::new());
        for _ in 0..KILLS {
            let run = Running::start(place.run(&requests, &MARKET));
            let mut left = dice.roll(LINES);
            kills.push(left);
            run.says(|_| {
                left = left.saturating_sub(1);
                left == 0
            });
            run.kill();
        }
        let how = format!("seed {seed}, round {round}, kills after {kills:?} lines");
        let story = place.story(&requests, &MARKET);
        assert!(story.ends.iter().all(|end| end["state"] == "COMPLETED"), "{how}: {:?}", story.ends);
        must_be_whole(&place, &[("trip-1", &NAMED), ("trip-2", &NAMED), ("trip-3", &UNNAMED)], &how);
    }
}
