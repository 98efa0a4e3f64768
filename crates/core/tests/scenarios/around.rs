//! Ways around the guards that are none.

use crate::check;
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
        &expect![[r#""#]],
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
        &expect![[r#""#]],
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
        &expect![[r#""#]],
    );
}

#[test]
fn a_peer_is_not_above_because_one_says_so() {
    check(
        "agent a risk=low; agent b
        open s by a
        initiate h1 a->b escalation
        accept h1 by b as L1
        decide by b ship_it risk=high
        policy human=f
        decide by b ship_it risk=high",
        &expect![[r#""#]],
    );
}
