//! Sessions that follow a workflow, through an engine: what it waits for, and what survives a restart.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod by_hand;
mod counting;
mod defining;
mod held_up;
mod moving;
mod refused;
mod unreadable;

use common::{House, id, session};
use handover_core::{
    agent::{AgentKind, Profile},
    command::Giving,
    handoff::Handoff,
    ids::SessionId,
    workflow::Workflow,
};
use handover_engine::{Engine, Start};
use serde_json::{Value, json};

/// `b` looks, `c` fetches, in one state after the other; `e` sees to errors.
fn flow() -> Value {
    json!({
        "name": "w",
        "agents": {"b": {}, "c": {}, "e": {}},
        "start": "LOOKING",
        "states": {
            "LOOKING": {"agent": "b"}, "FETCHING": {"agent": "c"}, "SORTING": {"agent": "c"}, "PACKING": {"agent": "c"},
            "DONE": {"end": "completed"}, "LOST": {"end": "failed"}
        },
        "transitions": {"FETCHING": ["SORTING"], "SORTING": ["PACKING"]},
        "rules": [
            {"id": "1", "from": "b", "to": "c", "trigger_state": "LOOKED", "reason": "go", "next_state": "FETCHING"},
            {"id": "2", "from": "c", "trigger_state": "FETCHED", "reason": "there it is", "next_state": "DONE"},
            {"id": "3", "from": "e", "reason": "it cannot be done", "next_state": "LOST"}
        ],
        "on_error": {"to": "e"}
    })
}

fn workflow(flow: Value) -> Workflow {
    serde_json::from_value(flow).unwrap()
}

/// Everybody of the workflow, and `a` who asks.
async fn people(engine: &Engine) {
    for name in ["a", "b", "c", "e"] {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(10);
        engine.register_profile(profile).await.unwrap();
    }
}

/// A house with the workflow, its people and a session of it.
async fn begun(house: &House) -> Engine {
    let engine = house.open().await;
    people(&engine).await;
    engine.define(workflow(flow())).await.unwrap();
    engine.start(&session("s"), Start::of("w", id("a"))).await.unwrap();
    engine
}

/// The present step of a session.
async fn step(engine: &Engine, session: &SessionId) -> Handoff {
    let found = engine.session(session).await.unwrap();
    let step = found.flow.as_ref().and_then(|flow| flow.step).unwrap();
    found.open[&step].as_ref().clone()
}

/// The agent of the present step ends it with this signal.
async fn end_step(engine: &Engine, agent: &str, signal: &str) {
    let at = step(engine, &session("s")).await.id;
    let taken = engine.accept(at, &id(agent), None, None).await.unwrap();
    let giving = Giving { signal: Some(signal.into()), ..common::success("done") };
    engine.give_back(at, taken.lease, giving, None).await.unwrap();
}

/// The state of the session, and whether it is over.
async fn stands(engine: &Engine) -> (String, bool) {
    let found = engine.session(&session("s")).await.unwrap();
    (found.flow.as_ref().unwrap().state.clone(), found.ended_at.is_some())
}
