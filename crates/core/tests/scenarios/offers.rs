//! Before the work: approval, the offer and its three answers, reroutes, queues; and the ends of a plain piece of work.

use crate::common::check;
use expect_test::expect;

#[test]
fn a_delegation_comes_back_and_its_return_is_taken_once() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        heartbeat h1 as L1
        record h1 as L1 plan
        return h1 as L1 success
        take h1 by b
        take h1 by a
        take h1 by a
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 heartbeat h1 until 30s
            5 step_recorded h1 plan
            6 completed h1 success returned to a
            refused HO0511 the return of h1 is for a
            7 return_taken h1 by a
            refused HO0512 no return of h1 waits for a
            => a, h1 completed"#]],
    );
}

#[test]
fn whoever_looks_only_now_and_then_is_waited_for_and_not_gone() {
    check(
        "
        agent b within=3600s
        agent c within=10s
        open s by a
        initiate h1 a->b delegation timeout=60s
        wait 31s
        tick h1
        accept h1 by b as L1
        initiate h2 a->c delegation timeout=60s
        wait 11s
        tick h2
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 3600s
            nothing
            3 accepted h1 b L1 until 61s deadline 91s
            4 initiated h2 a->c delegation offered until 41s
            5 failed h2 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 1)
            => a, h1 running (b), h2 failed"#]],
    );
}

#[test]
fn partial_completes_and_failed_fails() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        return h1 as L1 partial
        initiate h2 a->c delegation timeout=60s
        accept h2 by c as L2
        return h2 as L2 timeout
        return h2 as L2 failed
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            4 completed h1 partial returned to a
            5 initiated h2 a->c delegation offered until 30s
            6 accepted h2 c L2 until 30s deadline 60s
            refused HO0103 status: timeout is for the engine to say; allowed are success, partial, failed
            7 failed h2 failed returned to a
            => a, h1 completed, h2 failed"#]],
    );
}

#[test]
fn approved_it_is_offered() {
    check(
        "
        policy approval=high
        open s by a
        initiate h1 a->b delegation timeout=60s risk=high
        accept h1 by b as L1
        approve h1 by a
        wait 10s
        approve h1 by boss
        approve h1 by boss
        accept h1 by b as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            refused HO0506 handoff h1 waits for a person's approval
            refused HO0509 by: a asked for this and cannot decide it
            4 approved h1 by boss until 40s
            refused HO0508 handoff h1 is offered already: boss approved it at 2023-11-14T22:13:30.000Z
            5 accepted h1 b L1 until 40s deadline 70s
            => a, h1 running (b)"#]],
    );
}

#[test]
fn denied_or_expired_it_is_cancelled_and_the_source_is_told() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s approval
        deny h1 by boss
        initiate h2 a->b delegation timeout=60s approval
        wait 23h
        tick h2
        wait 2h
        tick h2
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            4 denied h1 by boss
            5 cancelled h1 failed returned to a: denied by boss: too risky
            6 initiated h2 a->b delegation awaiting_approval until 86400s
            7 approval_requested h2 until 86400s
            nothing
            8 cancelled h2 failed returned to a: the approval expired
            => a, h1 cancelled, h2 cancelled"#]],
    );
}

#[test]
fn a_bound_caller_cannot_approve_under_another_name() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s approval
        caller key acts=a
        approve h1 by boss
        caller key acts=b
        approve h1 by b
        caller key acts=c
        approve h1 by c
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation awaiting_approval until 86400s
            3 approval_requested h1 until 86400s
            refused HO0302 by: key may not decide as boss
            refused HO0509 by: b is to be given this and cannot decide it
            4 approved h1 by c until 30s
            => a, h1 offered (b)"#]],
    );
}

#[test]
fn rejected_it_goes_to_the_next_three_and_then_to_a_person() {
    check(
        "
        agent b cap=code:0.9
        agent c cap=code:0.8
        agent d cap=code:0.7
        agent e cap=code:0.6
        agent f cap=code:0.5
        agent p kind=human
        policy human=p
        open s by a
        initiate h1 a->? delegation cap=code timeout=60s
        reject h1 by b
        reject h1 by b
        reject h1 by c
        reject h1 by d
        reject h1 by e
        reject h1 by p
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c, d, e, f
            3 rejected h1 b: no
            4 rerouted h1 b->c until 30s: rejected
            refused HO0503 handoff h1 is offered to c, not to b
            5 rejected h1 c: no
            6 rerouted h1 c->d until 30s: rejected
            7 rejected h1 d: no
            8 rerouted h1 d->e until 30s: rejected
            9 rejected h1 e: no
            10 rerouted h1 e->p (human) until 86400s: rejected
            11 rejected h1 p: no
            12 failed h1 failed returned to a: nobody is left to take it: it was rejected (asked 5): no
            => a, h1 failed"#]],
    );
}

#[test]
fn rejected_by_the_only_one_it_fails() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        reject h1 by b
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 rejected h1 b: no
            4 failed h1 failed returned to a: nobody is left to take it: it was rejected (asked 1): no
            => a, h1 failed"#]],
    );
}

#[test]
fn urgent_work_goes_to_a_person_at_once() {
    check(
        "
        agent b cap=code
        agent c cap=code
        agent p kind=human
        policy human=p
        open s by a
        initiate h1 a->? delegation cap=code timeout=60s priority=critical
        reject h1 by b
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s urgent among b, c
            3 rejected h1 b: no
            4 rerouted h1 b->p (human) until 86400s: rejected
            => a, h1 offered (p)"#]],
    );
}

#[test]
fn not_acknowledged_it_goes_on_and_the_agent_is_marked() {
    check(
        "
        open s by a
        initiate h1 a->? delegation among=b,c timeout=60s
        wait 29s
        tick h1
        wait 1s
        tick h1
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            nothing
            3 rerouted h1 b->c until 60s: not_acknowledged
            ! b unavailable
            4 failed h1 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 2)
            ! c unavailable
            => a, h1 failed"#]],
    );
}

#[test]
fn deferred_it_is_offered_later() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        defer h1 by b 10s
        accept h1 by b as L1
        reject h1 by b
        next
        accept h1 by b as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 deferred h1 b until 10s
            refused HO0510 handoff h1 will be offered again at 2023-11-14T22:13:30.000Z
            refused HO0510 handoff h1 will be offered again at 2023-11-14T22:13:30.000Z
            4 offered h1 until 40s
            5 accepted h1 b L1 until 40s deadline 70s
            => a, h1 running (b)"#]],
    );
}

#[test]
fn put_off_a_fourth_time_it_counts_as_a_no_and_the_next_counts_anew() {
    check(
        "
        open s by a
        initiate h1 a->? delegation among=b,c timeout=60s
        defer h1 by b 1s
        next
        defer h1 by b 1s
        next
        defer h1 by b 1s
        next
        defer h1 by b 1s
        defer h1 by c 1s
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 deferred h1 b until 1s
            4 offered h1 until 31s
            5 deferred h1 b until 2s
            6 offered h1 until 32s
            7 deferred h1 b until 3s
            8 offered h1 until 33s
            9 rejected h1 b: put off more than 3 times: later
            10 rerouted h1 b->c until 33s: rejected
            11 deferred h1 c until 4s
            12 offered h1 until 34s
            => a, h1 offered (c)"#]],
    );
}

#[test]
fn cancelled_by_the_source_the_lease_is_void() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        cancel h1 by c
        cancel h1 by a
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            refused HO0511 c is neither the source nor the owner of the session
            4 cancelled h1 failed returned to a: not needed
            refused HO0502 handoff h1 is cancelled already
            => a, h1 cancelled"#]],
    );
}

#[test]
fn at_capacity_it_waits_in_the_queue_for_a_while() {
    check(
        "
        policy queue=70s
        load b 1
        open s by a
        initiate h1 a->b delegation timeout=10m
        next; next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 extended h1 until 60s: the agent is at capacity
            4 extended h1 until 70s: the agent is at capacity
            5 failed h1 failed returned to a: nobody is left to take it: it was not acknowledged in time (asked 1)
            => a, h1 failed"#]],
    );
}

#[test]
fn at_capacity_it_goes_to_somebody_with_room() {
    check(
        "
        load b 1
        load c 1
        open s by a
        initiate h1 a->? delegation among=b,c,d timeout=10m
        standing d unavailable
        next
        initiate h2 a->? delegation among=b,c timeout=10m
        load c 0
        next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->d delegation offered until 30s among d, b, c
            3 rerouted h1 d->b until 60s: not_acknowledged
            4 initiated h2 a->b delegation offered until 60s among b, c
            5 rerouted h1 b->c until 90s: at_capacity
            => a, h1 offered (c), h2 offered (b)"#]],
    );
}
