//! Escalation: a ladder as data, a timer for each rung, three levels, and back.

use crate::common::check;
use expect_test::expect;

#[test]
fn each_level_adds_its_assessment_and_the_result_comes_back_to_the_first_source() {
    check(
        "
        agent r up=q
        agent q up=p
        agent p kind=human
        agent a up=r
        open s by a
        initiate h1 a->? escalation
        accept h1 by r as L1
        escalate h1 as L1 beyond_me
        accept h1' by q as L2
        escalate h1' as L2 beyond_me_too
        accept h1'' by p as L3
        escalate h1'' as L3 no
        return h1'' as L3 success
        take h1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 30s level 1 back to a
            3 accepted h1 r L1 until 30s deadline 900s
            4 initiated h1' a->q escalation offered until 30s level 2 back to a after [r: beyond_me] path a>r>q
            5 escalated h1 partial goes on as h1': beyond_me
            6 accepted h1' q L2 until 30s deadline 900s
            7 initiated h1'' a->p escalation offered until 900s level 3 back to a after [r: beyond_me; q: beyond_me_too] path a>r>q>p
            8 escalated h1' partial goes on as h1'': beyond_me_too
            9 accepted h1'' p L3 until 30s deadline 900s
            refused HO0407 there is nobody above p (level 3)
            10 completed h1'' success returned to a
            11 return_taken h1 by a
            => a, h1 escalated, h1' escalated, h1'' completed"#]],
    );
}

#[test]
fn a_rung_that_does_not_answer_is_passed_when_its_time_is_over() {
    check(
        "
        agent r
        agent q
        open s by a
        initiate h1 a->? escalation ladder=r:10s,q:20s
        next
        accept h1' by q as L1
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 10s level 1 back to a
            3 initiated h1' a->q escalation offered until 30s level 2 back to a after [r: r did not decide: it was not acknowledged in time] path a>r>q
            4 escalated h1 partial goes on as h1': r did not decide: it was not acknowledged in time
            ! r unavailable
            5 accepted h1' q L1 until 40s deadline 30s
            6 reminded h1' until 32s
            7 timeout h1' timeout returned to a: q did not finish in time
            => a, h1 escalated, h1' timed_out"#]],
    );
}

#[test]
fn a_rung_that_is_busy_for_all_of_its_time_is_passed() {
    check(
        "
        agent r
        agent q
        load r 1
        open s by a
        initiate h1 a->? escalation ladder=r:40s,q:40s
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 30s level 1 back to a
            3 extended h1 until 40s: the agent is at capacity
            4 initiated h1' a->q escalation offered until 70s level 2 back to a after [r: r did not decide: it was not acknowledged in time] path a>r>q
            5 escalated h1 partial goes on as h1': r did not decide: it was not acknowledged in time
            => a, h1 escalated, h1' offered (q)"#]],
    );
}

#[test]
fn a_rung_that_takes_too_long_is_passed() {
    check(
        "
        agent r
        agent q
        open s by a
        initiate h1 a->? escalation ladder=r:10s,q:20s
        accept h1 by r as L1
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 10s level 1 back to a
            3 accepted h1 r L1 until 30s deadline 10s
            4 reminded h1 until 11s
            5 initiated h1' a->q escalation offered until 31s level 2 back to a after [r: r did not finish in time] path a>r>q
            6 escalated h1 partial goes on as h1': r did not finish in time
            => a, h1 escalated, h1' offered (q)"#]],
    );
}

#[test]
fn a_reviewer_that_is_lost_does_not_keep_the_session() {
    check(
        "
        agent r
        agent q
        open s by a
        initiate h1 a->? escalation ladder=r:10m,q:10m
        accept h1 by r as L1
        next; next
        settle
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 30s level 1 back to a
            3 accepted h1 r L1 until 30s deadline 600s
            4 lease_lost h1 L1 until 60s
            5 initiated h1' a->q escalation offered until 90s level 2 back to a after [r: r did not decide: it was not acknowledged in time] path a>r>q
            6 escalated h1 partial goes on as h1': r did not decide: it was not acknowledged in time
            ! r unavailable
            7 failed h1' failed returned to a: q did not decide: it was not acknowledged in time
            ! q unavailable
            => a, h1 escalated, h1' failed"#]],
    );
}

#[test]
fn an_escalation_under_another_gives_the_session_back_to_its_owner() {
    check(
        "
        agent r
        agent q
        open s by a
        initiate h0 a->b delegation timeout=1h
        accept h0 by b as L0
        initiate h1 a->r escalation
        accept h1 by r as L1
        initiate h2 b->q escalation
        return h1 as L1 success
        accept h2 by q as L2
        return h2 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h0 a->b delegation offered until 30s
            3 accepted h0 b L0 until 30s deadline 3600s
            4 initiated h1 a->r escalation offered until 30s level 1 back to a
            5 accepted h1 r L1 until 30s deadline 900s
            6 initiated h2 b->q escalation offered until 30s level 1 back to a path a>b>q
            7 completed h1 success returned to a
            8 accepted h2 q L2 until 30s deadline 900s
            9 completed h2 success returned to b
            => a, h0 running (b), h1 completed, h2 completed"#]],
    );
}

#[test]
fn the_session_moves_on_while_an_escalation_waits() {
    check(
        "
        agent r
        open s by a
        initiate h1 a->r escalation
        initiate h2 a->b sequential complete
        accept h2 by b as L2
        accept h1 by r as L1
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 30s level 1 back to a
            3 segment_completed by a
            4 initiated h2 a->b sequential offered until 30s
            5 accepted h2 b L2 until 30s deadline 3600s
            6 accepted h1 r L1 until 30s deadline 900s
            7 completed h1 success returned to a
            => b, h1 completed, h2 running (b)"#]],
    );
}

#[test]
fn a_decision_above_autonomy_goes_up_by_itself_past_who_may_not_take_it() {
    check(
        "
        agent a risk=low up=r
        agent r risk=medium up=q
        agent q
        open s by a
        decide by a risk=low rename_file
        decide by a risk=high drop_table
        accept n1 by q as L1
        return n1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 decision_made by a at low: rename_file
            3 initiated n1 a->q escalation offered until 30s level 1 back to a
            4 decision_made by a at high left to n1: drop_table
            5 accepted n1 q L1 until 30s deadline 900s
            6 completed n1 success returned to a
            => a, n1 completed"#]],
    );
}

#[test]
fn depth_is_at_most_three_also_when_each_level_asks_anew() {
    check(
        "
        agent r
        agent q
        agent p kind=human
        open s by a
        initiate h1 a->r escalation
        accept h1 by r as L1
        initiate h2 r->q escalation
        accept h2 by q as L2
        initiate h3 q->p escalation
        accept h3 by p as L3
        initiate h4 p->d escalation
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->r escalation offered until 30s level 1 back to a
            3 accepted h1 r L1 until 30s deadline 900s
            4 initiated h2 r->q escalation offered until 30s level 2 back to a path a>r>q
            5 accepted h2 q L2 until 30s deadline 900s
            6 initiated h3 q->p escalation offered until 900s level 3 back to a path a>r>q>p
            7 accepted h3 p L3 until 30s deadline 900s
            refused HO0407 type: this is level 3 already
            => p, h1 running (r), h2 running (q), h3 running (p)"#]],
    );
}

#[test]
fn a_rung_without_the_autonomy_is_passed_over() {
    check(
        "
        agent b up=r
        agent r risk=low up=q
        agent q
        open s by a
        initiate h1 a->b delegation timeout=60s risk=high
        accept h1 by b as L1
        escalate h1 as L1 beyond_me
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated h1' a->q escalation offered until 30s level 1 back to a after [b: beyond_me] path a>b>q
            5 escalated h1 partial goes on as h1': beyond_me
            => a, h1 escalated, h1' offered (q)"#]],
    );
}

#[test]
fn nobody_above_is_said_so() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        escalate h1 as L1 beyond_me
        initiate h2 a->? escalation
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO0407 there is nobody above b (level 0)
            refused HO0408 ladder: a has nobody to escalate to
            => a, h1 running (b)"#]],
    );
}

#[test]
fn urgency_is_inherited() {
    check(
        "
        agent b up=r risk=low
        agent r
        open s by a
        initiate h1 a->b delegation timeout=60s priority=urgent
        accept h1 by b as L1
        decide by b risk=high drop_table
        escalate h1 as L1 beyond_me
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s urgent
            3 accepted h1 b L1 until 30s deadline 60s
            4 initiated n2 b->r escalation offered until 30s urgent level 1 back to a path a>b>r
            5 decision_made by b at high left to n2: drop_table
            6 initiated h1' a->r escalation offered until 30s urgent level 1 back to a after [b: beyond_me] path a>b>r
            7 escalated h1 partial goes on as h1': beyond_me
            => a, h1 escalated, n2 offered (r), h1' offered (r)"#]],
    );
}
