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
        &expect![[""]],
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
        &expect![[""]],
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
         caller local
         session s2
         wait 16h
         initiate h4 a->c delegation budget=40t
         books tenant",
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
    );
}

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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
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
        &expect![[""]],
    );
}
