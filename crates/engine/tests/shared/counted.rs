//! What is counted over all nodes: places, money, failures. Whoever has old numbers gives nothing away twice.

use crate::{
    cluster::Cluster,
    common::{book, delegation, id, session, success, workers},
};
use handover_core::{
    agent::{AgentKind, Profile},
    budget::{Budget, Limit, Period},
    command::{Giving, Open},
    guard::breaker::BreakerState,
    handoff::ReturnStatus,
    ids::{HandoffId, LeaseId},
    policy::BreakerPolicy,
    refusal::Code,
};
use handover_engine::Engine;

fn failed() -> Giving {
    Giving { status: ReturnStatus::Failed, ..success("no") }
}

async fn narrow(engine: &Engine, places: u32) {
    workers(engine, &["planner"]).await;
    let pilot = Profile::named("pilot").unwrap().kind(AgentKind::Worker).at_once(places);
    engine.register_profile(pilot).await.unwrap();
}

async fn begun(engine: &Engine) -> HandoffId {
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0]
}

async fn taken(engine: &Engine, handoff: HandoffId) -> LeaseId {
    engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease
}

#[tokio::test]
async fn two_nodes_never_give_the_last_place_away_twice() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    narrow(&one, 1).await;
    let (first, second) = (begun(&one).await, begun(&two).await);
    cluster.deafen("two").await;
    let lease = taken(&one, first).await;
    let full = two.accept(second, &id("pilot"), None, None).await.unwrap_err();
    assert_eq!(full.code(), Code::AtCapacity, "{full}");
    assert!(two.claim(&id("pilot"), None, None, None).await.unwrap().is_none());
    assert_eq!(two.agent(&id("pilot")).unwrap().load, 1);
    one.give_back(first, lease, success("done"), None).await.unwrap();
    // The second one still believes that nothing is free.
    let lease = taken(&two, second).await;
    two.give_back(second, lease, success("done"), None).await.unwrap();
    one.catch_up().await.unwrap();
    two.catch_up().await.unwrap();
    for engine in [&one, &two] {
        let pilot = engine.agent(&id("pilot")).unwrap();
        assert_eq!((pilot.load, pilot.waiting), (0, 0));
    }
}

#[tokio::test]
async fn many_takers_on_two_nodes_stay_within_what_an_agent_may_have() {
    let cluster = Cluster::new().await;
    let (one, two) = cluster.pair().await;
    narrow(&one, 3).await;
    for n in 0..10 {
        let engine = if n % 2 == 0 { &one } else { &two };
        begun(engine).await;
    }
    let mut tasks = Vec::new();
    for n in 0..10 {
        let engine = if n % 2 == 0 { one.clone() } else { two.clone() };
        tasks.push(tokio::spawn(async move { engine.claim(&id("pilot"), None, None, None).await.unwrap() }));
    }
    let mut held = Vec::new();
    for task in tasks {
        held.extend(task.await.unwrap());
    }
    assert_eq!(held.len(), 3);
    for taken in held {
        two.give_back(taken.handoff.id, taken.lease, success("done"), None).await.unwrap();
    }
    let mut done = 3;
    while let Some(taken) = one.claim(&id("pilot"), None, None, None).await.unwrap() {
        one.give_back(taken.handoff.id, taken.lease, success("done"), None).await.unwrap();
        done += 1;
    }
    assert_eq!(done, 10, "what nobody could take was let go");
    one.verify().await.unwrap();
}

#[tokio::test]
async fn two_nodes_never_set_the_last_money_aside_twice() {
    let limit = Limit { tokens: Some(100), cost: None, time_ms: None, per: Period::Day };
    let cluster = Cluster::with(|policy| policy.budgets.tenant = Some(limit)).await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    for name in ["one", "two"] {
        let engine = if name == "one" { &one } else { &two };
        engine.open_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
        cluster.deafen(name).await;
    }
    let request = |tokens| delegation("planner", "pilot").budget(Budget { tokens: Some(tokens), ..Budget::default() });
    let first = one.initiate(&session("one"), request(60)).await.unwrap().handoffs[0];
    let refused = two.initiate(&session("two"), request(60)).await.unwrap_err();
    assert_eq!(refused.code(), Code::BudgetSpent, "{refused}");
    assert!(refused.to_string().contains("40 are left"), "in the words of a decision: {refused}");
    two.initiate(&session("two"), request(40)).await.unwrap();
    let lease = taken(&one, first).await;
    one.give_back(first, lease, success("done"), None).await.unwrap();
    // What was given back elsewhere can be had here, though nobody said so. One token was used.
    two.initiate(&session("two"), request(59)).await.unwrap();
    assert!(one.initiate(&session("one"), request(1)).await.is_err());
    one.verify().await.unwrap();
}

#[tokio::test]
async fn failures_on_two_nodes_open_one_breaker() {
    let breaker = BreakerPolicy { failures: 3, cooldown_ms: 30_000 };
    let cluster = Cluster::with(|policy| policy.breaker = breaker).await;
    let (one, two) = cluster.pair().await;
    workers(&one, &["planner", "pilot"]).await;
    for engine in [&one, &two, &one] {
        let handoff = begun(engine).await;
        let lease = taken(engine, handoff).await;
        engine.give_back(handoff, lease, failed(), None).await.unwrap();
    }
    for engine in [&one, &two] {
        engine.catch_up().await.unwrap();
        let seen = engine.breaker(&id("pilot")).unwrap();
        assert_eq!((seen.state, seen.failures), (BreakerState::Open, 3));
        let refused = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap_err();
        assert_eq!(refused.code(), Code::BreakerOpen, "{refused}");
    }
    let told = |records: Vec<handover_core::record::Record>| {
        records.iter().filter(|record| record.event_type == "breaker_moved").count()
    };
    assert_eq!(told(book(&one).await), 1, "the book is told once");
    cluster.deafen("one").await;
    two.reset_breaker(&id("pilot")).await.unwrap();
    // The refusal by an old breaker is not believed.
    begun(&one).await;
    one.verify().await.unwrap();
}
