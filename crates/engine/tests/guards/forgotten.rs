//! What the ledger forgets: windows that are over and agents that are gone, never what is still set aside.

use crate::check;
use expect_test::expect;

#[test]
fn a_window_that_is_over_is_forgotten_when_nothing_is_set_aside_in_it() {
    check(
        "policy tenant=100t/day agent=50t/hour handoffs=20
         open s by a
         initiate h1 a->b delegation budget=20t timeout=3d
         initiate h2 a->c delegation budget=20t timeout=3d task=2
         defer h1 20h
         accept h2
         return h2 success tokens=7
         forget
         books
         wait 1h
         forget
         books
         wait 19h
         forget
         books
         accept h1
         return h1 success tokens=9
         books
         forget
         accounts
         forget",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=20t timeout=3d: made
            initiate h2 a->c delegation budget=20t timeout=3d task=2: made
            defer h1 20h: done
            accept h2: done
            return h2 success tokens=7: done
            forget: 0 accounts
            books: agent c: nothing set aside, 7 tokens used; agent@2027-01-15T08 b: 20 tokens set aside, nothing used; agent@2027-01-15T08 c: nothing set aside, 7 tokens used; tenant default: nothing set aside, 7 tokens used; tenant@2027-01-15 default: 20 tokens set aside, 7 tokens used
            wait 1h: nothing
            forget: 1 accounts
            books: agent c: nothing set aside, 7 tokens used; agent@2027-01-15T08 b: 20 tokens set aside, nothing used; tenant default: nothing set aside, 7 tokens used; tenant@2027-01-15 default: 20 tokens set aside, 7 tokens used
            wait 19h: h1 offered
            forget: 0 accounts
            books: agent c: nothing set aside, 7 tokens used; agent@2027-01-15T08 b: 20 tokens set aside, nothing used; tenant default: nothing set aside, 7 tokens used; tenant@2027-01-15 default: 20 tokens set aside, 7 tokens used
            accept h1: done
            return h1 success tokens=9: done
            books: agent b: nothing set aside, 9 tokens used; agent c: nothing set aside, 7 tokens used; agent@2027-01-15T08 b: nothing set aside, 9 tokens used; tenant default: nothing set aside, 16 tokens used; tenant@2027-01-15 default: nothing set aside, 16 tokens used
            forget: 2 accounts
            accounts: agent b, agent c, tenant default
            forget: 0 accounts"#]],
    );
}

#[test]
fn an_agent_that_leaves_and_comes_back_finds_what_limits_it() {
    check(
        "policy handoffs=20 agent=100t/hour failures=3 cooldown=10m
         agent b can=flying
         open s by a
         initiate h1 a->b delegation budget=100t cap=flying
         accept h1
         return h1 failed tokens=100
         trip c
         accounts
         caller b acts=b,c
         remove b
         remove c
         forget
         accounts
         agent b
         agent c
         caller boss
         initiate h2 a->b delegation budget=1t task=2
         initiate h3 a->c delegation task=3",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t cap=flying: made
            accept h1: done
            return h1 failed tokens=100: done
            trip c: three failures
            accounts: agent b, agent c, agent@2027-01-15T08 b, skill b flying, tenant default
            remove b: done
            remove c: done
            forget: 0 accounts
            accounts: agent b, agent c, agent@2027-01-15T08 b, skill b flying, tenant default
            initiate h2 a->b delegation budget=1t task=2: refused HO0709 context.constraints.budget: the agent b does not allow it: it wants 1 tokens, 0 are left
            initiate h3 a->c delegation task=3: refused HO0708 to_agent: c: it failed 3 times in a row and is left alone until 2027-01-15T08:10:00.000Z"#]],
    );
}

#[test]
fn an_agent_that_is_gone_is_forgotten_when_nothing_limits_it_any_more() {
    check(
        "policy handoffs=20 agent=100t/hour failures=3 cooldown=10m
         agent b can=flying
         open s by a
         initiate h1 a->b delegation budget=100t cap=flying
         accept h1
         return h1 failed tokens=100
         trip c
         remove b
         remove c
         wait 10m
         forget
         accounts
         wait 50m
         forget
         accounts
         breakers
         agent b
         agent c
         initiate h2 a->b delegation budget=100t task=2
         initiate h3 a->c delegation task=3",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t cap=flying: made
            accept h1: done
            return h1 failed tokens=100: done
            trip c: three failures
            remove b: done
            remove c: done
            wait 10m: nothing
            forget: 1 accounts
            accounts: agent b, agent@2027-01-15T08 b, skill b flying, tenant default
            wait 50m: nothing
            forget: 3 accounts
            accounts: tenant default
            breakers: 
            initiate h2 a->b delegation budget=100t task=2: made
            initiate h3 a->c delegation task=3: made"#]],
    );
}

#[test]
fn what_agents_may_use_in_all_is_not_forgotten_with_one() {
    check(
        "policy agent=100t
         open s by a
         initiate h1 a->b delegation budget=100t
         accept h1
         return h1 success tokens=100
         remove b
         forget
         agent b
         initiate h2 a->b delegation budget=1t task=2",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=100t: made
            accept h1: done
            return h1 success tokens=100: done
            remove b: done
            forget: 0 accounts
            initiate h2 a->b delegation budget=1t task=2: refused HO0709 context.constraints.budget: the agent b does not allow it: it wants 1 tokens, 0 are left"#]],
    );
}

#[test]
fn a_skill_that_is_no_longer_declared_is_forgotten() {
    check(
        "agent b can=flying
         open s by a
         initiate h1 a->b delegation cap=flying
         accept h1
         return h1 success
         forget
         accounts
         agent b can=sailing
         forget
         accounts",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation cap=flying: made
            accept h1: done
            return h1 success: done
            forget: 0 accounts
            accounts: agent b, skill b flying
            forget: 1 accounts
            accounts: agent b"#]],
    );
}

#[test]
fn what_is_set_aside_with_an_agent_that_is_gone_is_kept_until_it_is_given_back() {
    check(
        "agent b budget=100t
         open s by a
         initiate h1 a->b delegation budget=20t
         accept h1
         return h1 success tokens=5
         initiate h2 a->b delegation budget=20t task=2
         defer h2 30s
         remove b
         books
         forget
         books
         cancel h2 by a
         books
         forget
         accounts",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation budget=20t: made
            accept h1: done
            return h1 success tokens=5: done
            initiate h2 a->b delegation budget=20t task=2: made
            defer h2 30s: done
            remove b: done
            books: agent b: 20 tokens set aside, 5 tokens used; tenant default: nothing set aside, 5 tokens used
            forget: 0 accounts
            books: agent b: 20 tokens set aside, 5 tokens used; tenant default: nothing set aside, 5 tokens used
            cancel h2 by a: done
            books: agent b: nothing set aside, 5 tokens used; tenant default: nothing set aside, 5 tokens used
            forget: 1 accounts
            accounts: tenant default"#]],
    );
}
