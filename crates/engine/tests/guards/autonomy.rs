//! The risk that an agent may take, and that it never widens along a chain.

use crate::check;
use expect_test::expect;

#[test]
fn a_risk_above_the_source_becomes_a_question_to_whoever_is_above() {
    check(
        "agent a risk=low up=c
         open s by a
         initiate h a->b delegation risk=high
         show h
         accept h
         show session
         return h success body=buy_it
         show h
         show session",
        &expect![[r#"
            open s by a: done
            initiate h a->b delegation risk=high: made; warned: escalated: the risk is high, and a may decide low at most
            show h: escalation offered c
            accept h: done
            show session: no class, owner c, 0 handoffs, 1 escalations, 0 tokens used
            return h success body=buy_it: done
            show h: escalation completed c, success, 0 tokens for 0
            show session: no class, owner a, 0 handoffs, 1 escalations, 0 tokens used"#]],
    );
}

#[test]
fn with_nobody_above_it_is_refused() {
    check(
        "agent a risk=low
         open s by a
         initiate h a->b delegation risk=high
         agent p human
         policy human=p
         initiate h a->b delegation risk=high
         show h",
        &expect![[r#"
            open s by a: done
            initiate h a->b delegation risk=high: refused HO0404 audit.risk_level: the risk is high, and a may decide low at most (name somebody above in `escalates_to`, a `ladder`, or a human in the policy)
            initiate h a->b delegation risk=high: made; warned: escalated: the risk is high, and a may decide low at most
            show h: escalation offered p"#]],
    );
}

#[test]
fn a_target_that_may_not_take_the_risk_is_refused() {
    check(
        "agent b risk=low
         open s by a
         initiate h a->b delegation risk=high
         initiate h a->b delegation risk=low",
        &expect![[r#"
            open s by a: done
            initiate h a->b delegation risk=high: refused HO0404 to_agent: the risk is high, b may take low at most (a may)
            initiate h a->b delegation risk=low: made"#]],
    );
}

#[test]
fn authority_does_not_widen_by_delegating() {
    check(
        "agent p human
         agent a risk=low
         agent b risk=high up=p
         open s by a
         initiate h a->b delegation
         accept h
         decide b buy risk=high as=e
         show e
         show session
         open s2 by b
         decide b buy risk=high
         show session",
        &expect![[r#"
            open s by a: done
            initiate h a->b delegation: made
            accept h: done
            decide b buy risk=high as=e: made
            show e: escalation offered p
            show session: no class, owner a, 1 handoffs, 1 escalations, 0 tokens used, escalated
            open s2 by b: done
            decide b buy risk=high: done
            show session: no class, owner b, 0 handoffs, 0 escalations, 0 tokens used, b decided"#]],
    );
}

#[test]
fn authority_does_not_widen_along_a_chain() {
    check(
        "agent a risk=low
         agent b risk=high
         agent c risk=high up=p
         agent p human
         open s by a
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->c sequential set=x:1
         accept h2
         decide c buy risk=medium
         decide c look risk=low
         show session",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->c sequential set=x:1: made
            accept h2: done
            decide c buy risk=medium: made
            decide c look risk=low: done
            show session: no class, owner c, 2 handoffs, 1 escalations, 0 tokens used, escalated, c decided"#]],
    );
}

#[test]
fn authority_does_not_widen_when_the_work_comes_back() {
    check(
        "agent a risk=low
         agent b risk=high up=p
         agent p human
         open s by a
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->c sequential set=x:1
         accept h2
         return h2 failed
         show session
         decide b buy risk=high
         show session",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->c sequential set=x:1: made
            accept h2: done
            return h2 failed: done
            show session: no class, owner b, 2 handoffs, 0 escalations, 0 tokens used
            decide b buy risk=high: made
            show session: no class, owner b, 2 handoffs, 1 escalations, 0 tokens used, escalated"#]],
    );
}

#[test]
fn whoever_is_above_may_take_what_it_may() {
    check(
        "agent a risk=low up=b
         agent b risk=high
         open s by a
         initiate e a->? escalation risk=high
         accept e
         decide b buy risk=high
         show session",
        &expect![[r#"
            open s by a: done
            initiate e a->? escalation risk=high: made
            accept e: done
            decide b buy risk=high: done
            show session: no class, owner b, 0 handoffs, 1 escalations, 0 tokens used, b decided"#]],
    );
}
