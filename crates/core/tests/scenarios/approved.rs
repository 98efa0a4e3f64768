//! What a yes looks at again, and what it says of an agent that it goes past.

use crate::common::{Play, check, name};
use expect_test::expect;
use handover_core::{ledger::Account, policy::BreakerPolicy};

#[test]
fn a_yes_looks_at_the_risk_and_the_skills_too() {
    check(
        "agent b cap=code:0.9; agent c cap=code:0.5; open s by a
        initiate h1 a->b delegation timeout=60s approval need=code:0.4
        initiate h2 a->b delegation timeout=60s approval risk=medium
        initiate h3 a->b delegation timeout=60s approval
        agent b cap=cook risk=low
        approve h1 by boss
        approve h2 by boss
        approve h3 by boss
        agent c cap=cook
        agent b cap=code:0.9
        approve h2 by boss
        approve h1 by boss",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            4 initiated h2 a->b delegation awaiting_approval until 86400s
            5 approval_requested h2 until 86400s
            6 initiated h3 a->b delegation awaiting_approval until 86400s
            7 approval_requested h3 until 86400s
            8 approved h1 by boss until 30s
            9 rerouted h1 b->c until 30s: unreachable
            10 approval_requested h1 until 86400s
            refused HO0404 to_agent: the risk is medium, b may take low at most (a may)
            11 approved h3 by boss until 30s
            12 approved h2 by boss until 30s
            refused HO0405 to_agent: c has none of: code (who has: b)
            => a, h1 awaiting_approval (c), h2 offered (b), h3 offered (b)"#]],
    );
}

#[test]
fn whoever_was_never_offered_it_did_not_fail() {
    let mut play = Play::new();
    play.policy.breaker = BreakerPolicy { failures: 1, cooldown_ms: 600_000 };
    let ended = |play: &Play| play.ledger.get(&Account::of_agent(&name("b"))).map_or(0, |entry| entry.sample.ended);
    play.run(
        "rule r to=b risk=medium ask=boss:20s expiry=approve; open s by a
        initiate h1 a->b delegation timeout=60s approval among=b,c
        initiate h2 a->b delegation timeout=60s risk=medium
        initiate h3 a->b delegation timeout=60s
        accept h3 by b as L3
        return h3 as L3 failed",
    );
    assert_eq!(ended(&play), 1);
    // The breaker is open by now: one goes to somebody else, and the other has nobody.
    let lines = play.run("approve h1 by boss; next").join("\n");
    expect![[r#"
        9 approved h1 by boss until 30s
        10 rerouted h1 b->c until 30s: circuit_open
        11 approval_requested h1 until 86400s
        12 approved h2 by policy until 50s: nobody decided in time, and the rule "r" approves then
        13 failed h2 failed returned to a: nobody is left to take it: it failed too often of late (asked 1)"#]]
    .assert_eq(&lines);
    assert_eq!(ended(&play), 1, "two that b never saw say nothing about it");
}
