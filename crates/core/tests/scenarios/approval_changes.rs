//! What was seen is what is approved: changes of the target, the content or the rule void an approval.

use crate::common::check;
use expect_test::expect;

#[test]
fn a_change_voids_what_was_seen() {
    check(
        "rule r ask=ann:1h,bob:1h; open s by a
        initiate h1 a->b delegation timeout=60s
        next
        wait 10m; amend h1 by a task=other
        approve h1 by ann digest=1
        deny h1 by ann digest=1
        amend h1 by ann digest=1 task=third
        approve h1 by ann digest=3",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            4 approval_requested h1 until 7200s, r asks bob after ann
            5 amended h1 by a, to b
            6 approval_requested h1 until 7800s, r asks bob after ann
            refused HO0713 digest: the handoff was changed since; its digest is e5b3f08ae1c08c77477093b26cd568c4b25039fe846e3802b0a76838573b77ce now
            refused HO0713 digest: the handoff was changed since; its digest is e5b3f08ae1c08c77477093b26cd568c4b25039fe846e3802b0a76838573b77ce now
            refused HO0713 digest: the handoff was changed since; its digest is e5b3f08ae1c08c77477093b26cd568c4b25039fe846e3802b0a76838573b77ce now
            7 approved h1 by ann until 4230s
            => a, h1 offered (b)"#]],
    );
}

#[test]
fn a_change_of_the_rule_voids_what_was_asked() {
    check(
        "rule r ask=ann:1h; open s by a
        initiate h1 a->b delegation timeout=60s
        rule r ask=bob:1h
        approve h1 by ann
        approve h1 by bob
        approve h1 by bob digest=1
        approve h1 by bob digest=now
        initiate h2 a->b delegation timeout=60s
        rule r gone
        approve h2 by bob
        approve h2 by cid digest=now",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            refused HO0712 by: ann is not asked; bob may decide
            refused HO0713 digest: the rule that asks for the approval was changed since; its digest is 822f5f8d9d97345be03d724cf3170034319d3e27639b1e260d4bd8d247a3e7b5 now
            refused HO0713 digest: the rule that asks for the approval was changed since; its digest is 822f5f8d9d97345be03d724cf3170034319d3e27639b1e260d4bd8d247a3e7b5 now
            4 approval_requested h1 until 3600s, r asks bob
            5 approved h1 by bob until 30s
            6 initiated h2 a->b delegation awaiting_approval until 3600s
            7 approval_requested h2 until 3600s, r asks bob
            refused HO0713 digest: the rule that asks for the approval was changed since; its digest is e2e900fc91a1bf0db88d7837b944d8d514e351c6e5f308bfc37079b4fd6d07d7 now
            8 approval_requested h2 until 86400s
            9 approved h2 by cid until 30s
            => a, h1 offered (b), h2 offered (b)"#]],
    );
}

#[test]
fn a_change_under_another_rule_asks_by_that_rule() {
    check(
        "rule r ask=ann:1h,bob:1h; open s by a
        initiate h1 a->b delegation timeout=60s
        next
        rule r ask=cid:1h,dan:1h
        amend h1 by a task=other
        approve h1 by ann
        rule r gone
        amend h1 by a task=third
        approve h1 by anybody
        approve h1 by anybody digest=now",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            4 approval_requested h1 until 7200s, r asks bob after ann
            5 amended h1 by a, to b
            6 approval_requested h1 until 7200s, r asks cid
            refused HO0712 by: ann is not asked; cid may decide
            7 amended h1 by a, to b
            8 approval_requested h1 until 90000s
            refused HO0713 digest: the handoff was changed since; its digest is e15ac86d5f57006c2f881aa0b772a3b685b75495dffdf27ce556d9f0a49c8973 now
            9 approved h1 by anybody until 3630s
            => a, h1 offered (b)"#]],
    );
}

#[test]
fn approved_with_a_change() {
    check(
        "rule r ask=ann; open s by a
        initiate h1 a->b delegation timeout=60s
        approve h1 by ann digest=1 to=c task=other priority=urgent
        accept h1 by b
        accept h1 by c as L1",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s, r asks ann
            4 amended h1 by ann, to c
            5 approval_requested h1 until 86400s, r asks ann
            6 approved h1 by ann until 30s
            refused HO0503 handoff h1 is offered to c, not to b
            7 accepted h1 c L1 until 30s deadline 60s
            => a, h1 running (c)"#]],
    );
}

#[test]
fn a_change_is_checked_like_a_request() {
    check(
        "agent c risk=low; agent d closed; agent e cap=cook; policy repeats=3
        open s by a
        initiate h1 a->b delegation timeout=60s approval risk=medium need=pay:0.5,cook among=b
        agent b cap=pay,cook
        initiate h1 a->b delegation timeout=60s approval risk=medium need=pay:0.5,cook
        amend h1 by ann
        amend h1 by ann to=a
        amend h1 by ann to=nobody
        amend h1 by ann to=c
        amend h1 by ann to=d
        amend h1 by ann to=f
        amend h1 by ann big=2000000
        standing e unavailable
        amend h1 by ann to=e
        standing e available
        amend h1 by ann to=e",
        &expect![[r#"
            1 session_opened a
            refused HO0405 to_agent: b has none of: pay, cook (who has: e)
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            refused HO0102 edit: it changes nothing (give to_agent, description, payload or priority)
            refused HO0110 edit.to_agent: a is the source
                    HO0405 edit.to_agent: a has none of: pay, cook (who has: b, e)
                    HO0705 edit.to_agent: a handed on this very work, and nothing is new since
            refused HO0202 edit.to_agent: "nobody" is not registered
            refused HO0404 edit.to_agent: the risk is medium, c may take low at most (a may)
                    HO0405 edit.to_agent: c has none of: pay, cook (who has: b, e)
            refused HO0204 edit.to_agent: d takes no handoffs
                    HO0405 edit.to_agent: d has none of: pay, cook (who has: b, e)
            refused HO0405 edit.to_agent: f has none of: pay, cook (who has: b, e)
            refused HO0106 edit.payload: it has 2000002 bytes; at most 262144 are allowed (PAYLOAD_BYTES_MAX)
            refused HO0203 edit.to_agent: e is unavailable
            4 amended h1 by ann, to e
            5 approval_requested h1 until 86400s
            ! e lacks pay
            => a, h1 awaiting_approval (e)"#]],
    );
}

#[test]
fn a_change_is_no_repetition_of_itself_but_may_be_one_of_another() {
    check(
        "policy repeats=3; open s by a
        initiate h1 a->b delegation timeout=60s task=first
        initiate h2 a->b delegation timeout=60s task=second approval
        amend h2 by ann task=other
        amend h2 by ann task=second
        amend h2 by ann task=SECOND
        amend h2 by ann priority=high
        amend h2 by ann task=first
        amend h2 by ann to=c
        initiate h3 a->c delegation timeout=60s task=second
        initiate h4 a->b delegation timeout=60s task=second",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 initiated h2 a->b delegation awaiting_approval until 86400s
            4 approval_requested h2 until 86400s
            5 amended h2 by ann, to b
            6 approval_requested h2 until 86400s
            7 amended h2 by ann, to b
            8 approval_requested h2 until 86400s
            9 amended h2 by ann, to b
            10 approval_requested h2 until 86400s
            11 amended h2 by ann, to b
            12 approval_requested h2 until 86400s
            refused HO0704 edit.to_agent: a handed the same to b within the last 3 handoffs
            13 amended h2 by ann, to c
            14 approval_requested h2 until 86400s
            refused HO0704 to_agent: a handed the same to c within the last 3 handoffs
            15 initiated h4 a->b delegation offered until 30s
            => a, h1 offered (b), h2 awaiting_approval (c), h4 offered (b)"#]],
    );
}

#[test]
fn only_the_source_and_who_is_asked_may_change_it() {
    check(
        "rule r ask=ann,bob; open s by a
        initiate h1 a->b delegation timeout=60s
        amend h1 by bob task=other
        amend h1 by ann task=other
        caller key acts=a
        amend h1 by ann task=third
        amend h1 by a task=third",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s, r asks ann
            refused HO0712 by: bob is not asked; ann may decide
            4 amended h1 by ann, to b
            5 approval_requested h1 until 86400s, r asks ann
            refused HO0302 by: key may not decide as ann
            6 amended h1 by a, to b
            7 approval_requested h1 until 86400s, r asks ann
            => a, h1 awaiting_approval (b)"#]],
    );
}

/// A change can lead to another rule, and to other people; it never leads around them.
#[test]
fn another_rule_may_ask_after_a_change() {
    check(
        "rule near to=b ask=ann:1h; rule far to=c ask=bob:2h; open s by a
        initiate h1 a->b delegation timeout=60s
        approve h1 by ann to=c
        amend h1 by a to=c
        approve h1 by ann
        amend h1 by bob to=d
        approve h1 by ann
        approve h1 by bob
        approve h1 by bob digest=now",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, near asks ann
            refused HO0712 by: ann is not asked; bob may decide (with this change the rule "far" asks: amend it, and let bob decide)
            4 amended h1 by a, to c
            5 approval_requested h1 until 7200s, far asks bob
            refused HO0712 by: ann is not asked; bob may decide
            6 amended h1 by bob, to d
            7 approval_requested h1 until 7200s, far asks bob
            refused HO0712 by: ann is not asked; bob may decide
            refused HO0713 digest: the handoff was changed since; its digest is 0ad53769065f8239c1b0f9d831eea90b883e98e7b2363a8fb7de3f3e93f19f11 now
            8 approved h1 by bob until 30s
            => a, h1 offered (d)"#]],
    );
}

#[test]
fn a_broadcast_asks_nobody_twice_after_a_change() {
    check(
        "open s by a
        initiate g1 a->b,c broadcast all timeout=60s approval
        amend g1.1 by ann to=c
        amend g1.1 by ann to=d",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast awaiting_approval until 86400s
            3 approval_requested g1.1 until 86400s
            4 initiated g1.2 a->c broadcast awaiting_approval until 86400s
            5 approval_requested g1.2 until 86400s
            6 group_opened g1 all of g1.1 g1.2
            refused HO0410 edit.to_agent: c is asked for the same in this broadcast already
            7 amended g1.1 by ann, to d
            8 approval_requested g1.1 until 86400s
            => a, g1.1 awaiting_approval (d), g1.2 awaiting_approval (c)"#]],
    );
}

#[test]
fn what_was_approved_for_one_is_asked_again_for_another() {
    check(
        "rule r to=b,c ask=ann:1h; open s by a
        initiate h1 a->b delegation timeout=60s among=c,d
        approve h1 by ann
        reject h1 by b
        approve h1 by ann digest=1
        approve h1 by ann
        reject h1 by c
        initiate h2 a->d delegation timeout=60s among=c
        reject h2 by d
        accept h2 by c",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 3600s
            3 approval_requested h1 until 3600s, r asks ann
            4 approved h1 by ann until 30s
            5 rejected h1 b: no
            6 rerouted h1 b->c until 30s: rejected
            7 approval_requested h1 until 3600s, r asks ann
            refused HO0713 digest: the handoff was changed since; its digest is eabb50c8f6008c2d912353236e975f968766d91d4375ddc84b4fe0542e19be8a now
            8 approved h1 by ann until 30s
            9 rejected h1 c: no
            10 rerouted h1 c->d until 30s: rejected
            11 initiated h2 a->d delegation offered until 30s
            12 rejected h2 d: no
            13 rerouted h2 d->c until 30s: rejected
            14 approval_requested h2 until 3600s, r asks ann
            refused HO0506 handoff h2 waits for a person's approval
            => a, h1 offered (d), h2 awaiting_approval (c)"#]],
    );
}

#[test]
fn the_share_moves_with_the_target() {
    check(
        "policy each=100; open s by a
        initiate h1 a->b delegation timeout=60s tokens=60 approval
        initiate h2 a->c delegation timeout=60s tokens=60 approval
        initiate h3 a->c delegation timeout=60s tokens=60
        amend h1 by ann to=c
        amend h1 by ann to=d
        initiate h3 a->b delegation timeout=60s tokens=60
        initiate h4 a->d delegation timeout=60s tokens=60
        deny h1 by ann
        initiate h4 a->d delegation timeout=60s tokens=60",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            4 initiated h2 a->c delegation awaiting_approval until 86400s
            5 approval_requested h2 until 86400s
            refused HO0709 context.constraints.budget: the agent c does not allow it: it wants 60 tokens, 40 are left
            refused HO0709 edit.to_agent: the budget of c does not allow it: it wants 60 tokens, 40 are left
            6 amended h1 by ann, to d
            7 approval_requested h1 until 86400s
            8 initiated h3 a->b delegation offered until 30s
            refused HO0709 context.constraints.budget: the agent d does not allow it: it wants 60 tokens, 40 are left
            9 denied h1 by ann
            10 cancelled h1 failed returned to a: denied by ann: too risky
            11 initiated h4 a->d delegation offered until 30s
            => a, h1 cancelled, h2 awaiting_approval (c), h3 offered (b), h4 offered (d)"#]],
    );
}

#[test]
fn a_share_is_set_aside_where_none_was() {
    check(
        "agent c budget=100; open s by a
        initiate h1 a->b delegation timeout=60s approval
        amend h1 by ann to=c
        initiate h2 a->c delegation timeout=60s tokens=95
        deny h1 by ann
        initiate h2 a->c delegation timeout=60s tokens=95
        initiate h3 a->b delegation timeout=60s approval
        initiate h4 a->c delegation timeout=60s tokens=5
        approve h3 by ann to=c",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            4 amended h1 by ann, to c
            5 approval_requested h1 until 86400s
            refused HO0709 context.constraints.budget: the agent c does not allow it: it wants 95 tokens, 90 are left
            6 denied h1 by ann
            7 cancelled h1 failed returned to a: denied by ann: too risky
            8 initiated h2 a->c delegation offered until 30s
            9 initiated h3 a->b delegation awaiting_approval until 86400s
            10 approval_requested h3 until 86400s
            11 initiated h4 a->c delegation offered until 30s
            refused HO0709 edit.to_agent: the budget of the agent c is spent: nothing is left of its tokens
            => a, h1 cancelled, h2 offered (c), h3 awaiting_approval (b), h4 offered (c)"#]],
    );
}
