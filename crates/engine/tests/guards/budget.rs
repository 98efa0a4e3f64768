//! Budgets: of a session, a tenant, an agent, a handoff; in tokens, money and time; set aside before and settled after.

use crate::check;
use expect_test::expect;

#[test]
fn a_session_sets_aside_before_and_settles_after() {
    check(
        "open s by a tokens=100
         initiate h1 a->b delegation budget=60t
         initiate h2 a->c delegation budget=60t
         initiate h2 a->c delegation budget=40t
         initiate h3 a->d delegation
         accept h1
         return h1 success tokens=10
         initiate h3 a->d delegation budget=51t
         initiate h3 a->d delegation budget=50t
         show session",
        &expect![[r#"
            open s by a tokens=100: done
            initiate h1 a->b delegation budget=60t: made
            initiate h2 a->c delegation budget=60t: refused HO0709 context.constraints.budget: the session does not allow it: it wants 60 tokens, 40 are left
            initiate h2 a->c delegation budget=40t: made
            initiate h3 a->d delegation: refused HO0709 context.constraints.budget: the budget of the session is spent: nothing is left of its tokens
            accept h1: done
            return h1 success tokens=10: done
            initiate h3 a->d delegation budget=51t: refused HO0709 context.constraints.budget: the session does not allow it: it wants 51 tokens, 50 are left
            initiate h3 a->d delegation budget=50t: made
            show session: no class, owner a, 3 handoffs, 0 escalations, 10 tokens used"#]],
    );
}

#[test]
fn money_of_a_session_is_exact() {
    check(
        "open s by a cost=0.3
         initiate h1 a->b delegation budget=0.1$
         accept h1
         return h1 success cost=0.1
         initiate h2 a->b delegation budget=0.2$ task=2
         accept h2
         return h2 success cost=0.2
         initiate h3 a->b delegation budget=0.000001$ task=3",
        &expect![[r#"
            open s by a cost=0.3: done
            initiate h1 a->b delegation budget=0.1$: made
            accept h1: done
            return h1 success cost=0.1: done
            initiate h2 a->b delegation budget=0.2$ task=2: made
            accept h2: done
            return h2 success cost=0.2: done
            initiate h3 a->b delegation budget=0.000001$ task=3: refused HO0709 context.constraints.budget: the session does not allow it: it wants 0.000001, 0 is left"#]],
    );
}

#[test]
fn a_tenant_has_a_new_budget_every_day() {
    check(
        "policy tenant=100t/day handoffs=20
         open s1 by a
         initiate h1 a->b delegation budget=70t timeout=2d
         books tenant
         open s2 by a
         initiate h2 a->c delegation budget=40t
         accept h1 lease=60m
         return h1 success tokens=70
         initiate h2 a->c delegation budget=40t
         caller other tenant=other
         open o by a
         initiate h3 a->c delegation budget=40t
         cancel h3 by a
         caller local
         session s2
         wait 16h
         initiate h4 a->d delegation budget=40t
         books tenant",
        &expect![[r#"
            open s1 by a: done
            initiate h1 a->b delegation budget=70t timeout=2d: made
            books tenant: tenant@2027-01-15 default: 70 tokens set aside, nothing used
            open s2 by a: done
            initiate h2 a->c delegation budget=40t: refused HO0709 context.constraints.budget: the tenant default does not allow it: it wants 40 tokens, 30 are left
            accept h1 lease=60m: done
            return h1 success tokens=70: done
            initiate h2 a->c delegation budget=40t: refused HO0709 context.constraints.budget: the tenant default does not allow it: it wants 40 tokens, 30 are left
            open o by a: done
            initiate h3 a->c delegation budget=40t: made
            cancel h3 by a: done
            wait 16h: nothing
            initiate h4 a->d delegation budget=40t: made
            books tenant: tenant default: nothing set aside, 70 tokens used; tenant@2027-01-15 default: nothing set aside, 70 tokens used; tenant@2027-01-16 default: 40 tokens set aside, nothing used"#]],
    );
}

#[test]
fn what_was_set_aside_yesterday_is_charged_to_yesterday() {
    check(
        "policy tenant=100t/day
         open s by a
         initiate h1 a->b delegation budget=70t timeout=2d
         accept h1 lease=60m
         wait 50m
         return h1 success tokens=1
         initiate h2 a->b delegation budget=70t timeout=2d task=2
         defer h2 20h
         wait 20h
         accept h2
         return h2 success tokens=5
         books tenant",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=70t timeout=2d: made
            accept h1 lease=60m: done
            wait 50m: nothing
            return h1 success tokens=1: done
            initiate h2 a->b delegation budget=70t timeout=2d task=2: made
            defer h2 20h: done
            wait 20h: h2 offered
            accept h2: done
            return h2 success tokens=5: done
            books tenant: tenant default: nothing set aside, 6 tokens and 3000000 milliseconds used; tenant@2027-01-15 default: nothing set aside, 6 tokens and 3000000 milliseconds used"#]],
    );
}

#[test]
fn an_agent_has_a_budget_of_its_own() {
    check(
        "policy agent=50t
         agent c budget=10t
         open s by a
         initiate h1 a->b delegation budget=51t
         initiate h1 a->b delegation budget=50t
         initiate h2 a->b delegation task=2
         initiate h3 a->c delegation budget=11t
         initiate h3 a->c delegation
         show h3
         books agent",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=51t: refused HO0709 context.constraints.budget: the agent b does not allow it: it wants 51 tokens, 50 are left
            initiate h1 a->b delegation budget=50t: made
            initiate h2 a->b delegation task=2: refused HO0709 context.constraints.budget: the budget of the agent b is spent: nothing is left of its tokens
            initiate h3 a->c delegation budget=11t: refused HO0709 context.constraints.budget: the agent c does not allow it: it wants 11 tokens, 10 are left
            initiate h3 a->c delegation: made
            show h3: delegation offered c, may use 1 tokens
            books agent: agent b: 50 tokens set aside, nothing used; agent c: 1 tokens set aside, nothing used"#]],
    );
}

#[test]
fn a_handoff_that_asks_for_nothing_gets_what_the_house_gives() {
    check(
        "policy each=30t tenant=100t
         open s by a
         initiate h1 a->b delegation
         show h1
         initiate g a->c,d,e broadcast
         show g.3
         books tenant
         initiate h2 a->f delegation",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            show h1: delegation offered b, may use 30 tokens
            initiate g a->c,d,e broadcast: made
            show g.3: broadcast offered e, may use 10 tokens
            books tenant: tenant default: 100 tokens set aside, nothing used
            initiate h2 a->f delegation: refused HO0709 context.constraints.budget: the budget of the tenant default is spent: nothing is left of its tokens"#]],
    );
}

#[test]
fn members_of_a_broadcast_fit_in_together() {
    check(
        "policy handoffs=20
         open s by a tokens=100
         initiate g a->b,c,d broadcast budget=40t
         initiate g a->b,c,d broadcast budget=30t
         open s2 by a
         policy tenant=100t
         initiate g a->b,c,d broadcast budget=40t
         agent e budget=10t
         initiate g a->e:one,e:two,b:three broadcast budget=6t
         initiate g a->e:one,e:two,b:three broadcast budget=5t
         books",
        &expect![[r#"
            open s by a tokens=100: done
            initiate g a->b,c,d broadcast budget=40t: refused HO0709 context.constraints.budget: the session does not allow 3 of them: number 3 wants 40 tokens, 20 are left
            initiate g a->b,c,d broadcast budget=30t: made
            open s2 by a: done
            initiate g a->b,c,d broadcast budget=40t: refused HO0709 context.constraints.budget: the tenant default does not allow 3 of them: number 3 wants 40 tokens, 20 are left
            initiate g a->e:one,e:two,b:three broadcast budget=6t: refused HO0709 context.constraints.budget: the agent e does not allow 3 of them: number 2 wants 6 tokens, 4 are left
            initiate g a->e:one,e:two,b:three broadcast budget=5t: made
            books: agent e: 10 tokens set aside, nothing used; tenant default: 15 tokens set aside, nothing used"#]],
    );
}

#[test]
fn cancelling_denying_expiry_and_timeouts_give_everything_back() {
    check(
        "policy tenant=100t handoffs=20
         agent b budget=100t
         open s by a
         initiate h1 a->b delegation budget=90t task=1
         cancel h1 by a
         books
         initiate h2 a->b delegation budget=90t task=2 approval
         deny h2
         books
         initiate h3 a->b delegation budget=90t task=3 approval
         wait 24h
         books
         initiate h4 a->b delegation budget=90t task=4 timeout=10s
         accept h4
         wait 10s
         wait 1s
         books
         initiate h5 a->b delegation budget=90t task=5
         books
         end a
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=90t task=1: made
            cancel h1 by a: done
            books: nothing
            initiate h2 a->b delegation budget=90t task=2 approval: made
            deny h2: done
            books: nothing
            initiate h3 a->b delegation budget=90t task=3 approval: made
            wait 24h: h3 cancelled: the approval expired
            books: nothing
            initiate h4 a->b delegation budget=90t task=4 timeout=10s: made
            accept h4: done
            wait 10s: h4 reminded
            wait 1s: h4 timeout: b did not finish in time
            books: agent b: nothing set aside, 11000 milliseconds used; tenant default: nothing set aside, 11000 milliseconds used
            initiate h5 a->b delegation budget=90t task=5: made
            books: agent b: 90 tokens set aside, 11000 milliseconds used; tenant default: 90 tokens set aside, 11000 milliseconds used
            end a: done
            books: agent b: nothing set aside, 11000 milliseconds used; tenant default: nothing set aside, 11000 milliseconds used"#]],
    );
}

#[test]
fn a_reroute_moves_what_was_set_aside_to_the_next_agent() {
    check(
        "policy tenant=100t handoffs=20
         agent b budget=50t
         agent c budget=20t
         agent d budget=60t
         open s by a
         initiate h1 a->b delegation budget=40t among=b,c,d
         books
         reject h1
         show h1
         books
         accept h1
         return h1 success tokens=30
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=40t among=b,c,d: made
            books: agent b: 40 tokens set aside, nothing used; tenant default: 40 tokens set aside, nothing used
            reject h1: done
            show h1: delegation offered d, may use 40 tokens
            books: agent d: 40 tokens set aside, nothing used; tenant default: 40 tokens set aside, nothing used
            accept h1: done
            return h1 success tokens=30: done
            books: agent d: nothing set aside, 30 tokens used; tenant default: nothing set aside, 30 tokens used"#]],
    );
}

#[test]
fn a_reroute_to_somebody_limited_in_another_kind_sets_that_aside_too() {
    check(
        "agent b budget=50t
         agent c budget=1$
         open s by a
         initiate h1 a->b delegation among=b,c
         show h1
         reject h1
         show h1
         books
         accept h1
         return h1 success tokens=5 cost=0.1
         books",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation among=b,c: made
            show h1: delegation offered b, may use 5 tokens
            reject h1: done
            show h1: delegation offered c, may use 5 tokens and 0.1 of money
            books: agent c: 5 tokens and 0.1 of money set aside, nothing used
            accept h1: done
            return h1 success tokens=5 cost=0.1: done
            books: agent c: nothing set aside, 5 tokens and 0.1 of money used; tenant default: nothing set aside, 5 tokens and 0.1 of money used"#]],
    );
}

#[test]
fn what_one_handoff_asks_for_is_bounded() {
    check(
        "open s by a
         initiate h1 a->b delegation budget=1000000000001t+1000001$
         initiate h1 a->b delegation budget=1000000000000t+1000000$
         initiate h2 a->b delegation budget=-1$ task=2",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=1000000000001t+1000001$: refused HO0109 context.constraints.budget.tokens: 1000000000001 is not between 0 and 1000000000000 (BUDGET_TOKENS_MAX) (use 0 to 1000000000000, or leave it out to set no bound of its own); refused HO0109 context.constraints.budget.cost: 1000001 is not between 0 and 1000000 (BUDGET_COST_MAX) (use 0 to 1000000, or leave it out to set no bound of its own)
            initiate h1 a->b delegation budget=1000000000000t+1000000$: made
            initiate h2 a->b delegation budget=-1$ task=2: refused HO0109 context.constraints.budget.cost: -1 is not between 0 and 1000000 (BUDGET_COST_MAX) (use 0 to 1000000, or leave it out to set no bound of its own)"#]],
    );
}

#[test]
fn shares_add_up_where_a_limit_is_meant_as_none() {
    check(
        "policy tenant=100$ handoffs=1
         open s1 by a tokens=18446744073709551615
         initiate h1 a->b delegation
         show h1
         open s2 by a tokens=18446744073709551615
         initiate h2 a->b delegation
         open s3 by a tokens=18446744073709551615
         initiate h3 a->b delegation
         cancel h3 by a
         books",
        &expect![[r#"
            open s1 by a tokens=18446744073709551615: done
            initiate h1 a->b delegation: made
            show h1: delegation offered b, may use 1000000000000 tokens and 10 of money
            open s2 by a tokens=18446744073709551615: done
            initiate h2 a->b delegation: made
            open s3 by a tokens=18446744073709551615: done
            initiate h3 a->b delegation: made
            cancel h3 by a: done
            books: tenant default: 2000000000000 tokens and 19 of money set aside, nothing used"#]],
    );
}
