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
         initiate h4 a->b delegation task=other
         initiate h4 a->c,b broadcast task=other
         book",
        &expect![[r#"
            open s1 by a: done
            initiate h1 a->b delegation: made
            accept h1: done
            return h1 failed: done
            breaker b: closed, 1 failures
            open s2 by a: done
            initiate h2 a->b delegation timeout=10s: made
            accept h2: done
            wait 10s: h2 reminded
            wait 1s: h2 timeout: b did not finish in time
            breaker b: closed, 2 failures
            open s3 by a: done
            initiate h3 a->b delegation timeout=10m: made
            accept h3 lease=1s: done
            wait 1s: h3 lease_lost
            breaker b: open, 3 failures, until 2027-01-15T08:00:42.000Z
            breakers: b open
            initiate h4 a->b delegation task=other: refused HO0708 to_agent: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:42.000Z
            initiate h4 a->c,b broadcast task=other: refused HO0708 broadcast.targets[1]: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:42.000Z
            book: breaker_moved of b opened: it failed 3 times in a row"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation task=1: made
            accept h1: done
            return h1 failed: done
            initiate h2 a->b delegation task=2: made
            accept h2: done
            return h2 failed: done
            initiate h3 a->b delegation task=3: made
            accept h3: done
            return h3 partial: done
            breaker b: closed, 0 failures
            initiate h4 a->b delegation task=4: made
            accept h4: done
            return h4 failed: done
            initiate h5 a->b delegation task=5: made
            accept h5: done
            return h5 failed: done
            breaker b: closed, 2 failures"#]],
    );
}

#[test]
fn after_the_cool_down_one_tries_and_a_success_closes_it() {
    check(
        "policy handoffs=20
         open s by a
         trip b
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
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 29s: nothing
            initiate h1 a->b delegation: refused HO0708 to_agent: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z
            wait 1s: nothing
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h1 a->b delegation: made
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, h1 tries
            initiate h2 a->b delegation task=other: refused HO0708 to_agent: b: handoff h1 tries whether it is well again
            open s2 by a: done
            initiate h2 a->b delegation: refused HO0708 to_agent: b: handoff h1 tries whether it is well again
            accept h1: done
            return h1 success: done
            breaker b: closed, 0 failures
            initiate h2 a->b delegation: made
            book: breaker_moved of b opened: it failed 3 times in a row; breaker_moved of b closed: it did well"#]],
    );
}

#[test]
fn a_failure_of_the_try_opens_it_again() {
    check(
        "policy handoffs=20
         open s by a
         trip b
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
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate h1 a->b delegation: made
            accept h1: done
            return h1 failed: done
            breaker b: open, 4 failures, until 2027-01-15T08:01:00.000Z
            initiate h2 a->b delegation task=other: refused HO0708 to_agent: b: it failed 4 times in a row and is left alone until 2027-01-15T08:01:00.000Z
            wait 30s: nothing
            initiate h2 a->b delegation task=other: made
            accept h2 lease=5s: done
            wait 5s: h2 lease_lost
            breaker b: open, 5 failures, until 2027-01-15T08:01:35.000Z
            book: breaker_moved of b opened: it failed 3 times in a row; breaker_moved of b opened: it failed 4 times in a row; breaker_moved of b opened: it failed 5 times in a row"#]],
    );
}

#[test]
fn a_try_that_comes_to_nothing_frees_the_place() {
    check(
        "policy handoffs=20
         open s by a
         trip b
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
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate h1 a->b delegation task=1: made
            reject h1: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h2 a->b delegation task=2: made
            cancel h2 by a: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h3 a->b delegation task=3 approval: made
            deny h3: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h4 a->b delegation task=4 among=b,c: made
            reject h4: done
            show h4: delegation offered c
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h5 a->b delegation task=5: made
            wait 30s: h4 failed: nobody is left to take it: it was not acknowledged in time (asked 2), h5 failed: nobody is left to take it: it was not acknowledged in time (asked 1)
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z"#]],
    );
}

#[test]
fn a_part_that_is_handed_on_is_a_success() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         wait 30s
         initiate h1 a->b sequential
         accept h1
         breaker b
         initiate h2 b->c sequential set=x:1
         breaker b",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate h1 a->b sequential: made
            accept h1: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, h1 tries
            initiate h2 b->c sequential set=x:1: made
            breaker b: closed, 0 failures"#]],
    );
}

#[test]
fn two_of_one_broadcast_are_not_both_the_try() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         wait 30s
         initiate g a->b:one,b:two broadcast
         initiate g a->b:one,c:two broadcast
         breaker b",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate g a->b:one,b:two broadcast: refused HO0708 broadcast.targets[1]: b: one handoff at a time tries whether it is well again
            initiate g a->b:one,c:two broadcast: made
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, g.1 tries"#]],
    );
}

#[test]
fn whoever_else_may_take_it_does() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         initiate h1 a->b delegation
         initiate h1 a->b delegation among=b,c
         show h1
         agent b can=fly
         agent d can=fly
         initiate h2 a->? delegation cap=fly
         show h2
         initiate h3 a->b delegation cap=fly task=other
         show h3",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            initiate h1 a->b delegation: refused HO0708 to_agent: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z
            initiate h1 a->b delegation among=b,c: made; warned: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z; c takes it
            show h1: delegation offered c, warned: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z; c takes it
            initiate h2 a->? delegation cap=fly: made
            show h2: delegation offered d
            initiate h3 a->b delegation cap=fly task=other: made; warned: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z; d takes it
            show h3: delegation offered d, warned: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z; d takes it"#]],
    );
}

#[test]
fn what_waits_when_it_opens_goes_to_somebody_else() {
    check(
        "policy handoffs=20
         open s by a
         initiate w1 a->b delegation among=b,c task=w1
         initiate w2 a->b delegation task=w2
         trip b
         due
         show w1
         show w2
         accept w2
         return w2 success
         breaker b",
        &expect![[r#"
            open s by a: done
            initiate w1 a->b delegation among=b,c task=w1: made
            initiate w2 a->b delegation task=w2: made
            trip b: three failures
            due: w1 rerouted to c (CircuitOpen)
            show w1: delegation offered c
            show w2: delegation offered b
            accept w2: done
            return w2 success: done
            breaker b: open, 3 failures, until 2027-01-15T08:00:30.000Z"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=10s on=retry among=b,c: made
            initiate h2 a->b delegation timeout=10s on=retry task=two: made
            accept h1: done
            accept h2: done
            wait 10s: h1 reminded, h2 reminded
            wait 1s: h1 retried, h2 retried
            wait 2s: h1 rerouted to c (CircuitOpen), h2 failed: nobody is left to take it: it failed too often of late (asked 1)
            show h1: delegation offered c
            show h2: delegation failed b, failed, 0 tokens for 0"#]],
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
         wait 20s
         accept h1
         return h1 success
         breaker b",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation task=1: made
            defer h1 10s: done
            initiate h2 a->b delegation task=2: made
            accept h2: done
            return h2 failed: done
            wait 10s: h1 extended
            show h1: delegation deferred b
            wait 20s: h1 offered
            accept h1: done
            return h1 success: done
            breaker b: closed, 0 failures"#]],
    );
}
