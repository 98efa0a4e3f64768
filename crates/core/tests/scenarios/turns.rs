//! The command object: where the work goes, and what changes with it, in one step.

use crate::common::check;
use expect_test::expect;

#[test]
fn one_agent_is_a_sequential_handoff_with_its_update() {
    check(
        "
        open s by a
        turn by b goto=c
        turn by a goto=b set=x:1 file=plan.md state=review tokens=7 name=h1
        accept h1 by b as L1
        ",
        &expect![[r#"
            1 session_opened a
            refused HO0303 b does not own the session
            2 variables_set by a x="1"@1
            3 artifact_kept 00000000-0000-4000-8000-000000000001 plan.md by a draft
            4 workflow_moved to "review"
            5 used by a 7 tokens
            6 segment_completed by a
            7 initiated h1 a->b sequential offered until 30s
            8 accepted h1 b L1 until 30s deadline 3600s
            => b, h1 running (b)"#]],
    );
}

#[test]
fn several_are_a_broadcast() {
    check(
        "
        open s by a
        turn by a goto=b,c any name=g1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated g1.1 a->b broadcast offered until 30s
            3 initiated g1.2 a->c broadcast offered until 30s
            4 group_opened g1 any of g1.1 g1.2
            => a, g1.1 offered (b), g1.2 offered (c)"#]],
    );
}

#[test]
fn end_ends_the_session() {
    check(
        "
        open s by a
        turn by a goto=END set=x:1
        ",
        &expect![[r#"
            1 session_opened a
            2 variables_set by a x="1"@1
            3 segment_completed by a
            4 session_ended by a: a ended the workflow
            => a"#]],
    );
}

#[test]
fn end_completes_what_the_agent_holds() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        turn by b goto=END
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 completed h1 success: its part is complete
            6 session_ended by b: b ended the workflow
            => b, h1 completed"#]],
    );
}

#[test]
fn a_refused_move_takes_its_update_with_it() {
    check(
        "
        open s by a
        turn by a goto=nobody set=x:1 file=plan.md
        set by a x=1@0
        ",
        &expect![[r#"
            1 session_opened a
            refused HO0202 to_agent: "nobody" is not registered
            2 variables_set by a x="1"@1
            => a"#]],
    );
}

#[test]
fn a_return_and_what_follows_are_one_step() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        return h1 as L1 success set=x:1 then=nobody
        return h1 as L1 success set=x:1 then=c,d name=g1
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            refused HO0202 to_agent: "nobody" is not registered
            5 variables_set by b x="1"@1
            6 completed h1 success
            7 initiated g1.1 b->c broadcast offered until 30s path a>b>c
            8 initiated g1.2 b->d broadcast offered until 30s path a>b>d
            9 group_opened g1 all of g1.1 g1.2
            refused HO0502 handoff h1 is completed already
            => b, h1 completed, g1.1 offered (c), g1.2 offered (d)"#]],
    );
}

#[test]
fn a_return_that_ends_the_workflow() {
    check(
        "
        open s by a
        initiate h1 a->b sequential complete
        accept h1 by b as L1
        return h1 as L1 success then=END
        ",
        &expect![[r#"
            1 session_opened a
            2 segment_completed by a
            3 initiated h1 a->b sequential offered until 30s
            4 accepted h1 b L1 until 30s deadline 3600s
            5 completed h1 success
            6 session_ended by b: b ended the workflow
            => b, h1 completed"#]],
    );
}
