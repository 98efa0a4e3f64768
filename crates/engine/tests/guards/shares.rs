//! What a handoff was given is shared by everything below it.

use crate::check;
use expect_test::expect;

#[test]
fn a_child_has_at_most_the_rest_of_its_parent_and_an_equal_part_by_default() {
    check(
        "policy tenant=1000t handoffs=20
         open s by a
         initiate h1 a->b delegation budget=100t
         accept h1
         initiate c1 b->c delegation task=c1
         show c1
         initiate c2 b->d delegation task=c2 budget=60t
         initiate c2 b->d delegation task=c2 budget=50t
         initiate c3 b->e delegation task=c3
         accept c1
         return c1 success tokens=10
         initiate c3 b->e delegation task=c3 budget=41t
         initiate c3 b->e,f broadcast task=c3
         show c3.1
         books",
        &expect![[""]],
    );
}

#[test]
fn several_levels_are_one_share() {
    check(
        "policy tenant=1000t handoffs=20
         open s by a
         initiate h1 a->b delegation budget=100t
         accept h1
         initiate h2 b->c delegation budget=60t
         accept h2
         initiate h3 c->d delegation budget=30t
         accept h3
         return h3 success tokens=20
         books
         initiate h4 c->e delegation budget=41t
         initiate h4 c->e delegation budget=40t
         cancel h4 by c
         return h2 success tokens=15
         books
         initiate h5 b->f delegation budget=66t
         initiate h5 b->f delegation budget=65t
         cancel h5 by b
         return h1 success tokens=5
         show h1
         books",
        &expect![[""]],
    );
}

#[test]
fn what_goes_on_below_a_handoff_that_is_over_keeps_its_share() {
    check(
        "policy tenant=100t/day handoffs=20
         open s by a
         initiate h1 a->b delegation budget=80t
         accept h1
         initiate h2 b->c delegation budget=30t
         accept h2
         return h1 success tokens=10
         books
         initiate h3 a->d delegation budget=61t
         initiate h3 a->d delegation budget=60t
         return h2 success tokens=30
         books",
        &expect![[""]],
    );
}

#[test]
fn below_a_share_within_a_share_it_is_the_same() {
    check(
        "policy tenant=1000t handoffs=20
         open s by a
         initiate h1 a->b delegation budget=100t
         accept h1
         initiate h2 b->c delegation budget=60t
         accept h2
         initiate h3 c->d delegation budget=30t
         return h2 success tokens=10
         books
         initiate h4 b->e delegation budget=61t
         initiate h4 b->e delegation budget=60t
         accept h3
         return h3 success tokens=30
         show h1
         return h1 success
         books",
        &expect![[""]],
    );
}

#[test]
fn what_failed_work_asked_for_gives_everything_back() {
    check(
        "policy tenant=100t handoffs=20
         open s by a
         initiate h1 a->b delegation budget=80t
         accept h1
         initiate h2 b->c,d broadcast budget=20t
         accept h2.1
         return h1 failed tokens=3
         show h2.1
         books",
        &expect![[""]],
    );
}

#[test]
fn a_child_is_over_when_its_parent_must_be() {
    check(
        "open s by a
         initiate h1 a->b delegation timeout=60s
         accept h1
         wait 20s
         initiate h2 b->c delegation timeout=10m
         accept h2
         show h1
         show h2
         initiate h3 b->d delegation timeout=10m budget=5s
         accept h3
         show h3",
        &expect![[""]],
    );
}

#[test]
fn an_escalation_is_never_held_back_by_a_budget() {
    check(
        "policy tenant=10t
         agent a up=c
         open s by a
         initiate h1 a->b delegation budget=10t
         initiate h2 a->b delegation task=two
         initiate e a->? escalation
         show e
         accept e
         return e success tokens=7
         show e
         books",
        &expect![[""]],
    );
}
