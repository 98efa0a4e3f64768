//! Streams over HTTP: what comes before an answer, on the stream of a session, and when nobody listens any more.

use crate::{
    host::engine,
    http::{ask, begin, heard, listen, message, modern, served, tool, within},
};
use axum::Extension;
use handover_core::access::Caller;
use handover_mcp::http::{Options, router};
use reqwest::Method;
use serde_json::{Value, json};

/// A client that is gone without a word is told nothing more, however much happens.
#[tokio::test]
async fn a_session_without_a_request_ends_although_much_happens() {
    let (_folder, engine) = engine().await;
    let options = Options { idle_ms: 300, ..Options::local() };
    let at = listen(router(&options).layer(Extension(engine.clone()))).await;
    let session = begin(&at).await;
    let uri = json!({ "uri": "handover://agents" });
    let subscribe = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": uri });
    let answer = within(&at, Method::POST, &session).body(subscribe.to_string()).send().await.unwrap();
    assert!(message(answer).await.get("result").is_some());
    let mut stream = within(&at, Method::GET, &session).send().await.unwrap();
    let busy = tokio::spawn(async move {
        for i in 0_u64.. {
            let profile = handover_core::agent::Profile::named("bob").unwrap().about("", &format!("{i}"));
            engine.register_profile(profile).await.unwrap();
        }
    });
    let mut text = String::new();
    heard(&mut stream, &mut text, "notifications/resources/updated").await;
    let ended = async { while stream.chunk().await.is_ok_and(|chunk| chunk.is_some()) {} };
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), ended).await;
    assert!(!busy.is_finished(), "something happens all the time");
    busy.abort();
    assert!(ended.is_ok(), "it goes on for ever");
}

#[tokio::test]
async fn progress_comes_before_the_answer_of_its_own_request() {
    let served = served().await;
    assert_eq!(tool(&served.eve, "check_inbox").send().await.unwrap().status(), 200);
    let arguments = json!({ "task": "think", "to_agent": "eve", "wait_seconds": 5 });
    let (name, meta) = ("handoff_to_specialist", json!({ "progressToken": "p1" }));
    let params = json!({ "name": name, "arguments": arguments, "_meta": meta });
    let stateless = modern(&served.alice, "tools/call", Some(name), params.clone());
    let session = begin(&served.alice).await;
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let stateful = within(&served.alice, Method::POST, &session).body(body.to_string());
    for (ask, id) in [(stateless, 1), (stateful, 7)] {
        let text = ask.send().await.unwrap().text().await.unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|line| !line.is_empty());
        let told: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        let (answer, before) = told.split_last().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["finished"]), (&json!(id), &json!(false)));
        assert!(before.len() >= 2, "{text}");
        for note in before {
            assert_eq!(note["method"], "notifications/progress", "{text}");
            assert_eq!(note["params"]["progressToken"], "p1", "{text}");
        }
    }
}

/// Says when a request is over.
struct Guard(tokio::sync::mpsc::UnboundedSender<()>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// Whoever goes away wants nothing more: a wait of minutes ends at once.
#[tokio::test]
async fn a_request_that_is_left_ends() {
    let (_folder, engine) = engine().await;
    let alice: handover_core::ids::AgentId = "alice".parse().unwrap();
    let caller = engine.for_caller(Caller::of_agent(alice.clone(), "default"));
    let (sender, mut over) = tokio::sync::mpsc::unbounded_channel();
    let guarded = move |mut request: axum::extract::Request, next: axum::middleware::Next| {
        request.extensions_mut().insert(std::sync::Arc::new(Guard(sender.clone())));
        next.run(request)
    };
    let app = router(&Options::local()).layer(Extension(caller)).layer(axum::middleware::from_fn(guarded));
    let at = listen(app).await;
    let params = json!({ "name": "check_inbox", "arguments": { "wait_seconds": 600 } });
    let ask = modern(&at, "tools/call", Some("check_inbox"), params);
    let left = tokio::spawn(async move { ask.send().await.unwrap().text().await });
    // It has begun when whoever asks is known.
    while engine.agent(&alice).is_err() {
        tokio::task::yield_now().await;
    }
    left.abort();
    let over = tokio::time::timeout(std::time::Duration::from_secs(30), over.recv()).await;
    assert!(over.is_ok(), "it still waits");
}

#[tokio::test]
async fn what_was_subscribed_to_is_heard_on_the_stream_of_the_session() {
    let served = served().await;
    let session = begin(&served.alice).await;
    let mut stream = within(&served.alice, Method::GET, &session).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    assert!(stream.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream"));
    let uri = json!({ "uri": "handover://agents" });
    let subscribe = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/subscribe", "params": uri });
    let answer = within(&served.alice, Method::POST, &session).body(subscribe.to_string()).send().await.unwrap();
    assert!(message(answer).await.get("result").is_some());
    assert_eq!(tool(&served.eve, "check_inbox").send().await.unwrap().status(), 200);
    let mut text = String::new();
    heard(&mut stream, &mut text, "notifications/resources/updated").await;
    assert!(text.contains("handover://agents"), "{text}");
    let plain = ask(&served.alice, Method::GET).header("mcp-protocol-version", "2025-11-25").send().await.unwrap();
    assert!(plain.status().is_client_error(), "without a session there is no stream: {}", plain.status());
}
