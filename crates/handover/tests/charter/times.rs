//! Times of the workflow on a clock moved by hand: retries after 2, 4 and 8 seconds, and a day for quotes.

use crate::{
    Place,
    house::{House, clock},
};
use serde_json::{Value, json};

/// A service, the rule of its failure and the rule of its retry.
const SERVICES: [(&str, &str, &str, &str); 3] = [
    ("register", "client_register", "2.2", "6.1"),
    ("market", "charter_market", "3.2", "6.2"),
    ("mail", "mail", "5.1", "6.3"),
];
const DAY_MS: u64 = 24 * 3_600 * 1_000;
/// Whoever is late is reminded, and has this long.
const GRACE_MS: u64 = handover::core::limits::REMINDER_GRACE_MS_MAX;

fn is(kind: &'static str) -> impl Fn(&Value) -> bool {
    move |event| event["kind"] == kind
}

/// Goes through the three retries of a service; each comes at its time and not before.
async fn retry_three_times(house: &mut House, (name, service, failure, retry): (&str, &str, &str, &str)) {
    for (n, wait) in [2_000, 4_000, 8_000].into_iter().enumerate() {
        house.until("the retry", |event| event["kind"] == "state_changed" && event["rule"] == retry).await;
        let hop = house.story.hops.last().unwrap();
        assert_eq!(hop.waits_ms, wait, "retry {} of {name}", n + 1);
        assert_eq!((&hop.payload["retry_count"], &hop.payload["service"]), (&json!(n + 1), &json!(service)), "{name}");
        let failed = house.story.hops.iter().rfind(|hop| hop.rule == failure).unwrap();
        assert_eq!(failed.payload["retry_count"], n, "{name}");
        house.pass(u64::try_from(wait).unwrap() - 1).await;
        assert!(house.is_waiting().await, "retry {} of {name} came too early", n + 1);
        house.pass(1).await;
        assert!(!house.is_waiting().await, "retry {} of {name} did not come", n + 1);
    }
}

#[tokio::test]
async fn three_retries_with_backoff_and_then_it_fails() {
    for service in SERVICES {
        let (name, _, failure, retry) = service;
        let place = Place::new();
        let mut house = House::open(&place, &clock(), json!({ name: {"fail_first": 4} })).await;
        retry_three_times(&mut house, service).await;
        house.until("the end", is("session_ended")).await;
        let rules = house.story.rules();
        let expected = [failure, retry, failure, retry, failure, retry, failure, "6.end"];
        assert_eq!(rules[rules.len() - 8..], expected, "{name}");
        let last = house.story.hops.last().unwrap();
        assert_eq!((&*last.states.1, &*last.ended), ("FAILED", "failed"), "{name}");
        house.close().await;
    }
}

#[tokio::test]
async fn the_third_retry_may_succeed() {
    for service in SERVICES {
        let place = Place::new();
        let mut house = House::open(&place, &clock(), json!({ service.0: {"fail_first": 3} })).await;
        retry_three_times(&mut house, service).await;
        house.until("the end", is("session_ended")).await;
        let last = house.story.hops.last().unwrap();
        assert_eq!((&*last.rule, &*last.states.1, &*last.ended), ("5.done", "COMPLETED", "completed"), "{}", service.0);
        assert_eq!(std::fs::read_dir(place.at("charter-run/outbox")).unwrap().count(), 1, "{}", service.0);
        house.close().await;
    }
}

/// Each service has retries of its own: what one has used up, another has not.
#[tokio::test]
async fn each_service_has_its_own_three_retries() {
    let place = Place::new();
    let three = json!({"fail_first": 3});
    let faults = json!({"register": three, "market": three, "mail": three});
    let mut house = House::open(&place, &clock(), faults).await;
    for service in SERVICES {
        retry_three_times(&mut house, service).await;
    }
    house.until("the end", is("session_ended")).await;
    assert_eq!(house.state().await, "COMPLETED");
    house.close().await;
}

fn check_late(house: &House) {
    let late = house.story.by("3.2-late");
    assert_eq!((&*late.from, &*late.to, &*late.priority), ("flight_search", "error_monitor", "high"));
    assert_eq!(late.states, ("AWAITING_QUOTES".into(), "SEARCHING_FLIGHTS".into()));
    assert_eq!((&*late.signal, &*late.task), ("AWAITING_QUOTES_TIMEOUT", "handle_error"));
    assert_eq!((&late.payload["error_type"], &late.payload["retryable"]), (&json!("quote_timeout"), &json!(false)));
    assert!(late.payload["error_message"].is_string() && late.payload["rfp_data"].is_object(), "{}", late.payload);
    assert_eq!(house.story.rules().last(), Some(&"6.end"));
    assert_eq!(house.story.hops.last().unwrap().ended, "failed");
}

#[tokio::test]
async fn quotes_are_awaited_for_a_day() {
    for quotes in [json!("none"), json!({"few": 2})] {
        let place = Place::new();
        let mut house = House::open(&place, &clock(), json!({ "quotes": quotes })).await;
        house.until("the wait", |event| event["kind"] == "state_moved" && event["to"] == "AWAITING_QUOTES").await;
        house.pass(DAY_MS - 1).await;
        assert!(!house.is_reminded().await, "a day is a day");
        house.pass(1).await;
        assert!(house.is_reminded().await, "the day is over");
        house.pass(GRACE_MS).await;
        house.until("the end", is("session_ended")).await;
        check_late(&house);
        house.close().await;
    }
}

/// The day goes on while no process runs: whoever comes after it ends the wait, and does not begin another.
#[tokio::test]
async fn a_day_is_not_longer_for_a_restart() {
    let (place, clock) = (Place::new(), clock());
    let mut house = House::open(&place, &clock, json!({"quotes": "none"})).await;
    house.until("the wait", |event| event["kind"] == "state_moved").await;
    house.pass(DAY_MS / 2).await;
    house.close().await;
    let mut house = House::open(&place, &clock, json!({"quotes": "none"})).await;
    house.until("the work to go on", is("accepted")).await;
    let left = house.left_ms(DAY_MS).await;
    assert!(left < DAY_MS / 2, "half of the day is over");
    house.pass(left - 1).await;
    assert!(!house.is_reminded().await, "a day is a day");
    house.pass(1).await;
    assert!(house.is_reminded().await, "the day is over");
    house.pass(GRACE_MS).await;
    house.until("the end", is("session_ended")).await;
    check_late(&house);
    house.close().await;
}
