//! The time of a session is changed while work is going on: what had its deadline from it follows.

use crate::check;
use expect_test::expect;

#[test]
fn another_time_moves_what_works() {
    check(
        "policy handoffs=20
         open s by a time=60s
         initiate h1 a->b delegation timeout=10m task=1
         initiate h2 a->c delegation timeout=20s task=2
         accept h1 lease=10m
         accept h2 lease=10m
         limits time=120s
         wait 19s
         wait 1s
         wait 40s
         wait 59s
         wait 1s
         wait 5m",
        &expect![[r#"
            open s by a time=60s: done
            initiate h1 a->b delegation timeout=10m task=1: made
            initiate h2 a->c delegation timeout=20s task=2: made
            accept h1 lease=10m: done
            accept h2 lease=10m: done
            limits time=120s: done
            wait 19s: nothing
            wait 1s: h2 reminded
            wait 40s: h2 timeout: c did not finish in time
            wait 59s: nothing
            wait 1s: h1 reminded
            wait 5m: h1 timeout: b did not finish in time"#]],
    );
}

#[test]
fn less_time_ends_it_earlier() {
    check(
        "policy handoffs=20
         open s by a time=10m
         initiate h1 a->b delegation timeout=5m
         accept h1 lease=10m
         initiate h2 b->c delegation timeout=5m task=part
         limits time=20s
         wait 19s
         wait 1s
         wait 1s
         wait 5m",
        &expect![[r#"
            open s by a time=10m: done
            initiate h1 a->b delegation timeout=5m: made
            accept h1 lease=10m: done
            initiate h2 b->c delegation timeout=5m task=part: made
            limits time=20s: done
            wait 19s: nothing
            wait 1s: h1 reminded, h2 timeout: the deadline passed before anybody took it
            wait 1s: nothing
            wait 5m: h1 timeout: b did not finish in time"#]],
    );
}

#[test]
fn a_time_where_there_was_none_and_none_where_there_was_one() {
    check(
        "policy handoffs=20
         open s by a
         initiate h1 a->b delegation timeout=5m
         limits time=10s
         wait 10s
         open s2 by a time=10s
         initiate h1 a->b delegation timeout=5m
         limits handoffs=5
         wait 29s
         wait 1s",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=5m: made
            limits time=10s: done
            wait 10s: h1 timeout: the deadline passed before anybody took it
            open s2 by a time=10s: done
            initiate h1 a->b delegation timeout=5m: made
            limits handoffs=5: done
            wait 29s: nothing
            wait 1s: h1 failed: nobody is left to take it: it was not acknowledged in time (asked 1)"#]],
    );
}

#[test]
fn whoever_was_reminded_has_time_again() {
    check(
        "policy handoffs=20
         open s by a time=60s
         initiate h1 a->b delegation timeout=10m
         accept h1 lease=10m
         wait 60s
         limits time=5m
         wait 60s
         wait 178s
         wait 2s",
        &expect![[r#"
            open s by a time=60s: done
            initiate h1 a->b delegation timeout=10m: made
            accept h1 lease=10m: done
            wait 60s: h1 reminded
            limits time=5m: done
            wait 60s: nothing
            wait 178s: nothing
            wait 2s: h1 reminded"#]],
    );
}

#[test]
fn a_part_of_the_work_follows_it() {
    check(
        "policy handoffs=20
         open s by a time=60s
         initiate h1 a->b delegation timeout=10m
         accept h1 lease=10m
         initiate h2 b->c delegation timeout=10m task=part
         accept h2 lease=10m
         limits time=120s
         wait 61s
         wait 59s",
        &expect![[r#"
            open s by a time=60s: done
            initiate h1 a->b delegation timeout=10m: made
            accept h1 lease=10m: done
            initiate h2 b->c delegation timeout=10m task=part: made
            accept h2 lease=10m: done
            limits time=120s: done
            wait 61s: nothing
            wait 59s: h1 reminded, h2 reminded"#]],
    );
}

#[test]
fn what_waits_for_a_person_follows_too() {
    check(
        "policy handoffs=20
         open s by a time=60s
         initiate h1 a->b delegation approval timeout=10m
         limits time=120s
         wait 60s
         wait 59s
         wait 1s",
        &expect![[r#"
            open s by a time=60s: done
            initiate h1 a->b delegation approval timeout=10m: made
            limits time=120s: done
            wait 60s: nothing
            wait 59s: nothing
            wait 1s: h1 cancelled: the deadline passed before it was approved"#]],
    );
}
