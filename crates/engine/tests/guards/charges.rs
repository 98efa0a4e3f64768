//! What is charged: as reported, priced by model or counted; in full, and where it was set aside.

use crate::check;
use expect_test::expect;

#[test]
fn whoever_uses_more_is_charged_in_full_and_nothing_new_begins() {
    check(
        "policy tenant=100t
         open s by a
         initiate h1 a->b delegation budget=20t
         accept h1
         return h1 success tokens=150
         show h1
         books
         initiate h2 a->c delegation
         initiate h2 a->c delegation budget=1t",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=20t: made
            accept h1: done
            return h1 success tokens=150: done
            show h1: delegation completed b, may use 20 tokens, success, 150 tokens for 0, warned: it used more than was set aside: 150 tokens of 20
            books: agent b: nothing set aside, 150 tokens used; tenant default: nothing set aside, 150 tokens used
            initiate h2 a->c delegation: refused HO0709 context.constraints.budget: the budget of the tenant default is spent: nothing is left of its tokens
            initiate h2 a->c delegation budget=1t: refused HO0709 context.constraints.budget: the tenant default does not allow it: it wants 1 tokens, 0 are left"#]],
    );
}

#[test]
fn what_is_used_is_priced_by_model_and_what_is_reported_wins() {
    check(
        "policy price=big:3/15 handoffs=20
         agent b model=big
         open s by a tokens=100000000
         initiate h1 a->b delegation task=1
         accept h1
         return h1 success model=big in=1000000 out=100000
         show h1
         initiate h2 a->b delegation task=2
         accept h2
         return h2 success model=big in=1000000 out=100000 tokens=7 cost=0.5
         show h2
         initiate h3 a->b delegation task=3
         accept h3
         return h3 success body=the_jet_leaves_at_nine
         show h3
         initiate h4 a->c delegation task=4
         accept h4
         return h4 success body=the_jet_leaves_at_nine
         show h4
         open s2 by a
         initiate h5 a->c delegation task=5
         accept h5
         return h5 success body=the_jet_leaves_at_nine
         show h5
         initiate h6 a->c delegation task=6
         accept h6
         return h6 success model=unknown in=5 out=5
         show h6",
        &expect![[r#"
            open s by a tokens=100000000: done
            initiate h1 a->b delegation task=1: made
            accept h1: done
            return h1 success model=big in=1000000 out=100000: done
            show h1: delegation completed b, may use 4761904 tokens, success, 1100000 tokens for 4.5
            initiate h2 a->b delegation task=2: made
            accept h2: done
            return h2 success model=big in=1000000 out=100000 tokens=7 cost=0.5: done
            show h2: delegation completed b, may use 4945000 tokens, success, 7 tokens for 0.5
            initiate h3 a->b delegation task=3: made
            accept h3: done
            return h3 success body=the_jet_leaves_at_nine: done
            show h3: delegation completed b, may use 5205262 tokens, success, 6 tokens for 0.00009
            initiate h4 a->c delegation task=4: made
            accept h4: done
            return h4 success body=the_jet_leaves_at_nine: done
            show h4: delegation completed c, may use 5494443 tokens, success, 6 tokens for 0
            open s2 by a: done
            initiate h5 a->c delegation task=5: made
            accept h5: done
            return h5 success body=the_jet_leaves_at_nine: done
            show h5: delegation completed c, success, 0 tokens for 0
            initiate h6 a->c delegation task=6: made
            accept h6: done
            return h6 success model=unknown in=5 out=5: done
            show h6: delegation completed c, success, 10 tokens for 0"#]],
    );
}

#[test]
fn a_turn_is_charged_too() {
    check(
        "policy tenant=100t
         open s by a tokens=100
         turn a goto=b tokens=40
         show session
         books
         initiate h2 a->c delegation budget=61t",
        &expect![[r#"
            open s by a tokens=100: done
            turn a goto=b tokens=40: made
            show session: no class, owner a, 1 handoffs, 0 escalations, 40 tokens used
            books: agent a: nothing set aside, 40 tokens used; tenant default: 6 tokens set aside, 40 tokens used
            initiate h2 a->c delegation budget=61t: refused HO0709 context.constraints.budget: the session does not allow it: it wants 61 tokens, 54 are left"#]],
    );
}

#[test]
fn what_a_part_frees_goes_to_the_next() {
    check(
        "policy tenant=100t
         agent c budget=100t
         open s by a tokens=100
         initiate h1 a->b sequential budget=100t
         accept h1
         initiate h2 b->c sequential budget=100t set=x:1
         books
         accept h2
         initiate h3 c->d delegation budget=60t
         return h2 success tokens=10
         initiate h4 c->d delegation budget=30t task=other
         initiate h4 c->d delegation budget=31t task=more
         books",
        &expect![[r#"
            open s by a tokens=100: done
            initiate h1 a->b sequential budget=100t: made
            accept h1: done
            initiate h2 b->c sequential budget=100t set=x:1: made
            books: agent c: 100 tokens set aside, nothing used; tenant default: 100 tokens set aside, nothing used
            accept h2: done
            initiate h3 c->d delegation budget=60t: made
            return h2 success tokens=10: done
            initiate h4 c->d delegation budget=30t task=other: made
            initiate h4 c->d delegation budget=31t task=more: refused HO0709 context.constraints.budget: the session does not allow it: it wants 31 tokens, 0 are left
            books: agent c: nothing set aside, 10 tokens used; tenant default: 90 tokens set aside, 10 tokens used"#]],
    );
}

#[test]
fn what_returns_frees_its_share_for_what_follows() {
    check(
        "policy tenant=100t
         open s by a
         initiate h1 a->b sequential budget=100t
         accept h1
         return h1 success tokens=10 then=c as=h2
         show h2
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential budget=100t: made
            accept h1: done
            return h1 success tokens=10 then=c as=h2: made
            show h2: sequential offered c, may use 9 tokens
            books: agent b: nothing set aside, 10 tokens used; tenant default: 9 tokens set aside, 10 tokens used"#]],
    );
}

#[test]
fn the_working_time_of_an_agent_is_limited() {
    check(
        "agent b budget=60s
         open s by a
         initiate h1 a->b delegation timeout=40s
         initiate h2 a->b delegation timeout=40s task=2
         show h2
         initiate h3 a->b delegation timeout=40s task=3
         accept h1
         wait 5s
         return h1 success
         books agent",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=40s: made
            initiate h2 a->b delegation timeout=40s task=2: made
            show h2: delegation offered b, may use 20000 milliseconds
            initiate h3 a->b delegation timeout=40s task=3: refused HO0709 context.constraints.budget: the budget of the agent b is spent: nothing is left of its milliseconds
            accept h1: done
            wait 5s: nothing
            return h1 success: done
            books agent: agent b: 20000 milliseconds set aside, 5000 milliseconds used"#]],
    );
}

#[test]
fn an_attempt_whose_time_ran_out_is_charged_and_the_next_one_by_itself() {
    check(
        "agent b budget=600s
         open s by a
         initiate h1 a->b delegation timeout=10s on=retry
         accept h1 lease=60s
         wait 10s
         wait 1s
         books
         wait 1m
         accept h1 lease=60s
         wait 3s
         return h1 success
         books
         show h1",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=10s on=retry: made
            accept h1 lease=60s: done
            wait 10s: h1 reminded
            wait 1s: h1 retried
            books: agent b: 10000 milliseconds set aside, 11000 milliseconds used; tenant default: nothing set aside, 11000 milliseconds used
            wait 1m: h1 offered
            accept h1 lease=60s: done
            wait 3s: nothing
            return h1 success: done
            books: agent b: nothing set aside, 14000 milliseconds used; tenant default: nothing set aside, 14000 milliseconds used
            show h1: delegation completed b, may use 10000 milliseconds, success, 0 tokens for 0, warned: it used more than was set aside: 14000 milliseconds of 10000"#]],
    );
}

#[test]
fn whoever_loses_its_lease_is_charged_until_then_and_not_for_the_time_after() {
    check(
        "policy tenant=1000s failures=0
         agent b can=flying
         agent c can=flying
         open s by a
         initiate h1 a->? delegation cap=flying timeout=60s
         accept h1 lease=2s
         wait 9s
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
         accept h1
         wait 4s
         return h1 success
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->? delegation cap=flying timeout=60s: made
            accept h1 lease=2s: done
            wait 9s: h1 lease_lost
            books: agent b: nothing set aside, 2000 milliseconds used; tenant default: 60000 milliseconds set aside, 2000 milliseconds used
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
            books: agent b: nothing set aside, 12000 milliseconds used; tenant default: 60000 milliseconds set aside, 12000 milliseconds used
            accept h1: done
            wait 4s: nothing
            return h1 success: done
            books: agent b: nothing set aside, 12000 milliseconds used; agent c: nothing set aside, 4000 milliseconds used; tenant default: nothing set aside, 16000 milliseconds used"#]],
    );
}

#[test]
fn the_time_of_work_below_counts_there_in_every_attempt() {
    check(
        "policy tenant=1000s failures=0
         open s by a
         initiate h1 a->b delegation budget=100s timeout=90s
         accept h1 lease=30s
         initiate h2 b->c delegation budget=20s timeout=20s
         accept h2 lease=30s
         wait 5s
         return h2 success
         wait 55s
         books
         accept h1 lease=30s
         initiate h3 b->c delegation budget=20s timeout=20s task=3
         accept h3 lease=30s
         wait 3s
         return h3 success
         wait 4s
         return h1 success
         books
         show h1",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100s timeout=90s: made
            accept h1 lease=30s: done
            initiate h2 b->c delegation budget=20s timeout=20s: made
            accept h2 lease=30s: done
            wait 5s: nothing
            return h2 success: done
            wait 55s: h1 lease_lost
            books: agent b: nothing set aside, 25000 milliseconds used; agent c: nothing set aside, 5000 milliseconds used; tenant default: 95000 milliseconds set aside, 30000 milliseconds used
            accept h1 lease=30s: done
            initiate h3 b->c delegation budget=20s timeout=20s task=3: made
            accept h3 lease=30s: done
            wait 3s: nothing
            return h3 success: done
            wait 4s: nothing
            return h1 success: done
            books: agent b: nothing set aside, 29000 milliseconds used; agent c: nothing set aside, 8000 milliseconds used; tenant default: nothing set aside, 37000 milliseconds used
            show h1: delegation completed b, may use 100000 milliseconds, success, 0 tokens for 0"#]],
    );
}
