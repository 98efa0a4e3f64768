//! Long waits: with progress, within a bound, and by polling.

use crate::host::{BOTH, Host, Revision, engine};
use handover_core::agent::Profile;
use handover_engine::agent::{Done, agent};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

#[tokio::test]
async fn a_result_that_comes_in_time_is_brought_back() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let echo =
            agent(|work| async move { Ok(Done::text(format!("did {}", work.handoff().request.task.description))) });
        engine.register(Profile::named("echo").unwrap().can("echoing"), echo).await.unwrap();
        let mut host = Host::new(&engine, "alice", revision).await;
        let told = host.tool("handoff_to_specialist", json!({ "task": "sing", "capability": "echoing" })).await;
        assert_eq!((&told["finished"], &told["handoff"]["result"]["body"]), (&json!(true), &json!("did sing")));
        let inbox = host.tool("check_inbox", json!({})).await;
        assert_eq!(inbox["returns"], json!([]), "it was taken with the call");
    }
}

#[tokio::test]
async fn a_wait_tells_how_it_goes_and_has_an_end() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let bell = Arc::new(Notify::new());
        let heard = bell.clone();
        let slow = agent(move |_| {
            let bell = heard.clone();
            async move {
                bell.notified().await;
                Ok(Done::text("at last"))
            }
        });
        engine.register(Profile::named("slow").unwrap(), slow).await.unwrap();
        let mut host = Host::new(&engine, "alice", revision).await;
        let params = json!({
            "name": "handoff_to_specialist", "arguments": { "task": "think", "to_agent": "slow", "wait_seconds": 5 },
            "_meta": { "progressToken": "p1" },
        });
        let result = host.result("tools/call", params).await;
        let told = &result["structuredContent"];
        assert_eq!(told["finished"], json!(false));
        assert!(told["next"].as_str().unwrap().contains("handoff_status"), "{told}");
        let progress: Vec<f64> = host
            .notes
            .iter()
            .filter(|note| note["method"] == "notifications/progress")
            .inspect(|note| assert_eq!(note["params"]["progressToken"], "p1"))
            .map(|note| note["params"]["progress"].as_f64().unwrap())
            .collect();
        assert!(progress.len() >= 2 && progress.windows(2).all(|pair| pair[0] < pair[1]), "{progress:?}");
        host.notes.clear();
        bell.notify_one();
        let id = &told["handoff"]["handoff_id"];
        let told = host.tool("handoff_status", json!({ "handoff_id": id, "wait_seconds": 10 })).await;
        assert_eq!(told["handoff"]["result"]["body"], "at last");
        assert_eq!(host.notes, Vec::<serde_json::Value>::new(), "nobody asked for progress");
    }
}

#[tokio::test]
async fn whoever_waits_for_work_is_woken_by_it() {
    let (_folder, engine) = engine().await;
    let mut alice = Host::new(&engine, "alice", Revision::Stateless).await;
    let mut bob = Host::new(&engine, "bob", Revision::Handshake).await;
    bob.tool("check_inbox", json!({})).await;
    let waiting = bob.begin("tools/call", json!({ "name": "check_inbox", "arguments": { "wait_seconds": 60 } })).await;
    alice.tool("handoff_to_specialist", json!({ "task": "x", "to_agent": "bob", "wait_seconds": 0 })).await;
    let answer = bob.answer(waiting).await;
    assert_eq!(answer["result"]["structuredContent"]["offers"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_call_that_is_cancelled_says_nothing_more() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mut host = Host::new(&engine, "alice", revision).await;
        let id = host.begin("tools/call", json!({ "name": "check_inbox", "arguments": { "wait_seconds": 600 } })).await;
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
        host.send(&cancel).await;
        host.tool("list_specialists", json!({})).await;
        assert!(host.notes.iter().all(|note| note["id"] != json!(id)), "{:?}", host.notes);
    }
}
