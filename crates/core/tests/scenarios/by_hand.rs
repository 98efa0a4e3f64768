//! A person steps in: somebody else takes the work, or nobody.

use crate::common::{Play, check, name};
use expect_test::expect;
use handover_core::{
    access::{Caller, Role},
    command::Command,
    refusal::Code,
    session::Session,
};

/// What a program comes to, and a replay of its records comes to the same.
pub fn told(play: &mut Play, program: &str) -> String {
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
