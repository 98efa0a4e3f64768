//! A kept definition that this version cannot read: its sessions say so, wait, and go on once it is defined again.

use crate::{begun, common::*, end_step, flow, stands, step, workflow};
use handover_core::{handoff::Status, refusal::Code};
use handover_engine::Start;

/// The house after a version that knows more has kept the workflow.
async fn damaged() -> House {
    let house = House::new();
    let engine = begun(&house).await;
    engine.close().await.unwrap();
    let changed = house
        .raw()
        .execute("UPDATE items SET body = replace(body, '\"start\"', '\"begins\"') WHERE key = 'workflow:w'", [])
        .unwrap();
    assert_eq!(changed, 1);
    house
}

#[tokio::test]
async fn it_is_told_to_whoever_asks() {
    let house = damaged().await;
    let engine = house.open().await;
    let unreadable = engine.unreadable_workflows();
    assert!(unreadable["w"].contains("unknown field `begins`"), "{unreadable:?}");
    let at = step(&engine, &session("s")).await.id;
    let answers = [
        engine.accept(at, &id("b"), None, None).await.map(|_| ()),
        engine.reject(at, &id("b"), "no").await.map(|_| ()),
        engine.start(&session("t"), Start::of("w", id("a"))).await.map(|_| ()),
        engine.workflow("w").map(|_| ()),
    ];
    for answer in answers {
        let error = answer.unwrap_err();
        assert_eq!(error.code(), Code::WorkflowUnreadable, "{error}");
        assert!(error.to_string().contains("define the workflow again from its file"), "{error}");
    }
    engine.close().await.unwrap();
}

#[tokio::test]
async fn its_sessions_wait_and_go_on_once_it_is_defined_again() {
    let house = damaged().await;
    let engine = house.open().await;
    // Long after its window, the step is still on offer.
    for _ in 0..3 {
        house.pass(&engine, 2 * 60 * 60).await;
    }
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Offered);
    engine.define(workflow(flow())).await.unwrap();
    assert!(engine.unreadable_workflows().is_empty());
    end_step(&engine, "b", "LOOKED").await;
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(stands(&engine).await, ("DONE".into(), true));
    engine.close().await.unwrap();
}

#[tokio::test]
async fn work_that_goes_on_is_not_timed_out() {
    let house = House::new();
    let engine = begun(&house).await;
    let at = step(&engine, &session("s")).await.id;
    let taken = engine.accept(at, &id("b"), None, None).await.unwrap();
    engine.close().await.unwrap();
    let sql = "UPDATE items SET body = replace(body, '\"start\"', '\"begins\"') WHERE key = 'workflow:w'";
    house.raw().execute(sql, []).unwrap();
    let engine = house.open().await;
    for _ in 0..5 {
        house.pass(&engine, 60 * 60).await;
    }
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Running);
    let error = engine.give_back(at, taken.lease, success("done"), None).await.unwrap_err();
    assert_eq!(error.code(), Code::WorkflowUnreadable, "{error}");
    engine.close().await.unwrap();
}
