//! Work whose holder asks something before it goes on.

use crate::common::check;
use expect_test::expect;

#[test]
fn with_the_answer_the_same_agent_goes_on_with_the_same_attempt() {
    check(
        "
        agent b
        open s by a
        initiate h1 a->b delegation timeout=60s
        answer h1 by a
        accept h1 by b as L1
        ask h1 as L9
        ask h1 as L1
        ask h1 as L1
        accept h1 by b as L2
        answer h1 by c
        answer h1 by a
        answer h1 by a
        accept h1 by b as L2
        return h1 as L2 success
        answer h1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            refused HO0513 nothing is asked about handoff h1; it is offered
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO0504 lease 00000000-0000-0000-0000-000000000000 was given up or replaced
            4 asked h1 until 60s: which one?
            refused HO0504 lease L1 was given up with a question
            refused HO0510 handoff h1 waits for the answer to a question
            5 answered h1 by c: this one
            6 offered h1 until 30s
            refused HO0513 nothing is asked about handoff h1; it is offered
            refused HO0513 nothing is asked about handoff h1; it is offered
            7 accepted h1 b L2 until 30s deadline 60s
            8 completed h1 success returned to a
            refused HO0502 handoff h1 is completed already
            => a, h1 completed"#]],
    );
}

#[test]
fn a_question_that_nobody_answers_ends_the_work_and_blames_nobody() {
    check(
        "
        agent b
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        wait 10s
        ask h1 as L1
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 asked h1 until 70s: which one?
            5 timeout h1 timeout returned to a: b asked, and nobody answered in time: which one?
            => a, h1 timed_out"#]],
    );
}

#[test]
fn a_question_that_nobody_answers_goes_up_where_that_is_said() {
    check(
        "
        agent b up=r
        agent r
        open s by a
        initiate h1 a->b delegation timeout=60s on=escalate
        accept h1 by b as L1
        ask h1 as L1
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 asked h1 until 60s: which one?
            5 initiated h1' a->r escalation offered until 90s level 1 back to a after [b: b asked, and nobody answered in time: which one?] path a>b>r
            6 escalated h1 partial goes on as h1': b asked, and nobody answered in time: which one?
            => a, h1 escalated, h1' offered (r)"#]],
    );
}

#[test]
fn without_a_time_of_its_own_a_question_waits_for_a_day_and_no_longer_than_the_deadline() {
    check(
        "
        agent b
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        ask h1 as L1
        answer h1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 asked h1 until 86400s: which one?
            6 answered h1 by a: this one
            7 offered h1 until 30s
            => b, h1 offered (b)"#]],
    );
    check(
        "
        agent b
        open s by a
        initiate h1 a->b delegation timeout=60s deadline=40s
        accept h1 by b as L1
        ask h1 as L1
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 40s
            4 asked h1 until 40s: which one?
            5 timeout h1 timeout returned to a: b asked, and nobody answered in time: which one?
            => a, h1 timed_out"#]],
    );
}

#[test]
fn there_is_an_end_of_questions() {
    check(
        "
        agent b
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        ask h1 as L1
        answer h1 by a
        accept h1 by b as L2
        ask h1 as L2
        answer h1 by a
        accept h1 by b as L3
        ask h1 as L3
        answer h1 by a
        accept h1 by b as L4
        ask h1 as L4
        answer h1 by a
        accept h1 by b as L5
        ask h1 as L5
        answer h1 by a
        accept h1 by b as L6
        ask h1 as L6
        answer h1 by a
        accept h1 by b as L7
        ask h1 as L7
        answer h1 by a
        accept h1 by b as L8
        ask h1 as L8
        answer h1 by a
        accept h1 by b as L9
        ask h1 as L9
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 asked h1 until 60s: which one?
            5 answered h1 by a: this one
            6 offered h1 until 30s
            7 accepted h1 b L2 until 30s deadline 60s
            8 asked h1 until 60s: which one?
            9 answered h1 by a: this one
            10 offered h1 until 30s
            11 accepted h1 b L3 until 30s deadline 60s
            12 asked h1 until 60s: which one?
            13 answered h1 by a: this one
            14 offered h1 until 30s
            15 accepted h1 b L4 until 30s deadline 60s
            16 asked h1 until 60s: which one?
            17 answered h1 by a: this one
            18 offered h1 until 30s
            19 accepted h1 b L5 until 30s deadline 60s
            20 asked h1 until 60s: which one?
            21 answered h1 by a: this one
            22 offered h1 until 30s
            23 accepted h1 b L6 until 30s deadline 60s
            24 asked h1 until 60s: which one?
            25 answered h1 by a: this one
            26 offered h1 until 30s
            27 accepted h1 b L7 until 30s deadline 60s
            28 asked h1 until 60s: which one?
            29 answered h1 by a: this one
            30 offered h1 until 30s
            31 accepted h1 b L8 until 30s deadline 60s
            32 asked h1 until 60s: which one?
            33 answered h1 by a: this one
            34 offered h1 until 30s
            35 accepted h1 b L9 until 30s deadline 60s
            refused HO0106 question: it was asked 8 times already (QUESTIONS_MAX) (go on with what is known, give back a part, or escalate)
            => a, h1 running (b)"#]],
    );
}

#[test]
fn whoever_asked_may_be_gone_when_the_answer_comes() {
    check(
        "
        agent b cap=code:0.9
        agent c cap=code:0.5
        open s by a
        initiate h1 a->? delegation timeout=60s cap=code
        accept h1 by b as L1
        ask h1 as L1
        answer h1 by a
        wait 31s
        tick h1
        accept h1 by c as L2
        return h1 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 accepted h1 b L1 until 30s deadline 60s
            4 asked h1 until 60s: which one?
            5 answered h1 by a: this one
            6 offered h1 until 30s
            7 rerouted h1 b->c until 61s: not_acknowledged
            ! b unavailable
            8 accepted h1 c L2 until 61s deadline 91s
            9 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn it_can_be_taken_back_while_it_waits() {
    check(
        "
        agent b
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        ask h1 as L1
        cancel h1 by a
        answer h1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 asked h1 until 60s: which one?
            5 cancelled h1 failed returned to a: not needed
            refused HO0502 handoff h1 is cancelled already
            => a, h1 cancelled"#]],
    );
}
