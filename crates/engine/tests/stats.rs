//! Statistics: what is counted, for whom, and by which filter.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, tenant, workers};
use handover_core::{
    budget::{Price, Usage},
    command::{Giving, Open},
    handoff::{Request, ReturnStatus},
    ids::HandoffId,
    limits::STATS_PATHS_SHOWN,
    policy::{Mode, SessionLimits},
    refusal::Code,
};
use handover_engine::{Engine, Latency, PathCount, Start, StatsQuery, StatsReport};
use serde_json::json;
use std::time::Duration;

async fn open(engine: &Engine, name: &str, by: &str) {
    engine.open_session(&session(name), Open::by(by).unwrap()).await.unwrap();
}

async fn hand(engine: &Engine, name: &str, from: &str, to: &str) -> HandoffId {
    engine.initiate(&session(name), delegation(from, to)).await.unwrap().handoffs[0]
}

/// One that takes so long, and ends so.
async fn ended(house: &House, engine: &Engine, (from, to): (&str, &str), ms: u64, status: ReturnStatus) {
    let handoff = hand(engine, "s", from, to).await;
    let lease = engine.accept(handoff, &id(to), None, None).await.unwrap().lease;
    house.clock.advance(Duration::from_millis(ms));
    engine.give_back(handoff, lease, Giving { status, ..success("done") }, None).await.unwrap();
}

async fn all(engine: &Engine) -> StatsReport {
    engine.stats_of(StatsQuery::default()).await.unwrap()
}

fn ways(found: &[PathCount]) -> Vec<String> {
    found.iter().map(|way| format!("{} {}", way.agents.join(">"), way.count)).collect()
}

#[tokio::test]
async fn an_agent_has_its_share_its_rate_and_its_times() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    for ms in 1..=20 {
        ended(&house, &engine, ("planner", "pilot"), ms * 100, ReturnStatus::Success).await;
    }
    ended(&house, &engine, ("planner", "crew"), 5, ReturnStatus::Failed).await;
    ended(&house, &engine, ("planner", "crew"), 7, ReturnStatus::Success).await;
    hand(&engine, "s", "planner", "crew").await;
    // Taken back: not the doing of whoever had it.
    let back = hand(&engine, "s", "planner", "crew").await;
    engine.cancel(back, &id("planner"), "no more").await.unwrap();

    let report = all(&engine).await;
    assert_eq!((report.total_handoffs, report.pending_handoffs, report.looked_at, report.cut), (24, 1, 24, false));
    assert_eq!((report.sessions, report.records.is_some()), (1, true));
    let [crew, pilot, planner] = ["crew", "pilot", "planner"].map(|name| report.handoffs_by_agent[name].clone());
    assert_eq!((planner.sent, planner.received, planner.success_rate, planner.latency), (24, 0, None, None));
    assert_eq!((pilot.received, pilot.ended, pilot.succeeded, pilot.success_rate), (20, 20, 20, Some(1.0)));
    assert_eq!(pilot.latency, Some(Latency { mean_ms: 1_050, p50_ms: 1_000, p95_ms: 1_900 }));
    assert_eq!((crew.received, crew.pending, crew.ended, crew.success_rate), (4, 1, 2, Some(0.5)));
    assert_eq!(crew.latency, Some(Latency { mean_ms: 6, p50_ms: 5, p95_ms: 7 }));
    let nobody = tenant(&engine, "other").stats_of(StatsQuery::default()).await.unwrap();
    assert_eq!((nobody.total_handoffs, nobody.sessions, nobody.handoffs_by_agent.len()), (0, 0, 0));
}

#[tokio::test]
async fn tokens_money_and_breakers_are_told() {
    let mut house = House::new();
    house.policy.breaker.failures = 1;
    house.policy.budgets.prices.insert("m".into(), Price { input: 200.0, output: 250.0 });
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "crew"]).await;
    let handoff = hand(&engine, "s", "planner", "pilot").await;
    let lease = engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
    let mut giving = success("done");
    giving.updates.usage = vec![Usage { model: "m".into(), input_tokens: 1_000, output_tokens: 200 }];
    engine.give_back(handoff, lease, giving, None).await.unwrap();
    ended(&house, &engine, ("planner", "crew"), 5, ReturnStatus::Failed).await;
    let report = all(&engine).await;
    let pilot = &report.handoffs_by_agent["pilot"];
    assert_eq!((pilot.tokens, pilot.cost, pilot.breaker.is_none()), (1_200, 0.25, true));
    let breaker = report.handoffs_by_agent["crew"].breaker.clone().unwrap();
    assert_eq!((breaker.failures, breaker.open_until.is_some()), (1, true));
}

#[tokio::test]
async fn the_ways_of_the_work_are_counted() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["a", "b", "c", "d"]).await;
    for name in ["one", "two", "three"] {
        open(&engine, name, "a").await;
        let mut way = vec!["a", "b", "c"];
        way.extend((name == "three").then_some("d"));
        for pair in way.windows(2) {
            let mut request = Request::sequential(pair[0], pair[1], "go on").unwrap();
            request.completes_segment = true;
            let handoff = engine.initiate(&session(name), request).await.unwrap().handoffs[0];
            let lease = engine.accept(handoff, &id(pair[1]), None, None).await.unwrap().lease;
            engine.give_back(handoff, lease, success("done"), None).await.unwrap();
        }
    }
    let report = all(&engine).await;
    assert_eq!(ways(&report.pairs), ["a>b 3", "b>c 3", "c>d 1"]);
    assert_eq!(ways(&report.paths), ["a>b>c 3", "a>b>c>d 1"]);
    assert!(report.pairs.len() <= STATS_PATHS_SHOWN);
    let one = StatsQuery { session: Some(session("one")), ..StatsQuery::default() };
    let report = engine.stats_of(one).await.unwrap();
    assert_eq!((report.total_handoffs, report.sessions, report.records), (2, 1, None));
    assert_eq!(ways(&report.paths), ["a>b>c 1"]);
}

#[tokio::test]
async fn filters_count_what_fits() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    hand(&engine, "s", "planner", "pilot").await;
    house.clock.advance(Duration::from_secs(3_600));
    let since = engine.now();
    open(&engine, "later", "planner").await;
    hand(&engine, "later", "planner", "pilot").await;
    let count = |query| async { engine.stats_of(query).await.unwrap().total_handoffs };
    let base = StatsQuery::default();
    assert_eq!(count(base.clone()).await, 2);
    assert_eq!(count(StatsQuery { since: Some(since), ..base.clone() }).await, 1);
    assert_eq!(count(StatsQuery { since: Some(since + 1), ..base.clone() }).await, 0);
    assert_eq!(count(StatsQuery { since: Some(since + 86_400_000), ..base.clone() }).await, 0);
    assert_eq!(count(StatsQuery { session: Some(session("later")), ..base.clone() }).await, 1);
    assert_eq!(count(StatsQuery { workflow: Some("other".into()), ..base.clone() }).await, 0);
    let query = StatsQuery { session: Some(session("nowhere")), ..base };
    assert_eq!(engine.stats_of(query.clone()).await.unwrap_err().code(), Code::UnknownSession);
    let query = StatsQuery { session: Some(session("s")), ..query };
    assert!(tenant(&engine, "other").stats_of(query).await.is_err());
}

#[tokio::test]
async fn what_people_said_is_counted() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        let mut request = delegation("planner", "pilot");
        request.needs_approval = true;
        asked.push(engine.initiate(&session("s"), request).await.unwrap().handoffs[0]);
    }
    engine.approve(asked[0], "ann", "").await.unwrap();
    engine.approve(asked[1], "ann", "").await.unwrap();
    engine.deny(asked[2], "ann", "too dear").await.unwrap();
    engine.cancel(asked[3], &id("planner"), "no more").await.unwrap();
    hand(&engine, "s", "planner", "pilot").await;
    let said = all(&engine).await.approvals;
    assert_eq!((said.asked, said.granted, said.denied, said.waiting, said.void), (5, 2, 1, 1, 1));
}

#[tokio::test]
async fn a_workflow_that_a_limit_stopped_is_counted() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["a", "b", "c"]).await;
    let flow = json!({
        "name": "w", "agents": {"b": {}, "c": {}}, "start": "LOOKING",
        "states": {"LOOKING": {"agent": "b"}, "FETCHING": {"agent": "c"}, "DONE": {"end": "completed"}},
        "rules": [
            {"id": "1", "from": "b", "to": "c", "reason": "go", "next_state": "FETCHING"},
            {"id": "2", "from": "c", "reason": "there it is", "next_state": "DONE"}
        ],
        "limits": {"handoffs": 1}
    });
    engine.define(serde_json::from_value(flow).unwrap()).await.unwrap();
    engine.start(&session("stopped"), Start::of("w", id("a"))).await.unwrap();
    let step = engine.inbox(&id("b"), 1).await.unwrap()[0].id;
    let lease = engine.accept(step, &id("b"), None, None).await.unwrap().lease;
    engine.give_back(step, lease, success("done"), None).await.unwrap();
    for workflow in [None, Some("w".to_owned())] {
        let report = engine.stats_of(StatsQuery { workflow, ..StatsQuery::default() }).await.unwrap();
        assert_eq!(report.stopped, [(Code::TooManyHandoffs.text().to_owned(), 1)].into());
    }
}

#[tokio::test]
async fn what_a_guard_stopped_is_counted_where_it_is_on_record() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let limits = SessionLimits { handoffs: Some(1), ..SessionLimits::default() };
    for (name, mode) in [("falls", Some(Mode::Fallback)), ("refuses", None)] {
        let open = Open { limits, mode, ..Open::by("planner").unwrap() };
        engine.open_session(&session(name), open).await.unwrap();
        hand(&engine, name, "planner", "pilot").await;
        // The one goes on alone, and that is recorded. The other is refused, and nothing has happened.
        let answered = engine.initiate(&session(name), delegation("planner", "pilot")).await;
        assert_eq!(answered.is_ok(), mode.is_some());
    }
    let report = all(&engine).await;
    let codes: Vec<(&str, u64)> = report.stopped.iter().map(|(code, n)| (code.as_str(), *n)).collect();
    assert_eq!(codes, [(Code::TooManyHandoffs.text(), 1)]);
}
