//! Resources, prompts, completion, and being told of changes.

use crate::host::{BOTH, Host, Revision, engine};
use handover_core::limits::MCP_SUGGESTIONS_MAX;
use serde_json::{Value, json};

async fn read(host: &mut Host, uri: &str) -> Value {
    let result = host.result("resources/read", json!({ "uri": uri })).await;
    let content = &result["contents"][0];
    assert_eq!((&content["uri"], &content["mimeType"]), (&json!(uri), &json!("application/json")));
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn everything_that_there_is_can_be_read() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mut host = Host::new(&engine, "alice", revision).await;
        Host::new(&engine, "bob", revision).await.tool("check_inbox", json!({})).await;
        host.tool("open_session", json!({ "session_id": "trip/1" })).await;
        host.tool("say", json!({ "text": "hello" })).await;
        let begun =
            host.tool("handoff_to_specialist", json!({ "task": "x", "to_agent": "bob", "wait_seconds": 0 })).await;
        let id = begun["handoff"]["handoff_id"].as_str().unwrap();
        let listed = host.result("resources/list", json!({})).await;
        let uris: Vec<&str> =
            listed["resources"].as_array().unwrap().iter().map(|r| r["uri"].as_str().unwrap()).collect();
        assert_eq!(
            uris,
            ["handover://sessions", "handover://agents", "handover://inbox", "handover://sessions/trip%2F1"]
        );
        let templates = host.result("resources/templates/list", json!({})).await;
        assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 5);
        assert_eq!(read(&mut host, "handover://sessions").await[0]["session_id"], "trip/1");
        assert_eq!(read(&mut host, "handover://sessions/trip%2F1").await["handoffs"][0]["handoff_id"], id);
        let messages = read(&mut host, "handover://sessions/trip%2F1/messages?first=1&last=1").await;
        assert_eq!(messages["messages"][0]["content"], "hello");
        assert_eq!(read(&mut host, &format!("handover://handoffs/{id}")).await["status"], "offered");
        assert_eq!(read(&mut host, "handover://agents").await.as_array().unwrap().len(), 2);
        assert_eq!(read(&mut host, "handover://agents/bob").await["standing"], "available");
        let audit = read(&mut host, "handover://audit/trip%2F1").await;
        assert_eq!(audit["records"][0]["record"]["event_type"], "session_opened");
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let (_folder, engine) = engine().await;
    for (revision, code) in [(Revision::Handshake, -32_002), (Revision::Stateless, -32_602)] {
        let mut host = Host::new(&engine, "alice", revision).await;
        for uri in [
            "handover://sessions/none",
            "handover://handoffs/none",
            "handover://handoffs/00000000-0000-4000-8000-000000000000",
            "handover://agents/nobody",
            "handover://audit/handover:house",
            "handover://sessions/%00",
            "handover://../../etc/passwd",
            "file:///etc/passwd",
            "",
        ] {
            let answer = host.request("resources/read", json!({ "uri": uri })).await;
            assert_eq!(answer["error"]["code"], json!(code), "{uri}: {answer}");
            assert_eq!(answer["error"]["data"]["uri"], uri);
        }
    }
}

#[tokio::test]
async fn prompts_tell_who_is_there_and_what_to_do() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mut host = Host::new(&engine, "alice", revision).await;
        Host::new(&engine, "bob", revision).await.tool("check_inbox", json!({})).await;
        let listed = host.result("prompts/list", json!({})).await;
        let names: Vec<&str> =
            listed["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["specialist_guidance", "handoff_brief"]);
        let got = host.result("prompts/get", json!({ "name": "specialist_guidance" })).await;
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("- bob: ") && !text.contains("- alice"), "{text}");
        let begun =
            host.tool("handoff_to_specialist", json!({ "task": "Sing", "to_agent": "bob", "wait_seconds": 0 })).await;
        let arguments = json!({ "handoff_id": begun["handoff"]["handoff_id"] });
        let got = host.result("prompts/get", json!({ "name": "handoff_brief", "arguments": arguments })).await;
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("## Your Specific Task\n> Sing"), "{text}");
    }
}

#[tokio::test]
async fn names_are_completed_within_a_bound() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let mut host = Host::new(&engine, "alice", revision).await;
        for i in 0..3 {
            host.tool("open_session", json!({ "session_id": format!("trip-{i}") })).await;
        }
        host.tool("open_session", json!({ "session_id": "other" })).await;
        let complete = |name: &str, value: &str| {
            json!({
                "ref": { "type": "ref/resource", "uri": "handover://sessions/{session_id}" },
                "argument": { "name": name, "value": value },
            })
        };
        let got = host.result("completion/complete", complete("session_id", "trip")).await;
        assert_eq!(got["completion"]["values"], json!(["trip-2", "trip-1", "trip-0"]));
        let got = host.result("completion/complete", complete("agent_id", "al")).await;
        assert_eq!(got["completion"]["values"], json!(["alice"]));
        let got = host.result("completion/complete", complete("colour", "")).await;
        assert_eq!(got["completion"]["values"], json!([]));
        for i in 0..=MCP_SUGGESTIONS_MAX {
            let profile = handover_core::agent::Profile::named(&format!("many-{i}")).unwrap();
            engine.register_profile(profile).await.unwrap();
        }
        let got = host.result("completion/complete", complete("agent_id", "many-")).await;
        assert_eq!(got["completion"]["values"].as_array().unwrap().len(), MCP_SUGGESTIONS_MAX);
    }
}

#[tokio::test]
async fn a_client_with_a_handshake_is_told_of_what_it_subscribed_to() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Handshake).await;
    host.tool("open_session", json!({ "session_id": "s" })).await;
    let missing = host.request("resources/subscribe", json!({ "uri": "handover://sessions/none" })).await;
    assert_eq!(missing["error"]["code"], json!(-32_002));
    host.result("resources/subscribe", json!({ "uri": "handover://sessions/s" })).await;
    host.result("resources/subscribe", json!({ "uri": "handover://agents" })).await;
    host.tool("say", json!({ "text": "news", "session_id": "s" })).await;
    let note = host.note("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "handover://sessions/s");
    Host::new(&engine, "bob", Revision::Stateless).await.tool("check_inbox", json!({})).await;
    let note = host.note("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "handover://agents");
    host.result("resources/unsubscribe", json!({ "uri": "handover://sessions/s" })).await;
    host.tool("say", json!({ "text": "more", "session_id": "s" })).await;
    Host::new(&engine, "carol", Revision::Stateless).await.tool("check_inbox", json!({})).await;
    let note = host.note("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "handover://agents", "the session is not watched any more");
}

#[tokio::test]
async fn a_client_without_a_handshake_listens_by_a_request_of_its_own() {
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    host.tool("open_session", json!({ "session_id": "s" })).await;
    let uris = ["handover://sessions/s", "handover://sessions", "file:///etc/passwd"];
    let asked = json!({ "notifications": { "resourceSubscriptions": uris, "toolsListChanged": true } });
    let id = host.begin("subscriptions/listen", asked).await;
    let first = host.hear().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    let agreed = json!({ "resourceSubscriptions": ["handover://sessions/s", "handover://sessions"] });
    assert_eq!(first["params"]["notifications"], agreed);
    let subscription = "io.modelcontextprotocol/subscriptionId";
    assert_eq!(first["params"]["_meta"][subscription], json!(id));
    host.tool("say", json!({ "text": "news", "session_id": "s" })).await;
    for _ in 0..2 {
        let note = host.note("notifications/resources/updated").await;
        assert_eq!(note["params"]["_meta"][subscription], json!(id));
        assert!(uris[..2].contains(&note["params"]["uri"].as_str().unwrap()), "{note}");
    }
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    host.send(&cancel).await;
    host.notes.clear();
    host.tool("say", json!({ "text": "more", "session_id": "s" })).await;
    host.tool("session_history", json!({})).await;
    assert!(host.notes.iter().all(|note| note["method"] != "notifications/resources/updated"), "{:?}", host.notes);
}

#[tokio::test]
async fn a_client_watches_only_so_much() {
    use handover_core::limits::MCP_SUBSCRIPTIONS_MAX;
    let (_folder, engine) = engine().await;
    let mut host = Host::new(&engine, "alice", Revision::Handshake).await;
    host.tool("open_session", json!({ "session_id": "s" })).await;
    for i in 0..MCP_SUBSCRIPTIONS_MAX {
        host.result("resources/subscribe", json!({ "uri": format!("handover://audit/s?after={i}") })).await;
    }
    let more = host.request("resources/subscribe", json!({ "uri": "handover://agents" })).await;
    assert!(more["error"]["message"].as_str().unwrap().contains("MCP_SUBSCRIPTIONS_MAX"), "{more}");
    let uris: Vec<String> = (0..500).map(|i| format!("handover://audit/s?after={i}")).collect();
    let mut host = Host::new(&engine, "alice", Revision::Stateless).await;
    host.begin("subscriptions/listen", json!({ "notifications": { "resourceSubscriptions": uris } })).await;
    let first = host.hear().await;
    let agreed = first["params"]["notifications"]["resourceSubscriptions"].as_array().unwrap().len();
    assert_eq!(agreed, MCP_SUBSCRIPTIONS_MAX);
}

/// New work is told, and how busy somebody is.
#[tokio::test]
async fn whoever_watches_its_inbox_is_told_of_work() {
    let (_folder, engine) = engine().await;
    let mut alice = Host::new(&engine, "alice", Revision::Handshake).await;
    let mut bob = Host::new(&engine, "bob", Revision::Stateless).await;
    bob.tool("check_inbox", json!({})).await;
    alice.result("resources/subscribe", json!({ "uri": "handover://inbox" })).await;
    let hand = |to: &str| json!({ "task": "x", "to_agent": to, "wait_seconds": 0 });
    bob.tool("handoff_to_specialist", hand("alice")).await;
    let note = alice.note("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "handover://inbox");
    let inbox = read(&mut alice, "handover://inbox").await;
    assert_eq!((&inbox["you"], &inbox["offers"][0]["from_agent"]), (&json!("alice"), &json!("bob")));
    alice.result("resources/unsubscribe", json!({ "uri": "handover://inbox" })).await;
    alice.tool("handoff_to_specialist", hand("bob")).await;
    alice.result("resources/subscribe", json!({ "uri": "handover://agents/bob" })).await;
    alice.notes.clear();
    bob.tool("accept_handoff", json!({})).await;
    let note = alice.note("notifications/resources/updated").await;
    assert_eq!(note["params"]["uri"], "handover://agents/bob");
    assert_eq!(read(&mut alice, "handover://agents/bob").await["works_on"], json!(1));
}
