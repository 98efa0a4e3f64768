//! Rules for approvals: which one asks, who is asked in which order, who may answer, and what happens when nobody does.

use crate::common::check;
use expect_test::expect;

/// Each condition with a handoff that fits and one that does not; `+` marks those that wait.
#[test]
fn all_conditions_of_a_rule_must_fit() {
    let table = [
        ("risk=medium", "risk=low", false),
        ("risk=medium", "risk=medium", true),
        ("risk=medium", "risk=high", true),
        ("to=c,d", "", false),
        ("to=b,d", "", true),
        ("from=c", "", false),
        ("from=a", "", true),
        ("type=escalation", "", false),
        ("type=delegation,sequential", "", true),
        ("cost=5", "cost=5", false),
        ("cost=5", "cost=5.01", true),
        ("cost=5", "", false),
        ("tokens=100", "tokens=100", false),
        ("tokens=100", "tokens=101", true),
        ("risk=high to=b", "risk=low", false),
        ("risk=high to=c", "risk=high", false),
        ("risk=high to=b", "risk=high", true),
        ("", "", true),
        ("when=handoff.payload.amount>100", r#"payload={"amount":100}"#, false),
        ("when=handoff.payload.amount>100", r#"payload={"amount":101}"#, true),
        ("risk=high when=handoff.payload.amount>100", r#"payload={"amount":101}"#, false),
        ("when=has(handoff.payload.amount)", "", false),
        ("when=handoff.from=='a'&&handoff.to=='b'&&handoff.type=='delegation'", "", true),
        ("when=handoff.priority=='urgent'", "priority=urgent", true),
        ("when=handoff.risk=='high'", "risk=high", true),
        ("when=handoff.cost>1.5&&handoff.tokens==7", "cost=2 tokens=7", true),
        ("when=handoff.cost==0.0&&handoff.tokens==0", "", true),
        ("when=handoff.description=='work'&&handoff.reason=='why'", "reason=why", true),
        ("when=handoff.trigger=='explicit_request'&&handoff.task_type==''", "", true),
        ("when=handoff.variables.x=='1'&&session.variables.x=='1'", "set=x:1", true),
        ("when=session.id=='s'&&session.tenant=='default'&&session.active_agent=='a'", "", true),
        ("when=session.handoffs==0&&session.tokens==0&&session.cost==0.0&&session.complexity==''", "", true),
        ("when=target.id=='b'&&target.kind=='local'&&target.max_risk=='high'", "", true),
        ("when=target.specialization==''&&size(target.tags)==0", "", true),
        ("when=target.capabilities.pay>0.5", "", true),
        ("when=target.capabilities.pay>0.9", "", false),
    ];
    for (rule, request, waits) in table {
        let mut play = crate::common::Play::new();
        let program = format!(
            "agent b cap=pay:0.8; rule r {rule}; open s by a; initiate h1 a->b delegation timeout=60s {request}"
        );
        let lines = play.run(&program);
        let status = play.status(play.handoffs["h1"]).map(|status| status.word());
        let wanted = if waits { "awaiting_approval" } else { "offered" };
        assert_eq!(status, Some(wanted), "{rule} with {request}: {lines:#?}");
    }
}

/// The guide lists every field that there is, and no other.
#[test]
fn the_guide_lists_what_an_expression_can_see() {
    let guide = include_str!("../../../../docs/guides/approvals.md");
    let table = guide.split_once("| in an expression |").expect("the table").1;
    let cells = table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once(" |"));
    let names: Vec<String> =
        cells.flat_map(|(cell, _)| cell.split(", ").map(|name| name.replace('`', "")).collect::<Vec<_>>()).collect();
    let mut conditions: Vec<String> = names.iter().map(|name| format!("has({name})")).collect();
    for root in ["handoff", "session", "target"] {
        let count = names.iter().filter(|name| name.starts_with(&format!("{root}."))).count();
        conditions.push(format!("size({root})=={count}"));
    }
    let mut play = crate::common::Play::new();
    play.run(&format!("rule all when={}; open s by a", conditions.join("&&")));
    let lines = play.run("initiate h1 a->b delegation timeout=60s");
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[1].contains("all asks"), "{lines:#?}");
}

#[test]
fn the_first_rule_that_fits_decides() {
    check(
        "rule big cost=5 ask=ann; rule any ask=bob; rule never
        open s by a
        initiate h1 a->b delegation timeout=60s cost=6
        initiate h2 a->b delegation timeout=60s
        rule any gone; rule never gone
        initiate h3 a->b delegation timeout=60s approval
        initiate h4 a->b delegation timeout=60s",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s, big asks ann
            4 initiated h2 a->b delegation awaiting_approval until 86400s
            5 approval_requested h2 until 86400s, any asks bob
            6 initiated h3 a->b delegation awaiting_approval until 86400s
            7 approval_requested h3 until 86400s
            8 initiated h4 a->b delegation offered until 30s
            => a, h1 awaiting_approval (b), h2 awaiting_approval (b), h3 awaiting_approval (b), h4 offered (b)"#]],
    );
}

#[test]
fn an_expression_that_fails_asks_and_says_so() {
    check(
        "rule sum when=handoff.payload.sum>5 ask=ann
        open s by a
        initiate h1 a->b delegation timeout=60s",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s, sum asks ann
            ! the rule "sum" asks, because its expression failed: `handoff.payload` has no key `sum`; it is empty (line 1, column 17); if it may be missing, write `has(handoff.payload.sum) && …`
            => a, h1 awaiting_approval (b)"#]],
    );
}

#[test]
fn one_after_the_other_is_asked_and_those_before_may_answer() {
    check(
        "rule r ask=ann:1h,bob:2h,cid
        open s by a
        initiate h1 a->b delegation timeout=60s
        approve h1 by bob
        wait 1h; tick h1
        approve h1 by cid
        approve h1 by ann
        initiate h2 a->b delegation timeout=60s
        next; next
        deny h2 by bob",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            refused HO0712 by: bob is not asked; ann may decide
            4 approval_requested h1 until 10800s, r asks bob after ann
            refused HO0712 by: cid is not asked; bob, ann may decide
            5 approved h1 by ann until 3630s
            6 initiated h2 a->b delegation awaiting_approval until 7200s
            7 approval_requested h2 until 7200s, r asks ann
            8 failed h1 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 1)
            ! b unavailable
            9 approval_requested h2 until 14400s, r asks bob after ann
            10 denied h2 by bob
            11 cancelled h2 failed returned to a: denied by bob: too risky
            => a, h1 failed, h2 cancelled"#]],
    );
}

#[test]
fn when_nobody_is_left_the_rule_says_what_happens() {
    check(
        "rule no to=b ask=ann:1h,bob:1h
        rule yes to=c ask=ann:1h expiry=approve
        open s by a
        initiate h1 a->b delegation timeout=60s
        initiate h2 a->c delegation timeout=60s
        next; next; next; next",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, no asks ann
            4 initiated h2 a->c delegation awaiting_approval until 3600s
            5 approval_requested h2 until 3600s, yes asks ann
            6 approval_requested h1 until 7200s, no asks bob after ann
            7 approved h2 by policy until 3630s: nobody decided in time, and the rule "yes" approves then
            8 failed h2 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 1)
            ! c unavailable
            9 cancelled h1 failed returned to a: the approval expired
            => a, h1 cancelled, h2 failed"#]],
    );
}

#[test]
fn a_rule_that_was_changed_approves_nothing_by_itself() {
    check(
        "rule yes ask=ann:1h expiry=approve
        open s by a
        initiate h1 a->b delegation timeout=60s
        rule yes ask=ann:1h,bob expiry=approve
        next",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, yes asks ann
            4 cancelled h1 failed returned to a: the approval expired
            => a, h1 cancelled"#]],
    );
}

#[test]
fn a_deadline_ends_it_whoever_is_asked() {
    check(
        "rule yes ask=ann:1h,bob:1h expiry=approve
        open s by a
        initiate h1 a->b delegation timeout=60s deadline=90m
        next; next",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, yes asks ann
            4 approval_requested h1 until 5400s, yes asks bob after ann
            5 cancelled h1 failed returned to a: the deadline passed before it was approved
            => a, h1 cancelled"#]],
    );
}

#[test]
fn a_window_that_ran_out_in_sleep_starts_anew() {
    check(
        "rule r ask=ann:1h,bob:1h
        open s by a
        initiate h1 a->b delegation timeout=60s
        sleep 3h; tick h1
        wait 59m; tick h1
        next
        sleep 10m; wait 50m; tick h1",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            4 extended h1 until 14400s: the engine was not running
            nothing
            5 approval_requested h1 until 18000s, r asks bob after ann
            6 cancelled h1 failed returned to a: the approval expired
            => a, h1 cancelled"#]],
    );
}

#[test]
fn nobody_decides_about_their_own_request() {
    check(
        "rule r ask=a:1h,ann:1h; open s by a
        initiate h1 a->b delegation timeout=60s
        approve h1 by a; deny h1 by a; approve h1 by a task=other
        rule r ask=a
        initiate h2 a->b delegation timeout=60s
        approve h2 by a
        approve h2 by anybody",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            refused HO0509 by: a asked for this and cannot decide it
            refused HO0509 by: a asked for this and cannot decide it
            refused HO0509 by: a asked for this and cannot decide it
            4 initiated h2 a->b delegation awaiting_approval until 86400s
            5 approval_requested h2 until 86400s, r asks anybody
            refused HO0509 by: a asked for this and cannot decide it
            6 approved h2 by anybody until 30s
            => a, h1 awaiting_approval (b), h2 offered (b)"#]],
    );
}

#[test]
fn what_is_decided_says_by_whom_and_when() {
    check(
        "open s by a
        initiate h1 a->b delegation timeout=60s approval
        wait 5s; approve h1 by ann
        deny h1 by bob; amend h1 by bob task=other
        initiate h2 a->b delegation timeout=60s approval
        deny h2 by ann
        approve h2 by bob
        accept h1 by b as L1; return h1 as L1 success
        approve h1 by bob",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            4 approved h1 by ann until 35s
            refused HO0508 handoff h1 is offered already: ann approved it at 2023-11-14T22:13:25.000Z
            refused HO0508 handoff h1 is offered already: ann approved it at 2023-11-14T22:13:25.000Z
            5 initiated h2 a->b delegation awaiting_approval until 86405s
            6 approval_requested h2 until 86405s
            7 denied h2 by ann
            8 cancelled h2 failed returned to a: denied by ann: too risky
            refused HO0502 handoff h2 is cancelled already since 2023-11-14T22:13:25.000Z (denied by ann: too risky)
            9 accepted h1 b L1 until 35s deadline 65s
            10 completed h1 success returned to a
            refused HO0502 handoff h1 is completed already since 2023-11-14T22:13:25.000Z: ann approved it at 2023-11-14T22:13:25.000Z
            => a, h1 completed, h2 cancelled"#]],
    );
}

#[test]
fn the_source_is_told_of_a_no() {
    check(
        "rule r ask=ann:1h; open s by a
        initiate h1 a->b delegation timeout=60s
        deny h1 by ann
        initiate g1 a->b,c broadcast any timeout=60s
        deny g1.1 by ann
        next
        initiate h2 a->b sequential complete
        next
        initiate h3 a->b sequential complete
        deny h3 by ann",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            4 denied h1 by ann
            5 cancelled h1 failed returned to a: denied by ann: too risky
            6 initiated g1.1 a->b broadcast awaiting_approval until 3600s
            7 approval_requested g1.1 until 3600s, r asks ann
            8 initiated g1.2 a->c broadcast awaiting_approval until 3600s
            9 approval_requested g1.2 until 3600s, r asks ann
            10 group_opened g1 any of g1.1 g1.2
            11 denied g1.1 by ann
            12 cancelled g1.1 failed: denied by ann: too risky
            13 cancelled g1.2 failed: the approval expired
            14 group_decided g1 failed returned to a
            15 segment_completed by a
            16 initiated h2 a->b sequential awaiting_approval until 7200s
            17 approval_requested h2 until 7200s, r asks ann
            18 cancelled h2 failed returned to a: the approval expired
            19 initiated h3 a->b sequential awaiting_approval until 10800s
            20 approval_requested h3 until 10800s, r asks ann
            21 denied h3 by ann
            22 cancelled h3 failed returned to a: denied by ann: too risky
            => a, h1 cancelled, g1.1 cancelled, g1.2 cancelled, h2 cancelled, h3 cancelled"#]],
    );
}

#[test]
fn escalations_that_the_engine_makes_need_none() {
    check(
        "agent b up=c; rule r type=escalation ask=ann
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1; escalate h1 as L1 unsure
        initiate h2 a->c escalation",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h1' a->c escalation offered until 30s level 1 back to a after [b: unsure] path a>b>c
            5 escalated h1 partial goes on as h1': unsure
            6 initiated h2 a->c escalation awaiting_approval until 86400s level 1 back to a
            7 approval_requested h2 until 86400s, r asks ann
            => a, h1 escalated, h1' offered (c), h2 awaiting_approval (c)"#]],
    );
}
