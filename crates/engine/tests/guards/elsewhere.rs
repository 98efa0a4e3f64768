//! Where work goes when its agent is left alone, and who is never left alone.

use crate::check;
use expect_test::expect;

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
        &expect![[r#"
            open s by a: done
            initiate t1 a->b delegation task=trip_1: made
            accept t1: done
            return t1 failed: done
            initiate t2 a->b delegation task=trip_2: made
            accept t2: done
            return t2 failed: done
            initiate t3 a->b delegation task=trip_3: made
            accept t3: done
            return t3 failed: done
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
        &expect![[r#"
            open s by a: done
            initiate w1 a->b delegation among=b,c task=w1: made
            initiate w2 a->b delegation task=w2: made
            initiate t1 a->b delegation task=trip_1: made
            accept t1: done
            return t1 failed: done
            initiate t2 a->b delegation task=trip_2: made
            accept t2: done
            return t2 failed: done
            initiate t3 a->b delegation task=trip_3: made
            accept t3: done
            return t3 failed: done
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
        &expect![[r#"
            open s by a: done
            initiate t1 a->b delegation task=trip_1: made
            accept t1: done
            return t1 failed: done
            initiate t2 a->b delegation task=trip_2: made
            accept t2: done
            return t2 failed: done
            initiate t3 a->b delegation task=trip_3: made
            accept t3: done
            return t3 failed: done
            reset b: refused HO0302 key is bound to certain agents
            reset b: done
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made
            reset nobody: refused HO0208 "nobody" is not registered
            book: breaker_moved of b opened: it failed 3 times in a row; breaker_moved of b closed: reset by local"#]],
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
        &expect![[r#"
            open s by a: done
            initiate t1 a->b delegation task=trip_1: made
            accept t1: done
            return t1 failed: done
            initiate t2 a->b delegation task=trip_2: made
            accept t2: done
            return t2 failed: done
            initiate t3 a->b delegation task=trip_3: made
            accept t3: done
            return t3 failed: done
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made"#]],
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
        &expect![[r#"
            open s by a: done
            initiate t1 a->b delegation task=trip_1: made
            accept t1: done
            return t1 failed: done
            initiate t2 a->b delegation task=trip_2: made
            accept t2: done
            return t2 failed: done
            initiate t3 a->b delegation task=trip_3: made
            accept t3: done
            return t3 failed: done
            breaker b: closed, 0 failures
            initiate h1 a->b delegation: made"#]],
    );
}
