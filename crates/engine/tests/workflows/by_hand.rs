//! A person steps in while a workflow goes on, and after it could not.

use crate::{begun, common::*, end_step, flow, people, stands, step, workflow};
use handover_core::{handoff::Status, refusal::Code, workflow::End};
use handover_engine::Start;
use serde_json::json;

#[tokio::test]
async fn a_step_is_given_to_somebody_else_and_the_rules_go_on_as_before() {
    let house = House::new();
    let engine = begun(&house).await;
    let first = step(&engine, &session("s")).await.id;
    engine.accept(first, &id("b"), None, None).await.unwrap();
    engine.redirect(first, "ann", &id("e"), "b is away").await.unwrap();
    assert_eq!(step(&engine, &session("s")).await.id, first);
    end_step(&engine, "e", "LOOKED").await;
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(stands(&engine).await, ("DONE".into(), true));
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn a_workflow_that_could_not_go_on_is_taken_up_after_a_restart() {
    let house = House::new();
    let engine = house.open().await;
    people(&engine).await;
    // Nobody sees to errors.
    let mut alone = flow();
    alone["rules"].as_array_mut().unwrap().pop();
    alone["on_error"] = json!(null);
    alone["agents"] = json!({"b": {}, "c": {}});
    engine.define(workflow(alone)).await.unwrap();
    engine.start(&session("s"), Start::of("w", id("a"))).await.unwrap();
    let first = step(&engine, &session("s")).await.id;
    end_step(&engine, "b", "LOOKED").await;
    let second = step(&engine, &session("s")).await.id;
    engine.cancel(second, "ann", "it hangs").await.unwrap();
    let over = engine.ended(&session("s")).await.unwrap();
    let flow = over.flow.clone().unwrap();
    assert_eq!((flow.ended, flow.stuck.map(|stuck| stuck.step)), (Some(End::Failed), Some(second)));
    engine.close().await.unwrap();
    let engine = house.open().await;
    let wrong = engine.retry(first, "ann", "once more").await.unwrap_err();
    assert!(wrong.has(Code::Closed), "{wrong}");
    let again = engine.retry(second, "ann", "c is back").await.unwrap().handoffs[0];
    assert_eq!(step(&engine, &session("s")).await.id, again);
    assert_eq!(stands(&engine).await, ("FETCHING".into(), false));
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(engine.handoff(second).await.unwrap().status(), Status::Cancelled);
    assert_eq!(stands(&engine).await, ("DONE".into(), true));
    engine.verify().await.unwrap();
}
