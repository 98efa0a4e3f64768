//! Where sessions stand in their workflows: counted and listed by state, for whoever sees all of them.

use crate::{begun, common::*, end_step};
use handover_core::{command::Caller, ids::SessionId};
use handover_engine::{Engine, Start};

async fn counts(engine: &Engine) -> Vec<(String, usize)> {
    engine.workflow_states("w").await.unwrap().into_iter().filter(|(_, count)| *count > 0).collect()
}

async fn in_state(engine: &Engine, state: &str) -> Vec<String> {
    let found = engine.sessions_in_state("w", state, 0, 9).await.unwrap();
    found.iter().map(SessionId::to_string).collect()
}

fn one(state: &str, count: usize) -> (String, usize) {
    (state.to_owned(), count)
}

#[tokio::test]
async fn a_session_is_counted_in_the_state_that_it_came_into() {
    let house = House::new();
    let engine = begun(&house).await;
    engine.start(&session("t"), Start::of("w", id("a"))).await.unwrap();
    assert_eq!(counts(&engine).await, [one("LOOKING", 2)]);
    assert_eq!(in_state(&engine, "LOOKING").await, ["t", "s"]);
    assert_eq!(engine.sessions_in_state("w", "LOOKING", 1, 9).await.unwrap(), [session("s")]);
    end_step(&engine, "b", "LOOKED").await;
    assert_eq!(counts(&engine).await, [one("FETCHING", 1), one("LOOKING", 1)]);
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(counts(&engine).await, [one("DONE", 1), one("LOOKING", 1)]);
    assert_eq!(in_state(&engine, "DONE").await, ["s"]);
    engine.close().await.unwrap();
    let again = house.open().await;
    assert_eq!(counts(&again).await, [one("DONE", 1), one("LOOKING", 1)]);
}

#[tokio::test]
async fn others_and_whoever_sees_only_some_count_nothing() {
    let house = House::new();
    let engine = begun(&house).await;
    let stranger = engine.for_caller(Caller::new("x", "elsewhere"));
    assert_eq!(counts(&stranger).await, []);
    assert_eq!(in_state(&stranger, "LOOKING").await, [""; 0]);
    let narrow = engine.for_caller(Caller::of_agent(id("b"), "default"));
    assert!(narrow.workflow_states("w").await.unwrap().is_empty());
    assert_eq!(in_state(&narrow, "LOOKING").await, [""; 0]);
    assert!(engine.workflow_states("none").await.is_err());
}
