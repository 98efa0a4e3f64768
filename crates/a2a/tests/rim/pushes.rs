//! Pushes: told at least once, in order, across restarts; and to nobody who must not be reached.

use crate::house::{House, agent, message, new_id, word};
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::any,
};
use handover_a2a::{Options, Rim};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use tokio::sync::mpsc;

/// Somebody who is told, and at first refuses so many times.
pub struct Receiver {
    pub url: String,
    pub heard: mpsc::UnboundedReceiver<(HeaderMap, Value)>,
    refuses: Arc<AtomicU32>,
}

type Heard = (mpsc::UnboundedSender<(HeaderMap, Value)>, Arc<AtomicU32>);

async fn hear(State((sender, refuses)): State<Heard>, headers: HeaderMap, body: String) -> StatusCode {
    let left = refuses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    if left.is_ok() {
        return StatusCode::SERVICE_UNAVAILABLE;
    }
    let _ = sender.send((headers, serde_json::from_str(&body).unwrap()));
    StatusCode::NO_CONTENT
}

impl Receiver {
    pub async fn new() -> Self {
        let (sender, heard) = mpsc::unbounded_channel();
        let refuses = Arc::new(AtomicU32::new(0));
        let router = Router::new().route("/hook", any(hear)).with_state((sender, refuses.clone()));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, heard, refuses }
    }

    async fn next(&mut self) -> (HeaderMap, Value) {
        let waited = tokio::time::timeout(std::time::Duration::from_secs(30), self.heard.recv()).await;
        waited.expect("a push").unwrap()
    }

    pub async fn words(&mut self, count: usize) -> Vec<String> {
        let mut words = Vec::new();
        for _ in 0..count {
            words.push(word(&self.next().await.1));
        }
        words
    }
}

pub fn config(task: &str, id: &str, url: &str) -> Value {
    json!({"taskId": task, "id": id, "url": url, "token": "tok", "authentication": {"scheme": "Bearer", "credentials": "sec"}})
}

#[tokio::test(flavor = "multi_thread")]
async fn configs_are_made_seen_listed_and_removed_over_both_bindings() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "add").await;
    let url = "http://127.0.0.1:1/none";
    let made = client.rpc("CreateTaskPushNotificationConfig", config(&task, "one", url)).await["result"].clone();
    assert_eq!(made, config(&task, "one", url));
    serde_json::from_value::<a2a::TaskPushNotificationConfig>(made.clone()).unwrap();
    let path = format!("/a2a/tasks/{task}/pushNotificationConfigs");
    let second = client.rest("POST", &path, json!({"url": url})).await;
    assert_eq!(second.status, 200, "{}", second.body);
    let given = second.body["id"].as_str().unwrap().to_owned();
    assert!(!given.is_empty());
    for (rpc, rest) in [
        (
            client.rpc("GetTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})).await,
            client.get(&format!("{path}/one")).await,
        ),
        (client.rpc("ListTaskPushNotificationConfigs", json!({"taskId": task})).await, client.get(&path).await),
    ] {
        assert_eq!(rpc["result"], rest.body);
    }
    assert_eq!(client.get(&path).await.body["configs"].as_array().unwrap().len(), 2);
    for _ in 0..2 {
        let removed = client.rest("DELETE", &format!("{path}/{given}"), Value::Null).await;
        assert_eq!((removed.status, removed.body), (200, json!({})));
        let removed = client.rpc("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})).await;
        assert_eq!(removed["result"], json!({}));
    }
    assert_eq!(client.get(&path).await.body["configs"], json!([]));
    // Of a task that is over, too.
    client.rpc("CancelTask", json!({"id": task})).await;
    assert_eq!(
        client.rpc("CreateTaskPushNotificationConfig", config(&task, "late", url)).await["result"]["id"],
        "late"
    );
    assert_eq!(
        client.rpc("GetTaskPushNotificationConfig", json!({"taskId": task, "id": "late"})).await["result"]["id"],
        "late"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_is_told_all_in_order_with_its_token_and_credentials() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut receiver = Receiver::new().await;
    let push =
        json!({"url": receiver.url, "token": "tok", "authentication": {"scheme": "Bearer", "credentials": "sec"}});
    let params = json!({"message": message(&new_id(), json!([{"text": "add"}])),
        "configuration": {"returnImmediately": true, "taskPushNotificationConfig": push}});
    let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", params).await;
    let task = sent["result"]["task"]["id"].as_str().unwrap_or_else(|| panic!("{sent}")).to_owned();
    let (headers, first) = receiver.next().await;
    assert_eq!(
        (&headers["x-a2a-notification-token"], &headers["authorization"]),
        (&"tok".parse().unwrap(), &"Bearer sec".parse().unwrap())
    );
    assert_eq!(headers["content-type"], "application/a2a+json");
    assert_eq!((word(&first), &first["task"]["id"]), ("task submitted".to_owned(), &json!(task)));
    // It is not there for a while, and is told all the same.
    receiver.refuses.store(3, Ordering::SeqCst);
    let lease = house.accept(&task).await;
    house.finish(&task, lease, json!("3")).await;
    let words = receiver.words(3).await;
    assert_eq!((words[0].as_str(), words[2].as_str()), ("working", "completed"), "{words:?}");
    assert!(words[1].starts_with("artifact"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_told_before_a_restart_is_told_after_it() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut receiver = Receiver::new().await;
    let (task, _) = house.task(&client, "bob", "add").await;
    client.rpc("CreateTaskPushNotificationConfig", config(&task, "one", &receiver.url)).await;
    let lease = house.accept(&task).await;
    assert_eq!(receiver.words(1).await, ["working"]);
    // From now on nobody answers: the end is written, and not told.
    receiver.refuses.store(u32::MAX, Ordering::SeqCst);
    house.finish(&task, lease, json!("3")).await;
    let house = house.restart().await;
    let client = house.client(agent("ann", "default"));
    let kept =
        client.rpc("ListTaskPushNotificationConfigs", json!({"taskId": task})).await["result"]["configs"].clone();
    assert_eq!(kept, json!([config(&task, "one", &receiver.url)]));
    receiver.refuses.store(0, Ordering::SeqCst);
    let mut words = receiver.words(2).await;
    if words[0] == "working" {
        // It was told before the place was kept: a push is told at least once.
        words.extend(receiver.words(1).await);
    }
    assert_eq!(words.last().map(String::as_str), Some("completed"), "{words:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_removed_is_told_nothing_more() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (mut stays, mut leaves) = (Receiver::new().await, Receiver::new().await);
    let (task, _) = house.task(&client, "bob", "add").await;
    for (id, receiver) in [("stays", &stays), ("leaves", &leaves)] {
        client.rpc("CreateTaskPushNotificationConfig", config(&task, id, &receiver.url)).await;
    }
    let lease = house.accept(&task).await;
    assert_eq!((stays.words(1).await, leaves.words(1).await), (vec!["working".to_owned()], vec!["working".to_owned()]));
    client.rpc("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "leaves"})).await;
    house.finish(&task, lease, json!("3")).await;
    assert_eq!(stays.words(2).await[1], "completed");
    assert!(leaves.heard.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_of_0_3_is_told_the_task() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut receiver = Receiver::new().await;
    let (task, _) = house.task(&client, "bob", "add").await;
    let config = json!({"taskId": task, "pushNotificationConfig": {"url": receiver.url, "token": "t"}});
    client.rpc_in("/a2a", None, "tasks/pushNotificationConfig/set", config).await;
    house.accept(&task).await;
    let (headers, told) = receiver.next().await;
    assert_eq!(
        (&told["kind"], &told["id"], &told["status"]["state"]),
        (&json!("task"), &json!(task), &json!("working"))
    );
    assert_eq!(headers["content-type"], "application/json");
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_refused_unless_they_are_allowed() {
    let house = House::new().await;
    let strict = Rim::open(house.engine.clone(), Options::default()).await.unwrap();
    let strict = House { folder: tempfile::tempdir().unwrap(), engine: house.engine.clone(), rim: strict };
    let client = strict.client(agent("ann", "default"));
    let (task, _) = strict.task(&client, "bob", "add").await;
    for url in [
        "http://127.0.0.1/x",
        "http://localhost:9/x",
        "https://10.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest",
        "http://0x7f.1/",
        "http://2130706433/",
        "ftp://example.org/x",
        "file:///etc/passwd",
        "not an address",
        "",
    ] {
        let refused = client.rpc("CreateTaskPushNotificationConfig", json!({"taskId": task, "url": url})).await;
        assert_eq!(refused["error"]["code"], -32602, "{url}: {refused}");
        assert_eq!(refused["error"]["data"][1]["fieldViolations"][0]["field"], "url", "{refused}");
        let message = message(&new_id(), json!([{"text": "x"}]));
        let inline = json!({"message": message, "configuration": {"taskPushNotificationConfig": {"url": url}, "returnImmediately": true}});
        let refused = client.rpc_at("/a2a/agents/bob", "SendMessage", inline).await;
        assert_eq!(refused["error"]["code"], -32602, "{url}: {refused}");
    }
    // What is refused has made nothing.
    assert_eq!(client.rpc("ListTasks", json!({})).await["result"]["totalSize"], 1);
    let taken =
        client.rpc("CreateTaskPushNotificationConfig", json!({"taskId": task, "url": "https://example.org/x"})).await;
    assert!(taken["result"]["id"].is_string(), "{taken}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many_for_one_task_and_their_texts_are_bounded() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "add").await;
    let url = "http://127.0.0.1:1/none";
    let max = handover_core::limits::A2A_PUSHES_PER_TASK_MAX;
    for n in 0..max {
        let made = client.rpc("CreateTaskPushNotificationConfig", config(&task, &format!("c{n}"), url)).await;
        assert_eq!(made["result"]["id"], format!("c{n}"));
    }
    let more = client.rpc("CreateTaskPushNotificationConfig", config(&task, "more", url)).await;
    assert!(more["error"]["message"].as_str().unwrap().contains("A2A_PUSHES_PER_TASK_MAX"), "{more}");
    // One of those that are there may be changed.
    assert_eq!(client.rpc("CreateTaskPushNotificationConfig", config(&task, "c0", url)).await["result"]["id"], "c0");
    for (field, value) in [
        ("token", "a\nb".to_owned()),
        ("token", "x".repeat(5_000)),
        ("id", "a/b".to_owned()),
        ("url", "x".repeat(5_000)),
    ] {
        let mut bad = config(&task, "c1", url);
        bad[field] = json!(value);
        let refused = client.rpc("CreateTaskPushNotificationConfig", bad).await;
        assert_eq!(refused["error"]["data"][1]["fieldViolations"][0]["field"], field, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_of_receivers_are_in_no_record_and_gone_when_removed() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "add").await;
    let mut secret = config(&task, "one", "http://127.0.0.1:1/none");
    secret["token"] = json!("a-token-that-nobody-else-has");
    client.rpc("CreateTaskPushNotificationConfig", secret).await;
    let query = handover_engine::RecordQuery { limit: 1_000, ..handover_engine::RecordQuery::default() };
    let (lines, _) = house.engine.export_lines(query).await.unwrap();
    assert!(!lines.is_empty() && lines.iter().all(|line| !line.contains("a-token-that-nobody")));
    client.rpc("DeleteTaskPushNotificationConfig", json!({"taskId": task, "id": "one"})).await;
    assert_eq!(house.engine.notes("a2a/push", "", 10).await.unwrap(), []);
}
