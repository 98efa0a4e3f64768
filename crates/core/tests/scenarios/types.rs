//! The four types, and who owns the session when.

use crate::common::check;
use expect_test::expect;

#[test]
fn sequential_moves_the_session_at_acceptance() {
    check(
        "
        open s by a
        initiate h1 a->b sequential
        initiate h1 a->b sequential complete
        complete by b
        accept h1 by b as L1
        initiate h2 a->c delegation timeout=9s
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            refused HO0306 completes_segment: a has not completed its part
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            refused HO0303 b is not the active agent; a is
            4 accepted h1 b L1 until 30s deadline 3600s
            refused HO0303 from_agent: a neither owns the session (b does) nor works on one of its handoffs
            5 completed h1 success
            => b, h1 completed"#]],
    );
}

#[test]
fn sequential_work_that_fails_is_the_sources_again() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        return h1 as L1 failed
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 failed h1 failed returned to a
            => a, h1 failed"#]],
    );
}

#[test]
fn sequential_work_whose_taker_is_lost_is_the_sources_again() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 lease_lost h1 L1 until 60s
            6 failed h1 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 1)
            ! b unavailable
            => a, h1 failed"#]],
    );
}

#[test]
fn multi_hop_keeps_the_whole_path() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        return h1 as L1 success then=c name=h2
        accept h2 by c as L2
        return h2 as L2 success then=a name=h3
        accept h3 by a as L3
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 completed h1 success
            6 initiated h2 b->c sequential offered until 30s path a>b>c
            7 accepted h2 c L2 until 30s deadline 3600s
            8 completed h2 success
            9 initiated h3 c->a sequential offered until 30s path a>b>c>a
            10 accepted h3 a L3 until 30s deadline 3600s
            => a, h1 completed, h2 completed, h3 running (a)"#]],
    );
}

#[test]
fn only_the_owner_gives_the_session_away() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        initiate h2 b->c sequential complete
        initiate h2 b->c delegation timeout=9s
        return h1 as L1 success then=c
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO0303 from_agent: only a owns the session and can give it away, not b
            4 initiated h2 b->c delegation offered until 30s path a>b>c
            refused HO0303 from_agent: only a owns the session and can give it away, not b
            => a, h1 running (b), h2 offered (c)"#]],
    );
}

#[test]
fn a_blocking_delegation_refuses_other_moves() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s blocking
        initiate h2 a->c delegation timeout=60s
        initiate h2 a->c sequential complete
        turn by a goto=c
        accept h1 by b as L1
        initiate h3 b->c delegation timeout=60s blocking
        return h1 as L1 success
        escalate h1 as L1 unsure
        cancel h3 by b
        return h1 as L1 success
        initiate h2 a->c delegation timeout=60s
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            refused HO0307 from_agent: a waits for h1 from b
            refused HO0307 from_agent: a waits for h1 from b
            refused HO0307 from_agent: a waits for h1 from b
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h3 b->c delegation offered until 30s path a>b>c
            refused HO0307 b waits for h3 from c
            refused HO0307 b waits for h3
            5 cancelled h3 failed returned to b: not needed
            6 completed h1 success returned to a
            7 initiated h2 a->c delegation offered until 30s
            => a, h1 completed, h3 cancelled, h2 offered (c)"#]],
    );
}

#[test]
fn blocking_means_nothing_where_nobody_waits() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete blocking
        initiate h2 a->c delegation timeout=60s
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 initiated h2 a->c delegation offered until 30s
            => a, h1 offered (b), h2 offered (c)"#]],
    );
}

#[test]
fn what_failed_work_asked_for_is_cancelled() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        initiate h2 b->c delegation timeout=60s
        initiate g1 b->d,e broadcast all timeout=60s
        return h1 as L1 failed
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h2 b->c delegation offered until 30s path a>b>c
            5 initiated g1.1 b->d broadcast offered until 30s path a>b>d
            6 initiated g1.2 b->e broadcast offered until 30s path a>b>e
            7 group_opened g1 all of g1.1 g1.2
            8 failed h1 failed returned to a
            9 cancelled h2 failed returned to b: the work that asked for it is over
            10 cancelled g1.1 failed: the work that asked for it is over
            11 group_decided g1 failed returned to b
            12 cancelled g1.2 failed: the broadcast is decided
            => a, h1 failed, h2 cancelled, g1.1 cancelled, g1.2 cancelled"#]],
    );
}

#[test]
fn a_child_inherits_the_deadline() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s deadline=15s
        accept h1 by b as L1
        initiate h2 b->c delegation timeout=60s
        accept h2 by c as L2
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 15s
            3 accepted h1 b L1 until 30s deadline 15s
            4 initiated h2 b->c delegation offered until 15s path a>b>c
            5 accepted h2 c L2 until 30s deadline 15s
            => a, h1 running (b), h2 running (c)"#]],
    );
}

#[test]
fn an_end_closes_everything() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        initiate g1 a->c,d broadcast all timeout=60s
        end by e
        end by a
        initiate h2 a->b delegation timeout=60s
        set by a x=1
        take g1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 initiated g1.1 a->c broadcast offered until 30s
            4 initiated g1.2 a->d broadcast offered until 30s
            5 group_opened g1 all of g1.1 g1.2
            refused HO0303 e does not own the session; a does
            6 cancelled h1 failed returned to a: the session ended
            7 cancelled g1.1 failed: the session ended
            8 group_decided g1 failed returned to a
            9 cancelled g1.2 failed: the broadcast is decided
            10 session_ended by a: done
            refused HO0304 the session ended at 2023-11-14T22:13:20.000Z
            refused HO0304 the session ended at 2023-11-14T22:13:20.000Z
            11 return_taken g1 by a
            => a, h1 cancelled, g1.1 cancelled, g1.2 cancelled"#]],
    );
}
