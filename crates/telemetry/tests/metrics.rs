//! Metrics as a scraper sees them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{House, WORDS, asking, begun, giving, id, one_done, session};
use expect_test::expect;
use handover_core::handoff::{Metrics as Used, ReturnStatus};
use handover_telemetry::{
    Metrics, Telemetry, TelemetrySettings,
    metrics::{Metric, MetricKind},
};
use std::collections::BTreeSet;

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_is_counted() {
    let house = House::new();
    let engine = house.open().await;
    let telemetry = Telemetry::start(&engine, &TelemetrySettings::default()).unwrap();
    one_done(&engine, asking("desk", "anna")).await;
    let second = begun(&engine, asking("desk", "anna")).await;
    house.pass(&engine, 2).await;
    let held = engine.accept(second, &id("anna"), None, None).await.unwrap();
    house.pass(&engine, 4).await;
    let mut failed = giving(ReturnStatus::Failed);
    failed.updates.metrics = Used { tokens: 70, cost: 0.25, ..Used::default() };
    engine.give_back(second, held.lease, failed, None).await.unwrap();
    begun(&engine, asking("desk", "ben")).await;
    let mut third = asking("desk", "ben");
    third.needs_approval = true;
    begun(&engine, third).await;
    engine.initiate(&session("s"), asking("desk", "nobody")).await.unwrap_err();
    engine.drain(&id("ben"), true).await.unwrap();
    telemetry.caught_up().await;
    let metrics = telemetry.metrics();
    metrics.http("GET", "/v1/handoffs/{id}", 200, 0.004);
    let _held = metrics.http_in_flight();
    drop(metrics.sse_listener());
    metrics.rate_limited();
    metrics.denied();
    let text = metrics.render(&engine).await;
    assert!(!text.contains(WORDS), "{text}");
    let shown = |line: &&str| {
        // How many commits share a batch is for the disk to say.
        !line.starts_with("# HELP")
            && !line.contains("_bucket")
            && !line.starts_with("handover_store_")
            && !line.starts_with("handover_feed_position")
    };
    expect![[r##"
        # TYPE handover_handoffs_started_total counter
        handover_handoffs_started_total{type="delegation"} 4
        # TYPE handover_handoffs_total counter
        handover_handoffs_total{type="delegation",status="completed"} 1
        handover_handoffs_total{type="delegation",status="failed"} 1
        # TYPE handover_handoffs_open gauge
        handover_handoffs_open{status="awaiting_approval"} 1
        handover_handoffs_open{status="deferred"} 0
        handover_handoffs_open{status="offered"} 1
        handover_handoffs_open{status="running"} 0
        # TYPE handover_handoff_accept_seconds histogram
        handover_handoff_accept_seconds_sum{type="delegation"} 2
        handover_handoff_accept_seconds_count{type="delegation"} 2
        # TYPE handover_handoff_duration_seconds histogram
        handover_handoff_duration_seconds_sum{type="delegation",status="completed"} 0
        handover_handoff_duration_seconds_count{type="delegation",status="completed"} 1
        handover_handoff_duration_seconds_sum{type="delegation",status="failed"} 6
        handover_handoff_duration_seconds_count{type="delegation",status="failed"} 1
        # TYPE handover_refusals_total counter
        handover_refusals_total{code="HO0202"} 1
        # TYPE handover_approvals_waiting gauge
        handover_approvals_waiting 1
        # TYPE handover_sessions_active gauge
        handover_sessions_active 1
        # TYPE handover_agents gauge
        handover_agents{standing="available"} 2
        handover_agents{standing="draining"} 1
        # TYPE handover_agent_load gauge
        handover_agent_load{agent="anna"} 0
        handover_agent_load{agent="ben"} 0
        handover_agent_load{agent="desk"} 0
        # TYPE handover_agent_queue gauge
        handover_agent_queue{agent="anna"} 0
        handover_agent_queue{agent="ben"} 1
        handover_agent_queue{agent="desk"} 0
        # TYPE handover_agent_tokens_total counter
        handover_agent_tokens_total{agent="anna"} 70
        # TYPE handover_agent_cost_total counter
        handover_agent_cost_total{agent="anna"} 0.25
        # TYPE handover_feed_position gauge
        # TYPE handover_telemetry_lag gauge
        handover_telemetry_lag 0
        # TYPE handover_store_commits_total counter
        # TYPE handover_store_batches_total counter
        # TYPE handover_nodes gauge
        handover_nodes 1
        # TYPE handover_clock_apart_seconds gauge
        handover_clock_apart_seconds 0
        # TYPE handover_store_stopped gauge
        # TYPE handover_http_requests_total counter
        handover_http_requests_total{method="GET",route="/v1/handoffs/{id}",status="200"} 1
        # TYPE handover_http_request_duration_seconds histogram
        handover_http_request_duration_seconds_sum{method="GET",route="/v1/handoffs/{id}"} 0.004
        handover_http_request_duration_seconds_count{method="GET",route="/v1/handoffs/{id}"} 1
        # TYPE handover_http_requests_in_flight gauge
        handover_http_requests_in_flight 1
        # TYPE handover_sse_listeners gauge
        handover_sse_listeners 0
        # TYPE handover_rate_limited_total counter
        handover_rate_limited_total 1
        # TYPE handover_denied_total counter
        handover_denied_total 1
    "##]]
    .assert_eq(&text.lines().filter(shown).map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn labels_are_escaped_and_buckets_add_up() {
    let metrics = Metrics::default();
    metrics.registry().count(Metric::Refusals, &["a\"b\\c\nd"]);
    for seconds in [0.001, 0.3, 90_000.0] {
        metrics.registry().observe(Metric::HttpSeconds, &["GET", "/"], seconds);
    }
    expect![[r##"
        # HELP handover_refusals_total Commands that were refused, by code. One that is wrong in several ways counts for each.
        # TYPE handover_refusals_total counter
        handover_refusals_total{code="a\"b\\c\nd"} 1
        # HELP handover_http_request_duration_seconds Time from a request to the end of its answer.
        # TYPE handover_http_request_duration_seconds histogram
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.005"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.01"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.025"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.05"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.1"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.25"} 1
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="0.5"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="1"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="2.5"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="5"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="10"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="60"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="300"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="3600"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="21600"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="86400"} 2
        handover_http_request_duration_seconds_bucket{method="GET",route="/",le="+Inf"} 3
        handover_http_request_duration_seconds_sum{method="GET",route="/"} 90000.301
        handover_http_request_duration_seconds_count{method="GET",route="/"} 3
    "##]].assert_eq(&handover_telemetry::metrics::text(&metrics.registry().snapshot()));
}

#[test]
fn names_are_as_prometheus_wants_them() {
    let mut names = BTreeSet::new();
    for metric in Metric::ALL {
        let name = metric.name();
        assert!(names.insert(name), "{name} is there twice");
        assert!(name.starts_with("handover_") && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
        assert_eq!(name.ends_with("_total"), metric.kind() == MetricKind::Counter, "{name}");
        assert_eq!(name.ends_with("_seconds"), metric.unit() == "s", "{name}");
        assert!(metric.help().ends_with('.') && !metric.help().contains('\n'), "{name}");
    }
}
