//! A step of a workflow whose agent can take nothing for a while waits for it; what will not pass by ends the workflow.

use crate::common::Play;
use handover_core::{
    command::Command,
    limits::{STEP_WAIT_MS, STEP_WAITS_DOUBLED, STEP_WAITS_MAX},
    policy::Loops,
    refusal::Code,
    workflow::{End, Workflow},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn flow() -> Value {
    json!({
        "name": "w",
        "agents": {"b": {}, "c": {}, "e": {}},
        "start": "LOOKING",
        "states": {
            "LOOKING": {"agent": "b"}, "FETCHING": {"agent": "c"},
            "DONE": {"end": "completed"}, "LOST": {"end": "failed"}
        },
        "rules": [
            {"id": "1", "from": "b", "to": "c", "trigger_state": "LOOKED", "reason": "go", "next_state": "FETCHING"},
            {"id": "2", "from": "c", "trigger_state": "FETCHED", "reason": "there it is", "next_state": "DONE"},
            {"id": "3", "from": "e", "reason": "it cannot be done", "next_state": "LOST"}
        ],
        "on_error": {"to": "e"}
    })
}

fn play(flow: Value) -> Play {
    let workflow: Workflow = serde_json::from_value(flow).expect("a workflow");
    let mut play = Play::new();
    play.workflows.insert(workflow.name.clone(), Arc::new(workflow));
    play
}

const OPEN: &str = "open s by a workflow=w; initiate h1 a->b sequential; accept h1 by b as L1;";
const LOOKED: &str = "return h1 as L1 success signal=LOOKED name=h2;";

/// The lines after the step before has ended.
fn after(play: &mut Play, program: &str) -> Vec<String> {
    play.run(OPEN);
    let shown = play.run(program);
    shown.into_iter().filter(|line| !line.contains(" completed h1 ")).collect()
}

#[test]
fn an_agent_that_can_take_nothing_for_a_while_is_waited_for() {
    let begun = "7 initiated h2 b->c sequential deferred until 2s path a>b>c";
    let moved = "9 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c";
    for (away, back, why) in [
        ("standing c draining", "standing c available", "c is draining|c: it is draining"),
        ("standing c unavailable", "standing c available", "c is unavailable|c: it is unavailable"),
        (
            "breaker after=1 for=20s; failing c 1",
            "wait 1s",
            "c: it failed 1 time in a row and is left alone until 2023-11-14T22:13:40.000Z",
        ),
    ] {
        let mut play = play(flow());
        let shown = after(&mut play, &format!("{away}; {LOOKED} next; {back}; next; accept h2 by c as L2"));
        let (first, second) = why.split_once('|').unwrap_or((why, why));
        let until = if away.starts_with("breaker") { 20 } else { 6 };
        let expected = [
            begun.to_owned(),
            format!("8 held_up h2 until 2s: {first}"),
            moved.to_owned(),
            format!("10 held_up h2 until {until}s: {second}"),
            format!("11 offered h2 until {}s", until + 30),
            format!("12 accepted h2 c L2 until {}s deadline {}s", until + 30, until + 3600),
        ];
        assert_eq!(shown, expected, "{away}");
    }
}

#[test]
fn a_pair_that_is_too_fast_waits_for_its_window() {
    let mut play = play(flow());
    let loops = Loops { pair_per_minute: 1, ..Loops::default() };
    play.policy.loops = Loops { repeats_within: 0, idle_rounds: 0, ..loops };
    play.run(OPEN);
    // As if b had handed over to c before.
    let session = play.session.as_mut().expect("it is open");
    let step = handover_core::guard::watch::Move {
        from: crate::common::name("b"),
        to: crate::common::name("c"),
        digest: handover_core::digest::Digest::of_json(&0),
    };
    session.watch.note(handover_core::handoff::Kind::Sequential, true, step, play.now);
    let shown = play.run(&format!("{LOOKED} next; next; next; next; next"));
    let held = shown.iter().filter(|line| line.contains(" held_up h2 ")).count();
    assert_eq!(held, 5, "{shown:#?}");
    assert!(shown.last().is_some_and(|line| line.contains(" offered h2 until 92s")), "{shown:#?}");
}

#[test]
fn each_wait_is_longer_and_then_it_goes_the_way_of_errors() {
    let mut play = play(flow());
    let mut before = play.now;
    after(&mut play, &format!("standing c draining; {LOOKED}"));
    let mut waits = Vec::new();
    let last = loop {
        let due = play.earliest().expect("something is always due").0;
        waits.push((due.0 - before.0).unsigned_abs());
        before = due;
        let shown = play.next_due();
        if !shown.iter().any(|line| line.contains(" held_up h2 ")) {
            break shown;
        }
    };
    let expected: Vec<u64> = (0..STEP_WAITS_MAX).map(|n| STEP_WAIT_MS << n.min(STEP_WAITS_DOUBLED)).collect();
    // The first try is the beginning itself.
    assert_eq!(waits[0], STEP_WAIT_MS);
    assert_eq!(waits[1..], expected[1..]);
    assert!(last[0].contains("failed h2 failed: c could not take it in 340 tries (STEP_WAITS_MAX): c: it is draining"));
    assert!(last[1].contains("b->e"), "{last:#?}");
    assert!(last[2].contains("on FETCHING_FAILED"), "{last:#?}");
}

#[test]
fn without_a_way_of_errors_it_ends_with_the_reason() {
    let mut bare = flow();
    bare["on_error"] = Value::Null;
    let mut play = play(bare);
    after(&mut play, &format!("standing c draining; {LOOKED} settle"));
    let flow = play.session.and_then(|session| session.flow).expect("it follows a workflow");
    assert_eq!((flow.state.as_str(), flow.ended), ("LOST", Some(End::Failed)));
    assert!(flow.trouble.contains("c: it is draining"), "{}", flow.trouble);
}

#[test]
fn once_it_is_back_it_is_asked_at_once() {
    let mut play = play(flow());
    after(&mut play, &format!("standing c draining; {LOOKED}"));
    let handoff = play.handoffs["h2"];
    let still = play.submit(Command::Reconsider { handoff }).expect("it is open");
    assert!(still.written.is_empty(), "it is held up still");
    play.run("standing c available");
    let now = play.submit(Command::Reconsider { handoff }).expect("it is open");
    assert_eq!(now.written[0].record.event_type, "offered");
}

#[test]
fn a_person_may_approve_it_meanwhile() {
    let mut asked = flow();
    asked["rules"][0]["needs_approval"] = json!(true);
    let mut play = play(asked);
    let program = format!("standing c draining; {LOOKED} approve h2 by boss; standing c available; next");
    let shown = after(&mut play, &program);
    assert_eq!(
        shown[2..],
        [
            "9 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c",
            "10 approved h2 by boss until 30s",
            "11 held_up h2 until 2s: c: it is draining",
            "12 offered h2 until 32s"
        ]
    );
}

#[test]
fn what_will_not_pass_by_ends_it_at_once() {
    for (away, told) in [
        ("remove c", "HO0202"),
        ("agent c closed", "HO0204"),
        ("agent c closed; standing c draining", "HO0203"),
        ("agent c budget=1; spent c", "HO0709"),
    ] {
        let mut play = play(flow());
        let shown = after(&mut play, &format!("{away}; {LOOKED}"));
        assert!(shown.iter().any(|line| line.contains("LOOKING->LOST") && line.contains(told)), "{away}: {shown:#?}");
    }
}

#[test]
fn few_codes_pass_by() {
    let passing: Vec<&str> = Code::ALL.iter().filter(|code| code.is_temporary()).map(|code| code.text()).collect();
    assert_eq!(passing, ["HO0203", "HO0406", "HO0707", "HO0708"]);
}
