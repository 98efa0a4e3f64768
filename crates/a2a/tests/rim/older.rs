//! Version 0.3: whoever says nothing of a version is understood, and answered in its own words.

use crate::house::{Events, House, agent, id, new_id, post};
use handover_core::handoff::{Kind, Request};
use serde_json::{Value, json};

fn message(text: &str) -> Value {
    json!({"kind": "message", "messageId": new_id(), "role": "user", "parts": [{"kind": "text", "text": text}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_0_3_sends_looks_and_takes_back() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let at = "/a2a/agents/bob";
    for version in [None, Some(""), Some("0.3"), Some("0.3.0")] {
        let params = json!({"message": message("add"), "configuration": {"blocking": false}});
        let task = client.rpc_in(at, version, "message/send", params).await["result"].clone();
        assert_eq!((&task["kind"], &task["status"]["state"]), (&json!("task"), &json!("submitted")), "{task}");
        assert_eq!(task["history"][0]["parts"][0], json!({"kind": "text", "text": "add"}));
        assert_eq!(task["history"][0]["role"], "user");
        let id = task["id"].as_str().unwrap();
        let got =
            client.rpc_in(at, version, "tasks/get", json!({"id": id, "historyLength": 0})).await["result"].clone();
        assert_eq!((&got["id"], got.get("history")), (&json!(id), None));
        let lease = house.accept(id).await;
        house.finish(id, lease, json!([1, 2])).await;
        let done = client.rpc_in(at, version, "tasks/get", json!({"id": id})).await["result"].clone();
        assert_eq!(done["status"]["state"], "completed");
        assert_eq!(done["artifacts"][0]["parts"][0], json!({"kind": "data", "data": {"value": [1, 2]}}));
        let late = client.rpc_in(at, version, "tasks/cancel", json!({"id": id})).await;
        assert_eq!(late["error"]["code"], -32002);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_0_3_hears_a_stream() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": {"message": message("add")}});
    let mut stream = Events::of(client.ask(post("/a2a/agents/bob", None, body.to_string())).await);
    let first = stream.next().await.unwrap();
    let id = first["id"].as_str().unwrap().to_owned();
    let again = json!({"jsonrpc": "2.0", "id": 2, "method": "tasks/resubscribe", "params": {"id": id}});
    let other = Events::of(client.ask(post("/a2a", None, again.to_string())).await);
    let lease = house.accept(&id).await;
    house.finish(&id, lease, json!("3")).await;
    let rest = stream.rest().await;
    let kinds: Vec<&str> = rest.iter().map(|update| update["kind"].as_str().unwrap()).collect();
    assert_eq!((&first["kind"], kinds), (&json!("task"), vec!["status-update", "artifact-update", "status-update"]));
    let finals: Vec<&Value> = rest.iter().filter(|u| u["kind"] == "status-update").map(|u| &u["final"]).collect();
    assert_eq!(finals, [&json!(false), &json!(true)]);
    assert_eq!(rest[2]["status"]["state"], "completed");
    assert_eq!(other.rest().await[1..], rest[..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pushes_and_the_card_have_their_old_names() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (task, _) = house.task(&client, "bob", "add").await;
    let config = json!({"id": "c", "url": "http://127.0.0.1:1/x", "token": "t",
        "authentication": {"schemes": ["Bearer"], "credentials": "s"}});
    let old = |method: &'static str, params: Value| {
        let client = client.clone();
        async move { client.rpc_in("/a2a", None, method, params).await["result"].clone() }
    };
    let expected = json!({"taskId": task, "pushNotificationConfig": config});
    let set = old("tasks/pushNotificationConfig/set", expected.clone()).await;
    assert_eq!(set, expected);
    assert_eq!(old("tasks/pushNotificationConfig/get", json!({"id": task})).await, expected);
    let named = json!({"id": task, "pushNotificationConfigId": "c"});
    assert_eq!(old("tasks/pushNotificationConfig/get", named.clone()).await, expected);
    assert_eq!(old("tasks/pushNotificationConfig/list", json!({"id": task})).await, json!([expected]));
    assert_eq!(old("tasks/pushNotificationConfig/delete", named).await, Value::Null);
    assert_eq!(old("tasks/pushNotificationConfig/list", json!({"id": task})).await, json!([]));
    assert_eq!(old("agent/getAuthenticatedExtendedCard", json!({})).await["preferredTransport"], "JSONRPC");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_version_has_its_own_methods() {
    let house = House::new().await;
    let client = house.local();
    for (version, method) in
        [(Some("1.0"), "message/send"), (None, "SendMessage"), (Some("0.3"), "ListTasks"), (None, "tasks/list")]
    {
        let answer = client.rpc_in("/a2a", version, method, json!({})).await;
        assert_eq!(answer["error"]["code"], -32601, "{version:?} {method}: {answer}");
    }
    for version in ["1.1", "2.0", "0.2", "x"] {
        let answer = client.rpc_in("/a2a", Some(version), "ListTasks", json!({})).await;
        assert_eq!(answer["error"]["code"], -32009, "{version}: {answer}");
        let rest = axum::http::Request::get("/a2a/tasks").header("a2a-version", version);
        let answer = crate::house::document(client.ask(rest.body(axum::body::Body::empty()).unwrap()).await).await;
        assert_eq!(
            (answer.status, &answer.body["error"]["details"][0]["reason"]),
            (400, &json!("VERSION_NOT_SUPPORTED"))
        );
    }
    // HTTP+JSON is offered in 1.0 alone, as the card says.
    let bare = axum::http::Request::get("/a2a/tasks").body(axum::body::Body::empty()).unwrap();
    let answer = crate::house::document(client.ask(bare).await).await;
    assert_eq!((answer.status, &answer.body["error"]["details"][0]["reason"]), (400, &json!("VERSION_NOT_SUPPORTED")));
    let named = axum::http::Request::get("/a2a/tasks?A2A-Version=1.0").body(axum::body::Body::empty()).unwrap();
    assert_eq!(client.ask(named).await.status(), 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payload_that_only_looks_like_parts_is_shown_without_them() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let (_, context) = house.task(&client, "bob", "add").await;
    let mut request = Request::new(Kind::Delegation, id("ann"), "count");
    request.to_agent = Some(id("bob"));
    request.task.payload = json!({"parts": [1, "x", null, {"data": {"n": 1}}]});
    request.return_protocol.timeout_ms = Some(60_000);
    request.context.metadata = json!({"a2a": {"parts": true}});
    let session = handover_core::ids::SessionId::new(&context).unwrap();
    let made = house.engine.initiate(&session, request).await.unwrap().handoffs[0];
    for version in [None, Some("1.0")] {
        let method = if version.is_some() { "GetTask" } else { "tasks/get" };
        let seen = client.rpc_in("/a2a", version, method, json!({"id": made})).await["result"].clone();
        assert_eq!(seen["history"][0]["parts"].as_array().unwrap().len(), 2, "{seen}");
    }
}
