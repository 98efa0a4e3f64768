//! Time: leases, deadlines, reminders, retries, a sleeping engine and a clock that jumps.

use crate::common::check;
use expect_test::expect;

#[test]
fn retried_three_times_after_two_four_and_eight_seconds() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10s on=retry
        accept h1 by b as L1
        next; next; next
        return h1 as L1 success
        accept h1 by b as L2
        next; next; next
        accept h1 by b as L3
        next; next; next
        accept h1 by b as L4
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 10s
            4 reminded h1 until 11s
            5 retried h1 attempt 2 at 13s
            6 offered h1 until 43s
            refused HO0504 lease L1 was lost; the work is on offer again
            7 accepted h1 b L2 until 43s deadline 23s
            8 reminded h1 until 24s
            9 retried h1 attempt 3 at 28s
            10 offered h1 until 58s
            11 accepted h1 b L3 until 58s deadline 38s
            12 reminded h1 until 39s
            13 retried h1 attempt 4 at 47s
            14 offered h1 until 77s
            15 accepted h1 b L4 until 77s deadline 57s
            16 reminded h1 until 58s
            17 timeout h1 timeout returned to a: b did not finish in 4 attempts
            => a, h1 timed_out"#]],
    );
}

#[test]
fn time_out_escalates_to_whoever_is_above() {
    check(
        "
        agent b up=r
        agent r
        open s by a
        initiate h1 a->b delegation timeout=10s on=escalate
        accept h1 by b as L1
        next; next
        accept h1' by r as L2
        return h1' as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 10s
            4 reminded h1 until 11s
            5 initiated h1' a->r escalation offered until 21s level 1 back to a after [b: b did not finish in time] path a>b>r
            6 escalated h1 partial goes on as h1': b did not finish in time
            7 accepted h1' r L2 until 41s deadline 21s
            8 completed h1' success returned to a
            => a, h1 escalated, h1' completed"#]],
    );
}

#[test]
fn time_out_fails_and_a_person_is_told() {
    check(
        "
        agent p kind=human
        policy human=p
        open s by a
        initiate h1 a->b delegation timeout=10s
        accept h1 by b as L1
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 10s
            4 reminded h1 until 11s
            5 timeout h1 timeout returned to a: b did not finish in time
            6 human_asked h1 p
            => a, h1 timed_out"#]],
    );
}

#[test]
fn an_answer_after_the_reminder_still_counts() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=20s
        accept h1 by b as L1
        next
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 20s
            4 reminded h1 until 22s
            5 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn a_lost_lease_fences_the_holder_and_the_work_is_offered_again() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m
        accept h1 by b as L1
        wait 31s
        return h1 as L1 success
        tick h1
        return h1 as L1 success
        accept h1 by b as L2
        return h1 as L1 success
        return h1 as L2 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 600s
            refused HO0504 lease L1 ended at 2023-11-14T22:13:50.000Z
            4 lease_lost h1 L1 until 61s
            refused HO0504 lease L1 was lost; the work is on offer again
            5 accepted h1 b L2 until 61s deadline 631s
            refused HO0504 lease L1 was given up or replaced
            6 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn six_lost_leases_and_it_goes_to_the_next_candidate() {
    check(
        "
        open s by a
        initiate h1 a->? delegation among=b,c timeout=10m
        accept h1 by b as L1; next
        accept h1 by b as L1; next
        accept h1 by b as L1; next
        accept h1 by b as L1; next
        accept h1 by b as L1; next
        accept h1 by b as L1; next
        heartbeat h1 as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s among b, c
            3 accepted h1 b L1 until 30s deadline 600s
            4 lease_lost h1 L1 until 60s
            5 accepted h1 b L1 until 60s deadline 630s
            6 lease_lost h1 L1 until 90s
            7 accepted h1 b L1 until 90s deadline 660s
            8 lease_lost h1 L1 until 120s
            9 accepted h1 b L1 until 120s deadline 690s
            10 lease_lost h1 L1 until 150s
            11 accepted h1 b L1 until 150s deadline 720s
            12 lease_lost h1 L1 until 180s
            13 accepted h1 b L1 until 180s deadline 750s
            14 lease_lost h1 L1 until 210s
            15 rerouted h1 b->c until 210s: leases_lost
            refused HO0504 lease L1 was lost; the work is on offer again
            => a, h1 offered (c)"#]],
    );
}

#[test]
fn reclaim_takes_back_only_what_a_process_held() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m
        accept h1 by b as L1
        reclaim h1
        initiate h2 a->c delegation timeout=10m
        accept h2 by c as L2 local
        reclaim h2
        reclaim h2
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 600s
            nothing
            4 initiated h2 a->c delegation offered until 30s
            5 accepted h2 c L2 until 4200s deadline 600s
            6 lease_lost h2 L2 until 30s
            nothing
            => a, h1 running (b), h2 offered (c)"#]],
    );
}

#[test]
fn a_tick_that_comes_early_or_late_does_nothing() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m
        tick h1
        accept h1 by b as L1
        tick h1
        return h1 as L1 success
        wait 1d
        tick h1
        reclaim h1
        tick h9
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            nothing
            3 accepted h1 b L1 until 30s deadline 600s
            nothing
            4 completed h1 success returned to a
            nothing
            nothing
            refused HO0501 there is no handoff 00000000-0000-0000-0000-000000000000 in this session
            => a, h1 completed"#]],
    );
}

#[test]
fn windows_that_ran_while_the_engine_slept_start_anew() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10h
        sleep 2h
        tick h1
        accept h1 by b as L1
        sleep 2h
        tick h1
        heartbeat h1 as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 extended h1 until 7230s: the engine was not running
            4 accepted h1 b L1 until 7230s deadline 43200s
            5 extended h1 until 14430s: the engine was not running
            6 heartbeat h1 until 14430s
            => a, h1 running (b)"#]],
    );
}

#[test]
fn the_hard_deadline_ends_it_wherever_it_stands() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m deadline=20s
        next
        initiate h2 a->b delegation timeout=10m deadline=20s
        defer h2 by b 5m
        next
        initiate h3 a->b delegation timeout=10m deadline=20s on=retry
        accept h3 by b as L3
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 20s
            3 timeout h1 timeout returned to a: the deadline passed before anybody took it
            4 initiated h2 a->b delegation offered until 40s
            5 deferred h2 b until 40s
            6 timeout h2 timeout returned to a: the deadline passed before anybody took it
            7 initiated h3 a->b delegation offered until 60s
            8 accepted h3 b L3 until 70s deadline 60s
            9 reminded h3 until 62s
            10 timeout h3 timeout returned to a: b did not finish in time
            => a, h1 timed_out, h2 timed_out, h3 timed_out"#]],
    );
}

#[test]
fn past_the_hard_deadline_nothing_climbs() {
    check(
        "
        agent b up=r
        agent r
        open s by a
        initiate h1 a->b delegation timeout=10m deadline=20s on=escalate
        accept h1 by b as L1
        next; next
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 20s
            3 accepted h1 b L1 until 30s deadline 20s
            4 reminded h1 until 22s
            5 timeout h1 timeout returned to a: b did not finish in time
            => a, h1 timed_out"#]],
    );
}

#[test]
fn a_clock_that_goes_backwards_changes_nothing() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=60s
        wait -1h
        accept h1 by b as L1
        tick h1
        return h1 as L1 success
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 60s
            nothing
            4 completed h1 success returned to a
            => a, h1 completed"#]],
    );
}

#[test]
fn an_agent_limit_shortens_the_time() {
    check(
        "
        agent b exec=5s
        open s by a
        initiate h1 a->b delegation timeout=60s
        accept h1 by b as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 30s deadline 5s
            => a, h1 running (b)"#]],
    );
}

#[test]
fn a_sign_of_life_never_shortens_a_lease() {
    check(
        "
        open s by a
        initiate h1 a->b delegation timeout=10m
        accept h1 by b as L1 local
        heartbeat h1 as L1
        ",
        &expect![[r#"
            1 session_opened a
            2 initiated h1 a->b delegation offered until 30s
            3 accepted h1 b L1 until 4200s deadline 600s
            4 heartbeat h1 until 4200s
            => a, h1 running (b)"#]],
    );
}
