//! A commit that the store refuses counts for nothing, and a process that dies between two commits loses a note at most.
//! Alone in its binary: the places where the store fails are the process's.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, workers};
use handover_core::{
    budget::{Budget, Limit},
    command::{Giving, Open},
    event::Event,
    guard::breaker::BreakerState,
    handoff::{Request, ReturnStatus},
    ids::{HandoffId, LeaseId},
    refusal::Code,
};
use handover_engine::Engine;
use handover_store::failpoint::{Mode, arm};

fn failure() -> Giving {
    Giving { status: ReturnStatus::Failed, ..success("") }
}

fn house() -> House {
    let mut house = House::new();
    house.policy.breaker.failures = 1;
    house.policy.budgets.tenant = Some(Limit { tokens: Some(100), ..Limit::default() });
    house
}

fn wants(tokens: u64, to: &str) -> Request {
    let mut request = delegation("planner", to);
    request.candidates = vec![id("pilot"), id("copilot")];
    request.budget(Budget { tokens: Some(tokens), ..Budget::default() })
}

async fn taken(engine: &Engine, tokens: u64) -> (HandoffId, LeaseId) {
    let handoff = engine.initiate(&session("s"), wants(tokens, "pilot")).await.unwrap().handoffs[0];
    (handoff, engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease)
}

/// A refused commit leaves the ledger in memory as it was: nothing is set aside, used, or counted as a failure.
async fn what_is_not_written_does_not_count() {
    let house = house();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "copilot"]).await;
    arm("commit.enter", 1, Mode::Error);
    let error = engine.initiate(&session("s"), wants(60, "pilot")).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreFailed, "{error}");
    let (handoff, lease) = taken(&engine, 60).await;
    arm("commit.enter", 1, Mode::Error);
    let mut giving = failure();
    giving.updates.metrics.tokens = 50;
    engine.give_back(handoff, lease, giving.clone(), None).await.unwrap_err();
    assert_eq!(engine.breakers(), vec![], "the failure was not written");
    let error = engine.initiate(&session("s"), wants(41, "copilot")).await.unwrap_err();
    assert!(error.to_string().contains("40 are left"), "what was set aside still is: {error}");
    engine.give_back(handoff, lease, giving, None).await.unwrap();
    assert_eq!(engine.breaker(&id("pilot")).unwrap().failures, 1);
    let error = engine.initiate(&session("s"), wants(51, "copilot")).await.unwrap_err();
    assert!(error.to_string().contains("50 are left"), "it was charged once: {error}");
    engine.verify().await.unwrap();
    engine.close().await.unwrap();
}

/// The breaker is committed with the session. What is lost is the note in the book of the house; what waits is looked
/// at again after the start.
async fn a_breaker_is_open_after_a_death_before_it_was_noted() {
    let house = house();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "copilot"]).await;
    let waiting = engine.initiate(&session("s"), wants(10, "pilot")).await.unwrap().handoffs[0];
    let (handoff, lease) = taken(&engine, 10).await;
    arm("commit.enter", 2, Mode::Error);
    engine.give_back(handoff, lease, failure(), None).await.unwrap();
    drop(engine); // Neither closed nor asked: as if it had been killed.

    let engine = house.open().await;
    assert_eq!(engine.breaker(&id("pilot")).unwrap().state, BreakerState::Open);
    let noted = common::book(&engine).await;
    assert!(!noted.iter().any(|record| matches!(record.event, Event::BreakerMoved { .. })), "the note is lost");
    engine.run_due().await.unwrap();
    assert_eq!(engine.handoff(waiting).await.unwrap().to_agent, id("copilot"));
    engine.open_session(&session("t"), Open::by("planner").unwrap()).await.unwrap();
    let error = engine.initiate(&session("t"), delegation("planner", "pilot")).await.unwrap_err();
    assert_eq!(error.code(), Code::BreakerOpen, "{error}");
    engine.verify().await.unwrap();
    engine.close().await.unwrap();
}

#[tokio::test]
async fn what_is_torn_counts_as_far_as_it_was_written() {
    what_is_not_written_does_not_count().await;
    a_breaker_is_open_after_a_death_before_it_was_noted().await;
}
