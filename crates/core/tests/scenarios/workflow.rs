//! Sessions that follow a workflow: a step that ends leads to the next by its rules, or says why not.

use crate::common::Play;
use expect_test::{Expect, expect};
use handover_core::workflow::Workflow;
use serde_json::{Value, json};
use std::sync::Arc;

/// `b` looks, `c` fetches and waits, `d` writes, `e` sees to errors.
fn flow() -> Value {
    json!({
        "name": "w",
        "agents": {"b": {}, "c": {}, "d": {}, "e": {}},
        "start": "LOOKING",
        "states": {
            "LOOKING": {"agent": "b"},
            "FETCHING": {"agent": "c"},
            "WAITING": {"agent": "c", "timeout": "24h", "on_timeout": "WAITED_TOO_LONG"},
            "WRITING": {"agent": "d"},
            "DONE": {"end": "completed"},
            "LOST": {"end": "failed"}
        },
        "transitions": {"FETCHING": ["WAITING"]},
        "rules": [
            {"id": "1", "from": "b", "to": "c", "trigger_state": "LOOKED", "condition": "has(outcome.data.name)",
             "reason": "there is a name", "priority": "high", "next_state": "FETCHING",
             "payload": {"required": ["session_id", "name"], "optional": ["more"]}},
            {"id": "2", "from": "b", "to": "d", "trigger_state": "LOOKED", "reason": "there is none",
             "next_state": "WRITING"},
            {"id": "3", "from": "c", "to": "d", "reason": "it is fetched", "next_state": "WRITING",
             "trigger_state": ["FETCHED", "FETCHING_COMPLETE"], "payload": {"required": ["name", "got"], "set": {"least": 3}}},
            {"id": "4", "from": "c", "to": "e", "reason": "it failed", "priority": "urgent",
             "trigger_state": ["FETCH_FAILED", "WAITED_TOO_LONG"]},
            {"id": "5", "from": "e", "to": "c", "reason": "again", "trigger_state": "AGAIN",
             "next_state": "FETCHING", "retry": {"max": 2, "backoff": "2s"}},
            {"id": "6", "from": "e", "reason": "it cannot be done", "next_state": "LOST"},
            {"id": "7", "from": "d", "reason": "it is written", "trigger_state": "WRITTEN", "next_state": "DONE"}
        ],
        "on_error": {"to": "e"}
    })
}

fn play(flow: Value) -> Play {
    let workflow: Workflow = serde_json::from_value(flow).expect("a workflow");
    workflow.check().expect("a good workflow");
    let mut play = Play::new();
    play.workflows.insert(workflow.name.clone(), Arc::new(workflow));
    play
}

#[track_caller]
fn check(program: &str, expected: &Expect) {
    check_with(flow(), program, expected);
}

#[track_caller]
fn check_with(flow: Value, program: &str, expected: &Expect) {
    expected.assert_eq(&play(flow).run(program).join("\n"));
}

const OPEN: &str = "open s by a workflow=w; initiate h1 a->b sequential; accept h1 by b as L1;";

#[test]
fn a_step_leads_to_the_next_by_the_first_rule_that_fits() {
    check(
        &format!(
            r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2;
               move h2 as L2 to=WAITING; return h2 as L2 success signal=FETCHED body={{"got":[1,2]}} name=h3;
               accept h3 by d as L3; return h3 as L3 success signal=WRITTEN"#
        ),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            6 completed h1 success
            7 initiated h2 b->c sequential offered until 30s high path a>b>c
            8 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
            9 accepted h2 c L2 until 30s deadline 3600s
            10 state_moved h2 FETCHING->WAITING
            11 deadline_moved h2 to 86400s
            12 completed h2 success
            13 initiated h3 c->d sequential offered until 30s path a>b>c>d
            14 state_changed WAITING->WRITING on FETCHED by rule 3: h3 for d
            15 accepted h3 d L3 until 30s deadline 3600s
            16 completed h3 success
            17 state_changed WRITING->DONE on WRITTEN by rule 7, completed
            18 session_ended by d: it is written"#]],
    );
}

#[test]
fn without_a_name_the_second_rule_counts() {
    check(
        &format!("{OPEN} return h1 as L1 success signal=LOOKED name=h2"),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 initiated h2 b->d sequential offered until 30s path a>b>d
        8 state_changed LOOKING->WRITING on LOOKED by rule 2: h2 for d"#]],
    );
}

#[test]
fn a_signal_that_no_rule_waits_for_is_refused_and_the_step_is_still_open() {
    check(
        &format!(
            r#"{OPEN} return h1 as L1 success signal=LOOKD; return h1 as L1 success; return h1 as L1 success then=c;
               return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2;
               return h2 as L2 success signal=FETCHED"#
        ),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            refused HO1005 signal: b ended LOOKING with LOOKD, and no rule fits: rule 1: it waits for LOOKED; rule 2: it waits for LOOKED (did you mean "LOOKED"?)
            refused HO1005 signal: b ended LOOKING with LOOKING_COMPLETE, and no rule fits: rule 1: it waits for LOOKED; rule 2: it waits for LOOKED (signals that lead on: LOOKED)
            refused HO1006 type: in LOOKING the rules of w say where the work goes (end the step with a signal; allowed next: FETCHING, LOST, WRITING)
            6 completed h1 success
            7 initiated h2 b->c sequential offered until 30s high path a>b>c
            8 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
            9 accepted h2 c L2 until 30s deadline 3600s
            refused HO1007 result.body.got: rule 3 hands over to d: neither the result, nor the step's payload, nor a variable has it"#]],
    );
}

/// The guards against circles leave retries alone: those end by themselves.
#[test]
fn what_fails_again_after_another_try_is_no_circle() {
    let mut play = play(flow());
    play.policy.loops = handover_core::policy::Loops::default();
    let shown = play.run(&format!(
        r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2;
           return h2 as L2 failed signal=FETCH_FAILED name=h3; accept h3 by e as L3;
           return h3 as L3 success signal=AGAIN name=h4; next; accept h4 by c as L4;
           return h4 as L4 failed signal=FETCH_FAILED name=h5; accept h5 by e as L5;
           return h5 as L5 success signal=AGAIN name=h6; next; accept h6 by c as L6;
           return h6 as L6 failed signal=FETCH_FAILED name=h7; accept h7 by e as L7;
           return h7 as L7 success signal=AGAIN"#
    ));
    let last = shown.last().map(String::as_str).unwrap_or_default();
    assert!(last.ends_with("session_ended by e: it cannot be done"), "{shown:#?}");
}

#[test]
fn a_way_with_a_limit_is_gone_so_often_and_waits_longer_each_time() {
    check(
        &format!(
            r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2;
               return h2 as L2 failed signal=FETCH_FAILED name=h3; accept h3 by e as L3;
               return h3 as L3 success signal=AGAIN name=h4; next; accept h4 by c as L4;
               return h4 as L4 failed signal=FETCH_FAILED name=h5; accept h5 by e as L5;
               return h5 as L5 success signal=AGAIN name=h6; next; accept h6 by c as L6;
               return h6 as L6 failed signal=FETCH_FAILED name=h7; accept h7 by e as L7;
               return h7 as L7 success signal=AGAIN"#
        ),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            6 completed h1 success
            7 initiated h2 b->c sequential offered until 30s high path a>b>c
            8 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
            9 accepted h2 c L2 until 30s deadline 3600s
            10 failed h2 failed
            11 initiated h3 c->e sequential offered until 30s urgent path a>b>c>e
            12 state_changed FETCHING->FETCHING on FETCH_FAILED by rule 4: h3 for e
            13 accepted h3 e L3 until 30s deadline 3600s
            14 completed h3 success
            15 initiated h4 e->c sequential deferred until 2s path a>b>c>e>c
            16 state_changed FETCHING->FETCHING on AGAIN by rule 5: h4 for c
            17 offered h4 until 32s
            18 accepted h4 c L4 until 32s deadline 3602s
            19 failed h4 failed
            20 initiated h5 c->e sequential offered until 32s urgent path a>b>c>e>c>e
            21 state_changed FETCHING->FETCHING on FETCH_FAILED by rule 4: h5 for e
            22 accepted h5 e L5 until 32s deadline 3602s
            23 completed h5 success
            24 initiated h6 e->c sequential deferred until 6s path a>b>c>e>c>e>c
            25 state_changed FETCHING->FETCHING on AGAIN by rule 5: h6 for c
            26 offered h6 until 36s
            27 accepted h6 c L6 until 36s deadline 3606s
            28 failed h6 failed
            29 initiated h7 c->e sequential offered until 36s urgent path a>b>c>e>c>e>c>e
            30 state_changed FETCHING->FETCHING on FETCH_FAILED by rule 4: h7 for e
            31 accepted h7 e L7 until 36s deadline 3606s
            32 completed h7 success
            33 state_changed FETCHING->LOST on AGAIN by rule 6, failed
            34 session_ended by e: it cannot be done"#]],
    );
}

#[test]
fn a_state_that_lasts_too_long_has_a_signal_of_its_own() {
    check(
        &format!(
            r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2 local;
               wait 5s; move h2 as L2 to=WAITING; wait 86400s; tick h2; next; next"#
        ),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            6 completed h1 success
            7 initiated h2 b->c sequential offered until 30s high path a>b>c
            8 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
            9 accepted h2 c L2 until 7200s deadline 3600s
            10 state_moved h2 FETCHING->WAITING
            11 deadline_moved h2 to 86405s
            12 reminded h2 until 86465s
            13 timeout h2 timeout: c did not finish in time
            14 initiated n3 c->e sequential offered until 86495s urgent path a>b>c>e
            15 state_changed WAITING->WAITING on WAITED_TOO_LONG by rule 4: n3 for e
            16 failed n3 failed: nobody is left to take it: it was not acknowledged in time (asked 1)
            17 state_changed WAITING->LOST on WAITING_FAILED by rule 6, failed
            18 session_ended by c: it cannot be done
            ! e unavailable"#]],
    );
}

#[test]
fn a_state_moves_only_where_it_may() {
    check(
        &format!(
            r#"{OPEN} move h1 as L1 to=DONE; move h1 as L1 to=WRITING;
               return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; accept h2 by c as L2;
               move h2 as L2 to=DONE; move h2 as L2 to=FETCHING; move h2 as L2 to=WAITING; move h2 as L2 to=FETCHING;
               move h1 as L1 to=WAITING"#
        ),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            refused HO1006 state: LOOKING is not followed by DONE (allowed while the step goes on: none)
            refused HO1006 state: LOOKING is not followed by WRITING (allowed while the step goes on: none)
            6 completed h1 success
            7 initiated h2 b->c sequential offered until 30s high path a>b>c
            8 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
            9 accepted h2 c L2 until 30s deadline 3600s
            refused HO1006 state: FETCHING is not followed by DONE (allowed while the step goes on: WAITING)
            nothing
            10 state_moved h2 FETCHING->WAITING
            11 deadline_moved h2 to 86400s
            refused HO1006 state: WAITING is not followed by FETCHING (allowed while the step goes on: none)
            refused HO0502 handoff h1 is completed already"#]],
    );
}

#[test]
fn what_no_rule_speaks_of_goes_to_whoever_sees_to_errors() {
    check(
        &format!("{OPEN} return h1 as L1 failed name=h2; accept h2 by e as L2; return h2 as L2 failed"),
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            6 failed h1 failed
            7 initiated h2 b->e sequential offered until 30s path a>b>e
            8 state_changed LOOKING->LOOKING on LOOKING_FAILED: h2 for e
            9 accepted h2 e L2 until 30s deadline 3600s
            10 failed h2 failed
            11 state_changed LOOKING->LOST on LOOKING_FAILED by rule 6, failed
            12 session_ended by e: it cannot be done"#]],
    );
    // Nobody answers, and nobody else is there.
    check(
        "open s by a workflow=w; initiate h1 a->b sequential; reject h1 by b; settle",
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 rejected h1 b: no
        6 failed h1 failed: nobody is left to take it: it was rejected (asked 1): no
        7 initiated n2 a->e sequential offered until 30s
        8 state_changed LOOKING->LOOKING on LOOKING_FAILED: n2 for e
        9 failed n2 failed: nobody is left to take it: it was not acknowledged in time (asked 1)
        10 state_changed LOOKING->LOST on LOOKING_FAILED by rule 6, failed
        11 session_ended by a: it cannot be done
        ! e unavailable"#]],
    );
}

#[test]
fn without_a_way_for_errors_the_workflow_ends_in_the_state_for_that() {
    let mut bare = flow();
    bare["on_error"] = Value::Null;
    check_with(
        bare,
        &format!("{OPEN} return h1 as L1 failed"),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 failed h1 failed
        7 state_changed LOOKING->LOST on LOOKING_FAILED, failed: LOOKING_FAILED: it came to nothing; rule 1: it waits for LOOKED; rule 2: it waits for LOOKED
        8 session_ended by b: LOOKING_FAILED: it came to nothing; rule 1: it waits for LOOKED; rule 2: it waits for LOOKED"#]],
    );
}

#[test]
fn agents_give_a_session_away_by_its_rules_alone() {
    check(
        "open s by a workflow=w; initiate h0 a->c sequential; initiate h1 a->b sequential; accept h1 by b as L1; \
         initiate h2 b->d sequential; initiate h3 b->d delegation timeout=60s; turn s by b goto=d",
        &expect![[r#"
            1 session_opened a
            refused HO1006 to_agent: w starts with b, not with c
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 state_changed LOOKING->LOOKING: h1 for b
            5 accepted h1 b L1 until 30s deadline 3600s
            refused HO1006 type: in LOOKING the rules of w say where the work goes (end the step with a signal; allowed next: FETCHING, LOST, WRITING)
            6 initiated h3 b->d delegation offered until 30s path a>b>d
            refused HO1006 type: in LOOKING the rules of w say where the work goes (end the step with a signal; allowed next: FETCHING, LOST, WRITING)"#]],
    );
}

#[test]
fn what_a_guard_refuses_stops_the_workflow() {
    let mut short = flow();
    short["limits"] = json!({"handoffs": 1});
    let program = format!(r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}}"#);
    check_with(
        short,
        &program,
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 state_changed LOOKING->LOST on LOOKED, failed: b->c: HO0701 type: 1 of the 1 handoffs of this session are used up
        8 session_ended by b: b->c: HO0701 type: 1 of the 1 handoffs of this session are used up"#]],
    );
    check(
        &format!(r#"{OPEN} remove c; return h1 as L1 success signal=LOOKED body={{"name":"Jane"}}"#),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 state_changed LOOKING->LOST on LOOKED, failed: b->c: HO0202 to_agent: "c" is not registered (did you mean "a"?)
        8 session_ended by b: b->c: HO0202 to_agent: "c" is not registered (did you mean "a"?)"#]],
    );
}

#[test]
fn a_rule_can_ask_for_an_approval() {
    let mut asked = flow();
    asked["rules"][0]["needs_approval"] = json!(true);
    let program = format!(r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; "#);
    check_with(
        asked.clone(),
        &format!("{program} approve h2 by boss; accept h2 by c as L2"),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 initiated h2 b->c sequential awaiting_approval until 86400s high path a>b>c
        8 approval_requested h2 until 86400s
        9 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
        10 approved h2 by boss until 30s
        11 accepted h2 c L2 until 30s deadline 3600s"#]],
    );
    check_with(
        asked,
        &format!("{program} deny h2 by boss"),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 initiated h2 b->c sequential awaiting_approval until 86400s high path a>b>c
        8 approval_requested h2 until 86400s
        9 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
        10 denied h2 by boss
        11 cancelled h2 failed: denied by boss: too risky
        12 initiated n3 b->e sequential offered until 30s path a>b>e
        13 state_changed FETCHING->FETCHING on FETCHING_FAILED: n3 for e"#]],
    );
}

#[test]
fn a_step_that_nobody_took_can_go_back_to_its_source() {
    let mut back = flow();
    back["rules"][0]["needs_approval"] = json!(true);
    let rules = back["rules"].as_array_mut().expect("a list");
    rules.push(json!({"id": "8", "from": "c", "to": "b", "trigger_state": "FETCHING_FAILED", "reason": "look again",
        "next_state": "LOOKING", "retry": {"max": 2}}));
    let program =
        format!(r#"{OPEN} return h1 as L1 success signal=LOOKED body={{"name":"Jane"}} name=h2; deny h2 by boss"#);
    check_with(
        back,
        &program,
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 completed h1 success
        7 initiated h2 b->c sequential awaiting_approval until 86400s high path a>b>c
        8 approval_requested h2 until 86400s
        9 state_changed LOOKING->FETCHING on LOOKED by rule 1: h2 for c
        10 denied h2 by boss
        11 cancelled h2 failed: denied by boss: too risky
        12 initiated n3 c->b sequential offered until 30s
        13 state_changed FETCHING->LOOKING on FETCHING_FAILED by rule 8: n3 for b"#]],
    );
}

#[test]
fn whoever_owns_the_session_can_end_it_in_the_middle() {
    check(
        &format!("{OPEN} end s by b"),
        &expect![[r#"
        1 session_opened a
        2 segment_completed by a
        3 initiated h1 a->b sequential offered until 30s
        4 state_changed LOOKING->LOOKING: h1 for b
        5 accepted h1 b L1 until 30s deadline 3600s
        6 state_changed LOOKING->LOOKING, failed: the session was ended
        7 cancelled h1 failed returned to a: the session ended
        8 session_ended by b: done"#]],
    );
}

#[test]
fn a_session_of_a_workflow_that_nobody_knows_is_refused() {
    check("open s by a workflow=v", &expect![[r#"refused HO1001 workflow: "v" is not known (did you mean "w"?)"#]]);
}

#[test]
fn a_signal_belongs_to_a_step() {
    check(
        "open s by a; initiate h1 a->b delegation timeout=60s; accept h1 by b as L1; return h1 as L1 success signal=X; \
         move h1 as L1 to=Y",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO1008 signal: handoff h1 is no step of a workflow, and ends without a signal
            refused HO1008 handoff h1 is not the present step of the session's workflow"#]],
    );
}
