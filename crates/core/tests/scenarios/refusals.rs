//! What `initiate` refuses: each code once, the order of the checks, and several mistakes at once.

use crate::common::{Outcome, Play};
use expect_test::expect;

const SCENE: &str = "
    agent b cap=code
    agent d risk=low
    agent e closed
    open s by a
    initiate h0 a->f delegation timeout=60s
";

const TABLE: &[&str] = &[
    "initiate h a->? delegation timeout=9s",
    "initiate h a->b delegation timeout=9s reason=",
    "initiate h a->b delegation timeout=9s big=300000",
    "initiate h a->b delegation timeout=9s deep=40",
    "initiate h a->b delegation timeout=9s bell",
    "initiate h a->b delegation timeout=0s",
    "initiate h a->b delegation timeout=401d",
    "initiate h a->b delegation timeout=9s need=code:2",
    "initiate h a->b delegation timeout=9s shows-nothing",
    "initiate h a->a delegation timeout=9s",
    "initiate h x->b delegation timeout=9s",
    "initiate h a->bb delegation timeout=9s",
    "initiate h a->c delegation timeout=9s; standing c unavailable; initiate h a->c delegation timeout=9s",
    "standing c draining; initiate h a->c delegation timeout=9s",
    "initiate h a->e delegation timeout=9s",
    "initiate h a->? delegation timeout=9s cap=cooking",
    "initiate h a->? delegation timeout=9s among=d,e risk=high",
    "caller key acts=b; initiate h a->b delegation timeout=9s",
    "caller spy tenant=other; initiate h a->b delegation timeout=9s",
    "initiate h c->b delegation timeout=9s",
    "end by a; initiate h a->b delegation timeout=9s",
    "initiate h a->b sequential",
    "initiate h a->b delegation timeout=9s blocking; initiate h a->c delegation timeout=9s",
    "initiate h a->b delegation",
    "initiate h a->b,c broadcast all",
    "initiate h a->b escalation why=",
    "initiate h a->d delegation timeout=9s risk=medium",
    "initiate h a->c delegation timeout=9s need=code",
    "initiate h a->b delegation timeout=9s need=code,tests",
    "initiate h a->? escalation",
    "initiate h a->? escalation ladder=b,c,d,f",
    "wait 1s; initiate h a->b delegation timeout=9s deadline=0s",
    "initiate h a->? broadcast all timeout=9s",
    "initiate h a->b,b broadcast all timeout=9s",
    "initiate h a->a,b broadcast all timeout=9s",
    "initiate h a->b,c broadcast quorum:3 timeout=9s",
    "initiate h a->b delegation timeout=9s parent=h9",
    "initiate h a->b delegation timeout=9s set=c/x:1",
];

#[test]
fn each_mistake_has_its_code() {
    let mut out = String::new();
    for program in TABLE {
        let mut play = Play::new();
        play.run(SCENE);
        let lines = play.run(program);
        out += &format!("{program}\n    {}\n", lines.last().map(String::as_str).unwrap_or_default());
    }
    expect![[r#"
        initiate h a->? delegation timeout=9s
            refused HO0205 to_agent: nobody's profile fits the task (name an agent, a capability, required capabilities or candidates)
        initiate h a->b delegation timeout=9s reason=
            refused HO0102 reason: it is empty
        initiate h a->b delegation timeout=9s big=300000
            refused HO0106 task.payload: it has 300002 bytes; at most 262144 are allowed (PAYLOAD_BYTES_MAX)
        initiate h a->b delegation timeout=9s deep=40
            refused HO0107 task.payload: it is nested more than 32 levels deep (JSON_DEPTH_MAX)
        initiate h a->b delegation timeout=9s bell
            refused HO0108 reason: it contains '\u{7}'
        initiate h a->b delegation timeout=0s
            refused HO0109 return_protocol.timeout_ms: 0 ms is not between 1 and 34560000000 (WAIT_MS_MAX) (use 1 to 34560000000 ms)
        initiate h a->b delegation timeout=401d
            refused HO0109 return_protocol.timeout_ms: 34646400000 ms is not between 1 and 34560000000 (WAIT_MS_MAX) (use 1 to 34560000000 ms)
        initiate h a->b delegation timeout=9s need=code:2
            refused HO0109 validation.required_capabilities[0].min_proficiency: 2 is not between 0 and 1 (use a number from 0 to 1)
                HO0405 to_agent: b has none of: code
        initiate h a->b delegation timeout=9s shows-nothing
            refused HO0109 context.transfer.max_messages: 0 would show nothing; leave it out or give 1 and more
        initiate h a->a delegation timeout=9s
            refused HO0110 to_agent: a is both
        initiate h x->b delegation timeout=9s
            refused HO0201 from_agent: "x" is not registered (did you mean "a"?)
                HO0303 from_agent: x neither owns the session (a does) nor works on one of its handoffs
        initiate h a->bb delegation timeout=9s
            refused HO0202 to_agent: "bb" is not registered (did you mean "b"?)
        initiate h a->c delegation timeout=9s; standing c unavailable; initiate h a->c delegation timeout=9s
            refused HO0203 to_agent: c is unavailable
        standing c draining; initiate h a->c delegation timeout=9s
            refused HO0203 to_agent: c is draining
        initiate h a->e delegation timeout=9s
            refused HO0204 to_agent: e takes no handoffs
        initiate h a->? delegation timeout=9s cap=cooking
            refused HO0205 to_agent: nobody is available for cooking (name an agent, a capability, required capabilities or candidates)
        initiate h a->? delegation timeout=9s among=d,e risk=high
            refused HO0205 to_agent: none of the candidates can take it (d: it may not take the risk; e: it takes no handoffs)
        caller key acts=b; initiate h a->b delegation timeout=9s
            refused HO0302 from_agent: key may not act as a
        caller spy tenant=other; initiate h a->b delegation timeout=9s
            refused HO0301 session_id: there is no session s
        initiate h c->b delegation timeout=9s
            refused HO0303 from_agent: c neither owns the session (a does) nor works on one of its handoffs
        end by a; initiate h a->b delegation timeout=9s
            refused HO0304 the session ended at 2023-11-14T22:13:20.000Z
        initiate h a->b sequential
            refused HO0306 completes_segment: a has not completed its part
        initiate h a->b delegation timeout=9s blocking; initiate h a->c delegation timeout=9s
            refused HO0307 from_agent: a waits for h from b
        initiate h a->b delegation
            refused HO0402 return_protocol.timeout_ms: a delegation needs a timeout
        initiate h a->b,c broadcast all
            refused HO0402 return_protocol.timeout_ms: a broadcast that expects returns needs a timeout
        initiate h a->b escalation why=
            refused HO0403 audit.decision_rationale: an escalation needs a rationale
        initiate h a->d delegation timeout=9s risk=medium
            refused HO0404 to_agent: the risk is medium, d may take low at most (a may)
        initiate h a->c delegation timeout=9s need=code
            refused HO0405 to_agent: c has none of: code (who has: b)
        initiate h a->b delegation timeout=9s need=code,tests
            ! b lacks tests
        initiate h a->? escalation
            refused HO0408 ladder: a has nobody to escalate to
        initiate h a->? escalation ladder=b,c,d,f
            refused HO0407 ladder: it has 4 rungs; an escalation climbs at most 3
        wait 1s; initiate h a->b delegation timeout=9s deadline=0s
            refused HO0409 context.constraints.deadline: 2023-11-14T22:13:21.000Z is not after 2023-11-14T22:13:21.000Z
        initiate h a->? broadcast all timeout=9s
            refused HO0410 broadcast.targets: a broadcast names its targets
        initiate h a->b,b broadcast all timeout=9s
            refused HO0410 broadcast.targets: b is named twice for the same task
        initiate h a->a,b broadcast all timeout=9s
            refused HO0110 broadcast.targets[0]: a is the source
        initiate h a->b,c broadcast quorum:3 timeout=9s
            refused HO0411 broadcast.aggregation: 3 of 2 cannot be
        initiate h a->b delegation timeout=9s parent=h9
            refused HO0501 parent_id: a does not work on a handoff 00000000-0000-0000-0000-000000000000 of this session
        initiate h a->b delegation timeout=9s set=c/x:1
            refused HO0603 variables.c/x: "c/x" is in the scope of c, not of a
    "#]].assert_eq(&out);
}

#[test]
fn several_mistakes_are_told_at_once_in_the_order_of_the_checks() {
    let mut play = Play::new();
    play.run(SCENE);
    play.run("caller key acts=b");
    let lines = play.run("initiate h c->nobody delegation reason= task= deep=40 set=d/x:1");
    expect![[r#"
        refused HO0102 reason: it is empty
                HO0102 task.description: it is empty
                HO0107 task.payload: it is nested more than 32 levels deep (JSON_DEPTH_MAX)
                HO0202 to_agent: "nobody" is not registered
                HO0302 from_agent: key may not act as c
                HO0303 from_agent: c neither owns the session (a does) nor works on one of its handoffs
                HO0402 return_protocol.timeout_ms: a delegation needs a timeout
                HO0603 variables.d/x: "d/x" is in the scope of d, not of c"#]]
    .assert_eq(&lines.join("\n"));
    let lines = play.run("initiate h c->d,e,zed broadcast quorum:7 risk=high need=code");
    expect![[r#"
        refused HO0202 broadcast.targets[2]: "zed" is not registered
                HO0204 broadcast.targets[1]: e takes no handoffs
                HO0302 from_agent: key may not act as c
                HO0303 from_agent: c neither owns the session (a does) nor works on one of its handoffs
                HO0402 return_protocol.timeout_ms: a broadcast that expects returns needs a timeout
                HO0404 broadcast.targets[0]: the risk is high, d may take low at most (a may)
                HO0405 broadcast.targets[0]: d has none of: code (who has: b)
                HO0405 broadcast.targets[1]: e has none of: code (who has: b)
                HO0411 broadcast.aggregation: 7 of 3 cannot be"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn a_refusal_says_between_whom() {
    let mut play = Play::new();
    play.run(SCENE);
    let Outcome::Refused(error) = play.step("initiate h a->bb delegation timeout=9s") else {
        panic!("it was accepted")
    };
    expect![[r#"a->bb: HO0202 to_agent: "bb" is not registered (did you mean "b"?)"#]].assert_eq(&error.to_string());
}
