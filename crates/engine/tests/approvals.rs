//! A person's yes or no before a handoff is offered, across restarts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, until, workers};
use handover_core::{
    agent::{Profile, Risk},
    command::Caller,
    handoff::{Request, ReturnStatus, Status},
    ids::HandoffId,
    refusal::Code,
};
use handover_engine::{
    Engine,
    agent::{Done, agent},
};

fn asking() -> Request {
    Request { needs_approval: true, ..delegation("planner", "pilot") }
}

async fn waiting(engine: &Engine, request: Request) -> HandoffId {
    let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::AwaitingApproval);
    handoff
}

/// The engine comes back after an end.
async fn again(house: &House, engine: Engine) -> Engine {
    engine.close().await.unwrap();
    house.open().await
}

#[tokio::test]
async fn the_policy_asks_from_a_risk_on() {
    let mut house = House::new();
    house.policy.approval_from_risk = Some(Risk::Medium);
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    for (risk, status) in
        [(Risk::Low, Status::Offered), (Risk::Medium, Status::AwaitingApproval), (Risk::High, Status::AwaitingApproval)]
    {
        let request = delegation("planner", "pilot").risking(risk);
        let handoff = engine.initiate(&session("s"), request).await.unwrap().handoffs[0];
        assert_eq!(engine.handoff(handoff).await.unwrap().status(), status, "{risk:?}");
    }
}

#[tokio::test]
async fn approved_it_is_offered_and_goes_its_way_across_restarts() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = waiting(&engine, asking()).await;
    assert!(engine.inbox(&id("pilot"), 10).await.unwrap().is_empty());
    let early = engine.accept(handoff, &id("pilot"), None, None).await.unwrap_err();
    assert_eq!(early.code(), Code::NotApproved);
    assert_eq!(engine.agent(&id("pilot")).unwrap().load, 0);
    let engine = again(&house, engine).await;
    let own = engine.approve(handoff, "planner", "sure").await.unwrap_err();
    assert_eq!(own.code(), Code::OwnApproval);
    let bound = Caller { name: "key".into(), tenant: "default".into(), acts_as: Some(vec![id("planner")]) };
    let borrowed = engine.for_caller(bound).approve(handoff, "anna", "").await.unwrap_err();
    assert_eq!(borrowed.code(), Code::NotYourAgent);
    engine.approve(handoff, "anna", "go on").await.unwrap();
    let twice = engine.approve(handoff, "anna", "go on").await.unwrap_err();
    assert_eq!(twice.code(), Code::NotAwaitingApproval);
    let engine = again(&house, engine).await;
    let lease = engine.accept(handoff, &id("pilot"), Some(600_000), None).await.unwrap().lease;
    let engine = again(&house, engine).await;
    assert_eq!(engine.agent(&id("pilot")).unwrap().load, 1, "what it works on is still its work");
    engine.give_back(handoff, lease, success("a jet"), None).await.unwrap();
    let seen: Vec<String> = engine.trace(handoff).await.unwrap().into_iter().map(|r| r.event_type).collect();
    assert_eq!(seen, ["initiated", "approval_requested", "approved", "accepted", "completed"]);
    assert_eq!(engine.deny(handoff, "anna", "too late").await.unwrap_err().code(), Code::Closed);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn denied_the_source_is_told_why() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = waiting(&engine, asking()).await;
    engine.deny(handoff, "anna", "too dear").await.unwrap();
    let engine = again(&house, engine).await;
    let result = engine.take_return(&session("s"), handoff, &id("planner"), None).await.unwrap();
    assert_eq!((result.status, result.notes.as_str()), (ReturnStatus::Failed, "denied by anna: too dear"));
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::Cancelled);
}

#[tokio::test]
async fn an_approval_that_nobody_gives_expires_by_the_clock() {
    let mut house = House::new();
    house.policy.approval_ms = 60_000;
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = waiting(&engine, asking()).await;
    house.pass(&engine, 59).await;
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::AwaitingApproval);
    let engine = again(&house, engine).await;
    house.pass(&engine, 1).await;
    let result = engine.returned(handoff).await.unwrap();
    assert_eq!(result.notes, "the approval expired");
    assert_eq!(engine.waiting_returns(&id("planner"), 9).await.unwrap().len(), 1);
    assert_eq!(engine.approve(handoff, "anna", "").await.unwrap_err().code(), Code::Closed);
}

#[tokio::test]
async fn an_agent_of_this_process_begins_only_when_it_is_approved() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    engine.register(Profile::named("pilot").unwrap(), agent(|_| async { Ok(Done::text("a jet")) })).await.unwrap();
    let handoff = waiting(&engine, asking()).await;
    // A later one, which needs nobody's word, overtakes it.
    let plain = engine.delegate(&session("s"), delegation("planner", "pilot")).await.unwrap();
    assert_eq!(plain.status, ReturnStatus::Success);
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::AwaitingApproval);
    engine.approve(handoff, "anna", "").await.unwrap();
    assert_eq!(engine.returned(handoff).await.unwrap().status, ReturnStatus::Success);
    until(|| engine.agent(&id("pilot")).unwrap().load == 0).await;
}
