//! The messages themselves: what every answer has, what opens a line, what is never sent.

use crate::host::{BOTH, Host, Revision, engine};
use serde_json::json;

#[tokio::test]
async fn results_of_the_current_revision_say_their_type_and_how_long_they_hold() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    host.tool("check_inbox", json!({})).await;
    for (method, params, cached) in [
        ("server/discover", json!({}), true),
        ("tools/list", json!({}), true),
        ("prompts/list", json!({}), true),
        ("resources/list", json!({}), true),
        ("resources/templates/list", json!({}), true),
        ("resources/read", json!({ "uri": "handover://agents" }), true),
        ("tools/call", json!({ "name": "check_inbox" }), false),
        ("prompts/get", json!({ "name": "specialist_guidance" }), false),
    ] {
        let result = host.result(method, params).await;
        assert_eq!(result["resultType"], "complete", "{method}");
        if cached {
            assert!(result["ttlMs"].as_u64().is_some(), "{method}: {result}");
            assert!(["public", "private"].contains(&result["cacheScope"].as_str().unwrap()), "{method}");
        }
    }
    for method in ["resources/list", "resources/read"] {
        let params = if method == "resources/read" { json!({ "uri": "handover://agents" }) } else { json!({}) };
        assert_eq!(host.result(method, params).await["cacheScope"], "private", "{method} depends on who asks");
    }
}

#[tokio::test]
async fn a_server_is_discovered_before_all_else() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    let found = host.result("server/discover", json!({})).await;
    assert_eq!(found["supportedVersions"], json!(["2025-06-18", "2025-11-25", "2026-07-28"]));
    for capability in ["tools", "prompts", "resources", "completions"] {
        assert!(found["capabilities"][capability].is_object(), "{found}");
    }
    assert_eq!(found["capabilities"]["resources"]["subscribe"], json!(true));
    assert!(found["instructions"].as_str().unwrap().contains("check_inbox"));
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        let answer = host.request(method, json!({ "uri": "handover://agents" })).await;
        assert_eq!(answer["error"]["code"], json!(-32_601), "{method}");
    }
}

#[tokio::test]
async fn a_version_that_is_not_spoken_is_refused_with_those_that_are() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    let message = |id: u64, meta: serde_json::Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/list", "params": { "_meta": meta } });
    let (version, capabilities) =
        ("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities");
    host.send(&message(7, json!({ version: "1900-01-01", capabilities: {} }))).await;
    let answer = host.answer(7).await;
    assert_eq!(answer["error"]["code"], json!(-32_022), "{answer}");
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
    host.send(&message(8, json!({ version: "2026-07-28" }))).await;
    let answer = host.answer(8).await;
    assert_eq!(answer["error"]["code"], json!(-32_602), "capabilities belong to every request: {answer}");
}

#[tokio::test]
async fn the_handshake_agrees_on_a_version_that_both_speak() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Handshake).await;
    assert_eq!(host.hello["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(host.hello["result"]["serverInfo"]["name"], "handover");
    for capability in ["tools", "prompts", "resources", "completions"] {
        assert!(host.hello["result"]["capabilities"][capability].is_object());
    }
    assert_eq!(host.result("ping", json!({})).await, json!({}));
    for (asked, agreed) in [("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25")] {
        let mut other = Host::new(&engine, "alice", Revision::Stateless).await;
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": asked, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
        });
        other.send(&hello).await;
        assert_eq!(other.answer(1).await["result"]["protocolVersion"], agreed, "{asked}");
    }
}

#[tokio::test]
async fn answers_have_the_id_of_their_request_and_nothing_answers_a_notification() {
    let (_folder, engine) = engine().await;
    for revision in BOTH {
        let mut host = Host::new(&engine, "alice", revision).await;
        host.result("tools/list", json!({})).await;
        host.send(&json!({ "jsonrpc": "2.0", "method": "notifications/whatever", "params": {} })).await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(host.begin("tools/list", json!({})).await);
        }
        let mut heard = Vec::new();
        for _ in 0..3 {
            let message = host.hear().await;
            assert!(message.get("method").is_none(), "{message}");
            heard.push(message["id"].as_u64().unwrap());
        }
        heard.sort_unstable();
        assert_eq!(heard, ids);
    }
}

#[tokio::test]
async fn what_depends_on_nothing_said_before_is_the_same_on_every_line() {
    let (_folder, engine) = engine().await;
    let mut first = Host::new(&engine, "alice", Revision::Stateless).await;
    first.tool("say", json!({ "text": "x" })).await;
    let mut second = Host::new(&engine, "alice", Revision::Stateless).await;
    for method in ["tools/list", "prompts/list"] {
        assert_eq!(first.result(method, json!({})).await, second.result(method, json!({})).await);
    }
    let told = second.tool("session_history", json!({})).await;
    assert_eq!(told["total_messages"], json!(1), "what spans calls is kept by the agent's name and not by the line");
}

#[tokio::test]
async fn nonsense_on_the_line_breaks_nothing() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Handshake).await;
    for nonsense in [json!({ "x": 1 }), json!([]), json!("hello"), json!({ "jsonrpc": "2.0", "id": 5, "result": {} })] {
        host.send(&nonsense).await;
    }
    host.tool("check_inbox", json!({})).await;
}

/// Where a request stands in a trace comes with it.
#[tokio::test]
async fn the_trace_of_the_caller_goes_on() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    Host::new(&engine, "bob", Revision::Stateless).await.tool("check_inbox", json!({})).await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
    let params = json!({
        "name": "handoff_to_specialist", "arguments": { "task": "x", "to_agent": "bob", "wait_seconds": 0 },
        "_meta": { "traceparent": trace },
    });
    let result = host.result("tools/call", params).await;
    let id = result["structuredContent"]["handoff"]["handoff_id"].as_str().unwrap().parse().unwrap();
    let handoff = engine.handoff(id).await.unwrap();
    assert_eq!(handoff.request.context.traceparent.as_deref(), Some(trace));
}
