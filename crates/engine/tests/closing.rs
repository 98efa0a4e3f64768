//! The end of an engine, and files that it will not open.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, one_done, session, success, until, user, workers};
use handover_core::{
    agent::Profile,
    command::{Command, Open},
    handoff::Status,
    limits::CLOSE_MS,
    refusal::{Code, HandoffError},
};
use handover_engine::{
    Engine,
    agent::{Done, Work, agent},
};
use handover_store::RecordQuery;
use serde_json::json;
use std::{fs, sync::Arc, time::Duration};
use tokio::sync::{Notify, Semaphore};

fn code<T: std::fmt::Debug>(answer: Result<T, HandoffError>) -> Code {
    answer.unwrap_err().code()
}

#[tokio::test]
async fn a_closed_engine_says_so_to_everybody() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let waiting = tokio::spawn({
        let engine = engine.clone();
        async move { engine.returned(handoff).await }
    });
    tokio::task::yield_now().await;
    engine.close().await.unwrap();
    assert_eq!(code(waiting.await.unwrap()), Code::ShuttingDown, "whoever waited is told");
    let s = session("s");
    let answers = [
        engine.initiate(&s, delegation("planner", "pilot")).await.map(|_| ()),
        engine.initiate(&s, delegation("planner", "pilot").key("k")).await.map(|_| ()),
        engine.delegate(&s, delegation("planner", "pilot")).await.map(|_| ()),
        engine.open_session(&session("t"), Open::by("planner").unwrap()).await.map(|_| ()),
        engine.say(&s, vec![user("hi")]).await.map(|_| ()),
        engine.say(&session("unknown"), vec![user("hi")]).await.map(|_| ()),
        engine.accept(handoff, &id("pilot"), None, None).await.map(|_| ()),
        engine.returned(handoff).await.map(|_| ()),
        engine.handoff(handoff).await.map(|_| ()),
        engine.audit(RecordQuery { limit: 1, ..RecordQuery::default() }).await.map(|_| ()),
        engine.stats().await.map(|_| ()),
        engine.register_profile(Profile::named("new").unwrap()).await.map(|_| ()),
        engine.register(Profile::named("new").unwrap(), agent(|_| async { Ok(Done::text("")) })).await.map(|_| ()),
        engine.drain(&id("pilot"), true).await.map(|_| ()),
        engine.run_due().await.map(|_| ()),
        engine.seal().await.map(|_| ()),
        engine.enforce_retention().await.map(|_| ()),
        engine.verify().await.map(|_| ()),
    ];
    for (i, answer) in answers.into_iter().enumerate() {
        assert_eq!(code(answer), Code::ShuttingDown, "{i}");
    }
    engine.close().await.unwrap();
    let engine = house.open().await;
    assert_eq!(engine.handoff(handoff).await.unwrap().status(), Status::Offered);
}

#[tokio::test]
async fn closing_waits_for_what_runs_and_leaves_what_is_offered() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let (started, gate) = (Arc::new(Notify::new()), Arc::new(Semaphore::new(0)));
    let work = {
        let (started, gate) = (started.clone(), gate.clone());
        agent(move |work: Work| {
            let (started, gate) = (started.clone(), gate.clone());
            async move {
                started.notify_one();
                gate.acquire().await?.forget();
                work.step("land", || async { Ok(1) }).await?;
                work.say("landed").await?;
                Ok(Done::text("done"))
            }
        })
    };
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let initiate =
        || async { engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0] };
    let (first, second) = (initiate().await, initiate().await);
    started.notified().await;
    let closing = tokio::spawn({
        let engine = engine.clone();
        async move { engine.close().await }
    });
    until_refused(&engine).await;
    assert!(!closing.is_finished());
    gate.add_permits(1);
    closing.await.unwrap().unwrap();
    let engine = house.open().await;
    assert_eq!(engine.handoff(first).await.unwrap().status(), Status::Completed);
    assert_eq!(engine.handoff(second).await.unwrap().status(), Status::Offered);
    assert_eq!(engine.messages(&session("s"), 1, 9).await.unwrap()[0].said.content, "landed");
    engine.register(Profile::named("pilot").unwrap(), agent(|_| async { Ok(Done::text("next")) })).await.unwrap();
    assert_eq!(engine.returned(second).await.unwrap().result.body, json!("next"));
    engine.verify().await.unwrap();
}

/// Until new work is refused because the engine closes.
async fn until_refused(engine: &Engine) {
    loop {
        let turn = Open::by("planner").unwrap();
        match engine.open_session(&session("s"), turn).await {
            Err(error) if error.code() == Code::ShuttingDown => return,
            _ => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn work_that_does_not_end_is_left_to_the_next_start() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner"]).await;
    let started = Arc::new(Notify::new());
    let work = {
        let started = started.clone();
        agent(move |work: Work| {
            let started = started.clone();
            async move {
                work.step("search", || async { Ok(7) }).await?;
                started.notify_one();
                std::future::pending().await
            }
        })
    };
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    started.notified().await;
    let closing = tokio::spawn({
        let engine = engine.clone();
        async move { engine.close().await }
    });
    until_refused(&engine).await;
    assert!(!closing.is_finished());
    house.clock.advance(Duration::from_millis(CLOSE_MS));
    closing.await.unwrap().unwrap();
    let engine = house.open().await;
    let work = agent(|work: Work| async move {
        let found: i32 = work.step("search", || async { Err("not again".into()) }).await?;
        Ok(Done::json(json!(found)))
    });
    engine.register(Profile::named("pilot").unwrap(), work).await.unwrap();
    assert_eq!(engine.returned(handoff).await.unwrap().result.body, json!(7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_answered_before_the_end_is_there_after_it() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let engine = engine.clone();
            tokio::spawn(async move {
                let mut said = 0;
                loop {
                    match engine.say(&session("s"), vec![user("x")]).await {
                        Ok(_) => said += 1,
                        Err(error) => break (said, error.code()),
                    }
                }
            })
        })
        .collect();
    until_said(&engine, 20).await;
    engine.close().await.unwrap();
    let mut said = 0;
    for writer in writers {
        let (count, code) = writer.await.unwrap();
        assert_eq!(code, Code::ShuttingDown);
        said += count;
    }
    let engine = house.open().await;
    assert_eq!(engine.session(&session("s")).await.unwrap().mark.messages, said);
    engine.verify().await.unwrap();
}

async fn until_said(engine: &Engine, count: u64) {
    while engine.session(&session("s")).await.unwrap().mark.messages < count {
        tokio::task::yield_now().await;
    }
}

async fn opened(house: &House) -> Code {
    match Engine::open_with(house.file(), house.options()).await {
        Ok(_) => panic!("it was opened"),
        Err(error) => error.code(),
    }
}

#[tokio::test]
async fn files_that_cannot_be_opened_say_why_and_stay_as_they_are() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    one_done(&engine, "s", "planner", "pilot").await;
    assert_eq!(opened(&house).await.text(), "HO0802", "a second engine on the same file");
    engine.close().await.unwrap();
    let whole = fs::read(house.file()).unwrap();
    let newer = House::new();
    fs::write(newer.file(), &whole).unwrap();
    newer.raw().pragma_update(None, "user_version", 9_999).unwrap();
    let bytes = fs::read(newer.file()).unwrap();
    assert_eq!(opened(&newer).await.text(), "HO0803");
    assert_eq!(fs::read(newer.file()).unwrap(), bytes);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a text", b"dear diary".to_vec()),
        ("cut off", whole[..whole.len() / 2].to_vec()),
        ("its header only", whole[..100].to_vec()),
        ("zeros", vec![0; 8_192]),
        ("its tables overwritten", [&whole[..100], &vec![0xaa; whole.len() - 100]].concat()),
    ];
    for (what, bytes) in cases {
        let house = House::new();
        fs::write(house.file(), &bytes).unwrap();
        assert_eq!(opened(&house).await.text(), "HO0804", "{what}");
        assert_eq!(fs::read(house.file()).unwrap(), bytes, "{what} was changed");
    }
    house.open().await.verify().await.unwrap();
}

#[tokio::test]
async fn a_dropped_waiter_and_a_cancelled_caller_leave_nothing_behind() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["planner", "pilot"]).await;
    let handoff = engine.initiate(&session("s"), delegation("planner", "pilot")).await.unwrap().handoffs[0];
    let waiting = tokio::spawn({
        let engine = engine.clone();
        async move { engine.returned(handoff).await }
    });
    tokio::task::yield_now().await;
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    // Somebody who goes away in the middle of an accept leaves either a lease or none, never half of one.
    let accepting = tokio::spawn({
        let engine = engine.clone();
        async move { engine.accept(handoff, &id("pilot"), None, None).await.map(|assignment| assignment.lease) }
    });
    tokio::task::yield_now().await;
    accepting.abort();
    let _ = accepting.await;
    let _ = engine.submit(&session("s"), Command::CompleteSegment { by: id("planner") }, None).await;
    let handoff = engine.handoff(handoff).await.unwrap();
    let load = engine.agent(&id("pilot")).unwrap().load;
    assert_eq!(load, u32::from(handoff.lease().is_some()), "{:?}", handoff.phase);
    if let Some(lease) = handoff.lease() {
        engine.give_back(handoff.id, lease, success("ok"), None).await.unwrap();
    }
    until(|| engine.agent(&id("pilot")).unwrap().load == 0).await;
    engine.verify().await.unwrap();
}
