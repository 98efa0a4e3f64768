//! Broadcasts: the contract decides, the rest is cancelled, the source is told once.

use crate::common::check;
use expect_test::expect;

#[test]
fn all_needs_everybody() {
    check(
        "
        open s by a
        initiate g1 a->b,c broadcast all timeout=60s
        accept g1.1 by b as L1
        accept g1.2 by c as L2
        return g1.1 as L1 success
        return g1.2 as L2 partial
        take g1 by a
        take g1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 all of g1.1 g1.2
            5 accepted g1.1 b L1 until 30s deadline 60s
            6 accepted g1.2 c L2 until 30s deadline 60s
            7 completed g1.1 success
            8 completed g1.2 partial
            9 group_decided g1 partial returned to a by g1.1 g1.2
            10 return_taken g1 by a
            refused HO0512 no return of g1 waits for a
            => a, g1.1 completed, g1.2 completed"#]],
    );
}

#[test]
fn all_fails_with_the_first_failure_and_cancels_the_rest() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d broadcast all timeout=60s
        accept g1.1 by b as L1
        accept g1.2 by c as L2
        return g1.1 as L1 failed
        return g1.2 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 group_opened g1 all of g1.1 g1.2 g1.3
            6 accepted g1.1 b L1 until 30s deadline 60s
            7 accepted g1.2 c L2 until 30s deadline 60s
            8 failed g1.1 failed
            9 group_decided g1 failed returned to a
            10 cancelled g1.2 failed: the broadcast is decided
            11 cancelled g1.3 failed: the broadcast is decided
            refused HO0502 handoff g1.2 is cancelled already
            => a, g1.1 failed, g1.2 cancelled, g1.3 cancelled"#]],
    );
}

#[test]
fn any_is_decided_by_the_first_success() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d broadcast any timeout=60s
        reject g1.1 by b
        accept g1.2 by c as L2
        return g1.2 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 group_opened g1 any of g1.1 g1.2 g1.3
            6 rejected g1.1 b: no
            7 failed g1.1 failed: nobody is left to take it: it was rejected (asked 1): no
            8 accepted g1.2 c L2 until 30s deadline 60s
            9 completed g1.2 success
            10 group_decided g1 success returned to a by g1.2
            11 cancelled g1.3 failed: the broadcast is decided
            => a, g1.1 failed, g1.2 completed, g1.3 cancelled"#]],
    );
}

#[test]
fn any_fails_only_with_the_last() {
    check(
        "
        open s by a
        initiate g1 a->b,c broadcast any timeout=60s
        reject g1.1 by b
        reject g1.2 by c
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 any of g1.1 g1.2
            5 rejected g1.1 b: no
            6 failed g1.1 failed: nobody is left to take it: it was rejected (asked 1): no
            7 rejected g1.2 c: no
            8 failed g1.2 failed: nobody is left to take it: it was rejected (asked 1): no
            9 group_decided g1 failed returned to a
            => a, g1.1 failed, g1.2 failed"#]],
    );
}

#[test]
fn majority_is_more_than_half() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d,e broadcast majority timeout=60s
        accept g1.1 by b as L1; return g1.1 as L1 success
        accept g1.2 by c as L2; return g1.2 as L2 success
        reject g1.3 by d
        accept g1.4 by e as L4; return g1.4 as L4 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 initiated g1.4 a->e broadcast offered until 30s
            6 group_opened g1 majority of g1.1 g1.2 g1.3 g1.4
            7 accepted g1.1 b L1 until 30s deadline 60s
            8 completed g1.1 success
            9 accepted g1.2 c L2 until 30s deadline 60s
            10 completed g1.2 success
            11 rejected g1.3 d: no
            12 failed g1.3 failed: nobody is left to take it: it was rejected (asked 1): no
            13 accepted g1.4 e L4 until 30s deadline 60s
            14 completed g1.4 success
            15 group_decided g1 success returned to a by g1.1 g1.2 g1.4
            => a, g1.1 completed, g1.2 completed, g1.3 failed, g1.4 completed"#]],
    );
}

#[test]
fn majority_fails_when_it_cannot_be_reached() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d,e broadcast majority timeout=60s
        reject g1.1 by b
        reject g1.2 by c
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 initiated g1.4 a->e broadcast offered until 30s
            6 group_opened g1 majority of g1.1 g1.2 g1.3 g1.4
            7 rejected g1.1 b: no
            8 failed g1.1 failed: nobody is left to take it: it was rejected (asked 1): no
            9 rejected g1.2 c: no
            10 failed g1.2 failed: nobody is left to take it: it was rejected (asked 1): no
            11 group_decided g1 failed returned to a
            12 cancelled g1.3 failed: the broadcast is decided
            13 cancelled g1.4 failed: the broadcast is decided
            => a, g1.1 failed, g1.2 failed, g1.3 cancelled, g1.4 cancelled"#]],
    );
}

#[test]
fn quorum_counts() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d broadcast quorum:2 timeout=60s
        reject g1.1 by b
        accept g1.2 by c as L2; return g1.2 as L2 success
        accept g1.3 by d as L3; return g1.3 as L3 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 group_opened g1 quorum:2 of g1.1 g1.2 g1.3
            6 rejected g1.1 b: no
            7 failed g1.1 failed: nobody is left to take it: it was rejected (asked 1): no
            8 accepted g1.2 c L2 until 30s deadline 60s
            9 completed g1.2 success
            10 accepted g1.3 d L3 until 30s deadline 60s
            11 completed g1.3 success
            12 group_decided g1 success returned to a by g1.2 g1.3
            => a, g1.1 failed, g1.2 completed, g1.3 completed"#]],
    );
}

#[test]
fn best_of_hears_everybody_and_takes_the_highest_score() {
    check(
        "
        open s by a
        initiate g1 a->b,c,d broadcast best_of timeout=60s
        accept g1.1 by b as L1; return g1.1 as L1 success score=0.4
        accept g1.2 by c as L2; return g1.2 as L2 success score=inf; return g1.2 as L2 success score=0.9
        reject g1.3 by d
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 initiated g1.3 a->d broadcast offered until 30s
            5 group_opened g1 best_of of g1.1 g1.2 g1.3
            6 accepted g1.1 b L1 until 30s deadline 60s
            7 completed g1.1 success
            8 accepted g1.2 c L2 until 30s deadline 60s
            refused HO0109 result.score: a score is a finite number
            9 completed g1.2 success
            10 rejected g1.3 d: no
            11 failed g1.3 failed: nobody is left to take it: it was rejected (asked 1): no
            12 group_decided g1 success returned to a by g1.2
            => a, g1.1 completed, g1.2 completed, g1.3 failed"#]],
    );
}

#[test]
fn a_late_member_times_out_and_the_contract_decides() {
    check(
        "
        open s by a
        initiate g1 a->b,c broadcast all timeout=10s
        accept g1.1 by b as L1
        accept g1.2 by c as L2
        return g1.1 as L1 success
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 all of g1.1 g1.2
            5 accepted g1.1 b L1 until 30s deadline 10s
            6 accepted g1.2 c L2 until 30s deadline 10s
            7 completed g1.1 success
            8 reminded g1.2 until 11s
            9 timeout g1.2 timeout: c did not finish in time
            10 group_decided g1 failed returned to a by g1.1
            => a, g1.1 completed, g1.2 timed_out"#]],
    );
}

#[test]
fn a_member_that_is_escalated_keeps_its_place() {
    check(
        "
        agent b up=r
        agent r
        open s by a
        initiate g1 a->b,c broadcast all timeout=60s
        accept g1.1 by b as L1
        escalate g1.1 as L1 too_hard
        accept g1.1' by r as L2
        return g1.1' as L2 success
        accept g1.2 by c as L3
        return g1.2 as L3 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 all of g1.1 g1.2
            5 accepted g1.1 b L1 until 30s deadline 60s
            6 initiated g1.1' a->r escalation offered until 30s level 1 back to a after [b: too_hard] path a>b>r
            7 group_moved g1 of g1.1' g1.2
            8 escalated g1.1 partial goes on as g1.1': too_hard
            9 accepted g1.1' r L2 until 30s deadline 60s
            10 completed g1.1' success
            11 accepted g1.2 c L3 until 30s deadline 60s
            12 completed g1.2 success
            13 group_decided g1 success returned to a by g1.1' g1.2
            => a, g1.1 escalated, g1.2 completed, g1.1' completed"#]],
    );
}

#[test]
fn cancelling_members_one_by_one_decides_it_once() {
    check(
        "
        open s by a
        initiate g1 a->b,c broadcast any timeout=60s
        cancel g1.1 by a
        cancel g1.2 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 any of g1.1 g1.2
            5 cancelled g1.1 failed: not needed
            6 cancelled g1.2 failed: not needed
            7 group_decided g1 failed returned to a
            => a, g1.1 cancelled, g1.2 cancelled"#]],
    );
}

#[test]
fn where_nobody_waits_nobody_is_told() {
    check(
        "
        open s by a
        initiate g1 a->b,c broadcast all nobody-waits
        accept g1.1 by b as L1
        return g1.1 as L1 failed
        settle
        take g1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 all of g1.1 g1.2
            5 group_decided g1 success
            6 accepted g1.1 b L1 until 30s deadline 3600s
            7 failed g1.1 failed
            8 failed g1.2 failed: nobody is left to take it: it was not acknowledged in time (asked 1)
            ! c unavailable
            refused HO0512 no return of g1 waits for a
            => a, g1.1 failed, g1.2 failed"#]],
    );
}
