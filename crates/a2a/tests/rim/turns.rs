//! Turns: what a task asks before it goes on, and who answers.

use crate::house::{Client, House, agent, id, message, new_id, operator};
use handover_core::{ids::HandoffId, policy::Policy};
use serde_json::{Value, json};

fn to(task: &str, parts: Value) -> Value {
    let mut message = message(&new_id(), parts);
    message["taskId"] = json!(task);
    json!({"message": message, "configuration": {"returnImmediately": true}})
}

async fn state(client: &Client, task: &str) -> Value {
    client.rpc("GetTask", json!({"id": task})).await["result"]["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_by_a_message_to_the_task() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, context) = house.task(&client, "bob", "book a flight").await;
    let lease = house.accept(&task).await;
    house.engine.ask(HandoffId(task.parse().unwrap()), lease, "From where?").await.unwrap();
    let asked = state(&client, &task).await;
    assert_eq!(asked["state"], "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(asked["message"]["parts"][0]["text"], "From where?");
    assert_eq!((&asked["message"]["taskId"], &asked["message"]["contextId"]), (&json!(task), &json!(context)));
    // Another agent that sees the session cannot answer for her.
    let answer = to(&task, json!([{"text": "From Rome"}]));
    let answered = client.rpc("SendMessage", answer.clone()).await;
    assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_SUBMITTED", "{answered}");
    assert_eq!(answered["result"]["task"]["contextId"], json!(context));
    // Whoever did not hear that it was taken says it again.
    let again = client.rpc("SendMessage", answer).await;
    assert_eq!(again["result"]["task"]["id"], json!(task), "{again}");
    let lease = house.accept(&task).await;
    assert_eq!(house.handoff(&task).await.attempt, 1);
    house.finish(&task, lease, json!("booked")).await;
    let done = client.rpc("GetTask", json!({"id": task})).await["result"].clone();
    let said: Vec<&str> =
        done["history"].as_array().unwrap().iter().map(|m| m["parts"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["book a flight", "From where?", "From Rome"]);
}

async fn awaiting() -> (House, Client, String) {
    let mut policy = Policy::without_guards();
    policy.approvals = serde_json::from_value(json!([{"name": "all", "when": {"to": ["bob"]}}])).unwrap();
    let house = House::with(policy).await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "pay").await;
    (house, client, task)
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_approve_decides_by_a_message() {
    for (parts, expected) in [
        (json!([{"data": {"approve": true, "comment": "fine"}}]), "TASK_STATE_SUBMITTED"),
        (json!([{"text": "yes"}]), "TASK_STATE_SUBMITTED"),
        (json!([{"text": "no, too much"}]), "TASK_STATE_REJECTED"),
        (json!([{"data": {"approve": false, "comment": "too much"}}]), "TASK_STATE_REJECTED"),
    ] {
        let (house, client, task) = awaiting().await;
        let asked = state(&client, &task).await;
        assert_eq!(asked["state"], "TASK_STATE_INPUT_REQUIRED");
        assert!(asked["message"]["parts"][0]["text"].as_str().unwrap().contains("approve"), "{asked}");
        // Nobody approves what they asked for.
        let own = client.rpc("SendMessage", to(&task, parts.clone())).await;
        assert_eq!(
            (&own["error"]["code"], &own["error"]["data"][0]["metadata"]["code"]),
            (&json!(-32000), &json!("HO0509")),
            "{own}"
        );
        let boss = house.client(operator("boss"));
        let decided = boss.rpc("SendMessage", to(&task, parts.clone())).await;
        assert_eq!(decided["result"]["task"]["status"]["state"], expected, "{parts} {decided}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_neither_yes_nor_no_decides_nothing() {
    let (house, _, task) = awaiting().await;
    let boss = house.client(operator("boss"));
    let unclear = boss.rpc("SendMessage", to(&task, json!([{"text": "perhaps"}]))).await;
    assert_eq!(unclear["error"]["code"], -32602);
    assert!(unclear["error"]["data"].to_string().contains("approve"), "{unclear}");
    assert_eq!(state(&boss, &task).await["state"], "TASK_STATE_INPUT_REQUIRED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_task_that_is_worked_on_is_said_in_its_conversation_once() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, context) = house.task(&client, "bob", "write").await;
    house.accept(&task).await;
    let more = to(&task, json!([{"text": "and keep it short"}]));
    for _ in 0..2 {
        let said = client.rpc("SendMessage", more.clone()).await;
        assert_eq!(said["result"]["task"]["status"]["state"], "TASK_STATE_WORKING", "{said}");
    }
    let session = handover_core::ids::SessionId::new(&context).unwrap();
    let messages = house.engine.messages(&session, 1, 10).await.unwrap();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].said.content, "and keep it short");
    let _ = id("bob");
}
