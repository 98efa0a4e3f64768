//! Questions through the engine: asked, waited for across a restart, answered, and shown to whoever goes on.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{House, delegation, id, session, success, workers};
use handover_core::{agent::Profile, handoff::Status, ids::HandoffId, refusal::Code};
use handover_engine::{
    Engine, Filter, Notice,
    agent::{Done, agent},
};
use serde_json::json;

async fn handed_over(engine: &Engine) -> HandoffId {
    engine.initiate(&session("s"), delegation("clerk", "expert")).await.unwrap().handoffs[0]
}

#[tokio::test]
async fn a_question_outlives_a_restart_and_its_answer_is_in_the_brief() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["clerk", "expert"]).await;
    let made = handed_over(&engine).await;
    let taken = engine.accept(made, &id("expert"), None, None).await.unwrap();
    engine.ask(made, taken.lease, "Which of the two?").await.unwrap();
    engine.close().await.unwrap();
    let engine = house.open().await;
    let waiting = engine.questions(Some(&id("clerk"))).await.unwrap();
    assert_eq!(waiting.iter().map(|handoff| handoff.id).collect::<Vec<_>>(), [made]);
    assert!(engine.questions(Some(&id("expert"))).await.unwrap().is_empty());
    let refused = engine.accept(made, &id("expert"), None, None).await.unwrap_err();
    assert!(refused.has(Code::NotOffered), "{refused}");
    engine.answer(made, "clerk", "The second.").await.unwrap();
    let again = engine.answer(made, "clerk", "The first.").await.unwrap_err();
    assert!(again.has(Code::NoQuestion), "{again}");
    let taken = engine.accept(made, &id("expert"), None, None).await.unwrap();
    assert_eq!(taken.handoff.attempt, 1);
    let brief = taken.brief();
    assert!(brief.contains("Which of the two?") && brief.contains("The second."), "{brief}");
    engine.give_back(made, taken.lease, success("done"), None).await.unwrap();
    assert_eq!(engine.handoff(made).await.unwrap().status(), Status::Completed);
    engine.verify().await.unwrap();
}

#[tokio::test]
async fn an_agent_of_this_process_asks_and_goes_on_where_it_was() {
    let house = House::new();
    let engine = house.open().await;
    workers(&engine, &["clerk"]).await;
    let expert = agent(async |work| {
        let asked = work.handoff().questions.len();
        let first: String = work.step("look", || async { Ok(format!("seen after {asked}")) }).await?;
        match work.handoff().questions.last().and_then(|last| last.answer.clone()) {
            Some(given) => Ok(Done::text(format!("{first}, then {}", given.text))),
            None => {
                work.ask("What now?").await?;
                Ok(Done::text("nobody reads this"))
            }
        }
    });
    engine.register(Profile::of(id("expert")), expert).await.unwrap();
    let mut feed = engine.subscribe(Filter::default(), None);
    let made = handed_over(&engine).await;
    while !matches!(feed.next().await.unwrap(), Some(Notice::Event(message)) if message.kind == "ASKED") {}
    engine.answer(made, "clerk", "go on").await.unwrap();
    let back = engine.returned(made).await.unwrap();
    assert_eq!(back.result.body, json!("seen after 0, then go on"));
}
