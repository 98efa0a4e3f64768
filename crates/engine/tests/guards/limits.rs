//! How far a session may go: handoffs, escalations, agents, the chain, and time.

use crate::check;
use expect_test::expect;

#[test]
fn a_session_has_five_handoffs_and_the_sixth_is_refused() {
    check(
        "open s by a
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         initiate h3 a->d delegation
         initiate h4 a->e delegation
         initiate h5 a->f delegation
         initiate h6 a->g delegation
         show session",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: made
            initiate h3 a->d delegation: made
            initiate h4 a->e delegation: made
            initiate h5 a->f delegation: made
            initiate h6 a->g delegation: refused HO0701 type: 5 of the 5 handoffs of this session are used up
            show session: no class, owner a, 5 handoffs, 0 escalations, 0 tokens used"#]],
    );
}

#[test]
fn a_simple_session_is_done_by_one_agent_alone() {
    check(
        "open s by a class=simple
         initiate h a->b delegation
         show session",
        &expect![[r#"
            open s by a class=simple: done
            initiate h a->b delegation: refused HO0701 type: this simple session has none: its owner works alone; refused HO0702 to_agent: 2 agents would have a part in it, 1 may (who has a part already: a)
            show session: simple, owner a, 0 handoffs, 0 escalations, 0 tokens used"#]],
    );
}

#[test]
fn a_medium_session_has_two_handoffs_three_agents_and_25000_tokens() {
    check(
        "open s by a class=medium
         initiate h1 a->b delegation
         show h1
         initiate h2 a->c delegation budget=20000t
         initiate h2 a->c delegation budget=16667t
         initiate h3 a->b delegation task=more",
        &expect![[r#"
            open s by a class=medium: done
            initiate h1 a->b delegation: made
            show h1: delegation offered b, may use 8333 tokens
            initiate h2 a->c delegation budget=20000t: refused HO0709 context.constraints.budget: the session does not allow it: it wants 20000 tokens, 16667 are left
            initiate h2 a->c delegation budget=16667t: made
            initiate h3 a->b delegation task=more: refused HO0701 type: 2 of the 2 handoffs of this medium session are used up; refused HO0709 context.constraints.budget: the budget of the session is spent: nothing is left of its tokens"#]],
    );
}

#[test]
fn a_complex_session_has_five_handoffs_five_agents_and_150000_tokens() {
    check(
        "open s by a class=complex
         initiate h a->b,c,d,e,f broadcast
         initiate h a->b,c,d,e broadcast
         show h.1
         initiate g a->f delegation
         initiate g a->b delegation task=more
         initiate g a->b delegation task=even_more",
        &expect![[r#"
            open s by a class=complex: done
            initiate h a->b,c,d,e,f broadcast: refused HO0702 broadcast.targets: 6 agents would have a part in it, 5 may (who has a part already: a)
            initiate h a->b,c,d,e broadcast: made
            show h.1: broadcast offered b, may use 25000 tokens
            initiate g a->f delegation: refused HO0702 to_agent: 6 agents would have a part in it, 5 may (who has a part already: a, b, c, d, e)
            initiate g a->b delegation task=more: made
            initiate g a->b delegation task=even_more: refused HO0701 type: 5 of the 5 handoffs of this complex session are used up"#]],
    );
}

#[test]
fn a_class_that_is_derived_stays_what_it_was_when_the_session_was_opened() {
    check(
        "policy classify
         open s1 by a request=What_time_is_it_in_Tokyo
         initiate h a->b delegation
         say first research it, then plan it, then build it, then test it, finally deploy it
         initiate h a->b delegation
         show session
         open s2 by a request=Find_the_slow_query,_then_fix_it
         initiate h1 a->b delegation
         show session
         open s3 by a class=complex request=What_time_is_it
         show session",
        &expect![[r#"
            open s1 by a request=What_time_is_it_in_Tokyo: done
            initiate h a->b delegation: refused HO0701 type: this simple session has none: its owner works alone; refused HO0702 to_agent: 2 agents would have a part in it, 1 may (who has a part already: a)
            say first research it, then plan it, then build it, then test it, finally deploy it: done
            initiate h a->b delegation: refused HO0701 type: this simple session has none: its owner works alone; refused HO0702 to_agent: 2 agents would have a part in it, 1 may (who has a part already: a)
            show session: simple, owner a, 0 handoffs, 0 escalations, 0 tokens used
            open s2 by a request=Find_the_slow_query,_then_fix_it: done
            initiate h1 a->b delegation: made
            show session: medium, owner a, 1 handoffs, 0 escalations, 0 tokens used
            open s3 by a class=complex request=What_time_is_it: done
            show session: complex, owner a, 0 handoffs, 0 escalations, 0 tokens used"#]],
    );
}

#[test]
fn a_workflow_has_limits_of_its_own_and_a_session_beats_it() {
    check(
        "policy workflow=short its-handoffs=1
         open s1 by a workflow=short
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         open s2 by a workflow=short handoffs=2
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         initiate h3 a->d delegation
         open s3 by a workflow=unknown class=simple
         initiate h1 a->b delegation",
        &expect![[r#"
            open s1 by a workflow=short: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: refused HO0701 type: 1 of the 1 handoffs of this session are used up
            open s2 by a workflow=short handoffs=2: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: made
            initiate h3 a->d delegation: refused HO0701 type: 2 of the 2 handoffs of this session are used up
            open s3 by a workflow=unknown class=simple: refused HO1001 workflow: "unknown" is not known
            initiate h1 a->b delegation: refused HO0301 session_id: there is no session s3"#]],
    );
}

#[test]
fn an_operator_raises_the_limit_and_a_caller_bound_to_agents_cannot() {
    check(
        "policy handoffs=1
         open s by a
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         caller key acts=a
         limits handoffs=9
         caller local
         limits handoffs=2
         initiate h2 a->c delegation
         initiate h3 a->d delegation
         limits chain=1
         limits time=401d",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: refused HO0701 type: 1 of the 1 handoffs of this session are used up
            limits handoffs=9: refused HO0302 key is bound to certain agents
            limits handoffs=2: done
            initiate h2 a->c delegation: made
            initiate h3 a->d delegation: refused HO0701 type: 2 of the 2 handoffs of this session are used up
            limits chain=1: refused HO0109 limits.chain: a chain has at least 2 agents (to allow no handoff at all, set handoffs: 0)
            limits time=401d: refused HO0109 limits.time_ms: 34646400000 ms is not between 1 and 34560000000 (WAIT_MS_MAX) (use 1 to 34560000000 ms)"#]],
    );
}

#[test]
fn retries_further_offers_reroutes_and_what_the_engine_escalates_do_not_count() {
    check(
        "policy handoffs=2 failures=0
         agent c up=d
         open s by a
         initiate h1 a->b delegation timeout=10s on=retry
         accept h1
         wait 10s
         wait 1s
         wait 2s
         accept h1
         return h1 success
         initiate h2 a->b delegation among=b,c task=two timeout=10s on=escalate
         reject h2
         show h2
         accept h2
         wait 10s
         wait 1s
         show h2'
         show session
         initiate h3 a->e delegation",
        &expect![[r#"
            open s by a: done
            initiate h1 a->b delegation timeout=10s on=retry: made
            accept h1: done
            wait 10s: h1 reminded
            wait 1s: h1 retried
            wait 2s: h1 offered
            accept h1: done
            return h1 success: done
            initiate h2 a->b delegation among=b,c task=two timeout=10s on=escalate: made
            reject h2: done
            show h2: delegation offered c
            accept h2: done
            wait 10s: h2 reminded
            wait 1s: h2' initiated to d, h2 escalated: c did not finish in time
            show h2': escalation offered d
            show session: no class, owner a, 2 handoffs, 0 escalations, 0 tokens used
            initiate h3 a->e delegation: refused HO0701 type: 2 of the 2 handoffs of this session are used up"#]],
    );
}

#[test]
fn escalations_are_counted_apart_and_the_sixth_is_refused() {
    check(
        "policy handoffs=1
         agent a up=b
         open s by a
         initiate e1 a->? escalation task=q1
         initiate e2 a->? escalation task=q2
         initiate e3 a->? escalation task=q3
         initiate e4 a->? escalation task=q4
         initiate e5 a->? escalation task=q5
         initiate e6 a->? escalation task=q6
         show session
         initiate h a->c delegation
         initiate h2 a->d delegation",
        &expect![[r#"
            open s by a: done
            initiate e1 a->? escalation task=q1: made
            initiate e2 a->? escalation task=q2: made
            initiate e3 a->? escalation task=q3: made
            initiate e4 a->? escalation task=q4: made
            initiate e5 a->? escalation task=q5: made
            initiate e6 a->? escalation task=q6: refused HO0701 type: 5 of the 5 escalations of this session are used up
            show session: no class, owner a, 0 handoffs, 5 escalations, 0 tokens used
            initiate h a->c delegation: made
            initiate h2 a->d delegation: refused HO0701 type: 1 of the 1 handoffs of this session are used up"#]],
    );
}

#[test]
fn each_member_of_a_broadcast_counts() {
    check(
        "policy handoffs=3
         open s by a
         initiate g a->b,c,d,e broadcast
         initiate g a->b,c broadcast
         initiate g2 a->d,e broadcast
         initiate h a->d delegation",
        &expect![[r#"
            open s by a: done
            initiate g a->b,c,d,e broadcast: refused HO0701 type: 0 of the 3 handoffs of this session are used up, and this one makes 4
            initiate g a->b,c broadcast: made
            initiate g2 a->d,e broadcast: refused HO0701 type: 2 of the 3 handoffs of this session are used up, and this one makes 2
            initiate h a->d delegation: made"#]],
    );
}

#[test]
fn only_so_many_agents_have_a_part_and_whoever_takes_over_is_one_of_them() {
    check(
        "open s by a agents=3 handoffs=9
         initiate h1 a->b delegation
         initiate h2 a->c delegation
         initiate h3 a->d delegation
         initiate h4 a->b delegation task=more
         open s2 by a agents=3 handoffs=9
         initiate h1 a->b delegation among=b,c
         reject h1
         accept h1
         initiate h2 a->d delegation",
        &expect![[r#"
            open s by a agents=3 handoffs=9: done
            initiate h1 a->b delegation: made
            initiate h2 a->c delegation: made
            initiate h3 a->d delegation: refused HO0702 to_agent: 4 agents would have a part in it, 3 may (who has a part already: a, b, c)
            initiate h4 a->b delegation task=more: made
            open s2 by a agents=3 handoffs=9: done
            initiate h1 a->b delegation among=b,c: made
            reject h1: done
            accept h1: done
            initiate h2 a->d delegation: refused HO0702 to_agent: 4 agents would have a part in it, 3 may (who has a part already: a, b, c)"#]],
    );
}

#[test]
fn the_chain_from_the_first_agent_to_the_last_is_limited() {
    check(
        "open s by a chain=3
         initiate h1 a->b sequential
         accept h1
         initiate h2 b->c sequential set=x:1
         accept h2
         initiate h3 c->d sequential set=x:2
         initiate h3 c->d delegation",
        &expect![[r#"
            open s by a chain=3: done
            initiate h1 a->b sequential: made
            accept h1: done
            initiate h2 b->c sequential set=x:1: made
            accept h2: done
            initiate h3 c->d sequential set=x:2: refused HO0703 to_agent: the chain would have 4 agents, 3 may be in one
            initiate h3 c->d delegation: refused HO0703 to_agent: the chain would have 4 agents, 3 may be in one"#]],
    );
}

#[test]
fn open_handoffs_end_with_the_time_of_the_session_and_nothing_begins_after_it() {
    check(
        "agent a up=l
         open s by a time=2m
         wait 1m
         initiate h1 a->b delegation timeout=10m
         initiate h2 a->c delegation timeout=10m on=retry
         accept h2 lease=10m
         show h2
         wait 30s
         wait 30s
         wait 6s
         initiate h3 a->d delegation
         initiate e a->? escalation
         limits time=1h
         initiate h3 a->d delegation",
        &expect![[r#"
            open s by a time=2m: done
            wait 1m: nothing
            initiate h1 a->b delegation timeout=10m: made
            initiate h2 a->c delegation timeout=10m on=retry: made
            accept h2 lease=10m: done
            show h2: delegation running c until 2027-01-15T08:02:00.000Z
            wait 30s: h1 failed: nobody is left to take it: it was not acknowledged in time (asked 1)
            wait 30s: h2 reminded
            wait 6s: h2 timeout: c did not finish in time
            initiate h3 a->d delegation: refused HO0711 the time of the session was over at 2027-01-15T08:02:00.000Z
            initiate e a->? escalation: made
            limits time=1h: done
            initiate h3 a->d delegation: made"#]],
    );
}
