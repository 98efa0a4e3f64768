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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t: made
            accept h1: done
            initiate c1 b->c delegation task=c1: made
            show c1: delegation offered c, may use 50 tokens of its parent's
            initiate c2 b->d delegation task=c2 budget=60t: refused HO0709 context.constraints.budget: the handoff h1 does not allow it: it wants 60 tokens, 50 are left
            initiate c2 b->d delegation task=c2 budget=50t: made
            initiate c3 b->e delegation task=c3: refused HO0709 context.constraints.budget: the budget of the handoff h1 is spent: nothing is left of its tokens
            accept c1: done
            return c1 success tokens=10: done
            initiate c3 b->e delegation task=c3 budget=41t: refused HO0709 context.constraints.budget: the handoff h1 does not allow it: it wants 41 tokens, 40 are left
            initiate c3 b->e,f broadcast task=c3: made
            show c3.1: broadcast offered e, may use 13 tokens of its parent's
            books: agent c: nothing set aside, 10 tokens used; tenant default: 90 tokens set aside, 10 tokens used"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t: made
            accept h1: done
            initiate h2 b->c delegation budget=60t: made
            accept h2: done
            initiate h3 c->d delegation budget=30t: made
            accept h3: done
            return h3 success tokens=20: done
            books: agent d: nothing set aside, 20 tokens used; tenant default: 80 tokens set aside, 20 tokens used
            initiate h4 c->e delegation budget=41t: refused HO0709 context.constraints.budget: the handoff h2 does not allow it: it wants 41 tokens, 40 are left
            initiate h4 c->e delegation budget=40t: made
            cancel h4 by c: done
            return h2 success tokens=15: done
            books: agent c: nothing set aside, 15 tokens used; agent d: nothing set aside, 20 tokens used; tenant default: 65 tokens set aside, 35 tokens used
            initiate h5 b->f delegation budget=66t: refused HO0709 context.constraints.budget: the handoff h1 does not allow it: it wants 66 tokens, 65 are left
            initiate h5 b->f delegation budget=65t: made
            cancel h5 by b: done
            return h1 success tokens=5: done
            show h1: delegation completed b, may use 100 tokens, success, 5 tokens for 0
            books: agent b: nothing set aside, 5 tokens used; agent c: nothing set aside, 15 tokens used; agent d: nothing set aside, 20 tokens used; tenant default: nothing set aside, 40 tokens used"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=80t: made
            accept h1: done
            initiate h2 b->c delegation budget=30t: made
            accept h2: done
            return h1 success tokens=10: done
            books: agent b: nothing set aside, 10 tokens used; tenant default: nothing set aside, 10 tokens used; tenant@2027-01-15 default: 30 tokens set aside, 10 tokens used
            initiate h3 a->d delegation budget=61t: refused HO0709 context.constraints.budget: the tenant default does not allow it: it wants 61 tokens, 60 are left
            initiate h3 a->d delegation budget=60t: made
            return h2 success tokens=30: done
            books: agent b: nothing set aside, 10 tokens used; agent c: nothing set aside, 30 tokens used; tenant default: nothing set aside, 40 tokens used; tenant@2027-01-15 default: 60 tokens set aside, 40 tokens used"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t: made
            accept h1: done
            initiate h2 b->c delegation budget=60t: made
            accept h2: done
            initiate h3 c->d delegation budget=30t: made
            return h2 success tokens=10: done
            books: agent c: nothing set aside, 10 tokens used; tenant default: 90 tokens set aside, 10 tokens used
            initiate h4 b->e delegation budget=61t: refused HO0709 context.constraints.budget: the handoff h1 does not allow it: it wants 61 tokens, 60 are left
            initiate h4 b->e delegation budget=60t: made
            accept h3: done
            return h3 success tokens=30: done
            show h1: delegation running b until 2027-01-15T08:01:00.000Z, may use 100 tokens
            return h1 success: done
            books: agent c: nothing set aside, 10 tokens used; agent d: nothing set aside, 30 tokens used; tenant default: 60 tokens set aside, 40 tokens used"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=80t: made
            accept h1: done
            initiate h2 b->c,d broadcast budget=20t: made
            accept h2.1: done
            return h1 failed tokens=3: done
            show h2.1: broadcast cancelled c, may use 20 tokens, failed, 0 tokens for 0
            books: agent b: nothing set aside, 3 tokens used; tenant default: nothing set aside, 3 tokens used"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=60s: made
            accept h1: done
            wait 20s: nothing
            initiate h2 b->c delegation timeout=10m: made
            accept h2: done
            show h1: delegation running b until 2027-01-15T08:01:00.000Z
            show h2: delegation running c until 2027-01-15T08:01:00.000Z
            initiate h3 b->d delegation timeout=10m budget=5s: made
            accept h3: done
            show h3: delegation running d until 2027-01-15T08:00:25.000Z, may use 5000 milliseconds"#]],
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
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=10t: made
            initiate h2 a->b delegation task=two: refused HO0709 context.constraints.budget: the budget of the tenant default is spent: nothing is left of its tokens
            initiate e a->? escalation: made
            show e: escalation offered c, may use nothing
            accept e: done
            return e success tokens=7: done
            show e: escalation completed c, may use nothing, success, 7 tokens for 0, warned: it used more than was set aside: 7 tokens of 0
            books: agent c: nothing set aside, 7 tokens used; tenant default: 10 tokens set aside, 7 tokens used"#]],
    );
}
