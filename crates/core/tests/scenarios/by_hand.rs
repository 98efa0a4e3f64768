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
        &expect![[r#""#]],
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
        &expect![[r#""#]],
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
        refused HO0503 handoff h is offered to d, not to c"#]].assert_eq(&shown);
    let handoff = play.session.as_ref().and_then(|s| s.open.values().next().cloned()).expect("it is open");
    assert_eq!((handoff.reroutes, handoff.tried.len()), (3, 3), "{:?}", handoff.tried);
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
    expect![[r#""#]].assert_eq(&shown);
    assert_eq!(play.session.as_ref().map(|session| session.active_agent.clone()), Some(name("a")));
    assert_eq!(play.run("accept h by c as L2; return h as L2 success").len(), 2);
    assert_eq!(play.standing(), "=> a, h completed");
}

#[test]
fn who_cannot_take_it_is_refused() {
    let scene = "
        agent low risk=low; agent deaf takes=none; agent can cap=code; standing e draining; agent z risk=high
        policy human=z; rule boss to=d ask=boss
        open s by a
        initiate h a->can delegation timeout=60s risk=medium need=code:0.1; accept h by can as L";
    for (to, code) in [
        ("a", Code::SelfHandoff),
        ("nobody", Code::UnknownTarget),
        ("e", Code::TargetUnavailable),
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
        &expect![[r#""#]],
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
    expect![[r#""#]].assert_eq(&shown);
    assert_eq!(play.session.as_ref().map(|session| session.variables["x"].value.clone()), Some(json!(2)));
}

#[test]
fn what_was_given_away_or_sent_to_many_is_tried_again_the_same_way() {
    check(
        "
        agent b up=r
        agent r
        open s by a
        initiate h a->b sequential complete
        accept h by b as L1
        return h as L1 failed
        retry h by ann name=h2
        accept h2 by b as L2
        return h2 as L2 success
        initiate g a->b,c broadcast timeout=60s
        reject g.1 by b
        retry g.1 by ann name=g2
        ",
        &expect![[r#""#]],
    );
}

fn stuck() -> Play {
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
    play.run("return h1 as L1 success signal=LOOKED name=h2");
    play
}

#[test]
fn a_step_of_a_workflow_stays_the_step_and_has_its_time_anew() {
    let mut play = stuck();
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
    expect![[r#""#]].assert_eq(&shown);
}

#[test]
fn a_workflow_that_could_not_go_on_goes_on_from_its_last_step() {
    let mut play = stuck();
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
    expect![[r#""#]].assert_eq(&shown);
}

#[test]
fn a_workflow_whose_next_step_was_refused_makes_the_step_before_it_again() {
    let mut play = stuck();
    let without = "agent c risk=low takes=none";
    let shown = told(
        &mut play,
        &format!(
            "{without}
             cancel h2 by ann
             retry h2 by ann
             agent c
             retry h2 by ann name=h3"
        ),
    );
    expect![[r#""#]].assert_eq(&shown);
}
