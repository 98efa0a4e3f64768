//! A step whose agent can take nothing waits for it, also across a restart, and goes on when it is back.

use crate::{begun, common::*, end_step, stands, step};
use handover_core::handoff::Status;

#[tokio::test]
async fn a_drained_agent_is_waited_for_across_a_restart() {
    let house = House::new();
    let engine = begun(&house).await;
    engine.drain(&id("c"), true).await.unwrap();
    end_step(&engine, "b", "LOOKED").await;
    assert_eq!(stands(&engine).await, ("FETCHING".into(), false));
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Deferred);
    engine.close().await.unwrap();
    // Nobody is back yet when the wait is over: it waits on.
    let engine = house.open().await;
    house.pass(&engine, 10).await;
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Deferred);
    let told = engine.story(step(&engine, &session("s")).await.id).await.unwrap();
    assert!(told.iter().any(|step| step.what.ends_with("c: it is draining")), "{told:?}");
    // Once it is back it is asked, before the wait is over.
    engine.drain(&id("c"), false).await.unwrap();
    engine.run_due().await.unwrap();
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(stands(&engine).await, ("DONE".into(), true));
    engine.close().await.unwrap();
}

#[tokio::test]
async fn it_goes_on_by_itself_also_when_nobody_says_that_the_agent_is_back() {
    let house = House::new();
    let engine = begun(&house).await;
    engine.drain(&id("c"), true).await.unwrap();
    end_step(&engine, "b", "LOOKED").await;
    engine.drain(&id("c"), false).await.unwrap();
    engine.close().await.unwrap();
    // The process ended before it looked: the timer finds it.
    let engine = house.open().await;
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Deferred);
    house.pass(&engine, 2).await;
    assert_eq!(step(&engine, &session("s")).await.status(), Status::Offered);
    engine.close().await.unwrap();
}
