//! What reaches a collector: everything of all tenants, once, also where it is slow, refuses or is gone.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{House, asking, begun, collector::Collector, giving, id, one_done, session};
use expect_test::expect;
use handover_core::{
    command::{Caller, Open},
    handoff::ReturnStatus,
    limits::TELEMETRY_TRIES_MAX,
};
use handover_engine::Engine;
use handover_telemetry::{Metrics, Telemetry, TelemetrySettings};
use std::collections::BTreeMap;

const TRACES: &str = "/v1/traces";

fn to(collector: &Collector) -> TelemetrySettings {
    TelemetrySettings {
        endpoint: Some(collector.address.clone()),
        headers: BTreeMap::from([("x-key".to_owned(), "k".to_owned())]),
        ..TelemetrySettings::default()
    }
}

async fn figure(metrics: &Metrics, engine: &Engine, name: &str) -> String {
    let text = metrics.render(engine).await;
    text.lines().filter(|line| line.starts_with(name)).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_sends_all_that_happened_whoever_it_belongs_to() {
    let house = House::new();
    let collector = Collector::answering([]).await;
    let engine = house.open().await;
    let telemetry = Telemetry::start(&engine, &to(&collector)).unwrap();
    one_done(&engine, asking("desk", "anna")).await;
    let other = engine.for_caller(Caller::new("acme", "acme"));
    other.open_session(&session("t"), Open::by("ben").unwrap()).await.unwrap();
    let theirs = other.initiate(&session("t"), asking("ben", "anna")).await.unwrap().handoffs[0];
    let held = other.accept(theirs, &id("anna"), None, None).await.unwrap();
    other.give_back(theirs, held.lease, giving(ReturnStatus::Success), None).await.unwrap();
    telemetry.close().await;
    expect![[r#"
        invoke_agent anna
        handoff desk -> anna
        invoke_agent anna
        handoff ben -> anna"#]]
    .assert_eq(&collector.names().join("\n"));
    let messages = collector.messages(TRACES);
    assert_eq!(messages[0].headers["x-key"], "k");
    assert_eq!(messages[0].headers["content-type"], "application/json");
    let sent = messages[0].body.to_string();
    assert!(sent.contains(r#"{"key":"handover.tenant","value":{"stringValue":"acme"}}"#), "{sent}");
    assert_eq!(collector.messages("/v1/metrics").len(), 1);
    // Nobody but the house sees what belongs to others.
    assert!(Telemetry::start(&other, &to(&collector)).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_go_better_is_sent_again_and_nothing_twice() {
    let house = House::new();
    let collector = Collector::answering([503, 429, 502, 200]).await;
    let engine = house.open().await;
    let telemetry = Telemetry::start(&engine, &to(&collector)).unwrap();
    one_done(&engine, asking("desk", "anna")).await;
    telemetry.caught_up().await;
    collector.came(&house.clock, TRACES, 4).await;
    telemetry.close().await;
    assert_eq!(collector.names().len(), 2);
    assert_eq!(collector.messages(TRACES).len(), 4);
    let sent = figure(telemetry.metrics(), &engine, "handover_telemetry_spans").await;
    assert_eq!(sent, "handover_telemetry_spans_sent_total 2");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_will_not_go_better_is_dropped_and_counted() {
    let tries = TELEMETRY_TRIES_MAX as usize;
    let table: [(Vec<u16>, usize); 3] = [(vec![400], 1), (vec![302], 1), (vec![504; tries], tries)];
    for (answers, messages) in table {
        let house = House::new();
        let collector = Collector::answering(answers.clone()).await;
        let engine = house.open().await;
        let telemetry = Telemetry::start(&engine, &to(&collector)).unwrap();
        one_done(&engine, asking("desk", "anna")).await;
        telemetry.caught_up().await;
        collector.came(&house.clock, TRACES, messages).await;
        one_done(&engine, asking("desk", "ben")).await;
        telemetry.close().await;
        assert_eq!(collector.messages(TRACES).len(), messages + 1, "{answers:?}");
        assert_eq!(collector.names(), ["invoke_agent ben", "handoff desk -> ben"], "{answers:?}");
        let told = figure(telemetry.metrics(), &engine, "handover_telemetry_").await;
        assert!(told.contains(r#"handover_telemetry_spans_dropped_total{why="not_taken"} 2"#), "{told}");
        assert!(told.contains(r#"handover_telemetry_failures_total{signal="traces"} 1"#), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_gone_holds_nobody_up() {
    let house = House::new();
    let engine = house.open().await;
    let settings = TelemetrySettings { endpoint: Some("http://127.0.0.1:1".into()), ..TelemetrySettings::default() };
    let telemetry = Telemetry::start(&engine, &settings).unwrap();
    one_done(&engine, asking("desk", "anna")).await;
    telemetry.close().await;
    let told = figure(telemetry.metrics(), &engine, "handover_telemetry_spans").await;
    assert_eq!(told, r#"handover_telemetry_spans_dropped_total{why="not_taken"} 2"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_began_before_is_completed_from_its_records() {
    let house = House::new();
    let engine = house.open().await;
    let handoff = begun(&engine, asking("desk", "anna")).await;
    let held = engine.accept(handoff, &id("anna"), None, None).await.unwrap();
    engine.close().await.unwrap();

    let collector = Collector::answering([]).await;
    let engine = house.open().await;
    let telemetry = Telemetry::start(&engine, &to(&collector)).unwrap();
    house.clock.advance(std::time::Duration::from_secs(7));
    engine.give_back(handoff, held.lease, giving(ReturnStatus::Success), None).await.unwrap();
    telemetry.close().await;
    assert_eq!(collector.names(), ["invoke_agent anna", "handoff desk -> anna"]);
    let span = &collector.messages(TRACES)[0].body["resourceSpans"][0]["scopeSpans"][0]["spans"][1];
    let nanos = |field: &str| span[field].as_str().unwrap().parse::<i64>().unwrap();
    assert_eq!(nanos("endTimeUnixNano") - nanos("startTimeUnixNano"), 7_000_000_000);
    let took = figure(telemetry.metrics(), &engine, "handover_handoff_duration_seconds_sum").await;
    assert_eq!(took, r#"handover_handoff_duration_seconds_sum{type="delegation",status="completed"} 7"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_sent_again_and_again() {
    let house = House::new();
    let collector = Collector::answering([]).await;
    let engine = house.open().await;
    let telemetry = Telemetry::start(&engine, &to(&collector)).unwrap();
    collector.came(&house.clock, "/v1/metrics", 2).await;
    telemetry.close().await;
}
