//! A person steps in: somebody else takes the work, or it is tried once more.

use crate::common::{Play, check, name};
use expect_test::expect;
use handover_core::{
    access::{Caller, Role},
    command::Command,
    policy::Loops,
    refusal::Code,
    session::Session,
    workflow::Workflow,
};
use serde_json::json;
use std::sync::Arc;

/// What a program comes to, and a replay of its records comes to the same.
fn told(play: &mut Play, program: &str) -> String {
    let lines = play.run(program);
    let session = play.session.as_ref().expect("it is open");
    let mut again = Session::replay(&session.id, play.texts.iter().map(String::as_str)).expect("its records follow");
    again.version = session.version;
    assert_eq!(again.open, session.open);
    assert_eq!(again, *session);
    lines.join("\n")
}

#[test]
fn whoever_works_on_it_loses_it_and_the_source_is_told_once() {
    check(
        "
        open s by a
        initiate h a->b delegation timeout=60s
        accept h by b as L1
        initiate part b->d delegation timeout=30s
        lock f by b exclusive
        wait 5s
        redirect h by ann to c
        return h as L1 success
        heartbeat h as L1
        accept h by b as L2
        accept h by c as L3
        return h as L3 success
        take h by a
        take h by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h a->b delegation offered until 30s
            3 accepted h b L1 until 30s deadline 60s
            4 initiated part b->d delegation offered until 30s path a>b>d
            5 locked f by b exclusive until 300s with h
            6 cancelled part failed returned to b: the work that asked for it was given to somebody else
            7 lease_lost h L1 until 35s
            8 rerouted h b->c until 35s: by_hand of ann: it is better so
            refused HO0504 lease L1 was lost; the work is on offer again
            refused HO0504 lease L1 was lost; the work is on offer again
            refused HO0503 handoff h is offered to c, not to b
            9 accepted h c L3 until 35s deadline 65s
            10 completed h success returned to a
            11 return_taken h by a
            refused HO0512 no return of h waits for a
            => a, h completed, part cancelled"#]],
    );
}

#[test]
fn whoever_lost_it_owns_the_session_no_more() {
    check(
        "
        open s by a
        initiate h a->b sequential complete timeout=60s
        accept h by b as L1
        redirect h by ann to c
        end by b
        cancel h by b
        accept h by c as L2
        return h as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h a->b sequential offered until 30s
            4 accepted h b L1 until 30s deadline 60s
            5 lease_lost h L1 until 30s
            6 rerouted h b->c until 30s: by_hand of ann: it is better so
            refused HO0303 b does not own the session; a does
            refused HO0511 b is neither the source nor the owner of the session
            7 accepted h c L2 until 30s deadline 60s
            8 completed h success
            => c, h completed"#]],
    );
}

#[test]
fn it_is_offered_again_wherever_it_waits() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        redirect h1 by ann to c
        initiate h2 a->b delegation timeout=60s
        defer h2 by b 20s
        redirect h2 by ann to b
        initiate h3 a->b delegation timeout=60s
        accept h3 by b as L3
        ask h3 as L3
        redirect h3 by ann to c
        answer h3 by a
        accept h3 by c as L4
        return h3 as L4 success
        retry h2 by ann
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 rerouted h1 b->c until 30s: by_hand of ann: it is better so
            4 initiated h2 a->b delegation offered until 30s
            5 deferred h2 b until 20s
            6 rerouted h2 b->b until 30s: by_hand of ann: it is better so
            7 initiated h3 a->b delegation offered until 30s
            8 accepted h3 b L3 until 30s deadline 60s
            9 asked h3 until 60s: which one?
            10 rerouted h3 b->c until 30s: by_hand of ann: it is better so
            refused HO0513 nothing is asked about handoff h3; it is offered
            11 accepted h3 c L4 until 30s deadline 60s
            12 completed h3 success returned to a
            refused HO0507 handoff h2 is on offer to b already (redirect it to give it to somebody else)
            => a, h1 offered (c), h2 offered (b), h3 completed"#]],
    );
}

#[test]
fn a_person_may_choose_who_said_no_and_it_counts_as_no_further_candidate() {
    let mut play = Play::new();
    let shown = told(
        &mut play,
        "
        open s by a
        initiate h a->? delegation among=b,c,d,e timeout=60s
        reject h by b
        redirect h by ann to b
        redirect h by ann to f
        redirect h by ann to b
        redirect h by ann to f
        reject h by f
        reject h by c
        ",
    );
    expect![[r#"
        1 session_opened a
        2 initiated h a->b delegation offered until 30s among b, c, d, e
        3 rejected h b: no
        4 rerouted h b->c until 30s: rejected
        5 rerouted h c->b until 30s: by_hand of ann: it is better so
        6 rerouted h b->f until 30s: by_hand of ann: it is better so
        7 rerouted h f->b until 30s: by_hand of ann: it is better so
        8 rerouted h b->f until 30s: by_hand of ann: it is better so
        9 rejected h f: no
        10 rerouted h f->d until 30s: rejected
        refused HO0503 handoff h is offered to d, not to c"#]]
    .assert_eq(&shown);
    let handoff = play.session.as_ref().and_then(|s| s.open.values().next().cloned()).expect("it is open");
    assert_eq!((handoff.reroutes, handoff.tried.len()), (2, 3), "{:?}", handoff.tried);
}

#[test]
fn an_escalation_gives_back_what_was_lent() {
    let mut play = Play::new();
    let shown = told(
        &mut play,
        "
        agent a up=r
        agent r
        open s by a
        initiate h a->? escalation
        accept h by r as L1
        redirect h by ann to c
        ",
    );
    expect![[r#"
        1 session_opened a
        2 initiated h a->r escalation offered until 30s level 1 back to a
        3 accepted h r L1 until 30s deadline 900s
        4 lease_lost h L1 until 30s
        5 rerouted h r->c until 30s: by_hand of ann: it is better so"#]]
    .assert_eq(&shown);
    assert_eq!(play.session.as_ref().map(|session| session.active_agent.clone()), Some(name("a")));
    assert_eq!(play.run("accept h by c as L2; return h as L2 success").len(), 2);
    assert_eq!(play.standing(), "=> a, h completed");
}

#[test]
fn who_cannot_take_it_is_refused() {
    let scene = "
        agent low risk=low; agent deaf closed; agent can cap=code; standing e draining; agent z risk=high
        policy human=z; rule boss to=d ask=boss
        open s by a
        initiate h a->can delegation timeout=60s risk=medium need=code:0.1; accept h by can as L";
    for (to, code) in [
        ("a", Code::SelfHandoff),
        ("nobody", Code::UnknownTarget),
        ("e", Code::TargetUnavailable),
        ("deaf", Code::TargetTakesNone),
        ("low", Code::AutonomyTooSmall),
        ("b", Code::CapabilityMismatch),
    ] {
        let mut play = Play::new();
        play.run(scene);
        let refused = play.submit(Command::Redirect {
            handoff: play.handoffs["h"],
            by: "ann".into(),
            to: name(to),
            reason: "so".into(),
        });
        let error = refused.expect_err(to);
        assert!(error.refusals.iter().any(|refusal| refusal.code == code), "{to}: {error}");
    }
    // The person of the house takes whatever is left.
    let mut play = Play::new();
    play.run(scene);
    assert_eq!(play.run("redirect h by ann to z").len(), 2);
}

#[test]
fn another_target_is_asked_about_again() {
    check(
        "
        rule boss to=c ask=boss
        open s by a
        initiate h a->b delegation timeout=60s
        accept h by b as L
        redirect h by ann to c
        redirect h by ann to d
        retry h by ann
        approve h by boss
        accept h by c as L2
        redirect h by ann to c
        accept h by c as L3
        return h as L3 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h a->b delegation offered until 30s
            3 accepted h b L until 30s deadline 60s
            4 lease_lost h L until 30s
            5 rerouted h b->c until 30s: by_hand of ann: it is better so
            6 approval_requested h until 86400s, boss asks boss
            refused HO0506 handoff h waits for a person's approval (change its target with `amend`, approve it with a change, or deny it)
            refused HO0506 handoff h waits for a person's approval (change its target with `amend`, approve it with a change, or deny it)
            7 approved h by boss until 30s
            8 accepted h c L2 until 30s deadline 60s
            9 lease_lost h L2 until 30s
            10 rerouted h c->c until 30s: by_hand of ann: it is better so
            11 accepted h c L3 until 30s deadline 60s
            12 completed h success returned to a
            => a, h completed"#]],
    );
}

#[test]
fn only_whoever_runs_the_work_steps_in_under_their_own_name() {
    let operator = || Caller::new("key", "default").role(Role::Operator);
    for (caller, by, code) in [
        (Caller::of_agent(name("a"), "default"), "a", Some(Code::NotAllowed)),
        (operator().role(Role::Viewer), "ann", Some(Code::NotAllowed)),
        (operator().acting_as([name("ann")]), "boss", Some(Code::NotYourAgent)),
        (operator().acting_as([name("ann")]), "ann", None),
        (operator(), "Ann of the night shift", None),
        (operator(), " ", Some(Code::EmptyField)),
    ] {
        for retry in [false, true] {
            let mut play = Play::new();
            play.run("open s by a; initiate h a->b delegation timeout=60s; accept h by b as L");
            play.caller = caller.clone();
            let (handoff, by, reason) = (play.handoffs["h"], by.to_owned(), "so".to_owned());
            let answer = play.submit(match retry {
                true => Command::Retry { handoff, by, reason },
                false => Command::Redirect { handoff, by, to: name("c"), reason },
            });
            assert_eq!(answer.err().map(|error| error.refusals[0].code), code, "{caller:?} retry: {retry}");
        }
    }
}

#[test]
fn whoever_runs_the_work_may_cancel_it_and_an_agent_only_its_own() {
    for (role, by, code) in [
        (Role::Operator, "Ann of the night shift", None),
        (Role::Admin, "boss", None),
        (Role::Operator, "c", Some(Code::NotYours)),
        (Role::Agent, "boss", Some(Code::NotYourAgent)),
        (Role::Operator, "a", None),
    ] {
        let mut play = Play::new();
        play.run("open s by a; initiate h a->b delegation timeout=60s; accept h by b as L");
        play.caller = Caller::new("key", "default").role(role);
        if role == Role::Agent {
            play.caller = Caller::of_agent(name("b"), "default");
        }
        let command = Command::Cancel { handoff: play.handoffs["h"], by: by.into(), reason: "enough".into() };
        assert_eq!(play.submit(command).err().map(|error| error.refusals[0].code), code, "{role} {by}");
    }
}

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
