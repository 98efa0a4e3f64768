//! What is not the caller's does not exist, and an agent's key speaks for that agent alone.

use crate::host::{BOTH, Host, Revision, engine};
use handover_core::{
    access::{Caller, Role},
    agent::{AgentKind, Profile, Risk},
    refusal::Code,
};
use handover_mcp::RESOURCES;
use serde_json::json;

#[tokio::test]
async fn things_of_another_tenant_do_not_exist() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mine = engine.for_caller(Caller::new("ours", "blue"));
        let theirs = engine.for_caller(Caller::new("theirs", "red"));
        let mut alice = Host::new(&mine, "alice", revision).await;
        let mut bob = Host::new(&mine, "bob", revision).await;
        let mut eve = Host::new(&theirs, "eve", revision).await;
        bob.tool("check_inbox", json!({})).await;
        eve.tool("check_inbox", json!({})).await;
        alice.tool("open_session", json!({ "session_id": "s" })).await;
        let begun =
            alice.tool("handoff_to_specialist", json!({ "task": "x", "to_agent": "bob", "wait_seconds": 0 })).await;
        let id = begun["handoff"]["handoff_id"].as_str().unwrap();
        for (tool, arguments) in [
            ("handoff_status", json!({ "handoff_id": id })),
            ("accept_handoff", json!({ "handoff_id": id })),
            ("cancel_handoff", json!({ "handoff_id": id, "reason": "x" })),
            ("complete_handoff", json!({ "handoff_id": id })),
            ("answer_question", json!({ "handoff_id": id, "answer": "x" })),
            ("recall", json!({ "handoff_id": id })),
            ("request_approval", json!({ "handoff_id": id })),
        ] {
            let text = eve.refused(tool, arguments).await;
            assert!(text.contains("HO0501"), "{tool}: {text}");
        }
        for tool in ["session_history", "unlock_file", "say", "set_variable"] {
            let mut arguments = json!({ "session_id": "s" });
            match tool {
                "unlock_file" => arguments["path"] = json!("x"),
                "say" => arguments["text"] = json!("x"),
                "set_variable" => (arguments["name"], arguments["value"]) = (json!("a"), json!(1)),
                _ => {}
            }
            let text = eve.refused(tool, arguments).await;
            assert!(text.contains("HO0301"), "{tool}: {text}");
        }
        for uri in [
            "handover://sessions/s",
            "handover://audit/s",
            "handover://agents/alice",
            &format!("handover://handoffs/{id}"),
        ] {
            let answer = eve.request("resources/read", json!({ "uri": uri })).await;
            assert!(answer["error"]["message"].as_str().unwrap().contains("there is no resource"), "{answer}");
        }
        let listed = eve.result("resources/list", json!({})).await;
        assert_eq!(listed["resources"].as_array().unwrap().len(), RESOURCES.len());
        let there = eve.tool("list_specialists", json!({})).await;
        assert_eq!(there["specialists"], json!([]));
        for name in ["session_id", "agent_id", "handoff_id"] {
            let asked = json!({
                "ref": { "type": "ref/resource", "uri": "handover://sessions/{session_id}" },
                "argument": { "name": name, "value": "" },
            });
            let told = eve.result("completion/complete", asked).await["completion"]["values"].to_string();
            assert!(!told.contains("\"s\"") && !told.contains("alice") && !told.contains(id), "{name}: {told}");
        }
    }
}

#[tokio::test]
async fn a_key_says_which_agent_calls() {
    let (_folder, engine) = engine().await;
    let bound = engine.for_caller(Caller::of_agent("alice".parse().unwrap(), "default"));
    let mut alice = Host::with(&bound, None, Revision::Stateless, json!({})).await;
    assert_eq!(alice.tool("check_inbox", json!({})).await["you"], "alice");
    let known = engine.agent(&"alice".parse().unwrap()).unwrap();
    assert_eq!(known.profile.autonomy_budget.max_risk, Risk::Low, "whoever registers itself asks for little");
    let mut other = Host::with(&bound, Some("bob"), Revision::Stateless, json!({})).await;
    let text = other.refused("check_inbox", json!({})).await;
    assert!(text.contains("HO0302"), "{text}");
    let two = Caller::of_agent("a".parse().unwrap(), "default").acting_as(["a".parse().unwrap(), "b".parse().unwrap()]);
    let mut unsure = Host::with(&engine.for_caller(two.clone()), None, Revision::Stateless, json!({})).await;
    let text = unsure.refused("check_inbox", json!({})).await;
    assert!(text.contains("HO0101 at `agent`"), "{text}");
    let mut sure = Host::with(&engine.for_caller(two), Some("b"), Revision::Stateless, json!({})).await;
    assert_eq!(sure.tool("check_inbox", json!({})).await["you"], "b");
}

#[tokio::test]
async fn an_agent_sees_the_sessions_in_which_it_takes_part() {
    let (_folder, engine) = engine().await;
    let as_agent = |name: &str| engine.for_caller(Caller::of_agent(name.parse().unwrap(), "default"));
    let mut alice = Host::with(&as_agent("alice"), None, Revision::Handshake, json!({})).await;
    let mut bob = Host::with(&as_agent("bob"), None, Revision::Handshake, json!({})).await;
    let mut eve = Host::with(&as_agent("eve"), None, Revision::Handshake, json!({})).await;
    bob.tool("check_inbox", json!({})).await;
    eve.tool("check_inbox", json!({})).await;
    alice.tool("open_session", json!({ "session_id": "s" })).await;
    alice.tool("handoff_to_specialist", json!({ "task": "x", "to_agent": "bob", "wait_seconds": 0 })).await;
    bob.tool("session_history", json!({ "session_id": "s" })).await;
    let text = eve.refused("session_history", json!({ "session_id": "s" })).await;
    assert!(text.contains("HO0301"), "{text}");
}

#[tokio::test]
async fn whoever_only_looks_changes_nothing() {
    let (_folder, engine) = engine().await;
    engine.register_profile(Profile::named("alice").unwrap()).await.unwrap();
    let viewer = engine.for_caller(Caller::new("board", "default").role(Role::Viewer));
    let mut host = Host::new(&viewer, "alice", Revision::Stateless).await;
    host.tool("list_specialists", json!({})).await;
    for (tool, arguments) in [
        ("open_session", json!({})),
        ("say", json!({ "text": "x" })),
        ("handoff_to_specialist", json!({ "task": "x" })),
        ("accept_handoff", json!({})),
        ("request_approval", json!({ "action": "x" })),
    ] {
        let text = host.refused(tool, arguments).await;
        assert!(text.contains("HO0309"), "{tool}: {text}");
    }
}

/// Approvals are passed on by an agent of the house whose name nobody else can take.
#[tokio::test]
async fn no_tenant_keeps_others_from_asking_for_approval() {
    let (_folder, engine) = engine().await;
    let red = engine.for_caller(Caller::new("theirs", "red"));
    // A name like any other.
    red.register_profile(Profile::named("approvals").unwrap().kind(AgentKind::Worker)).await.unwrap();
    for by in [&red, &engine] {
        let taken = by.register_profile(Profile::named(handover_mcp::APPROVALS).unwrap()).await;
        assert!(taken.is_err_and(|error| error.has(Code::ReservedName)));
    }
    for (name, tenant) in [("alice", "blue"), ("eve", "red")] {
        let caller = engine.for_caller(Caller::new("ours", tenant));
        let mut host = Host::new(&caller, name, Revision::Stateless).await;
        let told = host.tool("request_approval", json!({ "action": "Delete it" })).await;
        assert_eq!(told["decision"], "pending", "{tenant}");
    }
    handover_mcp::attend_again(&engine).await.unwrap();
}
