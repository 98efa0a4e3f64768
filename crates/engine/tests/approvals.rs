//! A person's yes or no before a handoff is offered, across restarts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, tenant, until, workers};
use handover_core::{
    agent::{Profile, Risk},
    command::{Caller, Open},
    event::Event,
    handoff::{Edit, Priority, Request, ReturnStatus, Status},
    ids::HandoffId,
    policy::{ApprovalRule, Approver, OnExpiry, When},
    refusal::Code,
};
use handover_engine::{
    Engine,
    agent::{Done, agent},
};
use serde_json::json;
use std::time::Duration;

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
    let bound = Caller::new("key", "default").acting_as([id("planner")]);
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

/// A rule for what goes to the pilot: these people, an hour each.
fn rule(name: &str, when: When, approvers: &[&str]) -> ApprovalRule {
    let approver = |who: &&str| Approver { who: (*who).to_owned(), within_ms: Some(3_600_000) };
    ApprovalRule {
        name: name.to_owned(),
        when,
        approvers: approvers.iter().map(approver).collect(),
        on_expiry: OnExpiry::Deny,
    }
}

fn to_pilot() -> When {
    When { to: vec![id("pilot")], ..When::default() }
}

/// Numbers that are hard to read back: the digest must be the same after every restart.
fn dear() -> Request {
    let mut request = delegation("planner", "pilot");
    request.task.payload =
        json!({"sum": 0.1 + 0.2, "tiny": 5e-324, "large": 1.797_693_134_862_315_7e308, "n": u64::MAX});
    request
}

#[tokio::test]
async fn one_after_the_other_is_asked_across_restarts() {
    let mut house = House::new();
    house.policy.approvals = vec![rule("flights", to_pilot(), &["ann", "bob"])];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let handoff = waiting(&engine, dear()).await;
    house.pass(&engine, 3_599).await;
    let engine = again(&house, engine).await;
    assert_eq!(engine.approve(handoff, "bob", "").await.unwrap_err().code(), Code::NotApprover);
    house.pass(&engine, 1).await;
    let engine = again(&house, engine).await;
    let pending = engine.approvals(Some("bob")).await.unwrap().remove(0);
    assert_eq!((pending.rule.as_str(), pending.approver.as_deref()), ("flights", Some("bob")));
    assert_eq!((pending.deciders.len(), pending.until), (2, common::START + 7_200_000));
    engine.approve_exactly(handoff, "ann", "late but sure", pending.digest).await.unwrap();
    let engine = again(&house, engine).await;
    let approval = engine.handoff(handoff).await.unwrap().approval.unwrap();
    assert_eq!((approval.approved_by.as_deref(), approval.digest), (Some("ann"), pending.digest));
    engine.accept(handoff, &id("pilot"), None, None).await.unwrap();
    let seen: Vec<String> = engine.trace(handoff).await.unwrap().into_iter().map(|r| r.event_type).collect();
    assert_eq!(seen, ["initiated", "approval_requested", "approval_requested", "approved", "accepted"]);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_change_voids_what_was_seen_across_restarts() {
    let mut house = House::new();
    house.policy.approvals = vec![rule("flights", to_pilot(), &["ann"])];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let handoff = waiting(&engine, dear()).await;
    let seen = engine.approvals(None).await.unwrap().remove(0).digest;
    let edit = Edit { description: Some("find two jets".into()), ..Edit::default() };
    engine.amend(handoff, "planner", edit).await.unwrap();
    let engine = again(&house, engine).await;
    let changed = engine.approve_exactly(handoff, "ann", "", seen).await.unwrap_err();
    assert_eq!(changed.code(), Code::ApprovalChanged);
    assert_eq!(engine.deny_exactly(handoff, "ann", "", seen).await.unwrap_err().code(), Code::ApprovalChanged);
    let edit = Edit { description: Some("find three jets".into()), ..Edit::default() };
    let unseen = engine.amend_exactly(handoff, "ann", edit, seen).await.unwrap_err();
    assert_eq!(unseen.code(), Code::ApprovalChanged);
    let pending = engine.approvals(None).await.unwrap().remove(0);
    assert_eq!(changed.refusals[0].details["digest"], json!(pending.digest));
    assert_eq!(pending.handoff.request.task.description, "find two jets");
    // Another change with the approval: of the target, and of the place in the queue.
    let to = Some(id("clerk"));
    let edit = Edit { to_agent: to, priority: Some(Priority::Urgent), ..Edit::default() };
    engine.approve_edited(handoff, "ann", "to the clerk", Some(pending.digest), edit).await.unwrap();
    let engine = again(&house, engine).await;
    assert!(engine.inbox(&id("pilot"), 9).await.unwrap().is_empty());
    let offered = engine.inbox(&id("clerk"), 9).await.unwrap().remove(0);
    assert_eq!(offered.request.task.description, "find two jets");
    assert_eq!(offered.request.task.priority, Priority::Urgent);
    assert!(engine.approvals(None).await.unwrap().is_empty());
    let lease = engine.accept(handoff, &id("clerk"), None, None).await.unwrap().lease;
    engine.give_back(handoff, lease, success("two jets"), None).await.unwrap();
    let engine = again(&house, engine).await;
    assert_eq!(engine.handoff(handoff).await.unwrap().request.task.description, "find two jets");
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_rule_that_changed_while_nobody_looked_is_asked_again() {
    let mut house = House::new();
    house.policy.approvals = vec![rule("flights", to_pilot(), &["ann"])];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = waiting(&engine, dear()).await;
    house.policy.approvals[0].approvers[0].who = "bob".into();
    let engine = again(&house, engine).await;
    assert!(engine.approvals(Some("ann")).await.unwrap().is_empty());
    assert_eq!(engine.approve(handoff, "ann", "").await.unwrap_err().code(), Code::NotApprover);
    assert_eq!(engine.approve(handoff, "bob", "").await.unwrap_err().code(), Code::ApprovalChanged);
    let pending = engine.approvals(Some("bob")).await.unwrap().remove(0);
    engine.approve_exactly(handoff, "bob", "", pending.digest).await.unwrap();
    assert_eq!(engine.handoff(handoff).await.unwrap().approval.unwrap().digest, pending.digest);
}

#[tokio::test]
async fn the_rule_approves_when_nobody_answers_and_what_was_approved_is_asked_again_for_another() {
    let mut house = House::new();
    let mut flights = rule("flights", When::default(), &["ann"]);
    flights.on_expiry = OnExpiry::Approve;
    house.policy.approvals = vec![flights];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let handoff = waiting(&engine, Request { candidates: vec![id("clerk")], ..dear() }).await;
    house.pass(&engine, 3_600).await;
    let records = engine.trace(handoff).await.unwrap();
    let Event::Approved { by, comment, .. } = &records.last().unwrap().event else { panic!("{records:?}") };
    assert_eq!((by.as_str(), comment.contains("flights")), ("policy", true));
    let engine = again(&house, engine).await;
    engine.reject(handoff, &id("pilot"), "no fuel").await.unwrap();
    assert!(engine.inbox(&id("clerk"), 9).await.unwrap().is_empty());
    let engine = again(&house, engine).await;
    let pending = engine.approvals(Some("ann")).await.unwrap().remove(0);
    assert_eq!((pending.handoff.to_agent.as_str(), pending.handoff.approval.unwrap().approved_by), ("clerk", None));
    engine.approve(handoff, "ann", "").await.unwrap();
    assert_eq!(engine.inbox(&id("clerk"), 9).await.unwrap().len(), 1);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn whoever_could_not_answer_while_the_engine_slept_has_the_time_again() {
    let mut house = House::new();
    house.policy.approvals = vec![rule("flights", to_pilot(), &["ann"])];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = waiting(&engine, dear()).await;
    house.clock.jump(Duration::from_secs(10_000));
    engine.run_due().await.unwrap();
    assert_eq!(engine.approvals(None).await.unwrap()[0].until, common::START + 13_600_000);
    house.pass(&engine, 3_600).await;
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::Cancelled);
}

#[tokio::test]
async fn what_waits_is_listed_by_who_may_decide_it() {
    let mut house = House::new();
    let broken = When { expression: Some("handoff.payload.price > 5".into()), ..to_pilot() };
    house.policy.approvals = vec![rule("prices", broken, &["ann"]), rule("clerks", When::default(), &["planner"])];
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let first = waiting(&engine, delegation("planner", "pilot")).await;
    let second = waiting(&engine, delegation("planner", "clerk")).await;
    let ids = |found: Vec<handover_engine::PendingApproval>| -> Vec<HandoffId> {
        found.into_iter().map(|one| one.handoff.id).collect()
    };
    let all = engine.approvals(None).await.unwrap();
    assert!(all[0].warnings[0].contains("has no key `price`"), "{:?}", all[0].warnings);
    assert_eq!(ids(all), [first, second]);
    assert_eq!(ids(engine.approvals(Some("ann")).await.unwrap()), [first, second]);
    assert_eq!(ids(engine.approvals(Some("bob")).await.unwrap()), [second]);
    assert_eq!(ids(engine.approvals(Some("planner")).await.unwrap()), []);
    let other = tenant(&engine, "other");
    other.open_session(&session("t"), Open::by("planner").unwrap()).await.unwrap();
    let theirs = other.initiate(&session("t"), delegation("planner", "clerk")).await.unwrap().handoffs[0];
    assert_eq!(ids(other.approvals(None).await.unwrap()), [theirs]);
    assert_eq!(ids(engine.approvals(None).await.unwrap()), [first, second]);
    let bound = Caller::new("key", "default").acting_as([id("ann")]);
    let bound = engine.for_caller(bound);
    assert_eq!(bound.approvals(Some("bob")).await.unwrap_err().code(), Code::NotYourAgent);
    assert_eq!(ids(bound.approvals(Some("ann")).await.unwrap()), [first, second]);
}

#[tokio::test]
async fn a_policy_with_an_expression_that_does_not_compile_is_refused() {
    let mut house = House::new();
    let engine = house.open().await;
    let bad = When { expression: Some("handoff.cost >".into()), ..When::default() };
    house.policy.approvals = vec![rule("bad", bad, &[])];
    let error = engine.set_policy(house.policy.clone()).unwrap_err();
    assert_eq!(
        (error.code(), error.refusals[0].field.as_str()),
        (Code::BadExpression, "policy.approvals[0].when.expression")
    );
    engine.close().await.unwrap();
    let refused = Engine::open_with(house.file(), house.options()).await.err().unwrap();
    assert_eq!(refused.code(), Code::BadExpression);
}
