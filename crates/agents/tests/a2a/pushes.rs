//! Pushes: who may push, what is done about it, and what a replay brings.

use crate::{
    common::{House, asking, begun, employ_with, told, within},
    peer::{By, Does, Peer, done, status, task},
};
use expect_test::expect;
use handover_agents::{
    a2a::Times,
    webhook::{CallbackSettings, Callbacks},
};
use handover_core::limits::{CALLBACK_MS, REMOTE_PUSH_BYTES_MAX, REMOTE_PUSHES_MAX};
use serde_json::{Value, json};
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

async fn callbacks(house: &House) -> Arc<Callbacks> {
    let settings = CallbackSettings { listen: Some("127.0.0.1:0".parse().unwrap()), url: None };
    Arc::new(Callbacks::listen(&settings, Arc::new(house.clock.clone())).await.unwrap())
}

async fn push(url: &str, header: (&str, &str), body: &str) -> String {
    // Making one takes longer than all that is asked of it here.
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(reqwest::Client::new);
    let request = CLIENT.post(url).header(header.0, header.1).body(body.to_owned());
    let response = within(request.send()).await.unwrap();
    let status = response.status().as_u16();
    format!("{status} {}", response.text().await.unwrap().trim())
}

async fn pushing(by: By) -> Peer {
    let peer = Peer::new(by).await;
    peer.card(|card| card["capabilities"]["pushNotifications"] = json!(true));
    peer.does("GetTask", [Does::Gives(task("WORKING"))]).does("SendMessage", [Does::Gives(task("SUBMITTED"))]);
    peer.does("CreateTaskPushNotificationConfig", [Does::Gives(json!({"id": "p-1"}))]);
    peer
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_push_with_the_token_rings_and_the_task_itself_is_believed() {
    for by in [By::JsonRpc, By::HttpJson] {
        let (house, peer) = (House::new(), pushing(by).await);
        let engine = house.open().await;
        employ_with(&engine, &peer, Some(callbacks(&house).await), Times::default()).await;
        let id = begun(&engine, asking()).await;
        peer.was_asked("GetTask", 1).await;
        let config = peer.asked_for("SendMessage")[0].params["configuration"]["taskPushNotificationConfig"].clone();
        let (url, token) = (config["url"].as_str().unwrap(), config["token"].as_str().unwrap());
        assert!(url.ends_with(&format!("/callback/{id}/a2a")) && token.len() == 64, "{config}");
        assert_eq!(config["authentication"], json!({"scheme": "Bearer", "credentials": token}));
        let news = status("COMPLETED").to_string();
        let header = ("x-a2a-notification-token", token);
        let bearer = format!("Bearer {token}");
        let mut lines = vec![
            format!("no token: {}", push(url, ("x", "y"), &news).await),
            format!("another token: {}", push(url, ("x-a2a-notification-token", "guess"), &news).await),
            format!("another task: {}", push(url, header, &news.replace("t-1", "t-2")).await),
            format!("no task: {}", push(url, header, "{}").await),
            format!("no JSON: {}", push(url, header, "hello").await),
            format!("too long: {}", push(url, header, &"x".repeat(REMOTE_PUSH_BYTES_MAX + 1)).await),
        ];
        assert_eq!(peer.asked_for("GetTask").len(), 1, "nothing of this rings");
        // It says that the task is done, and it is not: whoever looks sees that.
        lines.push(format!("a good one: {}", push(url, header, &news).await));
        peer.was_asked("GetTask", 2).await;
        lines.push(format!("the same again: {}", push(url, header, &news).await));
        lines.push(format!(
            "another, by a bearer: {}",
            push(url, ("authorization", &bearer), &status("WORKING").to_string()).await
        ));
        peer.was_asked("GetTask", 3).await;
        for n in 2..REMOTE_PUSHES_MAX {
            push(url, header, &json!({"task": {"id": "t-1", "n": n}}).to_string()).await;
        }
        lines.push(format!(
            "too many: {}",
            push(url, header, &json!({"task": {"id": "t-1", "n": 0}}).to_string()).await
        ));
        peer.does("GetTask", [Does::Gives(done(&json!([{"data": 2}])))]);
        let result = house.moving(engine.returned(id)).await.unwrap();
        assert_eq!(told(&result), "success 2");
        house.clock.advance(Duration::from_millis(CALLBACK_MS));
        lines.push(format!("a replay: {}", push(url, header, &news).await.replace(&id.to_string(), "ID")));
        expect![[r#"
            no token: 401 the token is missing or wrong
            another token: 401 the token is missing or wrong
            another task: 404 nobody waits for news of this task
            no task: 404 nobody waits for news of this task
            no JSON: 400 the body is no JSON
            too long: 413 at most 4194304 bytes are taken
            a good one: 200 taken
            the same again: 200 taken before
            another, by a bearer: 200 taken
            too many: 429 at most 1000 pushes are taken for one piece of work (REMOTE_PUSHES_MAX)
            a replay: 404 nobody waits for an answer to ID
        "#]]
        .assert_eq(&(lines.join("\n") + "\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_ends_the_wait_and_a_restart_asks_for_pushes_anew() {
    let (house, peer) = (House::new(), pushing(By::JsonRpc).await);
    let engine = house.open().await;
    employ_with(&engine, &peer, Some(callbacks(&house).await), Times::default()).await;
    let id = begun(&engine, asking()).await;
    peer.was_asked("GetTask", 1).await;
    house.close(engine).await;
    let looked = peer.asked_for("GetTask").len();
    let engine = house.open().await;
    employ_with(&engine, &peer, Some(callbacks(&house).await), Times::default()).await;
    peer.was_asked("CreateTaskPushNotificationConfig", 1).await;
    let config: Value = peer.asked_for("CreateTaskPushNotificationConfig")[0].params.clone();
    assert_eq!(config["taskId"], "t-1");
    let before =
        peer.asked_for("SendMessage")[0].params["configuration"]["taskPushNotificationConfig"]["token"].clone();
    assert_ne!(config["token"], before);
    peer.was_asked("GetTask", looked + 1).await;
    peer.does("GetTask", [Does::Gives(done(&json!([{"data": 2}])))]);
    let (url, token) = (config["url"].as_str().unwrap(), config["token"].as_str().unwrap());
    assert_eq!(push(url, ("x-a2a-notification-token", token), &task("COMPLETED").to_string()).await, "200 taken");
    // No clock moves: the push alone ends the wait.
    let result = within(engine.returned(id)).await.unwrap();
    assert_eq!((told(&result), peer.asked_for("SendMessage").len()), ("success 2".to_owned(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_are_asked_for_only_where_they_can_come() {
    let (house, peer) = (House::new(), pushing(By::JsonRpc).await);
    peer.does("SendMessage", [Does::Refuses(-32003, "not here"), Does::Gives(done(&json!([{"data": 2}])))]);
    let engine = house.open().await;
    employ_with(&engine, &peer, Some(callbacks(&house).await), Times::default()).await;
    assert_eq!(told(&house.asked(&engine, asking()).await), "success 2");
    peer.card(|card| card["capabilities"]["pushNotifications"] = json!(false));
    employ_with(&engine, &peer, Some(callbacks(&house).await), Times::default()).await;
    house.asked(&engine, asking()).await;
    let configs: Vec<bool> = peer
        .asked_for("SendMessage")
        .iter()
        .map(|asked| asked.params["configuration"].get("taskPushNotificationConfig").is_some())
        .collect();
    assert_eq!(configs, [true, false, false]);
}
