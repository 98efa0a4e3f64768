//! A person steps in, through the engine: whoever has the work loses it, and whoever waits for it is told once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, words, workers};
use handover_core::{
    agent::Profile,
    command::{Caller, Giving},
    handoff::{ReturnStatus, Status},
    refusal::Code,
};
use handover_engine::{
    Engine,
    agent::{Done, agent},
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

fn failure() -> Giving {
    Giving { status: ReturnStatus::Failed, notes: "no jets".into(), ..success("") }
}

async fn handed_over(engine: &Engine) -> handover_core::ids::HandoffId {
    engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0]
}

#[tokio::test]
async fn whoever_works_on_it_is_refused_and_the_next_one_completes_it() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let made = handed_over(&engine).await;
    let old = engine.accept(made, &id("pilot"), None, None).await.unwrap();
    engine.redirect(made, "Ann of the night shift", &id("clerk"), "the pilot is asleep").await.unwrap();
    // The same after a restart: all of it is on disk.
    engine.close().await.unwrap();
    let engine = house.open().await;
    for refused in [
        engine.give_back(made, old.lease, success("late"), None).await.unwrap_err(),
        engine.heartbeat(made, old.lease).await.unwrap_err(),
    ] {
        assert!(refused.has(Code::StaleLease), "{refused}");
    }
    assert!(engine.inbox(&id("pilot"), 9).await.unwrap().is_empty());
    let new = engine.accept(made, &id("clerk"), None, None).await.unwrap();
    engine.give_back(made, new.lease, success("a jet"), None).await.unwrap();
    let waiting = engine.waiting_returns(&id("planner"), 9).await.unwrap();
    assert_eq!(waiting.len(), 1, "its source gets one return");
    assert_eq!(engine.returned(made).await.unwrap().from_agent, id("clerk"));
    let story = engine.story(made).await.unwrap();
    let told = "pilot to clerk: Ann of the night shift decided so (the pilot is asleep)";
    assert!(story.iter().any(|step| step.what == told), "{story:?}");
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_agent_of_this_process_is_stopped_and_another_goes_on() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let finished = Arc::new(AtomicUsize::new(0));
    let counted = finished.clone();
    let slow = agent(move |_| {
        let counted = counted.clone();
        async move {
            std::future::pending::<()>().await;
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(Done::text("too late"))
        }
    });
    engine.register(Profile::of(id("pilot")), slow).await.unwrap();
    engine.register(Profile::of(id("clerk")), agent(async |_| Ok(Done::text("a jet")))).await.unwrap();
    let made = handed_over(&engine).await;
    engine.accepted(made).await.unwrap();
    engine.redirect(made, "ann", &id("clerk"), "it takes too long").await.unwrap();
    assert_eq!(engine.returned(made).await.unwrap().result.body, json!("a jet"));
    assert_eq!(finished.load(Ordering::SeqCst), 0);
    // Its place is free again: it takes the next one.
    let next = handed_over(&engine).await;
    engine.accepted(next).await.unwrap();
    assert_eq!(engine.handoff(next).await.unwrap().to_agent, id("pilot"));
    engine.cancel(next, "ann", "enough").await.unwrap();
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn what_failed_is_begun_once_more_and_says_of_what() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let made = handed_over(&engine).await;
    let taken = engine.accept(made, &id("pilot"), None, None).await.unwrap();
    engine.give_back(made, taken.lease, failure(), None).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    let again = engine.retry(made, "ann", "there are jets now").await.unwrap().handoffs[0];
    let twice = engine.retry(made, "ann", "there are jets now").await.unwrap_err();
    assert!(twice.has(Code::Repetition), "{twice}");
    assert_eq!(engine.handoff(again).await.unwrap().request.retry_of, Some(made));
    let taken = engine.accept(again, &id("pilot"), None, None).await.unwrap();
    engine.give_back(again, taken.lease, success("a jet"), None).await.unwrap();
    assert_eq!(engine.handoff(made).await.unwrap().status(), Status::Failed);
    let done = engine.retry(again, "ann", "once more").await.unwrap_err();
    assert!(done.has(Code::Closed), "{done}");
    let story = engine.story(again).await.unwrap();
    let told = format!("ann had {made} tried once more (there are jets now); ");
    assert!(story[0].what.starts_with(&told), "{story:?}");
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_agent_does_not_step_in_and_a_stranger_finds_nothing() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "clerk"]).await;
    let made = handed_over(&engine).await;
    let before = words(&engine, "s").await;
    let tenant = engine.caller().tenant.clone();
    for (caller, code) in [
        (Caller::of_agent(id("planner"), &tenant), Code::NotAllowed),
        (Caller::new("other", "other"), Code::UnknownHandoff),
    ] {
        let by = engine.for_caller(caller);
        for refused in [
            by.redirect(made, "planner", &id("clerk"), "x").await.unwrap_err(),
            by.retry(made, "planner", "x").await.unwrap_err(),
        ] {
            assert!(refused.has(code), "{refused}");
        }
    }
    assert_eq!(words(&engine, "s").await, before);
}
