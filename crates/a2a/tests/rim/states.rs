//! Every state of a handoff is one of a task, and what is said with it.

use crate::house::{House, giving, id, worker};
use handover_core::{
    agent::Profile,
    handoff::{ContentType, ReturnStatus},
    ids::HandoffId,
};
use serde_json::{Value, json};

async fn seen(house: &House, task: &str) -> Value {
    house.local().rpc("GetTask", json!({"id": task})).await["result"].clone()
}

async fn state(house: &House, task: &str) -> String {
    seen(house, task).await["status"]["state"].as_str().unwrap().to_owned()
}

fn uuid(task: &str) -> HandoffId {
    HandoffId(task.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn offered_put_off_running_and_done() {
    let house = House::new().await;
    let client = house.local();
    let (task, _) = house.task(&client, "bob", "add").await;
    assert_eq!(state(&house, &task).await, "TASK_STATE_SUBMITTED");
    house.engine.defer(uuid(&task), &id("bob"), 60_000, "later").await.unwrap();
    assert_eq!(state(&house, &task).await, "TASK_STATE_SUBMITTED");
    let (task, _) = house.task(&client, "bob", "add again").await;
    let lease = house.accept(&task).await;
    assert_eq!(state(&house, &task).await, "TASK_STATE_WORKING");
    house.finish(&task, lease, json!("three")).await;
    let done = seen(&house, &task).await;
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(done["artifacts"][0]["parts"], json!([{"text": "three", "mediaType": "text/plain"}]));
    assert_eq!(done["artifacts"][0]["artifactId"], format!("{task}/result"));
}

#[tokio::test(flavor = "multi_thread")]
async fn done_in_part_failed_and_rejected() {
    let house = House::new().await;
    let client = house.local();
    for (status, expected) in
        [(ReturnStatus::Partial, "TASK_STATE_COMPLETED"), (ReturnStatus::Failed, "TASK_STATE_FAILED")]
    {
        let (task, _) = house.task(&client, "bob", "add").await;
        let lease = house.accept(&task).await;
        house.engine.give_back(uuid(&task), lease, giving(status, json!({"sum": 1}), "it is odd"), None).await.unwrap();
        let seen = seen(&house, &task).await;
        assert_eq!(seen["status"]["state"], expected);
        assert_eq!(seen["status"]["message"]["parts"][0]["text"], "it is odd");
        assert_eq!(seen["status"]["message"]["role"], "ROLE_AGENT");
        let partial = seen["metadata"]["https://handover.dev/a2a/lineage/v1"]["partial"] == true;
        assert_eq!(partial, status == ReturnStatus::Partial);
    }
    let (task, _) = house.task(&client, "bob", "add").await;
    house.engine.reject(uuid(&task), &id("bob"), "not my field").await.unwrap();
    let rejected = seen(&house, &task).await;
    assert_eq!(rejected["status"]["state"], "TASK_STATE_REJECTED");
    assert!(rejected["status"]["message"].to_string().contains("not my field"), "{rejected}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_offered_to_somebody_else_stays_the_same() {
    let house = House::new().await;
    house.engine.register_profile(worker("dan", "adding")).await.unwrap();
    let client = house.local();
    let mut message = crate::house::message("r", json!([{"text": "do"}]));
    message["metadata"] = json!({"skillId": "adding"});
    let sent =
        client.rpc("SendMessage", json!({"message": message, "configuration": {"returnImmediately": true}})).await;
    let task = sent["result"]["task"]["id"].as_str().unwrap().to_owned();
    let first = house.handoff(&task).await.to_agent.clone();
    house.engine.reject(uuid(&task), &first, "busy").await.unwrap();
    assert_ne!(house.handoff(&task).await.to_agent, first);
    assert_eq!(state(&house, &task).await, "TASK_STATE_SUBMITTED");
    let lease = house.accept(&task).await;
    house.finish(&task, lease, json!("done")).await;
    assert_eq!(state(&house, &task).await, "TASK_STATE_COMPLETED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_goes_up_goes_on() {
    let house = House::new().await;
    let mut low: Profile = worker("junior", "judging");
    low.escalates_to = Some(id("bob"));
    house.engine.register_profile(low).await.unwrap();
    let client = house.local();
    let (task, _) = house.task(&client, "junior", "judge").await;
    let lease = house.accept(&task).await;
    house.engine.escalate(uuid(&task), lease, "too hard for me").await.unwrap();
    assert_eq!(state(&house, &task).await, "TASK_STATE_SUBMITTED");
    assert_eq!(client.rpc("ListTasks", json!({})).await["result"]["totalSize"], 1);
    let lease = house.accept(&task).await;
    assert_eq!(state(&house, &task).await, "TASK_STATE_WORKING");
    house.finish(&task, lease, json!("guilty")).await;
    let done = seen(&house, &task).await;
    assert_eq!((&done["id"], &done["status"]["state"]), (&json!(task), &json!("TASK_STATE_COMPLETED")));
    assert_eq!(done["artifacts"][0]["parts"][0]["text"], "guilty");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_went_up_is_answered_and_taken_back_by_whoever_asked() {
    let house = House::new().await;
    let mut low: Profile = worker("junior", "judging");
    low.escalates_to = Some(id("bob"));
    house.engine.register_profile(low).await.unwrap();
    let client = house.client(crate::house::agent("ann", "default"));
    let (task, _) = house.task(&client, "junior", "judge").await;
    let lease = house.accept(&task).await;
    house.engine.escalate(uuid(&task), lease, "too hard for me").await.unwrap();
    let lease = house.accept(&task).await;
    let up = house.engine.latest(uuid(&task)).await.unwrap().id;
    house.engine.ask(up, lease, "Which law?").await.unwrap();
    let mut answer = crate::house::message("a", json!([{"text": "Ours"}]));
    answer["taskId"] = json!(task);
    let answered =
        client.rpc("SendMessage", json!({"message": answer, "configuration": {"returnImmediately": true}})).await;
    assert_eq!(answered["result"]["task"]["status"]["state"], "TASK_STATE_SUBMITTED", "{answered}");
    let cancelled = client.rpc("CancelTask", json!({"id": task})).await;
    assert_eq!(cancelled["result"]["status"]["state"], "TASK_STATE_CANCELED", "{cancelled}");
}

#[tokio::test(flavor = "multi_thread")]
async fn time_that_ran_out_is_a_failure() {
    let house = House::new().await;
    let client = house.local();
    let mut message = crate::house::message("t", json!([{"text": "add"}]));
    message["metadata"] = json!({"https://handover.dev/a2a/lineage/v1": {"remainingMs": 500}});
    let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", json!({"message": message})).await;
    assert_eq!(sent["result"]["task"]["status"]["state"], "TASK_STATE_FAILED", "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_come_as_the_caller_takes_them() {
    let house = House::new().await;
    let client = house.local();
    for (modes, part) in [
        (json!(["text/plain"]), json!({"text": "{\"sum\":3}", "mediaType": "text/plain"})),
        (json!(["application/json"]), json!({"data": {"sum": 3}, "mediaType": "application/json"})),
        (json!(["*/*"]), json!({"data": {"sum": 3}, "mediaType": "application/json"})),
    ] {
        let message = crate::house::message(&crate::house::new_id(), json!([{"text": "add"}]));
        let params =
            json!({"message": message, "configuration": {"returnImmediately": true, "acceptedOutputModes": modes}});
        let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", params).await;
        let task = sent["result"]["task"]["id"].as_str().unwrap().to_owned();
        let lease = house.accept(&task).await;
        house.finish(&task, lease, json!({"sum": 3})).await;
        assert_eq!(seen(&house, &task).await["artifacts"][0]["parts"][0], part, "{modes}");
    }
    let message = crate::house::message(&crate::house::new_id(), json!([{"text": "paint"}]));
    let params = json!({"message": message, "configuration": {"acceptedOutputModes": ["image/png"]}});
    let refused = client.rpc("SendMessage", params).await;
    assert_eq!(refused["error"]["code"], -32005, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reference_goes_out_as_what_it_is() {
    let house = House::new().await;
    let client = house.local();
    for (path, part) in [
        ("https://example.org/a.txt", json!({"url": "https://example.org/a.txt"})),
        ("src/parse.rs", json!({"text": "src/parse.rs", "filename": "src/parse.rs"})),
        ("C:\\work\\a.txt", json!({"text": "C:\\work\\a.txt", "filename": "C:\\work\\a.txt"})),
        ("data:image/png;base64,AAAA", json!({"raw": "AAAA", "mediaType": "image/png"})),
        ("data:,hello", json!({"text": "data:,hello", "filename": "data:,hello"})),
        ("data:image/png;base64,?", json!({"text": "data:image/png;base64,?", "filename": "data:image/png;base64,?"})),
    ] {
        let (task, _) = house.task(&client, "bob", "write").await;
        let lease = house.accept(&task).await;
        let mut giving = giving(ReturnStatus::Success, json!(path), "");
        giving.result.content_type = ContentType::ArtifactRef;
        house.engine.give_back(uuid(&task), lease, giving, None).await.unwrap();
        let done = seen(&house, &task).await;
        assert_eq!(done["artifacts"][0]["parts"], json!([part]), "{path}");
        serde_json::from_value::<a2a::Task>(done).unwrap();
    }
}
