//! The person at a host is asked where only a person can go on, and where the key could decide it in any other way, too.

use crate::host::{BOTH, Host, Revision, engine};
use handover_core::{
    access::{Caller, Role},
    policy::Policy,
};
use serde_json::{Value, json};

fn able() -> Value {
    json!({ "elicitation": {} })
}

fn says(approve: bool) -> Value {
    json!({ "action": "accept", "content": { "approve": approve, "comment": "because" } })
}

/// Calls a tool as a client does that answers what it is asked, in either revision.
async fn call(host: &mut Host, arguments: &Value, answer: &Value) -> Value {
    host.person = Some(answer.clone());
    let params = json!({ "name": "request_approval", "arguments": arguments });
    let result = host.result("tools/call", params.clone()).await;
    if host.revision == Revision::Handshake {
        return result;
    }
    assert_eq!(result["resultType"], "input_required", "{result}");
    let asked = &result["inputRequests"]["approval"];
    assert_eq!(asked["method"], "elicitation/create");
    host.asked.push(asked["params"].clone());
    let mut again = params;
    again["inputResponses"] = json!({ "approval": answer });
    again["requestState"] = result["requestState"].clone();
    host.result("tools/call", again).await
}

#[tokio::test]
async fn the_person_at_the_host_says_yes_or_no() {
    for revision in BOTH {
        for (approve, decision) in [(true, "approved"), (false, "denied")] {
            let (_folder, engine) = engine().await;
            let mut host = Host::with(&engine, Some("alice"), revision, able()).await;
            let arguments = json!({ "action": "Delete the build folder", "details": { "size": 7 } });
            let result = call(&mut host, &arguments, &says(approve)).await;
            let told = &result["structuredContent"];
            assert_eq!((&told["decision"], &told["by"]), (&json!(decision), &json!("local")), "{result}");
            let asked = &host.asked[0];
            assert!(asked["message"].as_str().unwrap().contains("> Delete the build folder"), "{asked}");
            assert_eq!(asked["requestedSchema"]["properties"]["approve"]["type"], "boolean");
            assert_eq!(asked["requestedSchema"]["required"], json!(["approve"]));
            assert_eq!(host.asked.len(), 1);
        }
    }
}

#[tokio::test]
async fn whoever_does_not_decide_leaves_it_to_others() {
    for revision in BOTH {
        for answer in [json!({ "action": "decline" }), json!({ "action": "cancel" }), json!({ "action": "accept" })] {
            let (_folder, engine) = engine().await;
            let mut host = Host::with(&engine, Some("alice"), revision, able()).await;
            let result = call(&mut host, &json!({ "action": "Delete it" }), &answer).await;
            assert_eq!(result["structuredContent"]["decision"], "pending", "{result}");
            assert_eq!(engine.approvals(None).await.unwrap().len(), 1);
        }
    }
}

#[tokio::test]
async fn nobody_is_asked_who_cannot_be() {
    for revision in BOTH {
        for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
            let (_folder, engine) = engine().await;
            let mut host = Host::with(&engine, Some("alice"), revision, capabilities).await;
            let told = host.tool("request_approval", json!({ "action": "Delete it" })).await;
            assert_eq!((&told["decision"], host.asked.len()), (&json!("pending"), 0));
        }
    }
}

/// An agent's own key decides nothing, whatever its host says.
#[tokio::test]
async fn a_key_of_an_agent_never_approves() {
    for revision in BOTH {
        for role in [Role::Agent, Role::Operator, Role::Admin] {
            let (_folder, engine) = engine().await;
            let bound = Caller::of_agent("alice".parse().unwrap(), "default").role(role);
            let mut host = Host::with(&engine.for_caller(bound), None, revision, able()).await;
            host.person = Some(says(true));
            let told = host.tool("request_approval", json!({ "action": "Delete it" })).await;
            assert_eq!((&told["decision"], host.asked.len()), (&json!("pending"), 0), "{role}");
        }
    }
}

#[tokio::test]
async fn only_whom_the_rule_names_is_asked() {
    for revision in BOTH {
        let (_folder, engine) = engine().await;
        let rules = json!({ "approvals": [{ "name": "all", "approvers": [{ "who": "carol" }] }] });
        let policy: Policy = serde_json::from_value(rules).unwrap();
        engine.set_policy(policy).unwrap();
        let mut host = Host::with(&engine, Some("alice"), revision, able()).await;
        let told = host.tool("request_approval", json!({ "action": "Delete it" })).await;
        assert_eq!((&told["decision"], host.asked.len()), (&json!("pending"), 0));
    }
}

/// What a client brings back is not trusted: what was not written here for this call and this caller is refused.
#[tokio::test]
async fn a_state_that_was_changed_decides_nothing() {
    let (_folder, engine) = engine().await;
    let mut host = Host::with(&engine, Some("alice"), Revision::Stateless, able()).await;
    let mut other = Host::with(&engine, Some("bob"), Revision::Stateless, able()).await;
    let params = json!({ "name": "request_approval", "arguments": { "action": "Delete it" } });
    let first = host.result("tools/call", params.clone()).await;
    let text = first["requestState"].as_str().unwrap();
    let state: Value = serde_json::from_str(text).unwrap();
    let changed = |field: &str, value: Value| {
        let mut other = state.clone();
        other[field] = value;
        other.to_string()
    };
    let again = |text: &str| {
        let mut again = params.clone();
        again["inputResponses"] = json!({ "approval": says(true) });
        again["requestState"] = json!(text);
        again
    };
    for text in [
        changed("key", json!("another")),
        changed("digest", json!("0".repeat(64))),
        changed("mark", json!("0".repeat(64))),
        "nonsense".to_owned(),
    ] {
        let answer = host.request("tools/call", again(&text)).await;
        assert_eq!(answer["error"]["code"], json!(-32_602), "{text}: {answer}");
    }
    let stolen = other.request("tools/call", again(text)).await;
    assert_eq!(stolen["error"]["code"], json!(-32_602), "{stolen}");
    let pending = engine.approvals(None).await.unwrap();
    assert_eq!(pending.len(), 1);
    assert!(pending.iter().all(|pending| pending.handoff.approval.as_ref().unwrap().approved_by.is_none()));
    let result = host.result("tools/call", again(text)).await;
    assert_eq!(result["structuredContent"]["decision"], "approved");
}

/// Whoever forgets to answer is asked again.
#[tokio::test]
async fn a_call_without_its_answer_is_asked_again() {
    let (_folder, engine) = engine().await;
    let mut host = Host::with(&engine, Some("alice"), Revision::Stateless, able()).await;
    let mut params = json!({ "name": "request_approval", "arguments": { "action": "Delete it" } });
    let first = host.result("tools/call", params.clone()).await;
    params["requestState"] = first["requestState"].clone();
    params["inputResponses"] = json!({ "colour": { "action": "accept" } });
    let again = host.result("tools/call", params).await;
    assert_eq!(again["resultType"], "input_required");
    assert_eq!(engine.approvals(None).await.unwrap().len(), 1, "the same call asks for the same");
}
