//! Whatever comes from outside: a clear error, never one of ours.

use crate::house::{House, agent, document, message, post};
use axum::{body::Body, http::Request};
use serde_json::{Value, json};

/// Bodies of JSON-RPC, and the code that each gets.
fn bodies() -> Vec<(String, i64)> {
    let around = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let send = |message: Value| around("SendMessage", json!({"message": message}));
    let with = |field: &str, value: Value| {
        let mut message = message("m", json!([{"text": "x"}]));
        message[field] = value;
        message
    };
    vec![
        (String::new(), -32700),
        ("{".to_owned(), -32700),
        ("\u{0}".to_owned(), -32700),
        (deep.clone(), -32600),
        ("[]".to_owned(), -32600),
        ("7".to_owned(), -32600),
        ("{}".to_owned(), -32600),
        (json!([{"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}]).to_string(), -32600),
        (json!({"jsonrpc": "1.0", "id": 1, "method": "ListTasks"}).to_string(), -32600),
        (json!({"jsonrpc": "2.0", "id": {}, "method": "ListTasks"}).to_string(), -32600),
        (json!({"jsonrpc": "2.0", "id": 1, "method": 7}).to_string(), -32600),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "Explode\n"}).to_string(), -32601),
        (around("ListTasks", json!([])), -32602),
        (around("ListTasks", json!("x")), -32602),
        (around("ListTasks", json!({"pageSize": "many"})), -32602),
        (around("ListTasks", json!({"status": "TASK_STATE_DREAMING"})), -32602),
        (around("ListTasks", json!({"status": "TASK_STATE_AUTH_REQUIRED"})), -32602),
        (around("ListTasks", json!({"statusTimestampAfter": "yesterday"})), -32602),
        (around("GetTask", json!({})), -32602),
        (around("GetTask", json!({"id": 7})), -32602),
        (around("GetTask", json!({"id": "../../etc"})), -32001),
        (around("SendMessage", json!({})), -32602),
        (around("SendMessage", json!({"message": 7})), -32602),
        (send(json!({"messageId": "m"})), -32602),
        (send(with("messageId", json!(""))), -32602),
        (send(with("messageId", json!("x".repeat(1_000)))), -32602),
        (send(with("messageId", json!("a\u{1}b"))), -32602),
        (send(with("role", json!("ROLE_AGENT"))), -32602),
        (send(with("role", json!("user"))), -32602),
        (send(with("parts", json!([]))), -32602),
        (send(with("parts", json!([{}]))), -32602),
        (send(with("parts", json!([{"text": "a", "data": 1}]))), -32602),
        (send(with("parts", json!([{"text": 7}]))), -32602),
        (send(with("parts", json!([{"raw": "not base64 !"}]))), -32602),
        (send(with("parts", Value::Array(vec![json!({"text": "x"}); 65]))), -32602),
        (send(with("parts", json!([{"data": "x".repeat(300_000)}]))), -32602),
        (send(with("contextId", json!("no such"))), -32602),
        (send(with("contextId", json!("handover:house"))), -32602),
        (send(with("taskId", json!("x"))), -32001),
        (send(with("referenceTaskIds", json!(["x"]))), -32001),
        (send(with("referenceTaskIds", json!(["a", "b", "c", "d", "e", "f", "g", "h", "i"]))), -32602),
        (send(with("parts", json!([{"text": "nul \u{0} inside"}]))), -32602),
        (around("CreateTaskPushNotificationConfig", json!({"url": "https://example.org"})), -32001),
        (around("CreateTaskPushNotificationConfig", json!({"taskId": "x"})), -32602),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn json_rpc_that_cannot_be() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    for (body, code) in bodies() {
        let shown: String = body.chars().take(200).collect();
        let answer = document(client.ask(post("/a2a/agents/bob", Some("1.0"), body)).await).await;
        assert_eq!(answer.status, 200, "{shown}");
        assert_eq!(answer.body["error"]["code"], code, "{shown}: {}", answer.body);
        assert!(!answer.body["error"]["message"].as_str().unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_0_3_that_cannot_be() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    for params in [
        json!(null),
        json!(7),
        json!("x"),
        json!([]),
        json!({}),
        json!({"message": "x"}),
        json!({"message": []}),
        json!({"message": {"role": "user", "parts": "x"}}),
        json!({"message": {"role": "user", "parts": [7]}}),
        json!({"message": {"role": "user", "parts": [{"kind": "video"}]}}),
        json!({"message": {"role": "user", "messageId": "m", "parts": [{"kind": "file", "file": 7}]}}),
        json!({"message": {"role": "boss", "messageId": "m", "parts": []}}),
        json!({"message": {"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "x"}]}, "configuration": {"pushNotificationConfig": 7}}),
        json!({"message": {"role": "user", "messageId": "m", "parts": [{"kind": "text", "text": "x"}]}, "configuration": {"pushNotificationConfig": {"authentication": {"schemes": 7}}}}),
    ] {
        for method in
            ["message/send", "tasks/pushNotificationConfig/set", "tasks/pushNotificationConfig/get", "tasks/get"]
        {
            let answer = client.rpc_in("/a2a/agents/bob", None, method, params.clone()).await;
            let code = answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method} {params}: {answer}"));
            assert!(code == -32602 || code == -32001, "{method} {params}: {answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_over_http_that_cannot_be() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let json = "application/json";
    let bad = format!("{{\"message\": {}", "[".repeat(200));
    for (method, path, media, body, status) in [
        ("POST", "/a2a/message:send", json, "", 400),
        ("POST", "/a2a/message:send", json, "{", 400),
        ("POST", "/a2a/message:send", json, "[]", 400),
        ("POST", "/a2a/message:send", json, bad.as_str(), 400),
        ("POST", "/a2a/message:send", "text/plain", "{}", 400),
        ("POST", "/a2a/message:send", "", "{}", 400),
        ("GET", "/a2a/message:send", json, "", 404),
        ("PUT", "/a2a/tasks", json, "{}", 404),
        ("GET", "/a2a", json, "", 405),
        ("GET", "/a2a/nowhere/at/all", json, "", 404),
        ("GET", "/a2a/tasks?pageSize=x", json, "", 400),
        ("GET", "/a2a/tasks?pageSize=-1", json, "", 400),
        ("GET", "/a2a/tasks?includeArtifacts=perhaps", json, "", 400),
        ("GET", "/a2a/tasks?historyLength=-1", json, "", 400),
        ("GET", "/a2a/tasks/%00", json, "", 404),
        ("GET", "/a2a/tasks/%zz", json, "", 404),
        ("GET", "/a2a/agents/nobody/tasks", json, "", 404),
        ("POST", "/a2a/tasks/x:cancel", json, "7", 400),
        ("POST", "/a2a/tasks/x:cancel", json, "{}", 404),
        ("DELETE", "/a2a/tasks/x", json, "", 404),
    ] {
        let request =
            Request::builder().method(method).uri(path).header("a2a-version", "1.0").header("content-type", media);
        let answer = document(client.ask(request.body(Body::from(body.to_owned())).unwrap()).await).await;
        assert_eq!(answer.status, status, "{method} {path} {body}: {}", answer.body);
        assert_eq!(answer.body["error"]["details"][0]["@type"], "type.googleapis.com/google.rpc.ErrorInfo", "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_known_is_passed_over() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut message = message("m", json!([{"text": "x", "future": 1}]));
    message["colour"] = json!("blue");
    message["extensions"] = json!(["https://example.org/strange/v9"]);
    let params = json!({"message": message, "future": {}, "configuration": {"returnImmediately": true, "more": []}});
    let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", params).await;
    assert!(sent["result"]["task"]["id"].is_string(), "{sent}");
    // Extensions that nobody knows are passed over; one of ours is said to be used.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}).to_string();
    let mut request = post("/a2a", Some("1.0"), body);
    let asked = format!("https://example.org/strange/v9, {}", handover_core::a2a::LINEAGE);
    request.headers_mut().insert("a2a-extensions", asked.parse().unwrap());
    let answer = document(client.ask(request).await).await;
    assert_eq!(answer.headers["a2a-extensions"], handover_core::a2a::LINEAGE);
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_trouble_is_not_told() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    house.engine.close().await.unwrap();
    let sent =
        client.rpc_at("/a2a/agents/bob", "SendMessage", json!({"message": message("m", json!([{"text": "x"}]))})).await;
    assert_eq!(sent["error"]["code"], -32603, "{sent}");
    let rest = client.get("/a2a/tasks").await;
    assert!(rest.status == 500 || rest.status == 503, "{}", rest.body);
    assert!(!rest.body.to_string().contains("sqlite"), "{}", rest.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_how_to_mend_it() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let mut made_up = message("m", json!([{"text": "x"}]));
    made_up["contextId"] = json!("made-up");
    let strange = message("m", json!([{"raw": "AAAA", "mediaType": "application/zip"}]));
    for (message, word) in [(made_up, "leave it out with the first message"), (strange, "application/pdf")] {
        let refused = client.rpc_at("/a2a/agents/bob", "SendMessage", json!({"message": message})).await;
        assert!(refused["error"].to_string().contains(word), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_card_names_is_taken() {
    let house = House::new().await;
    let client = house.client(agent("ann", "default"));
    let card = client.get("/a2a/agents/bob/.well-known/agent-card.json").await.body;
    let modes = card["defaultInputModes"].as_array().unwrap();
    for common in ["text/markdown", "image/jpeg", "audio/mpeg", "video/mp4", "application/octet-stream"] {
        assert!(modes.contains(&json!(common)), "{common}");
    }
    for mode in modes {
        let parts = json!([{"raw": "AAAA", "mediaType": mode}]);
        let params =
            json!({"message": message(&crate::house::new_id(), parts), "configuration": {"returnImmediately": true}});
        let sent = client.rpc_at("/a2a/agents/bob", "SendMessage", params).await;
        assert!(sent["result"].is_object(), "{mode} {sent}");
    }
}
