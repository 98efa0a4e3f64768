//! Work that its holder gives up after a look at it.

use crate::common::check;
use expect_test::expect;

#[test]
fn it_goes_to_the_next_candidate_and_the_lease_is_gone() {
    check(
        "
        agent b cap=code:0.9
        agent c cap=code:0.5
        open s by a
        initiate h1 a->? delegation timeout=60s cap=code
        accept h1 by b as L1
        record h1 as L1 look
        decline h1 as L9
        decline h1 as L1
        decline h1 as L1
        return h1 as L1 success
        accept h1 by b as L2
        accept h1 by c as L3
        return h1 as L3 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 accepted h1 b L1 until 30s deadline 60s
            4 step_recorded h1 look
            refused HO0504 lease 00000000-0000-0000-0000-000000000000 was given up or replaced
            5 lease_lost h1 L1 until 30s
            6 rejected h1 b: not mine
            7 rerouted h1 b->c until 30s: rejected
            refused HO0504 lease L1 was lost; the work is on offer again
            refused HO0504 lease L1 was lost; the work is on offer again
            refused HO0503 handoff h1 is offered to c, not to b
            8 accepted h1 c L3 until 30s deadline 60s
            9 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn with_nobody_left_it_fails_and_says_why() {
    check(
        "
        agent b cap=code:0.9
        open s by a
        initiate h1 a->b delegation timeout=60s
        decline h1 as L1
        accept h1 by b as L1
        decline h1 as L1
        decline h1 as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            refused HO0507 handoff h1 was not accepted yet
            3 accepted h1 b L1 until 30s deadline 60s
            4 lease_lost h1 L1 until 30s
            5 rejected h1 b: not mine
            6 failed h1 failed returned to a: nobody is left to take it: it was rejected (asked 1): not mine
            refused HO0502 handoff h1 is failed already
            => a, h1 failed"#]],
    );
}

#[test]
fn whoever_comes_next_has_its_own_time() {
    check(
        "
        agent b cap=code:0.9
        agent c cap=code:0.5
        open s by a
        initiate h1 a->? delegation timeout=60s cap=code
        accept h1 by b as L1
        wait 10s
        decline h1 as L1
        accept h1 by c as L2
        wait 5s
        return h1 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 accepted h1 b L1 until 30s deadline 60s
            4 lease_lost h1 L1 until 40s
            5 rejected h1 b: not mine
            6 rerouted h1 b->c until 40s: rejected
            7 accepted h1 c L2 until 40s deadline 70s
            8 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn an_escalation_that_is_declined_goes_up() {
    check(
        "
        agent a up=b
        agent b up=c
        agent c
        open s by a
        initiate h1 a->b escalation timeout=60s ladder=b:20s,c:20s
        accept h1 by b as L1
        decline h1 as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b escalation offered until 20s level 1 back to a
            3 accepted h1 b L1 until 30s deadline 20s
            4 lease_lost h1 L1 until 20s
            5 rejected h1 b: not mine
            6 initiated h1' a->c escalation offered until 20s level 2 back to a after [b: b did not decide: it was rejected] path a>b>c
            7 escalated h1 partial goes on as h1': b did not decide: it was rejected
            => a, h1 escalated, h1' offered (c)"#]],
    );
}
