//! Work that came to nothing: its session says so until somebody takes it up, also after a restart.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, success, user, workers};
use handover_core::{
    command::{Command, Giving, Open},
    handoff::ReturnStatus,
    ids::{AgentId, HandoffId},
    message::{NewMessage, Role},
};
use handover_engine::Engine;

/// Work that fails in a session of its own, where nobody has opened it before.
async fn fails(engine: &Engine, name: &str) -> HandoffId {
    engine.resume_session(&session(name), Open::by("planner").unwrap()).await.unwrap();
    let handoff = engine.initiate(&session(name), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let lease = engine.accept(handoff, &id("pilot"), None, None).await.unwrap().lease;
    let giving = Giving { status: ReturnStatus::Failed, notes: "no jet".into(), ..success("") };
    engine.give_back(handoff, lease, giving, None).await.unwrap();
    handoff
}

/// What a list says of a session: what failed, and who is asked.
async fn said(engine: &Engine, name: &str) -> Option<(HandoffId, Option<AgentId>)> {
    let glance = engine.glances(&[session(name)]).await.unwrap().remove(0);
    glance.stands_failed().map(|failed| (failed.handoff_id, failed.human.clone()))
}

#[tokio::test]
async fn what_failed_is_noted_until_it_is_taken_up() {
    let house = House::new().with_human("boss");
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "boss"]).await;
    let names = ["spoken", "heard", "handed", "done", "ended"];
    for name in names {
        let failed = fails(&engine, name).await;
        assert_eq!(said(&engine, name).await, Some((failed, Some(id("boss")))), "{name}");
    }
    engine.say(&session("spoken"), vec![user("never mind")]).await.unwrap();
    // What agents say to each other is no answer to it.
    let word = NewMessage { agent: Some(id("planner")), ..NewMessage::new(Role::Assistant, "it failed") };
    engine.say(&session("heard"), vec![word]).await.unwrap();
    engine.initiate(&session("handed"), delegation("planner", "pilot")).await.unwrap();
    one_done(&engine, "done", "planner", "pilot").await;
    let end = Command::End { by: id("planner"), reason: "no jet".into() };
    engine.submit(&session("ended"), end, None).await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    for name in names {
        assert_eq!(said(&engine, name).await.is_some(), name == "heard", "{name}");
    }
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn what_goes_on_beside_it_comes_first() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let beside = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let lease = engine.accept(beside, &id("pilot"), None, None).await.unwrap().lease;
    let failed = fails(&engine, "s").await;
    assert_eq!(said(&engine, "s").await, None, "something else is open");
    let giving = Giving { status: ReturnStatus::Failed, ..success("") };
    engine.give_back(beside, lease, giving, None).await.unwrap();
    // Nobody is asked where the policy names nobody.
    assert_eq!(said(&engine, "s").await, Some((beside, None)));
    assert_ne!(beside, failed);
}

#[tokio::test]
async fn a_session_that_was_written_before_it_was_noted_stays_valid() {
    let house = House::new().with_human("boss");
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot", "boss"]).await;
    fails(&engine, "s").await;
    engine.close().await.unwrap();
    let strip = "UPDATE sessions SET state = json_remove(state, '$.failed') WHERE id = 's'";
    assert_eq!(house.raw().execute(strip, []).unwrap(), 1);
    let engine = house.open().await;
    assert_eq!(said(&engine, "s").await, None);
    engine.verify().await.unwrap();
}
