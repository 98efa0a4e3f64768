//! What waits for a person holds no place, and is looked at again when the person says yes.

use crate::check;
use expect_test::expect;

#[test]
fn one_that_waits_for_a_person_keeps_nobody_from_trying() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         wait 30s
         initiate h1 a->b delegation approval
         breaker b
         initiate h2 a->b delegation task=other
         breaker b
         approve h1
         accept h2
         return h2 success
         approve h1
         breaker b
         accept h1",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate h1 a->b delegation approval: made
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z
            initiate h2 a->b delegation task=other: made
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, h2 tries
            approve h1: refused HO0708 to_agent: b: handoff h2 tries whether it is well again (approve it later, or with another to_agent)
            accept h2: done
            return h2 success: done
            approve h1: done
            breaker b: closed, 0 failures
            accept h1: done"#]],
    );
}

#[test]
fn whoever_is_approved_first_tries() {
    check(
        "policy handoffs=20
         open s by a
         trip b
         wait 30s
         initiate h1 a->b delegation approval
         approve h1
         breaker b
         initiate h2 a->b delegation task=other
         accept h1
         return h1 success
         breaker b",
        &expect![[r#"
            open s by a: done
            trip b: three failures
            wait 30s: nothing
            initiate h1 a->b delegation approval: made
            approve h1: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, h1 tries
            initiate h2 a->b delegation task=other: refused HO0708 to_agent: b: handoff h1 tries whether it is well again
            accept h1: done
            return h1 success: done
            breaker b: closed, 0 failures"#]],
    );
}

#[test]
fn a_yes_to_whom_nobody_can_reach_is_refused_or_goes_to_somebody_else() {
    check(
        "policy handoffs=20
         open s by a
         initiate h1 a->b delegation approval task=1
         initiate h2 a->b delegation approval among=b,c task=2
         trip b
         approve h1
         show h1
         approve h2
         show h2
         wait 30s
         approve h1
         breaker b",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation approval task=1: made
            initiate h2 a->b delegation approval among=b,c task=2: made
            trip b: three failures
            approve h1: refused HO0708 to_agent: b: it failed 3 times in a row and is left alone until 2027-01-15T08:00:30.000Z (approve it later, or with another to_agent)
            show h1: delegation awaiting_approval b
            approve h2: done
            show h2: delegation awaiting_approval c
            wait 30s: nothing
            approve h1: done
            breaker b: half open, 3 failures, until 2027-01-15T08:00:30.000Z, h1 tries"#]],
    );
}

#[test]
fn whoever_is_away_or_gone_by_the_time_of_the_yes_is_passed_over() {
    check(
        "policy handoffs=20
         open s by a
         agent d
         initiate h1 a->b delegation approval task=1
         initiate h2 a->b delegation approval among=b,c task=2
         initiate h3 a->d delegation approval task=3
         drain b
         remove d
         approve h1
         approve h2
         show h2
         approve h3
         drain b over
         approve h1
         show h1",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation approval task=1: made
            initiate h2 a->b delegation approval among=b,c task=2: made
            initiate h3 a->d delegation approval task=3: made
            drain b: done
            remove d: done
            approve h1: refused HO0203 to_agent: b is draining (approve it later, or with another to_agent)
            approve h2: done
            show h2: delegation awaiting_approval c
            approve h3: refused HO0202 to_agent: "d" is not registered (did you mean "a"?)
            drain b over: done
            approve h1: done
            show h1: delegation offered b"#]],
    );
}

#[test]
fn a_person_takes_what_was_approved_for_somebody_who_is_gone() {
    check(
        "agent p human
         policy handoffs=20 human=p
         open s by a
         initiate h1 a->b delegation approval
         drain b
         approve h1
         show h1
         approve h1",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation approval: made
            drain b: done
            approve h1: done
            show h1: delegation awaiting_approval p
            approve h1: done"#]],
    );
}

#[test]
fn the_next_one_above_is_asked_where_the_first_is_away() {
    check(
        "agent d
         agent c up=d
         agent b up=c
         open s by b
         initiate h1 b->c escalation approval
         drain c
         approve h1
         show h1",
        &expect![[r#"
            open s by b: done
            initiate h1 b->c escalation approval: made
            drain c: done
            approve h1: made
            show h1: escalation escalated c, partial, 0 tokens for 0"#]],
    );
}
