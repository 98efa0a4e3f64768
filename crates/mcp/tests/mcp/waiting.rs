//! Long waits: with progress, within a bound, and by polling.

use crate::host::{BOTH, Host, Revision, engine};
use async_trait::async_trait;
use handover_core::agent::Profile;
use handover_engine::{
    Engine,
    agent::{Done, agent},
};
use handover_mcp::{Call, Fault, Front, Way, What, carry_out};
use parking_lot::Mutex;
use serde_json::{Value, json};
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

/// Tells what a host asked of the engine.
struct Noting {
    engine: Engine,
    asked: Mutex<Vec<What>>,
}

#[async_trait]
impl Way for Noting {
    async fn ask(&self, what: What, key: &str) -> Result<Value, Fault> {
        self.asked.lock().push(what.clone());
        let call = Call { agent: Some("alice".into()), person: None, key: key.into(), what };
        carry_out(&self.engine, call).await
    }
}

/// A session is looked for only where a call could need it: in a busy house that takes long.
#[tokio::test]
async fn nothing_is_looked_for_that_a_call_says_or_does_not_need() {
    let (_folder, engine) = engine().await;
    let noting = Arc::new(Noting { engine: engine.clone(), asked: Mutex::default() });
    let way: Arc<dyn Way> = noting.clone();
    let mut host = Host::of(Front::new(Arc::new(move |_| Ok(way.clone()))), Revision::Stateless, json!({})).await;
    let session = host.tool("open_session", json!({ "session_id": "s" })).await["session_id"].clone();
    for (tool, arguments, looked) in [
        ("check_inbox", json!({}), None),
        ("list_specialists", json!({}), None),
        ("say", json!({ "text": "x", "session_id": session }), None),
        ("say", json!({ "text": "x" }), Some(true)),
        ("say", json!({ "text": "x", "session_id": null }), Some(true)),
        ("session_history", json!({ "session_id": session }), None),
        ("heartbeat", json!({}), Some(false)),
    ] {
        noting.asked.lock().clear();
        host.result("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        let asked = noting.asked.lock().clone();
        let found = asked.iter().find_map(|what| match what {
            What::Where { session } => Some(*session),
            _ => None,
        });
        assert_eq!(found, looked, "{tool} {arguments}");
    }
}
