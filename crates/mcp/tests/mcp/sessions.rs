//! Which session a call is about: the one that is named, or what follows from the work of the agent.

use crate::host::{BOTH, Host, Revision, engine};
use handover_core::{limits::MCP_FRESH_MS, time::Timestamp};
use handover_engine::{Engine, Options, clock::ManualClock};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn hand(to: &str) -> Value {
    json!({ "task": "x", "to_agent": to, "wait_seconds": 0 })
}

async fn there(engine: &Engine, name: &str, revision: Revision) -> Host {
    let mut host = Host::new(engine, name, revision).await;
    host.tool("check_inbox", json!({})).await;
    host
}

#[tokio::test]
async fn another_piece_of_work_has_a_session_of_its_own() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mut alice = there(&engine, "alice", revision).await;
        let mut bob = there(&engine, "bob", revision).await;
        there(&engine, "carol", revision).await;
        let first = alice.tool("handoff_to_specialist", hand("bob")).await;
        let second = alice.tool("handoff_to_specialist", hand("bob")).await;
        assert_eq!((&first["is_new_session"], &second["is_new_session"]), (&json!(true), &json!(true)));
        assert_ne!(first["handoff"]["session_id"], second["handoff"]["session_id"]);
        // What was opened for it takes the first handoff, and no more.
        let opened = alice.tool("open_session", json!({})).await["session_id"].clone();
        let third = alice.tool("handoff_to_specialist", hand("bob")).await;
        assert_eq!((&third["handoff"]["session_id"], &third["is_new_session"]), (&opened, &json!(false)));
        let fourth = alice.tool("handoff_to_specialist", hand("bob")).await;
        assert_ne!(fourth["handoff"]["session_id"], opened);
        // Whoever holds work goes on in its session.
        bob.tool("accept_handoff", json!({ "handoff_id": first["handoff"]["handoff_id"] })).await;
        let further = bob.tool("handoff_to_specialist", hand("carol")).await;
        assert_eq!(further["handoff"]["session_id"], first["handoff"]["session_id"]);
    }
}

/// The work of today is not that of yesterday.
#[tokio::test]
async fn a_session_that_was_silent_for_long_takes_nothing_more_unless_named() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::at(Timestamp(1_800_000_000_000));
    let options = Options { clock: Some(Arc::new(clock.clone())), ..Options::default() };
    let engine = Engine::open_with(folder.path().join("test.db"), options).await.unwrap();
    let mut alice = there(&engine, "alice", Revision::Stateless).await;
    let first = alice.tool("say", json!({ "text": "a finding" })).await;
    clock.advance(Duration::from_millis(MCP_FRESH_MS - 1));
    let second = alice.tool("say", json!({ "text": "another" })).await;
    assert_eq!(second["session_id"], first["session_id"]);
    clock.advance(Duration::from_millis(MCP_FRESH_MS));
    let history = alice.tool("session_history", json!({})).await;
    assert_eq!(history["session_id"], first["session_id"], "looking finds it");
    let third = alice.tool("say", json!({ "text": "today" })).await;
    assert_ne!(third["session_id"], first["session_id"]);
}

/// A handoff that is refused leaves no empty session behind, which later calls would take for the one that is meant.
#[tokio::test]
async fn what_was_refused_leaves_no_session() {
    let (_folder, engine) = engine().await;
    let mut alice = there(&engine, "alice", Revision::Stateless).await;
    there(&engine, "bob", Revision::Stateless).await;
    let first = alice.tool("handoff_to_specialist", hand("bob")).await;
    alice.refused("handoff_to_specialist", hand("nobody")).await;
    let history = alice.tool("session_history", json!({})).await;
    assert_eq!(history["session_id"], first["handoff"]["session_id"]);
}

#[tokio::test]
async fn a_session_is_ended_by_its_name() {
    let (_folder, engine) = engine().await;
    let mut alice = there(&engine, "alice", Revision::Stateless).await;
    let mut bob = there(&engine, "bob", Revision::Stateless).await;
    let begun = alice.tool("handoff_to_specialist", hand("bob")).await;
    let session = begun["handoff"]["session_id"].clone();
    let text = bob.refused("end_session", json!({ "session_id": session })).await;
    assert!(text.contains("HO03"), "it is not theirs: {text}");
    alice.refused("end_session", json!({})).await;
    let over = alice.tool("end_session", json!({ "session_id": session, "reason": "done" })).await;
    assert_eq!((&over["session_id"], &over["cancelled"]), (&session, &json!(1)));
    let history = alice.tool("session_history", json!({ "session_id": session })).await;
    assert_eq!(history["ended"], json!(true));
    alice.refused("say", json!({ "text": "more", "session_id": session })).await;
    let said = alice.tool("say", json!({ "text": "something else" })).await;
    assert_ne!(said["session_id"], session, "the next words are of another piece of work");
}

/// The key and the name of the agent say who asks; ids say what about. Each call comes on a line of its own, and none needs to
/// know what was said on another.
#[tokio::test]
async fn whoever_names_everything_needs_no_line_of_its_own() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        there(&engine, "bob", revision).await;
        let session =
            there(&engine, "alice", revision).await.tool("open_session", json!({})).await["session_id"].clone();
        // Other sessions and other work are no matter.
        there(&engine, "alice", revision).await.tool("open_session", json!({})).await;
        there(&engine, "alice", revision).await.tool("handoff_to_specialist", hand("bob")).await;
        let mut line = there(&engine, "alice", revision).await;
        line.tool("say", json!({ "text": "a finding", "session_id": session })).await;
        let mut given = hand("bob");
        given["session_id"] = session.clone();
        let begun = there(&engine, "alice", revision).await.tool("handoff_to_specialist", given).await;
        let id = begun["handoff"]["handoff_id"].clone();
        assert_eq!(begun["handoff"]["session_id"], session);
        let taken = there(&engine, "bob", revision).await.tool("accept_handoff", json!({ "handoff_id": id })).await;
        let done = json!({ "handoff_id": id, "lease": taken["lease"], "result": "done" });
        there(&engine, "bob", revision).await.tool("complete_handoff", done).await;
        let seen = there(&engine, "alice", revision).await.tool("handoff_status", json!({ "handoff_id": id })).await;
        assert_eq!(seen["handoff"]["result"]["body"], "done");
        let mut line = there(&engine, "alice", revision).await;
        let history = line.tool("session_history", json!({ "session_id": session })).await;
        assert_eq!(history["messages"][0]["content"], "a finding");
    }
}
