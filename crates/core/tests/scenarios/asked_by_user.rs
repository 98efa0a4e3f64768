//! The person whom a session serves asks whoever has it: no step between agents, and nothing that another may do.

use crate::common::check;
use expect_test::expect;

#[test]
fn the_user_asks_as_often_as_they_like_and_the_owner_stays() {
    check(
        "
        policy handoffs=1
        agent u kind=human
        open s by a user=u
        initiate h1 u->a delegation timeout=60s
        accept h1 by a as L1
        return h1 as L1 success
        take h1 by u
        initiate h2 u->a delegation timeout=60s
        accept h2 by a as L2
        initiate h3 a->b delegation timeout=60s
        accept h3 by b as L3
        return h3 as L3 success
        take h3 by a
        return h2 as L2 success
        take h2 by u
        initiate h4 u->a delegation timeout=60s
        initiate h5 a->c delegation timeout=60s
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 u->a delegation offered until 30s
            3 accepted h1 a L1 until 30s deadline 60s
            4 completed h1 success returned to u
            5 return_taken h1 by u
            6 initiated h2 u->a delegation offered until 30s
            7 accepted h2 a L2 until 30s deadline 60s
            8 initiated h3 a->b delegation offered until 30s path u>a>b
            9 accepted h3 b L3 until 30s deadline 60s
            10 completed h3 success returned to a
            11 return_taken h3 by a
            12 completed h2 success returned to u
            13 return_taken h2 by u
            14 initiated h4 u->a delegation offered until 30s
            refused HO0701 type: 1 of the 1 handoffs of this session are used up
            => a, h1 completed, h2 completed, h3 completed, h4 offered (a)"#]],
    );
}

#[test]
fn nobody_else_may_ask_so_and_the_user_may_ask_nobody_else() {
    check(
        "
        agent u kind=human
        agent v kind=human
        open s by a user=u
        initiate h1 v->a delegation timeout=60s
        initiate h1 u->b delegation timeout=60s
        initiate h1 u->a sequential complete
        initiate h1 u->a escalation timeout=60s ladder=a:20s
        ",
        &expect![[r#"
            1 session_opened a
            refused HO0303 from_agent: v neither owns the session (a does) nor works on one of its handoffs
            refused HO0303 from_agent: u neither owns the session (a does) nor works on one of its handoffs
            refused HO0303 from_agent: only a owns the session and can give it away, not u
            refused HO0303 from_agent: u neither owns the session (a does) nor works on one of its handoffs
            => a"#]],
    );
}

#[test]
fn it_passes_where_every_agent_works_alone() {
    check(
        "
        policy mode=independent
        agent u kind=human
        open s by a user=u
        initiate h1 u->a delegation timeout=60s
        accept h1 by a as L1
        initiate h2 a->b delegation timeout=60s
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 u->a delegation offered until 30s
            3 accepted h1 a L1 until 30s deadline 60s
            refused HO0710 type: the mode is independent: each agent works alone
            4 completed h1 success returned to u
            => a, h1 completed"#]],
    );
}

#[test]
fn what_a_person_answers_is_part_of_the_conversation() {
    check(
        "
        agent u kind=human
        agent p kind=human
        open s by p user=u
        initiate h1 u->p delegation timeout=60s
        accept h1 by p as L1
        return h1 as L1 success body=\"yes\"
        ",
        &expect![[r#"
            1 session_opened p
            2 initiated h1 u->p delegation offered until 86400s
            3 accepted h1 p L1 until 30s deadline 60s
            4 messages_appended 1, now 1
            5 completed h1 success returned to u
            => p, h1 completed"#]],
    );
}
