//! Ways around the guards that are none.

use crate::common::check;
use expect_test::expect;

#[test]
fn nobody_chooses_whose_work_its_own_is_a_part_of() {
    check(
        "open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        initiate h2 b->c delegation timeout=50s blocking
        accept h2 by c as L2
        initiate h3 c->b delegation timeout=40s parent=h1
        initiate h3 c->b delegation timeout=40s",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h2 b->c delegation offered until 30s path a>b>c
            5 accepted h2 c L2 until 30s deadline 50s
            refused HO0501 parent_id: c does not work on a handoff h1 of this session
            refused HO0706 to_agent: b waits for h2, which this work is a part of
            => a, h1 running (b), h2 running (c)"#]],
    );
}

#[test]
fn who_waits_is_not_asked_when_another_says_no() {
    check(
        "agent a cap=code; agent c cap=code:0.9; agent d cap=code:0.5
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        initiate h2 b->? delegation timeout=50s cap=code
        reject h2 by c
        reject h2 by d",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h2 b->c delegation offered until 30s path a>b>c among c, d, a (it waits for this very work)
            5 rejected h2 c: no
            6 rerouted h2 c->d until 30s: rejected
            7 rejected h2 d: no
            8 failed h2 failed returned to b: nobody is left to take it: it was rejected (asked 2): no
            => a, h1 running (b), h2 failed"#]],
    );
}

#[test]
fn a_ladder_is_no_way_around_a_rule_for_its_target() {
    check(
        "agent b max=2
        rule live to=d ask=ann:1h; open s by a
        initiate h1 a->b delegation timeout=60s ladder=d:10m
        accept h1 by b as L1
        escalate h1 as L1 please",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h1' a->d escalation awaiting_approval until 3600s level 1 back to a after [b: please] path a>b>d
            5 approval_requested h1' until 3600s, live asks ann
            6 escalated h1 partial goes on as h1': please
            => a, h1 escalated, h1' awaiting_approval (d)"#]],
    );
}

#[test]
fn a_peer_is_not_above_because_one_says_so() {
    check(
        "agent a risk=low; agent b
        open s by a
        initiate h1 a->b escalation
        accept h1 by b as L1
        decide - by b ship_it risk=high
        policy human=f
        decide - by b ship_it risk=high",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b escalation offered until 30s level 1 back to a
            3 accepted h1 b L1 until 30s deadline 900s
            refused HO0408 ladder: b has nobody to escalate to
            4 initiated n2 b->f escalation offered until 30s level 2 back to a path a>b>f
            5 decision_made by b at high left to n2: ship_it
            => b, h1 running (b), n2 offered (f)"#]],
    );
}
