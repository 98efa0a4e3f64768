//! The pulse of messages that are made up.

use super::*;
use handover_core::{
    budget::Amount,
    event::{Asking, RerouteReason, StateChange},
    handoff::{Metrics, Outcome, Return, ReturnStatus, Status},
    ids::{HandoffId, LeaseId, SessionId},
    limits::{PULSE_DECIDED_MAX, PULSE_MINUTES},
    refusal::Code,
};
use handover_engine::BusContext;
use uuid::Uuid;

fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

fn message(at: i64, payload: Event) -> BusMessage {
    BusMessage {
        id: String::new(),
        position: 1,
        kind: payload.bus_type(),
        source_agent: Some(agent("ann")),
        target_agent: Some(agent("bob")),
        timestamp: Timestamp(at),
        payload,
        context: BusContext { request_id: None, session_id: SessionId::new("s").unwrap(), tenant: "default".into() },
    }
}

fn closed(status: Status, ms: u64, tokens: u64) -> Event {
    let result = Return {
        handoff_id: HandoffId(Uuid::nil()),
        from_agent: agent("bob"),
        to_agent: agent("ann"),
        status: ReturnStatus::Success,
        result: Outcome::default(),
        context_updates: Default::default(),
        completion_time: Timestamp(0),
        metrics: Metrics { duration_ms: ms, ..Metrics::default() },
        notes: String::new(),
        signal: None,
    };
    let used = Some(Amount { tokens, micros: 10, ms: 0 });
    let id = HandoffId(Uuid::nil());
    Event::Closed { id, status, result: result.into(), returned_to: None, successor: None, released: vec![], used }
}

fn changed(rule: Option<&str>, trouble: &str) -> Event {
    let change = StateChange { rule: rule.map(str::to_owned), trouble: trouble.to_owned(), ..StateChange::default() };
    Event::StateChanged(Box::new(change))
}

const MINUTE: i64 = 60_000;

#[test]
fn ends_are_counted_in_their_minute_for_the_pair_and_for_the_agent() {
    let mut tenant = Tenant::default();
    for (at, status, ms) in [
        (10 * MINUTE, Status::Completed, 100),
        (11 * MINUTE, Status::Completed, 100),
        (11 * MINUTE, Status::TimedOut, 4_000),
        (11 * MINUTE, Status::Cancelled, 100),
    ] {
        tenant.note(&message(at, closed(status, ms, 5)));
    }
    let window = tenant.window(Timestamp(11 * MINUTE + 1), 60);
    assert_eq!((window.columns.len(), window.step), (60, 1));
    let counts = |figures: &Figures| (figures.completed, figures.failed, figures.other, figures.tokens);
    assert_eq!(counts(&window.total), (2, 1, 1, 20));
    assert_eq!(counts(&window.columns[59].1), (1, 1, 1, 15));
    assert_eq!(counts(&window.columns[58].1), (1, 0, 0, 5));
    assert_eq!(window.columns[59].0, Timestamp(11 * MINUTE));
    let pair = tenant.pairs.get(&(agent("ann"), agent("bob")), Timestamp(11 * MINUTE));
    assert_eq!((pair.completed, pair.success(), pair.mean_ms()), (2, Some(2.0 / 3.0), Some(1_075)));
    assert_eq!(counts(&tenant.agents.get(&agent("bob"), Timestamp(11 * MINUTE))), (2, 1, 1, 20));
}

#[test]
fn what_a_question_used_is_counted_and_what_moves_begins_where_it_ends() {
    let (mut tenant, id) = (Tenant::default(), HandoffId(Uuid::nil()));
    let pair = |to: &str| (agent("ann"), agent(to));
    tenant.pairs.note(&pair("bob"), Timestamp(0), |figures| figures.opened = 2);
    tenant.agents.note(&agent("bob"), Timestamp(0), |figures| figures.opened = 2);
    let (from, to, why) = (agent("bob"), agent("carl"), RerouteReason::ByHand);
    let (reservation, routing, by_hand) = (None, None, None);
    let moved = Event::Rerouted {
        id,
        from,
        to,
        why,
        to_human: false,
        reservation,
        probe: false,
        routing,
        by_hand,
        until: Timestamp(9),
    };
    tenant.note(&message(1, moved));
    for (name, opened) in [("bob", 1), ("carl", 1)] {
        assert_eq!(
            (tenant.pairs.get(&pair(name), Timestamp(1)).opened, tenant.agents.get(&agent(name), Timestamp(1)).opened),
            (opened, opened),
            "{name}"
        );
    }
    let used = Some(Amount { tokens: 7, micros: 3, ms: 0 });
    let asking = Asking { id, lease: LeaseId(Uuid::nil()), question: "which?".into(), until: Timestamp(9), used };
    tenant.note(&message(2, Event::Asked(asking)));
    let bob = tenant.agents.get(&agent("bob"), Timestamp(3));
    assert_eq!((bob.tokens, bob.micros, tenant.window(Timestamp(3), 60).total.tokens), (7, 3, 7));
}

#[test]
fn the_latest_decisions_are_kept_and_no_more() {
    let mut tenant = Tenant::default();
    for position in 0..PULSE_DECIDED_MAX as u64 + 5 {
        tenant.decided(Decided {
            position,
            at: Timestamp(0),
            granted: true,
            by: "ann".into(),
            caller: "ann".into(),
            comment: String::new(),
            handoff: HandoffId(Uuid::nil()),
            session: SessionId::new("s").unwrap(),
            between: None,
        });
    }
    let kept: Vec<u64> = tenant.decisions().map(|one| one.position).collect();
    assert_eq!((kept.len(), kept[0]), (PULSE_DECIDED_MAX, PULSE_DECIDED_MAX as u64 + 4));
}

#[test]
fn what_is_old_leaves_the_window_and_then_the_memory() {
    let mut tenant = Tenant::default();
    tenant.note(&message(0, closed(Status::Completed, 1, 1)));
    assert_eq!(tenant.window(Timestamp(59 * MINUTE), 60).total.completed, 1);
    assert_eq!(tenant.window(Timestamp(60 * MINUTE), 60).total.completed, 0);
    assert_eq!(tenant.window(Timestamp(60 * MINUTE), 360).total.completed, 1);
    let day = tenant.window(Timestamp(60 * MINUTE), PULSE_MINUTES);
    assert_eq!((day.columns.len(), day.step, day.total.completed), (60, 24, 1));
    for minute in 1..=i64::try_from(PULSE_MINUTES).unwrap() * 2 {
        tenant.note(&message(minute * MINUTE, closed(Status::Completed, 1, 1)));
    }
    let kept = tenant.window(Timestamp(i64::try_from(PULSE_MINUTES).unwrap() * 2 * MINUTE), PULSE_MINUTES * 4);
    assert!(kept.total.completed <= u64::try_from(PULSE_MINUTES).unwrap() + 1, "{}", kept.total.completed);
}

#[test]
fn rules_are_counted_by_their_workflow_and_stops_are_remembered() {
    let mut tenant = Tenant::default();
    let fired = message(0, changed(Some("1"), ""));
    assert_eq!(tenant.lacks(&fired), Some(SessionId::new("s").unwrap()));
    tenant.follows(&SessionId::new("s").unwrap(), "w");
    assert_eq!(tenant.lacks(&fired), None);
    tenant.note(&fired);
    tenant.note(&message(1, changed(None, "HO0705 the work goes in a circle")));
    assert_eq!(tenant.rules.get(&("w".to_owned(), "1".to_owned()), Timestamp(0)), 1);
    assert_eq!(tenant.guarded.get(&Code::Circle, Timestamp(0)), 1);
    // A session that stops again is there once, with what is the matter now.
    tenant.note(&message(2, changed(None, "HO0705 again")));
    let stops: Vec<String> = tenant.stops().into_iter().map(|stop| stop.why).collect();
    assert_eq!(stops, ["HO0705 again"]);
}

#[test]
fn tenants_have_a_bound() {
    let mut counted = Counted::default();
    for number in 0..PULSE_TENANTS_MAX + 5 {
        let mut one = message(0, closed(Status::Completed, 1, 1));
        one.context.tenant = format!("t{number}");
        counted.note(&one);
    }
    assert_eq!(counted.tenants.len(), PULSE_TENANTS_MAX);
}
