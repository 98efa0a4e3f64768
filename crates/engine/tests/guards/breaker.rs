//! An agent that fails again and again is left alone for a while, and tried again with one handoff.

use crate::check;
use expect_test::expect;

#[test]
fn three_failures_of_any_kind_in_any_session_open_it() {
    check(
        "open s1 by a
         initiate h1 a->b delegation
         accept h1
         return h1 failed
         breaker b
         open s2 by a
         initiate h2 a->b delegation timeout=10s
         accept h2
         wait 10s
         wait 1s
         breaker b
         open s3 by a
         initiate h3 a->b delegation timeout=10m
         accept h3 lease=1s
         wait 1s
         breaker b
         breakers
         initiate h4 a->b delegation
         initiate h4 a->b,c broadcast
         book",
        &expect![[""]],
    );
}

#[test]
fn a_success_in_between_begins_anew() {
    check(
        "policy handoffs=20
         open s by a
         initiate h1 a->b delegation task=1
         accept h1
         return h1 failed
         initiate h2 a->b delegation task=2
         accept h2
         return h2 failed
         initiate h3 a->b delegation task=3
         accept h3
         return h3 partial
         breaker b
         initiate h4 a->b delegation task=4
         accept h4
         return h4 failed
         initiate h5 a->b delegation task=5
         accept h5
         return h5 failed
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn after_the_cool_down_one_tries_and_a_success_closes_it() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         wait 29s
         initiate h1 a->b delegation
         wait 1s
         breaker b
         initiate h1 a->b delegation
         breaker b
         initiate h2 a->b delegation task=other
         open s2 by a
         initiate h2 a->b delegation
         accept h1
         return h1 success
         breaker b
         initiate h2 a->b delegation
         book",
        &expect![[""]],
    );
}

#[test]
fn a_failure_of_the_try_opens_it_again() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         wait 30s
         initiate h1 a->b delegation
         accept h1
         return h1 failed
         breaker b
         initiate h2 a->b delegation task=other
         wait 30s
         initiate h2 a->b delegation task=other
         accept h2 lease=5s
         wait 5s
         breaker b
         book",
        &expect![[""]],
    );
}

#[test]
fn a_try_that_comes_to_nothing_frees_the_place() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         wait 30s
         initiate h1 a->b delegation task=1
         reject h1
         breaker b
         initiate h2 a->b delegation task=2
         cancel h2 by a
         breaker b
         initiate h3 a->b delegation task=3 approval
         deny h3
         breaker b
         initiate h4 a->b delegation task=4 among=b,c
         reject h4
         show h4
         breaker b
         initiate h5 a->b delegation task=5
         wait 30s
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn a_part_that_is_handed_on_is_a_success() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         wait 30s
         initiate h1 a->b sequential
         accept h1
         breaker b
         initiate h2 b->c sequential set=x:1
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn two_of_one_broadcast_are_not_both_the_try() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         wait 30s
         initiate g a->b:one,b:two broadcast
         initiate g a->b:one,c:two broadcast
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn whoever_else_may_take_it_does() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         initiate h1 a->b delegation
         initiate h1 a->b delegation among=b,c
         show h1
         agent b can=fly
         agent d can=fly
         initiate h2 a->? delegation cap=fly
         show h2
         initiate h3 a->b delegation cap=fly task=other
         show h3",
        &expect![[""]],
    );
}

#[test]
fn what_waits_when_it_opens_goes_to_somebody_else() {
    check(
        "policy handoffs=20
         open s by a
         initiate w1 a->b delegation among=b,c task=w1
         initiate w2 a->b delegation task=w2
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         due
         show w1
         show w2
         accept w2
         return w2 success
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn a_retry_goes_to_somebody_else_when_the_breaker_has_opened() {
    check(
        "policy failures=1
         open s by a
         initiate h1 a->b delegation timeout=10s on=retry among=b,c
         initiate h2 a->b delegation timeout=10s on=retry task=two
         accept h1
         accept h2
         wait 10s
         wait 1s
         wait 2s
         show h1
         show h2",
        &expect![[""]],
    );
}

#[test]
fn what_was_put_off_waits_on_where_nobody_else_can_take_it() {
    check(
        "policy failures=1
         open s by a
         initiate h1 a->b delegation task=1
         defer h1 10s
         initiate h2 a->b delegation task=2
         accept h2
         return h2 failed
         wait 10s
         show h1
         accept h1
         return h1 success
         breaker b",
        &expect![[""]],
    );
}

#[test]
fn an_operator_resets_it() {
    check(
        "policy handoffs=20
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         caller key acts=a
         reset b
         caller local
         reset b
         breaker b
         initiate h1 a->b delegation
         reset nobody
         book",
        &expect![[""]],
    );
}

#[test]
fn a_person_is_never_left_alone() {
    check(
        "policy handoffs=20
         agent b human
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         breaker b
         initiate h1 a->b delegation",
        &expect![[""]],
    );
}

#[test]
fn switched_off_it_counts_nothing() {
    check(
        "policy handoffs=20 failures=0
         open s by a
         initiate t1 a->b delegation task=trip_1
         accept t1
         return t1 failed
         initiate t2 a->b delegation task=trip_2
         accept t2
         return t2 failed
         initiate t3 a->b delegation task=trip_3
         accept t3
         return t3 failed
         breaker b
         initiate h1 a->b delegation",
        &expect![[""]],
    );
}
