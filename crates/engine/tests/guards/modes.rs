//! Whether work is handed over at all, and what is left where it cannot be.

use crate::check;
use expect_test::expect;

#[test]
fn an_independent_house_hands_nothing_over_but_asks_whoever_is_above() {
    check(
        "policy mode=independent
         agent a up=b
         open s by a
         initiate h a->b delegation
         initiate h a->b,c broadcast
         turn a goto=b
         initiate e a->? escalation
         open s2 by a mode=on
         initiate h a->b delegation",
        &expect![[r#"
            open s by a: done
            initiate h a->b delegation: refused HO0710 type: the mode is independent: each agent works alone
            initiate h a->b,c broadcast: refused HO0710 type: the mode is independent: each agent works alone
            turn a goto=b: refused HO0710 type: the mode is independent: each agent works alone
            initiate e a->? escalation: made
            open s2 by a mode=on: done
            initiate h a->b delegation: made"#]],
    );
}

#[test]
fn a_session_beats_the_house() {
    check(
        "open s by a mode=independent
         initiate h a->b delegation
         open s2 by a
         initiate h a->b delegation",
        &expect![[r#"
            open s by a mode=independent: done
            initiate h a->b delegation: refused HO0710 type: the mode is independent: each agent works alone
            open s2 by a: done
            initiate h a->b delegation: made"#]],
    );
}

#[test]
fn falling_back_leaves_the_error_in_the_conversation() {
    check(
        "open s by a mode=fallback handoffs=1
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         messages
         records
         show session",
        &expect![[r#"
            open s by a mode=fallback handoffs=1: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: done; fallback: a->c: HO0701 type: 1 of the 1 handoffs of this session are used up
            messages: System: The handoff was not possible. Carry on without it. a->c: HO0701 type: 1 of the 1 handoffs of this session are used up
            records: session_opened, initiated, messages_appended, fell_back
            show session: no class, owner a, 1 handoffs, 0 escalations, 0 tokens used"#]],
    );
}

#[test]
fn what_is_wrong_with_the_request_is_still_refused() {
    check(
        "open s by a mode=fallback
         initiate h b->c delegation
         initiate h a->b delegation no-timeout
         initiate h a->nobody delegation
         initiate h a->a delegation
         caller key acts=b
         initiate h a->b delegation
         caller other tenant=other
         initiate h a->b delegation",
        &expect![[r#"
            open s by a mode=fallback: done
            initiate h b->c delegation: refused HO0303 from_agent: b neither owns the session (a does) nor works on one of its handoffs
            initiate h a->b delegation no-timeout: refused HO0402 return_protocol.timeout_ms: a delegation needs a timeout
            initiate h a->nobody delegation: done; fallback: a->nobody: HO0202 to_agent: "nobody" is not registered
            initiate h a->a delegation: refused HO0110 to_agent: a is both
            initiate h a->b delegation: refused HO0302 from_agent: key may not act as a
            initiate h a->b delegation: refused HO0301 session_id: there is no session s"#]],
    );
}

#[test]
fn what_fails_later_leaves_the_same_trace() {
    check(
        "open s by a mode=fallback
         initiate h1 a->b delegation
         accept h1
         return h1 failed
         messages
         initiate h2 a->c delegation timeout=10s
         wait 30s
         initiate g a->d,e broadcast
         reject g.1
         messages",
        &expect![[r#"
            open s by a mode=fallback: done
            initiate h1 a->b delegation: made
            accept h1: done
            return h1 failed: done
            messages: System: The handoff was not possible. Carry on without it. a->b: HO0502 it came to nothing: b failed
            initiate h2 a->c delegation timeout=10s: made
            wait 30s: h2 failed: nobody is left to take it: it was not acknowledged in time (asked 1), messages_appended, fell_back
            initiate g a->d,e broadcast: made
            reject g.1: done
            messages: System: The handoff was not possible. Carry on without it. a->b: HO0502 it came to nothing: b failed | System: The handoff was not possible. Carry on without it. a->c: HO0502 it came to nothing: nobody is left to take it: it was not acknowledged in time (asked 1) | System: The handoff was not possible. Carry on without it. a->?: HO0502 it came to nothing: too few of those who were asked succeeded"#]],
    );
}

#[test]
fn a_turn_that_cannot_go_on_stays_where_it_is() {
    check(
        "open s by a mode=fallback handoffs=1
         initiate h1 a->b sequential
         accept h1
         turn b goto=c
         show session
         messages",
        &expect![[r#"
            open s by a mode=fallback handoffs=1: done
            initiate h1 a->b sequential: made
            accept h1: done
            turn b goto=c: done; fallback: b->c: HO0701 type: 1 of the 1 handoffs of this session are used up
            show session: no class, owner b, 1 handoffs, 0 escalations, 0 tokens used
            messages: System: The handoff was not possible. Carry on without it. b->c: HO0701 type: 1 of the 1 handoffs of this session are used up"#]],
    );
}
