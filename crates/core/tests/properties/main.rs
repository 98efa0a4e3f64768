//! Random programs against a simple model: whatever is asked, in whatever order and at whatever time, the promises hold.
//! A failing case prints its program in the language of `common`.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so")]

#[path = "../common/mod.rs"]
mod common;

mod model;
mod money;
mod programs;

use common::{Outcome, Play, Words};
use handover_core::{command::Command, handoff::Phase, session::Session};
use model::Model;
use proptest::prelude::*;

/// Steps of the clock after which everything must be over, for each handoff that was ever made.
const STEPS_PER_HANDOFF: usize = 60;

fn play(program: &[String]) -> Result<(), String> {
    let mut play = Play::new();
    let mut model = Model::default();
    for statement in program {
        let before = play.session.clone();
        let allowed = allowed(&play, statement);
        let outcome = if statement == "next" { next(&mut play) } else { play.step(statement) };
        if matches!(&outcome, Outcome::Decided(decided) if !allowed && !decided.written.is_empty()) {
            return Err(format!("`{statement}` wrote with a stale lease or before its time"));
        }
        model.after(&play, before.as_ref(), &outcome).map_err(|why| format!("after `{statement}`: {why}"))?;
    }
    wind_down(&mut play, &mut model)?;
    model.at_the_end(&play)?;
    replays(&play)
}

/// Whether this statement may write at all: a lease must be the current one, and a tick must be due.
fn allowed(play: &Play, statement: &str) -> bool {
    let words = Words::of(statement);
    let Some(session) = &play.session else { return true };
    let open = session.open.get(&play.handoff(&words));
    let now = play.now.max(session.last_at);
    match words.verb() {
        "heartbeat" | "record" | "return" | "decline" | "ask" | "escalate" => {
            open.is_some_and(|handoff| match handoff.phase {
                // Nobody could renew a lease while the engine slept.
                Phase::Running { lease, lease_until, lease_ms, .. } => {
                    let slept = handoff.accepted_at.is_some_and(|at| at < play.awake_since);
                    let awake = if slept { play.awake_since + lease_ms } else { lease_until };
                    lease == play.lease(&words) && now < lease_until.max(awake)
                }
                _ => false,
            })
        }
        "tick" => open.and_then(|handoff| handoff.due()).is_some_and(|due| due <= now),
        _ => true,
    }
}

fn next(play: &mut Play) -> Outcome {
    let Some((due, handoff)) = play.earliest() else { return Outcome::Scenery };
    play.now = play.now.max(due);
    match play.submit(Command::Tick { handoff }) {
        Ok(decided) => Outcome::Decided(Box::new(decided)),
        Err(error) => Outcome::Refused(error),
    }
}

/// Nobody answers any more: every handoff must end by its own timers, soon.
fn wind_down(play: &mut Play, model: &mut Model) -> Result<(), String> {
    let mut steps = 0;
    while play.earliest().is_some() {
        let before = play.session.clone();
        let outcome = next(play);
        if matches!(&outcome, Outcome::Decided(decided) if decided.written.is_empty()) {
            return Err("a tick at its due time decides to nothing".into());
        }
        model.after(play, before.as_ref(), &outcome).map_err(|why| format!("while winding down: {why}"))?;
        steps += 1;
        if steps > STEPS_PER_HANDOFF * play.by_number.len() {
            return Err(format!("not over after {steps} steps: {}", play.standing()));
        }
    }
    Ok(())
}

/// The records alone, as text, give the session that was decided.
fn replays(play: &Play) -> Result<(), String> {
    let Some(session) = &play.session else { return Ok(()) };
    let mut replayed = Session::replay(&session.id, play.texts.iter().map(String::as_str)).ok_or("not replayable")?;
    replayed.version = session.version;
    if replayed == *session { Ok(()) } else { Err(format!("replayed:\n{replayed:?}\ndecided:\n{session:?}")) }
}

/// As many as `PROPTEST_CASES` says.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn promises_hold_for_any_program(program in programs::any()) {
        if let Err(why) = play(&program) {
            return Err(TestCaseError::fail(format!("{why}\n\n{}\n", program.join("\n"))));
        }
    }
}

/// The programs are worth something: each kind of event comes up.
#[test]
fn programs_reach_every_event() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..400 {
        let program = programs::any().new_tree(&mut runner).unwrap().current();
        let mut play = Play::new();
        for statement in &program {
            let outcome = if statement == "next" { next(&mut play) } else { play.step(statement) };
            if let Outcome::Decided(decided) = outcome {
                for written in &decided.written {
                    *seen.entry(written.record.event_type.clone()).or_default() += 1;
                }
            }
        }
    }
    for word in [
        "accepted",
        "amended",
        "approval_requested",
        "approved",
        "artifact_kept",
        "cancelled",
        "completed",
        "decision_made",
        "deferred",
        "denied",
        "escalated",
        "extended",
        "failed",
        "group_decided",
        "group_moved",
        "group_opened",
        "heartbeat",
        "initiated",
        "lease_lost",
        "locked",
        "offered",
        "rejected",
        "reminded",
        "rerouted",
        "retried",
        "return_taken",
        "segment_completed",
        "session_ended",
        "step_recorded",
        "timeout",
        "unlocked",
        "variables_set",
        "used",
        "workflow_moved",
    ] {
        assert!(seen.contains_key(word), "no program gave {word}: {seen:?}");
    }
}

/// What was once found. Taken back by hand, a part is its source's as before: by the part before it, and with that one it goes
/// further back.
#[test]
fn a_part_that_is_taken_back_by_hand_is_held_by_the_one_before() {
    let program = "agent a up=r
        agent b up=r
        agent c up=r
        agent r
        policy human=r
        open s by a
        initiate - owner->b sequential complete timeout=30s on=retry
        accept @0 by target as L1 lease=5s
        next
        turn by owner goto=c
        accept @6 by target as L1
        accept @0 by target as L1
        retry #1 by ann";
    let program: Vec<String> = program.lines().map(|line| line.trim().to_owned()).collect();
    assert_eq!(play(&program), Ok(()));
}
