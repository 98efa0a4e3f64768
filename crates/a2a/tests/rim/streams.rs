//! Streams: the task first, then all that happens to it, in order, to the end.

use crate::house::{Events, House, agent, id, message, new_id, word};
use handover_core::{
    command::{Command, NewArtifact},
    ids::HandoffId,
    session::{ArtifactStatus, ArtifactType},
};
use serde_json::json;

fn words(updates: &[serde_json::Value]) -> Vec<String> {
    updates.iter().map(word).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_begins_with_the_task_and_ends_with_its_end() {
    let house = House::new().await;
    let client = house.local();
    let params = json!({"message": message(&new_id(), json!([{"text": "add"}]))});
    let mut stream = client.stream("/a2a/agents/bob", "SendStreamingMessage", params).await;
    let first = stream.next().await.unwrap();
    let task = first["task"]["id"].as_str().unwrap().to_owned();
    let lease = house.accept(&task).await;
    house.finish(&task, lease, json!("3")).await;
    let rest = stream.rest().await;
    assert_eq!(words(&[first]), ["task submitted"]);
    assert_eq!(words(&rest), ["working", "artifact {\"mediaType\":\"text/plain\",\"text\":\"3\"}", "completed"]);
    for update in &rest {
        let inner = update.as_object().unwrap();
        assert_eq!(inner.len(), 1, "exactly one of the four: {update}");
        let update = inner.values().next().unwrap();
        assert_eq!(update["taskId"], json!(task));
        assert!(update["contextId"].is_string());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_over_http_is_the_same_without_an_envelope() {
    let house = House::new().await;
    let client = house.local();
    let (task, _) = house.task(&client, "bob", "add").await;
    let mut streams = Vec::new();
    for method in ["GET", "POST"] {
        let request = axum::http::Request::builder().method(method).uri(format!("/a2a/tasks/{task}:subscribe"));
        let request = request.header("a2a-version", "1.0").body(axum::body::Body::empty()).unwrap();
        streams.push(Events::of(client.ask(request).await));
    }
    streams.push(client.stream("/a2a", "SubscribeToTask", json!({"id": task})).await);
    // One that leaves does the others no harm.
    drop(client.stream("/a2a", "SubscribeToTask", json!({"id": task})).await);
    let lease = house.accept(&task).await;
    house.finish(&task, lease, json!({"sum": 3})).await;
    let mut seen = Vec::new();
    for stream in streams {
        seen.push(stream.rest().await);
    }
    assert_eq!(
        words(&seen[0]),
        [
            "task submitted",
            "working",
            "artifact {\"data\":{\"sum\":3},\"mediaType\":\"application/json\"}",
            "completed"
        ]
    );
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_comes_at_any_moment_misses_nothing() {
    let house = std::sync::Arc::new(House::new().await);
    let client = house.local();
    for _ in 0..20 {
        let (task, _) = house.task(&client, "bob", "add").await;
        let working = tokio::spawn({
            let (house, task) = (house.clone(), task.clone());
            async move {
                let lease = house.accept(&task).await;
                house.finish(&task, lease, json!("3")).await;
            }
        });
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "SubscribeToTask", "params": {"id": task}}).to_string();
        let response = client.ask(crate::house::post("/a2a", Some("1.0"), body)).await;
        if response.headers()["content-type"] == "text/event-stream" {
            let seen = words(&Events::of(response).rest().await);
            let expected: &[&str] = match seen[0].as_str() {
                "task submitted" => &["task submitted", "working", "artifact", "completed"],
                "task working" => &["task working", "artifact", "completed"],
                other => panic!("{other}"),
            };
            let first: Vec<String> =
                seen.iter().map(|w| if w.starts_with("artifact") { "artifact".into() } else { w.clone() }).collect();
            assert_eq!(first, expected);
        }
        working.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_of_a_message_ends_where_somebody_has_to_say_something() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let params = json!({"message": message(&new_id(), json!([{"text": "book"}]))});
    let mut stream = client.stream("/a2a/agents/bob", "SendStreamingMessage", params).await;
    let task = stream.next().await.unwrap()["task"]["id"].as_str().unwrap().to_owned();
    let subscribed = client.stream("/a2a", "SubscribeToTask", json!({"id": task})).await;
    let lease = house.accept(&task).await;
    house.engine.ask(HandoffId(task.parse().unwrap()), lease, "From where?").await.unwrap();
    let rest = stream.rest().await;
    assert_eq!(words(&rest), ["working", "input_required"]);
    assert_eq!(rest[1]["statusUpdate"]["status"]["message"]["parts"][0]["text"], "From where?");
    // The answer, as a stream: it goes on with the same task.
    let mut answer = message(&new_id(), json!([{"text": "Rome"}]));
    answer["taskId"] = json!(task);
    let mut stream = client.stream("/a2a", "SendStreamingMessage", json!({"message": answer})).await;
    assert_eq!(word(&stream.next().await.unwrap()), "task submitted");
    let lease = house.accept(&task).await;
    house.finish(&task, lease, json!("ok")).await;
    assert_eq!(words(&stream.rest().await).last().unwrap(), "completed");
    // Whoever subscribed to the task heard all of it, to its end.
    let all = words(&subscribed.rest().await);
    assert_eq!(all[0], "task submitted");
    let states: Vec<&String> = all.iter().filter(|word| !word.starts_with("artifact")).collect();
    assert_eq!(states, ["task submitted", "working", "input_required", "submitted", "working", "completed"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_in_the_course_of_it_is_told_as_it_comes() {
    let house = House::new().await;
    let client = house.local();
    let (task, context) = house.task(&client, "bob", "write").await;
    let stream = client.stream("/a2a", "SubscribeToTask", json!({"id": task})).await;
    let lease = house.accept(&task).await;
    let artifact = NewArtifact {
        kind: ArtifactType::Document,
        path: "https://files.example.org/a.txt".to_owned(),
        description: "a draft".to_owned(),
        status: ArtifactStatus::Draft,
    };
    let session = handover_core::ids::SessionId::new(&context).unwrap();
    let keep = Command::Keep { by: id("bob"), artifact };
    house.engine.submit(&session, keep, None).await.unwrap();
    house.finish(&task, lease, json!("done")).await;
    let all = stream.rest().await;
    let kept = &all[2]["artifactUpdate"]["artifact"];
    assert_eq!(kept["parts"][0]["url"], "https://files.example.org/a.txt", "{all:?}");
    let seen = client.rpc("GetTask", json!({"id": task})).await["result"]["artifacts"].clone();
    assert!(seen.as_array().unwrap().contains(kept), "{seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_the_engine() {
    let house = House::new().await;
    let client = house.local();
    let (task, _) = house.task(&client, "bob", "write").await;
    let stream = client.stream("/a2a", "SubscribeToTask", json!({"id": task})).await;
    house.engine.close().await.unwrap();
    assert_eq!(words(&stream.rest().await), ["task submitted"]);
}
