//! A person has work tried once more, or gives a step of a workflow to somebody else.

use super::by_hand::told;
use crate::common::{Play, check};
use expect_test::expect;
use handover_core::{policy::Loops, workflow::Workflow};
use serde_json::json;
use std::sync::Arc;

#[test]
fn what_came_to_nothing_is_begun_once_more_as_another_handoff() {
    let mut play = Play::new();
    play.policy.loops = Loops::default();
    let shown = told(
        &mut play,
        "
        open s by a
        initiate h a->b delegation timeout=60s set=x:1 deadline=2m
        set by a x=2
        accept h by b as L1
        return h as L1 failed
        retry h by ann name=h2
        retry h by ann
        accept h2 by b as L2
        return h2 as L2 failed
        wait 3m
        retry h2 by ann name=h3
        accept h3 by b as L3
        return h3 as L3 success
        retry h3 by ann
        initiate e a->c delegation timeout=60s
        cancel e by a
        retry e by ann name=e2
        end by a
        retry e by ann
        ",
    );
    expect![[r#"
        1 session_opened a
        2 variables_set by a x="1"@1
        3 initiated h a->b delegation offered until 30s
        4 variables_set by a x="2"@2
        5 accepted h b L1 until 30s deadline 60s
        6 failed h failed returned to a
        7 initiated h2 a->b delegation offered until 30s again after h by ann
        refused HO0704 handoff h is tried once more already, as h2 (wait for that one, redirect it, or cancel it)
        8 accepted h2 b L2 until 30s deadline 60s
        9 failed h2 failed returned to a
        10 initiated h3 a->b delegation offered until 210s again after h2 by ann
        ! its deadline was 2023-11-14T22:15:20.000Z and is left out
        11 accepted h3 b L3 until 210s deadline 240s
        12 completed h3 success returned to a
        refused HO0502 handoff h3 is completed already (what is done is not tried again: hand over anew)
        13 initiated e a->c delegation offered until 210s
        14 cancelled e failed returned to a: not needed
        15 initiated e2 a->c delegation offered until 210s again after e by ann
        16 cancelled e2 failed returned to a: the session ended
        17 session_ended by a: done
        refused HO0304 the session ended at 2023-11-14T22:16:20.000Z (open a new session; one whose workflow could not go on is taken up by a retry of its last step)"#]].assert_eq(&shown);
    assert_eq!(play.session.as_ref().map(|session| session.variables["x"].value.clone()), Some(json!("2")));
}

#[test]
fn what_was_given_away_or_sent_to_many_is_tried_again_the_same_way() {
    check(
        "
        open s by a
        initiate g a->b,c broadcast timeout=60s
        reject g.1 by b
        retry g.1 by ann name=g2
        accept g2.1 by b as L
        return g2.1 as L success
        initiate h a->b sequential complete
        accept h by b as L1
        return h as L1 failed
        retry h by ann name=h2
        accept h2 by b as L2
        return h2 as L2 success
        retry g.2 by ann
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g.1 a->b broadcast offered until 30s
            3 initiated g.2 a->c broadcast offered until 30s
            4 group_opened g all of g.1 g.2
            5 rejected g.1 b: no
            6 failed g.1 failed: nobody is left to take it: it was rejected (asked 1): no
            7 group_decided g failed returned to a
            8 cancelled g.2 failed: the broadcast is decided
            9 initiated g2.1 a->b broadcast offered until 30s again after g.1 by ann
            10 group_opened g2 all of g2.1
            11 accepted g2.1 b L until 30s deadline 60s
            12 completed g2.1 success
            13 group_decided g2 success returned to a by g2.1
            14 segment_completed by a
            15 initiated h a->b sequential offered until 30s
            16 accepted h b L1 until 30s deadline 3600s
            17 failed h failed returned to a
            18 initiated h2 a->b sequential offered until 30s again after h by ann
            19 accepted h2 b L2 until 30s deadline 3600s
            20 completed h2 success
            refused HO0303 from_agent: a neither owns the session (b does) nor works on one of its handoffs
            => b, g.1 failed, g.2 cancelled, g2.1 completed, h failed, h2 completed"#]],
    );
}

fn looking() -> Play {
    let workflow: Workflow = serde_json::from_value(json!({
        "name": "w",
        "agents": {"b": {}, "c": {}},
        "start": "LOOKING",
        "states": {
            "LOOKING": {"agent": "b"}, "FETCHING": {"agent": "c", "timeout": "5m"},
            "DONE": {"end": "completed"}, "LOST": {"end": "failed"}
        },
        "rules": [
            {"id": "1", "from": "b", "to": "c", "trigger_state": "LOOKED", "reason": "go", "next_state": "FETCHING"},
            {"id": "2", "from": "c", "trigger_state": "FETCHED", "reason": "there it is", "next_state": "DONE"}
        ]
    }))
    .expect("a workflow");
    let mut play = Play::new();
    play.policy.loops = Loops::default();
    play.workflows.insert(workflow.name.clone(), Arc::new(workflow));
    play.run("open s by a workflow=w; initiate h1 a->b sequential; accept h1 by b as L1");
    play
}

const LOOKED: &str = "return h1 as L1 success signal=LOOKED name=h2;";

#[test]
fn a_step_of_a_workflow_stays_the_step_and_has_its_time_anew() {
    let mut play = looking();
    play.run(LOOKED);
    let shown = told(
        &mut play,
        "
        accept h2 by c as L2
        wait 20s
        redirect h2 by ann to d
        accept h2 by d as L3
        return h2 as L2 success signal=FETCHED
        return h2 as L3 success signal=FETCHED
        ",
    );
    expect![[r#"
        9 accepted h2 c L2 until 30s deadline 300s
        10 lease_lost h2 L2 until 50s
        11 rerouted h2 c->d until 50s: by_hand of ann: it is better so
        12 accepted h2 d L3 until 50s deadline 320s
        refused HO0504 lease L2 was given up or replaced
        13 completed h2 success
        14 state_changed FETCHING->DONE on FETCHED by rule 2, completed
        15 session_ended by d: there it is"#]]
    .assert_eq(&shown);
}

#[test]
fn a_workflow_that_could_not_go_on_goes_on_from_its_last_step() {
    let mut play = looking();
    play.run(LOOKED);
    let shown = told(
        &mut play,
        "
        accept h2 by c as L2
        return h2 as L2 failed
        retry h1 by ann
        redirect h2 by ann to d
        retry h2 by ann name=h3
        retry h2 by ann
        accept h3 by c as L3
        return h3 as L3 failed
        retry h3 by ann name=h4
        accept h4 by c as L4
        return h4 as L4 success signal=FETCHED
        retry h4 by ann
        ",
    );
    expect![[r#"
        9 accepted h2 c L2 until 30s deadline 300s
        10 failed h2 failed
        11 state_changed FETCHING->LOST on FETCHING_FAILED, failed: FETCHING_FAILED: it came to nothing; rule 2: it waits for FETCHED
        12 session_ended by c: FETCHING_FAILED: it came to nothing; rule 2: it waits for FETCHED
        refused HO0502 handoff h1 is completed already (what is done is not tried again: hand over anew)
        refused HO0502 handoff h2 is failed already
        13 session_reopened by ann: once more
        14 initiated h3 b->c sequential offered until 30s path a>b>c again after h2 by ann
        15 state_changed FETCHING->FETCHING: h3 for c
        refused HO0704 handoff h2 is tried once more already, as h3 (wait for that one, redirect it, or cancel it)
        16 accepted h3 c L3 until 30s deadline 300s
        17 failed h3 failed
        18 state_changed FETCHING->LOST on FETCHING_FAILED, failed: FETCHING_FAILED: it came to nothing; rule 2: it waits for FETCHED
        19 session_ended by c: FETCHING_FAILED: it came to nothing; rule 2: it waits for FETCHED
        20 session_reopened by ann: once more
        21 initiated h4 b->c sequential offered until 30s path a>b>c again after h3 by ann
        22 state_changed FETCHING->FETCHING: h4 for c
        23 accepted h4 c L4 until 30s deadline 300s
        24 completed h4 success
        25 state_changed FETCHING->DONE on FETCHED by rule 2, completed
        26 session_ended by c: there it is
        refused HO0502 handoff h4 is completed already (what is done is not tried again: hand over anew)"#]].assert_eq(&shown);
}

#[test]
fn a_workflow_whose_next_step_was_refused_makes_the_step_before_it_again() {
    let mut play = looking();
    let shown = told(
        &mut play,
        "
        agent c closed
        return h1 as L1 success signal=LOOKED
        agent b closed
        retry h1 by ann
        agent b
        agent c
        retry h1 by ann name=h2
        accept h2 by b as L2
        return h2 as L2 success signal=LOOKED
        ",
    );
    expect![[r#"
        6 completed h1 success
        7 state_changed LOOKING->LOST on LOOKED, failed: b->c: HO0204 to_agent: c takes no handoffs
        8 session_ended by b: b->c: HO0204 to_agent: c takes no handoffs
        refused HO0204 to_agent: b takes no handoffs
        9 session_reopened by ann: once more
        10 initiated h2 a->b sequential offered until 30s again after h1 by ann
        11 state_changed LOOKING->LOOKING: h2 for b
        12 accepted h2 b L2 until 30s deadline 3600s
        13 completed h2 success
        14 initiated n3 b->c sequential offered until 30s path a>b>c
        15 state_changed LOOKING->FETCHING on LOOKED by rule 1: n3 for c"#]]
    .assert_eq(&shown);
}
