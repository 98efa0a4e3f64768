//! What a remote agent asks comes back as a question, and what is answered goes to the same task.

use crate::{
    common::{House, asking, begun, employ, told, within},
    peer::{By, Does, Peer, done, status, task, task_saying},
};
use handover_core::ids::HandoffId;
use handover_engine::{Engine, Filter, Notice};
use serde_json::{Value, json};

fn two() -> Value {
    done(&json!([{"data": 2}]))
}

/// Until something is asked; then what.
async fn asked(engine: &Engine, id: HandoffId) -> String {
    within(async {
        loop {
            if let Some(open) = engine.handoff(id).await.unwrap().open_question() {
                return open.question.clone();
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_come_back_and_answers_go_to_the_same_task() {
    for (by, streams) in [(By::JsonRpc, true), (By::JsonRpc, false), (By::HttpJson, true)] {
        let (house, peer) = (House::new(), Peer::new(by).await);
        peer.card(|card| card["capabilities"]["streaming"] = json!(streams));
        let first = task_saying("INPUT_REQUIRED", "Which language?\u{7}");
        peer.does("SendStreamingMessage", [Does::Tells(vec![task("SUBMITTED"), first.clone()])]);
        peer.does("SendMessage", if streams { vec![] } else { vec![Does::Gives(first.clone())] });
        let engine = house.open().await;
        employ(&engine, &peer).await;
        let id = begun(&engine, asking()).await;
        assert_eq!(asked(&engine, id).await, "Which language?");
        // The first look after the answer still shows the question: the agent has not gone on yet.
        peer.does("SendMessage", [Does::Gives(first.clone()), Does::Gives(task("WORKING"))]);
        let second = task_saying("INPUT_REQUIRED", "Which dialect?");
        peer.does("GetTask", [Does::Gives(first), Does::Gives(task("WORKING")), Does::Gives(second.clone())]);
        peer.does("SubscribeToTask", [Does::Tells(vec![task("WORKING"), status("WORKING"), second])]);
        answered(&engine, id, "English").await;
        let again = house.moving(asked(&engine, id)).await;
        assert_eq!(again, "Which dialect?");
        peer.does("GetTask", [Does::Gives(two())]);
        answered(&engine, id, "Any").await;
        let result = house.moving(engine.returned(id)).await.unwrap();
        assert_eq!(told(&result), "success 2", "{by:?}");
        let answers: Vec<Value> =
            peer.asked_for("SendMessage").iter().map(|asked| asked.params["message"].clone()).collect();
        let answers = &answers[answers.len() - 2..];
        for (answer, text) in answers.iter().zip(["English", "Any"]) {
            assert_eq!((&answer["taskId"], &answer["contextId"]), (&json!("t-1"), &json!("c-1")));
            assert_eq!(answer["parts"], json!([{"text": text}]));
        }
        assert_ne!(answers[0]["messageId"], answers[1]["messageId"]);
        assert_eq!(engine.handoff(id).await.unwrap().attempt, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_and_its_answer_outlive_restarts() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Gives(task_saying("INPUT_REQUIRED", "Which?"))]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let id = begun(&engine, asking()).await;
    asked(&engine, id).await;
    house.close(engine).await;
    // Answered while the agent is not there: it is told when it is.
    let engine = house.open().await;
    engine.answer(id, "desk", "That one").await.unwrap();
    peer.does("SendMessage", [Does::Silent]);
    employ(&engine, &peer).await;
    peer.was_asked("SendMessage", 2).await;
    house.close(engine).await;
    // It is not known whether the answer came: it is the same message again.
    peer.does("SendMessage", [Does::Gives(task("WORKING"))]).does("GetTask", [Does::Gives(two())]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    assert_eq!(told(&house.moving(engine.returned(id)).await.unwrap()), "success 2");
    let sent: Vec<Value> = peer.asked_for("SendMessage").iter().map(|asked| asked.params["message"].clone()).collect();
    assert_eq!(sent.len(), 3);
    assert_eq!((&sent[1]["messageId"], &sent[1]["taskId"]), (&sent[2]["messageId"], &json!("t-1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_ended_before_it_was_answered_is_taken_as_it_is() {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Gives(task_saying("INPUT_REQUIRED", ""))]);
    let engine = house.open().await;
    employ(&engine, &peer).await;
    let id = begun(&engine, asking()).await;
    assert_eq!(asked(&engine, id).await, "The remote agent asks for input and does not say which.");
    peer.does("SendMessage", [Does::Refuses(-32004, "the task is over")]).does("GetTask", [Does::Gives(two())]);
    answered(&engine, id, "too late").await;
    assert_eq!(told(&house.moving(engine.returned(id)).await.unwrap()), "success 2");
}

/// Answers, and waits until the work is taken again: an offer has a window by the clock that is moved after this.
async fn answered(engine: &Engine, id: HandoffId, text: &str) {
    let mut feed = engine.subscribe(Filter::default(), None);
    engine.answer(id, "desk", text).await.unwrap();
    let taken = async {
        while !matches!(feed.next().await.unwrap(), Some(Notice::Event(message)) if message.kind == "TASK_STARTED") {}
    };
    within(taken).await;
}
