//! What attempts are charged that end without a return, or while somebody works below: all of it, and once.

use crate::check;
use expect_test::expect;

#[test]
fn the_time_of_work_that_goes_on_below_counts_there_alone() {
    check(
        "policy tenant=1000s failures=0
         open s by a
         initiate h1 a->b delegation budget=100s timeout=90s
         accept h1 lease=30s
         wait 5s
         initiate h2 b->c delegation budget=60s timeout=60s
         accept h2 lease=60s
         wait 25s
         books
         wait 5s
         accept h1 lease=30s
         wait 5s
         return h2 success
         wait 5s
         return h1 success
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100s timeout=90s: made
            accept h1 lease=30s: done
            wait 5s: nothing
            initiate h2 b->c delegation budget=60s timeout=60s: made
            accept h2 lease=60s: done
            wait 25s: h1 lease_lost
            books: agent b: nothing set aside, 5000 milliseconds used; tenant default: 100000 milliseconds set aside, 5000 milliseconds used
            wait 5s: nothing
            accept h1 lease=30s: done
            wait 5s: nothing
            return h2 success: done
            wait 5s: nothing
            return h1 success: done
            books: agent b: nothing set aside, 10000 milliseconds used; agent c: nothing set aside, 35000 milliseconds used; tenant default: nothing set aside, 45000 milliseconds used"#]],
    );
}

#[test]
fn whoever_is_done_before_those_below_is_charged_for_its_own_part() {
    check(
        "policy tenant=1000s failures=0
         open s by a
         initiate h1 a->b delegation budget=100s timeout=90s
         accept h1 lease=60s
         wait 5s
         initiate h2 b->c delegation budget=60s timeout=60s
         accept h2 lease=60s
         wait 5s
         initiate h3 c->d delegation budget=20s timeout=20s
         accept h3 lease=60s
         wait 5s
         return h1 success
         books
         wait 5s
         return h2 success
         wait 5s
         return h3 success
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100s timeout=90s: made
            accept h1 lease=60s: done
            wait 5s: nothing
            initiate h2 b->c delegation budget=60s timeout=60s: made
            accept h2 lease=60s: done
            wait 5s: nothing
            initiate h3 c->d delegation budget=20s timeout=20s: made
            accept h3 lease=60s: done
            wait 5s: nothing
            return h1 success: done
            books: agent b: nothing set aside, 5000 milliseconds used; tenant default: 60000 milliseconds set aside, 5000 milliseconds used
            wait 5s: nothing
            return h2 success: done
            wait 5s: nothing
            return h3 success: done
            books: agent b: nothing set aside, 5000 milliseconds used; agent c: nothing set aside, 5000 milliseconds used; agent d: nothing set aside, 15000 milliseconds used; tenant default: nothing set aside, 25000 milliseconds used"#]],
    );
}

#[test]
fn what_is_cancelled_below_is_charged_once() {
    check(
        "policy tenant=1000s failures=0
         open s by a
         initiate h1 a->b delegation budget=100s timeout=90s
         accept h1 lease=60s
         wait 5s
         initiate h2 b->c delegation budget=60s timeout=60s
         accept h2 lease=60s
         wait 5s
         cancel h1 by a
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100s timeout=90s: made
            accept h1 lease=60s: done
            wait 5s: nothing
            initiate h2 b->c delegation budget=60s timeout=60s: made
            accept h2 lease=60s: done
            wait 5s: nothing
            cancel h1 by a: done
            books: agent b: nothing set aside, 5000 milliseconds used; agent c: nothing set aside, 5000 milliseconds used; tenant default: nothing set aside, 10000 milliseconds used"#]],
    );
}

#[test]
fn nobody_pays_for_the_time_that_the_engine_slept() {
    check(
        "policy tenant=100000s
         open s by a
         initiate h1 a->b delegation timeout=10s on=fail
         initiate h2 a->c delegation timeout=10s on=retry task=2
         initiate h3 a->d delegation timeout=10s task=3
         accept h1 lease=60s
         accept h2 lease=60s
         accept h3 lease=60s
         wait 4s
         sleep 3h
         cancel h3 by a
         wait 1s
         books
         show h1",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=10s on=fail: made
            initiate h2 a->c delegation timeout=10s on=retry task=2: made
            initiate h3 a->d delegation timeout=10s task=3: made
            accept h1 lease=60s: done
            accept h2 lease=60s: done
            accept h3 lease=60s: done
            wait 4s: nothing
            sleep 3h: h1 reminded, h2 reminded, h3 reminded, h1 extended, h2 extended, h3 extended
            cancel h3 by a: done
            wait 1s: h1 timeout: b did not finish in time, h2 retried
            books: agent b: nothing set aside, 11000 milliseconds used; agent c: nothing set aside, 11000 milliseconds used; agent d: nothing set aside, 11000 milliseconds used; tenant default: 10000 milliseconds set aside, 33000 milliseconds used
            show h1: delegation timed_out b, may use 10000 milliseconds, timeout, 0 tokens for 0, warned: it used more than was set aside: 11000 milliseconds of 10000"#]],
    );
}

#[test]
fn whoever_ends_late_itself_is_charged_until_then() {
    check(
        "policy tenant=100000s
         open s by a
         initiate h1 a->b delegation timeout=10s on=fail
         accept h1 lease=60s
         sleep 3h
         return h1 success
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=10s on=fail: made
            accept h1 lease=60s: done
            sleep 3h: h1 reminded, h1 extended
            return h1 success: done
            books: agent b: nothing set aside, 10800000 milliseconds used; tenant default: nothing set aside, 10800000 milliseconds used"#]],
    );
}

#[test]
fn what_an_attempt_was_shown_is_charged_when_it_is_lost_and_to_nobody_else() {
    check(
        "policy tenant=1000000t failures=0 price=big:1000000/1000000
         agent b can=flying model=big
         agent c can=flying
         open s by a
         say where does the jet to London leave from on Friday
         initiate h1 a->? delegation cap=flying timeout=60s
         accept h1 lease=2s
         wait 2s
         show session
         books
         accept h1 lease=2s
         wait 2s
         accept h1 lease=2s
         wait 2s
         accept h1 lease=2s
         wait 2s
         accept h1 lease=2s
         wait 2s
         accept h1 lease=2s
         wait 2s
         books
         cancel h1 by a
         show session
         books",
        &expect![[r#"
            open s by a: done
            say where does the jet to London leave from on Friday: done
            initiate h1 a->? delegation cap=flying timeout=60s: made
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost
            show session: no class, owner a, 1 handoffs, 0 escalations, 10 tokens used
            books: agent b: nothing set aside, 10 tokens and 10 of money and 2000 milliseconds used; tenant default: 100000 tokens set aside, 10 tokens and 10 of money and 2000 milliseconds used
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost
            accept h1 lease=2s: done
            wait 2s: h1 lease_lost, h1 rerouted to c (LeasesLost)
            books: agent b: nothing set aside, 60 tokens and 60 of money and 12000 milliseconds used; tenant default: 100000 tokens set aside, 60 tokens and 60 of money and 12000 milliseconds used
            cancel h1 by a: done
            show session: no class, owner a, 1 handoffs, 0 escalations, 60 tokens used
            books: agent b: nothing set aside, 60 tokens and 60 of money and 12000 milliseconds used; tenant default: nothing set aside, 60 tokens and 60 of money and 12000 milliseconds used"#]],
    );
}
