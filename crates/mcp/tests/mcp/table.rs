//! The table of tools: what clients are told of it.

use crate::{
    host::{BOTH, Host, Revision, engine},
    shape,
};
use handover_mcp::tools;
use serde_json::{Value, json};

/// What the text of the project promises.
const PROMISED: [&str; 24] = [
    "list_specialists",
    "handoff_to_specialist",
    "handoff_to_agent",
    "handoff_status",
    "cancel_handoff",
    "check_inbox",
    "accept_handoff",
    "reject_handoff",
    "defer_handoff",
    "heartbeat",
    "complete_handoff",
    "ask_question",
    "answer_question",
    "escalate",
    "request_approval",
    "recall",
    "session_history",
    "say",
    "open_session",
    "end_session",
    "set_variable",
    "add_artifact",
    "lock_file",
    "unlock_file",
];

#[tokio::test]
async fn tools_are_listed_in_the_order_of_the_table() {
    let (_folder, engine) = engine().await;
    for revision in BOTH {
        let mut host = Host::new(&engine, "alice", revision).await;
        for _ in 0..2 {
            let listed = host.result("tools/list", json!({})).await;
            let names: Vec<&str> =
                listed["tools"].as_array().unwrap().iter().map(|t| t["name"].as_str().unwrap()).collect();
            assert_eq!(names, PROMISED);
        }
    }
}

#[tokio::test]
async fn every_tool_says_what_it_takes_and_gives_and_does() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    let listed = host.result("tools/list", json!({})).await;
    for tool in listed["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 20), "{name}");
        assert!(tool["title"].as_str().is_some_and(|text| !text.is_empty()), "{name}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            assert_eq!(shape::is_plain(&tool[schema], "$"), Vec::<String>::new(), "{name} {schema}");
            for (field, below) in tool[schema]["properties"].as_object().unwrap() {
                assert!(below["description"].as_str().is_some_and(|text| !text.is_empty()), "{name} {schema} {field}");
            }
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], json!(false), "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
    }
}

#[test]
fn names_are_ones_that_every_host_takes() {
    for tool in tools() {
        assert!(tool.name.len() <= 64 && tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
        let hints = tool.hints;
        assert!(!(hints.read_only && (hints.destructive || hints.open_world)), "{}", tool.name);
    }
    let reads: Vec<&str> = tools().iter().filter(|tool| tool.hints.read_only).map(|tool| tool.name).collect();
    assert_eq!(reads, ["recall", "session_history"]);
    let waits: Vec<&str> = tools().iter().filter(|tool| tool.waits.is_some()).map(|tool| tool.name).collect();
    let expected = ["handoff_to_specialist", "handoff_to_agent", "handoff_status", "check_inbox", "request_approval"];
    assert_eq!(waits, expected);
    for tool in tools() {
        let takes = tool.input["properties"].get("wait_seconds").is_some();
        assert_eq!(takes, tool.waits.is_some(), "{}", tool.name);
    }
}

#[test]
fn a_schema_is_the_same_each_time() {
    let print = || {
        serde_json::to_string(&tools().iter().map(|tool| (&*tool.input, &*tool.output)).collect::<Vec<_>>()).unwrap()
    };
    assert_eq!(print(), print());
    assert!(!print().contains("\"$ref\"") && !print().contains(":null"));
    let _: Value = serde_json::from_str(&print()).unwrap();
}
