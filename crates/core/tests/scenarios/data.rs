//! What a session shares: variables, artifacts, locks, the conversation; and who may see it.

use crate::common::check;
use expect_test::expect;

#[test]
fn variables_have_scopes_and_versions() {
    check(
        "
        agent team/b
        open s by a
        set by a x=1 a/plan=p
        set by b x=2@1
        set by a x=3@1
        set by a b/plan=p y=1@4
        set by nobody x=1
        set by team/b team/b/plan=p
        set by a team/b/plan=p
        ",
        &expect![[r#"
            1 session_opened a
            2 variables_set by a a/plan="p"@1 x="1"@1
            3 variables_set by b x="2"@2
            refused HO0602 variables.x: "x" has version 2, not 1
            refused HO0602 variables.y: "y" has version 0, not 4
                    HO0603 variables.b/plan: "b/plan" is in the scope of b, not of a
            refused HO0208 by: "nobody" is not registered
            4 variables_set by team/b team/b/plan="p"@1
            refused HO0603 variables.team/b/plan: "team/b/plan" is in the scope of team/b, not of a
            => a"#]],
    );
}

#[test]
fn an_exclusive_lock_excludes_and_a_shared_one_shares() {
    check(
        "
        open s by a
        lock f by a exclusive for=10s
        lock f by b shared
        lock f by a exclusive for=20s
        wait 21s
        lock f by b shared
        lock f by c shared
        lock f by a exclusive
        unlock f by a
        unlock f by b
        unlock f by c
        lock f by a exclusive
        ",
        &expect![[r#"
            1 session_opened a
            2 locked f by a exclusive until 10s
            refused HO0604 path: f is locked by a until 2023-11-14T22:13:30.000Z
            3 locked f by a exclusive until 20s
            4 locked f by b shared until 321s
            5 locked f by c shared until 321s
            refused HO0604 path: f is locked by b until 2023-11-14T22:18:41.000Z
            refused HO0605 path: a holds no lock on f
            6 unlocked f by b
            7 unlocked f by c
            8 locked f by a exclusive until 321s
            => a"#]],
    );
}

#[test]
fn locks_are_released_at_the_end_of_the_work() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        lock f by b exclusive for=1h
        lock f by a shared
        return h1 as L1 failed
        lock f by a shared
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 locked f by b exclusive until 3600s with h1
            refused HO0604 path: f is locked by b until 2023-11-14T23:13:20.000Z
            5 failed h1 failed returned to a releases f
            6 locked f by a shared until 300s
            => a, h1 failed"#]],
    );
}

#[test]
fn locks_are_released_when_the_lease_is_lost() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m
        accept h1 by b as L1
        lock f by b exclusive for=1h
        next
        lock f by a shared
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 600s
            4 locked f by b exclusive until 3600s with h1
            5 lease_lost h1 L1 until 60s
            6 locked f by a shared until 330s
            => a, h1 offered (b)"#]],
    );
}

#[test]
fn artifacts_are_kept_and_marked() {
    check(
        "
        open s by a
        keep by a src/main.rs as F
        mark F by b final
        mark G by b final
        ",
        &expect![[r#"
            1 session_opened a
            2 artifact_kept F src/main.rs by a draft
            3 artifact_marked F by b final
            refused HO0606 id: the session has no artifact 00000000-0000-0000-0000-000000000000
            => a"#]],
    );
}

#[test]
fn a_conversation_goes_on_only_from_where_it_is() {
    check(
        "
        open s by a
        say hello
        say again after=0
        say again after=1
        ",
        &expect![[r#"
            1 session_opened a
            2 messages_appended 1, now 1
            refused HO0607 after: the conversation has 1 messages, not 0
            3 messages_appended 1, now 2
            => a"#]],
    );
}

#[test]
fn a_stranger_learns_nothing() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        caller spy tenant=other
        initiate h2 a->b delegation timeout=60s
        accept h1 by b as L1
        tick h1
        set by a x=1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            refused HO0301 session_id: there is no session s
            refused HO0301 session_id: there is no session s
            refused HO0301 session_id: there is no session s
            refused HO0301 session_id: there is no session s
            => a, h1 offered (b)"#]],
    );
}

#[test]
fn a_caller_bound_to_an_agent_speaks_for_it_alone() {
    check(
        "
        caller key acts=a
        open s by b
        open s by a
        initiate h1 a->b delegation timeout=60s
        initiate h2 b->c delegation timeout=60s
        accept h1 by b as L1
        caller key-b acts=b
        accept h1 by b as L1
        set by a x=1
        cancel h1 by a
        caller key-a acts=a
        return h1 as L1 success
        caller key-b acts=b
        return h1 as L1 success
        take h1 by a
        ",
        &expect![[r#"
            refused HO0302 active_agent: key may not act as b
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            refused HO0302 from_agent: key may not act as b
                    HO0303 from_agent: b neither owns the session (a does) nor works on one of its handoffs
            refused HO0302 key may not act as b
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO0302 key-b may not act as a
            refused HO0302 by: key-b may not act as a
            refused HO0302 key-a may not act as b
            4 completed h1 success returned to a
            refused HO0302 key-b may not act as a
            => a, h1 completed"#]],
    );
}

#[test]
fn a_session_is_opened_once() {
    check(
        "
        set by a x=1
        open s by nobody
        open s by a
        open s by b
        ",
        &expect![[r#"
            refused HO0301 session_id: there is no session s
            refused HO0208 active_agent: "nobody" is not registered
            1 session_opened a
            refused HO0305 session_id: session s is open already
            => a"#]],
    );
}
