//! A message that comes again, and a word that somebody gives for themselves: neither decides anything more.

use crate::house::{Client, House, agent, id, message, new_id, operator};
use handover_core::{access::Role, command::Caller, handoff::Edit, ids::HandoffId, policy::Policy};
use serde_json::{Value, json};

fn to(task: &str, parts: Value) -> Value {
    let mut message = message(&new_id(), parts);
    message["taskId"] = json!(task);
    json!({"message": message, "configuration": {"returnImmediately": true}})
}

async fn state(client: &Client, task: &str) -> Value {
    client.rpc("GetTask", json!({"id": task})).await["result"]["status"]["state"].clone()
}

async fn asking_house(rules: Value) -> House {
    let mut policy = Policy::without_guards();
    policy.approvals = serde_json::from_value(rules).unwrap();
    House::with(policy).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_comes_again_answers_no_further_question() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "book").await;
    let handoff = HandoffId(task.parse().unwrap());
    let (first, second) = (to(&task, json!([{"text": "Rome"}])), to(&task, json!([{"text": "Rome"}])));
    for (question, answer) in [("From where?", &first), ("And to where?", &second)] {
        let lease = house.accept(&task).await;
        house.engine.ask(handoff, lease, question).await.unwrap();
        // What was said before is said again, and this question stays open.
        let late = client.rpc("SendMessage", first.clone()).await;
        let open = question != "From where?";
        let expected = if open { "TASK_STATE_INPUT_REQUIRED" } else { "TASK_STATE_SUBMITTED" };
        assert_eq!(late["result"]["task"]["status"]["state"], expected, "{question} {late}");
        // The same words in another message are another answer.
        let answered = client.rpc("SendMessage", answer.clone()).await;
        assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_SUBMITTED", "{question} {answered}");
    }
    let given = house.handoff(&task).await.questions;
    assert!(given.iter().all(|one| one.answer.as_ref().is_some_and(|given| given.text == "Rome")), "{given:?}");
    // It is not said in the conversation either, nor refused when all is over.
    let lease = house.accept(&task).await;
    let working = client.rpc("SendMessage", first.clone()).await;
    assert_eq!(working["result"]["task"]["history"].as_array().unwrap().len(), 5, "{working}");
    house.finish(&task, lease, json!("booked")).await;
    let over = client.rpc("SendMessage", first).await;
    assert_eq!(over["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_comes_again_approves_nothing_more() {
    let house = asking_house(json!([{"name": "all", "when": {"to": ["bob"]}}])).await;
    let ann = house.client(agent("ann", "default"));
    let boss = house.client(operator("boss"));
    let (task, _) = house.task(&ann, "bob", "pay").await;
    let yes = to(&task, json!([{"text": "yes"}]));
    for _ in 0..2 {
        let decided = boss.rpc("SendMessage", yes.clone()).await;
        assert_eq!(decided["result"]["task"]["status"]["state"], "TASK_STATE_SUBMITTED", "{decided}");
    }
    // It answers no question either.
    let lease = house.accept(&task).await;
    house.engine.ask(HandoffId(task.parse().unwrap()), lease, "All of it?").await.unwrap();
    let late = boss.rpc("SendMessage", yes).await;
    assert_eq!(late["result"]["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{late}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_approved_is_what_was_shown() {
    let house = asking_house(json!([{"name": "all", "when": {"to": ["bob"]}}])).await;
    let ann = house.client(agent("ann", "default"));
    let boss = house.client(operator("boss"));
    let (task, _) = house.task(&ann, "bob", "pay 10").await;
    let lineage = handover_core::a2a::LINEAGE;
    let shown = boss.rpc("GetTask", json!({"id": task})).await["result"]["metadata"][lineage]["digest"].clone();
    assert!(shown.is_string(), "{shown}");
    let edit: Edit = serde_json::from_value(json!({"payload": {"pay": 10_000}})).unwrap();
    house.engine.amend(HandoffId(task.parse().unwrap()), "ann", edit).await.unwrap();
    let late = boss.rpc("SendMessage", to(&task, json!([{"data": {"approve": true, "digest": shown}}]))).await;
    assert!(late["error"].is_object(), "{late}");
    assert_eq!(state(&boss, &task).await, "TASK_STATE_INPUT_REQUIRED");
    let unreadable = boss.rpc("SendMessage", to(&task, json!([{"data": {"approve": true, "digest": 7}}]))).await;
    assert_eq!(unreadable["error"]["code"], -32602, "{unreadable}");
    let now = boss.rpc("GetTask", json!({"id": task})).await["result"]["metadata"][lineage]["digest"].clone();
    let decided = boss.rpc("SendMessage", to(&task, json!([{"data": {"approve": true, "digest": now}}]))).await;
    assert_eq!(decided["result"]["task"]["status"]["state"], "TASK_STATE_SUBMITTED", "{decided}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_decides_what_they_asked_for_whatever_their_key() {
    let house = asking_house(json!([{"name": "all", "when": {"to": ["bob"]}}])).await;
    let bound = Caller::new("several", "default").role(Role::Operator).acting_as([id("zoe"), id("ann")]);
    for (asks, decides) in [
        (Caller::local(), Caller::local()),
        (Caller::new("Head (k1)", "default"), Caller::new("Head (k1)", "default")),
        (agent("ann", "default"), agent("ann", "default")),
        (agent("ann", "default"), bound),
    ] {
        let (task, _) = house.task(&house.client(asks), "bob", "pay").await;
        let client = house.client(decides.clone());
        for parts in [json!([{"text": "yes"}]), json!([{"text": "no"}])] {
            let own = client.rpc("SendMessage", to(&task, parts)).await;
            assert_eq!(own["error"]["data"][0]["metadata"]["code"], "HO0509", "{}: {own}", decides.name);
        }
        assert_eq!(state(&client, &task).await, "TASK_STATE_INPUT_REQUIRED");
    }
}
