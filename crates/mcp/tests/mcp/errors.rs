//! What is refused is told so that a model can act on it; what breaks the protocol is told to the client.

use crate::host::{BOTH, Host, Revision, engine};
use serde_json::json;

#[tokio::test]
async fn a_refusal_has_its_code_its_place_and_what_to_do() {
    let (_folder, engine) = engine().await;
    for revision in BOTH {
        let mut host = Host::new(&engine, "alice", revision).await;
        host.tool("open_session", json!({})).await;
        let nobody = "00000000-0000-4000-8000-000000000000";
        for (tool, arguments, words) in [
            ("handoff_status", json!({ "handoff_id": "x" }), "HO0108 at `handoff_id`"),
            ("handoff_status", json!({ "handoff_id": nobody }), "HO0501"),
            ("handoff_to_specialist", json!({}), "HO0101"),
            ("handoff_to_specialist", json!({ "task": 1 }), "HO0104 at `task`"),
            ("handoff_to_specialist", json!({ "task": "x", "priority": "asap" }), "HO0103 at `priority`"),
            ("handoff_to_specialist", json!({ "task": "x", "too": "bob" }), "HO0105"),
            ("handoff_to_specialist", json!({ "task": "x", "to_agent": "nobdy" }), "HO0202"),
            ("handoff_to_specialist", json!({ "task": "x", "to_agent": "alice" }), "HO0110"),
            ("handoff_to_specialist", json!({ "task": "x", "to_agent": "a b" }), "HO0108 at `to_agent`"),
            ("handoff_to_specialist", json!({ "task": "x", "wait_seconds": 601 }), "HO0109 at `wait_seconds`"),
            ("complete_handoff", json!({ "result": "x" }), "HO0507 at `handoff_id`"),
            ("accept_handoff", json!({}), "HO0510"),
            ("session_history", json!({ "session_id": "nowhere" }), "HO0301"),
            ("request_approval", json!({}), "HO0101 at `action`"),
            ("say", json!({}), "HO0101 at `text`"),
            ("unlock_file", json!({ "path": "x" }), "HO0605"),
            ("escalate", json!({ "reason": "x" }), "HO0408"),
        ] {
            let text = host.refused(tool, arguments.clone()).await;
            assert!(text.contains(words), "{tool} {arguments}: {text}");
            assert!(text.contains("What to do:"), "{text}");
        }
    }
}

#[tokio::test]
async fn whoever_does_not_say_who_it_is_is_told_how() {
    let (_folder, engine) = engine().await;
    let mut host = Host::with(&engine, None, Revision::Handshake, json!({})).await;
    let text = host.refused("check_inbox", json!({})).await;
    assert!(text.contains("handover-agent") && text.contains("--agent"), "{text}");
    // Looking needs no name.
    host.tool("list_specialists", json!({})).await;
}

#[tokio::test]
async fn an_unknown_tool_prompt_or_cursor_is_a_mistake_of_the_client() {
    let (_folder, engine) = engine().await;
    for revision in BOTH {
        let mut host = Host::new(&engine, "alice", revision).await;
        for (method, params) in [
            ("tools/call", json!({ "name": "rm_rf" })),
            ("prompts/get", json!({ "name": "poem" })),
            ("prompts/get", json!({ "name": "handoff_brief" })),
            ("tools/list", json!({ "cursor": "7" })),
            ("resources/list", json!({ "cursor": "7" })),
            ("prompts/list", json!({ "cursor": "7" })),
        ] {
            let answer = host.request(method, params.clone()).await;
            assert_eq!(answer["error"]["code"], json!(-32_602), "{method} {params}: {answer}");
        }
        let answer = host.request("tools/destroy", json!({})).await;
        assert_eq!(answer["error"]["code"], json!(-32_601), "{answer}");
    }
}

#[tokio::test]
async fn null_is_the_same_as_leaving_out() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    host.tool("check_inbox", json!({ "wait_seconds": null })).await;
    host.tool("list_specialists", json!({ "need": null })).await;
}
