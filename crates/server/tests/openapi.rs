//! The document says what the server does: it is whole, and every route answers with a status that it declares.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod plain;

use handover_server::{openapi, table};
use plain::House;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that a value leads to.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|field| references(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn nothing_leads_nowhere_and_nothing_is_there_for_nothing() {
    let document = openapi::document();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    for path in &found {
        let pointer = path.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{path} is not there");
    }
    for (name, shape) in document["components"]["schemas"].as_object().unwrap() {
        assert!(found.contains(&format!("#/components/schemas/{name}")), "nothing leads to {name}");
        assert!(shape["description"].is_string(), "{name} says nothing of itself");
        assert!(!name.ends_with(|c: char| c.is_ascii_digit()), "{name} is there twice");
    }
}

#[test]
fn every_route_is_in_it_once_and_nothing_else_is() {
    let document = openapi::document();
    let mut told = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let before = told.insert(id.to_owned(), (method.to_ascii_uppercase(), path.clone()));
            assert_eq!(before, None, "{id} is there twice");
        }
    }
    let routes = table::routes();
    let known = routes.iter().map(|route| (route.id.to_owned(), (route.method.to_string(), route.path.to_owned())));
    assert_eq!(told, known.collect());
}

#[test]
fn bounds_of_forms_are_told_with_their_names() {
    let text = openapi::text();
    for name in ["TEXT_BYTES_MAX", "WAIT_MS_MAX", "CAPABILITIES_MAX", "VARIABLES_MAX", "BROADCAST_TARGETS_MAX"] {
        assert!(text.contains(name), "{name}");
    }
    let document = openapi::document();
    for name in ["HandoffRequest", "TurnForm", "ProfileForm", "GivingForm", "WorkflowForm", "EventRuleForm"] {
        assert_eq!(document["components"]["schemas"][name]["additionalProperties"], false, "{name}");
    }
}

fn handoff(to: &str) -> Value {
    json!({
        "from_agent": "clerk", "to_agent": to, "type": "delegation", "reason": "it knows more",
        "user_intent": "a good answer", "original_request": "please", "task": { "description": format!("for {to}") },
        "return_protocol": { "timeout": "1h" },
    })
}

/// What is there before every route is tried.
struct Seeded {
    /// Handoffs by what is done with them.
    handoffs: BTreeMap<&'static str, String>,
    leases: BTreeMap<&'static str, String>,
    group: String,
    artifact: String,
    keys: Vec<String>,
}

async fn seed(house: &House) -> Seeded {
    for agent in ["clerk", "expert", "reviewer", "idle"] {
        let mut profile = json!({ "kind": "worker", "max_concurrent_tasks": 100 });
        if agent == "expert" {
            profile["escalates_to"] = json!("reviewer");
        }
        house.good("PUT", &format!("/v1/agents/{agent}"), profile).await;
    }
    let limits = json!({ "handoffs": 100, "escalations": 100 });
    for id in ["s", "group", "over", "turn"] {
        house.good("POST", "/v1/sessions", json!({ "id": id, "active_agent": "clerk", "limits": limits })).await;
    }
    house
        .good("POST", "/v1/sessions/s/messages", json!({ "messages": [{ "role": "user", "content": "hello" }] }))
        .await;
    house.good("PUT", "/v1/sessions/s/variables/plan", json!({ "by": "clerk", "value": 1 })).await;
    house
        .good(
            "POST",
            "/v1/sessions/s/locks",
            json!({ "by": "clerk", "path": "b", "lock_type": "exclusive", "lease_ms": 60_000 }),
        )
        .await;
    let artifact = json!({ "by": "clerk", "artifact": { "type": "file", "path": "a" } });
    let artifact =
        house.good("POST", "/v1/sessions/s/artifacts", artifact).await["artifact"].as_str().unwrap().to_owned();
    house.good("PUT", "/v1/workflows/case", workflow()).await;
    let mut seeded =
        Seeded { handoffs: BTreeMap::new(), leases: BTreeMap::new(), group: String::new(), artifact, keys: Vec::new() };
    for name in ["one", "two"] {
        let made = house.good("POST", "/v1/keys", json!({ "name": name, "role": "viewer" })).await;
        seeded.keys.push(made["key"]["id"].as_str().unwrap().to_owned());
    }
    let ids = [
        "accept",
        "reject",
        "defer",
        "cancel",
        "redirect",
        "retry",
        "heartbeat",
        "record_step",
        "give_back",
        "decline",
        "escalate",
        "take_return",
        "read",
        "approve",
        "deny",
        "amend",
        "ask",
        "answer",
    ];
    for id in ids {
        let mut request = handoff("expert");
        request["task"]["description"] = json!(id);
        request["needs_approval"] = json!(["approve", "deny", "amend"].contains(&id));
        let made = house.good("POST", "/v1/sessions/s/handoffs", request).await;
        let handoff = made["handoffs"][0].as_str().unwrap().to_owned();
        if ["heartbeat", "record_step", "give_back", "decline", "escalate", "take_return", "ask", "answer", "retry"]
            .contains(&id)
        {
            let taken = house.good("POST", &format!("/v1/handoffs/{handoff}/accept"), json!({ "by": "expert" })).await;
            seeded.leases.insert(id, taken["lease"].as_str().unwrap().to_owned());
        }
        seeded.handoffs.insert(id, handoff);
    }
    let back = json!({ "lease": seeded.leases["take_return"], "status": "success" });
    house.good("POST", &format!("/v1/handoffs/{}/return", seeded.handoffs["take_return"]), back).await;
    let asked = json!({ "lease": seeded.leases["answer"], "question": "which one?" });
    house.good("POST", &format!("/v1/handoffs/{}/ask", seeded.handoffs["answer"]), asked).await;
    let mut wide = handoff("expert");
    wide["to_agent"] = Value::Null;
    wide["type"] = json!("broadcast");
    wide["broadcast"] = json!({ "targets": ["expert", "reviewer"] });
    let made = house.good("POST", "/v1/sessions/group/handoffs", wide).await;
    seeded.group = made["group"].as_str().unwrap().to_owned();
    seeded
}

fn workflow() -> Value {
    json!({
        "agents": { "clerk": {}, "expert": {} }, "start": "ASKED",
        "states": { "ASKED": { "agent": "clerk" }, "DECIDED": { "agent": "expert" }, "DONE": { "end": "completed" } },
        "rules": [
            { "id": "1", "from": "clerk", "to": "expert", "trigger_state": "TAKEN", "reason": "it is complete", "next_state": "DECIDED" },
            { "id": "2", "from": "expert", "trigger_state": "MADE", "reason": "it is decided", "next_state": "DONE" },
        ],
    })
}

/// A body that is right, by the id of the route.
fn body(id: &str, seeded: &Seeded) -> Value {
    let lease = seeded.leases.get(id).cloned().unwrap_or_default();
    match id {
        "open_session" => json!({ "active_agent": "clerk" }),
        "end_session" => json!({ "by": "clerk", "reason": "done" }),
        "limit_session" => json!({ "handoffs": 100 }),
        "say" => json!({ "messages": [{ "role": "user", "content": "more" }], "after": null }),
        "decide" => json!({ "by": "clerk", "description": "so be it" }),
        "complete_segment" => json!({ "by": "clerk" }),
        "take_return" => json!({ "by": "clerk" }),
        "end_turn" => json!({ "goto": "END", "update": { "variables_changed": { "a": 1 } } }),
        "write_variables" => json!({ "by": "clerk", "writes": [{ "name": "b", "value": 2 }] }),
        "write_variable" => json!({ "by": "clerk", "value": 2 }),
        "keep_artifact" => json!({ "by": "clerk", "artifact": { "type": "file", "path": "c" } }),
        "mark_artifact" => json!({ "by": "clerk", "status": "final" }),
        "lock" => json!({ "by": "clerk", "path": "a", "lock_type": "exclusive", "lease_ms": 1_000 }),
        "unlock" => json!({ "by": "clerk", "path": "b" }),
        "hand_off" | "dry_run" => handoff("reviewer"),
        "recommend" => json!({ "task": "look at it" }),
        "claim" => json!({ "wait_ms": 0 }),
        "accept" => json!({ "by": "expert", "lease_ms": 60_000 }),
        "reject" => json!({ "by": "expert", "reason": "no" }),
        "defer" => json!({ "by": "expert", "for_ms": 1_000, "reason": "later" }),
        "heartbeat" => json!({ "lease": lease }),
        "record_step" => json!({ "lease": lease, "name": "one", "output": 1 }),
        "give_back" => json!({ "lease": lease, "status": "success", "then": null, "audit": { "tokens_consumed": 3 } }),
        "decline" => json!({ "lease": lease, "reason": "no" }),
        "escalate" => json!({ "lease": lease, "assessment": "too hard" }),
        "ask" => json!({ "lease": lease, "question": "which one?" }),
        "answer" => json!({ "by": "clerk", "text": "this one" }),
        "cancel" => json!({ "by": "clerk", "reason": "no need" }),
        "redirect" => json!({ "to_agent": "reviewer", "by": "anna", "reason": "it is better so" }),
        "retry" => json!({ "by": "anna", "reason": "once more" }),
        "approve" | "deny" => json!({ "by": "anna", "comment": "" }),
        "amend" => json!({ "by": "anna", "edit": { "priority": "high" } }),
        "register_agent" => {
            json!({ "kind": "worker", "capabilities": ["review", { "id": "write", "proficiency": 0.5 }] })
        }
        "drain_agent" => json!({ "drain": false }),
        "define_workflow" => workflow(),
        "start_workflow" => json!({ "by": "reviewer" }),
        "raise_event" => json!({ "id": "e", "type": "nothing" }),
        "set_event_rule" => json!({ "on": "x", "from_agent": "clerk", "to_agent": "expert", "task": "look" }),
        "make_key" => json!({ "name": "reader", "role": "viewer" }),
        "rotate_key" => json!({ "grace_ms": 1_000 }),
        "carry_out_command" => json!({
            "version": "0", "args": ["sessions"], "user": "anna",
            "look": { "colour": false, "terminal": false, "progress": false, "json": true },
        }),
        other => panic!("{other} takes a body, and this test has none for it"),
    }
}

/// An address that names what is there.
fn address(route: &table::Route, seeded: &Seeded) -> String {
    let session = match route.id {
        "read_group" => "group",
        "end_session" => "over",
        "end_turn" => "turn",
        _ => "s",
    };
    let handoff = seeded.handoffs.get(route.id).unwrap_or(&seeded.handoffs["read"]);
    let agent = if route.id == "remove_agent" { "idle" } else { "reviewer" };
    let parts = [
        ("{session}", session),
        ("{handoff}", handoff),
        ("{agent}", agent),
        ("{group}", &seeded.group),
        ("{artifact}", &seeded.artifact),
        ("{variable}", "plan"),
        ("{workflow}", "case"),
        ("{rule}", "rule"),
        ("{code}", "HO0101"),
        ("{key}", if route.id == "revoke_key" { &seeded.keys[1] } else { &seeded.keys[0] }),
    ];
    let path = parts.iter().fold(route.path.to_owned(), |path, (name, value)| path.replace(name, value));
    match route.id {
        "end_turn" => path + "?by=clerk",
        "read_shown" | "recall" => path + "?first=1&last=1",
        _ => path,
    }
}

/// Routes whose right request comes to nothing here, with the status that says why.
const NOT_HERE: [(&str, u16); 2] = [("move_state", 409), ("read_experiment", 404)];

#[tokio::test]
async fn every_route_answers_with_a_status_that_it_declares() {
    let house = House::open().await;
    let seeded = seed(&house).await;
    let document = openapi::document();
    let mut wrong = Vec::new();
    for route in table::routes() {
        let operation = &document["paths"][route.path][route.method.as_str().to_ascii_lowercase()];
        let declared = |status: u16| operation["responses"].get(status.to_string()).is_some();
        let method = route.method.as_str();
        let body = match route.id {
            "move_state" => Some(json!({ "lease": seeded.leases["heartbeat"], "state": "X" })),
            id => route.body.is_some().then(|| body(id, &seeded)),
        };
        let path = address(&route, &seeded);
        let (status, answer) = house.ask(method, &path, "localhost", body.as_ref()).await;
        let expected = NOT_HERE.iter().find(|(id, _)| *id == route.id).map(|(_, status)| *status);
        if !declared(status) || expected.map_or(status >= 300, |expected| status != expected) {
            wrong.push(format!("{} with a right request: {status} {answer}", route.id));
        }
        let Some((path, host, body)) = mistaken(&route, &path) else { continue };
        let (status, answer) = house.ask(method, &path, host, body.as_ref()).await;
        if !declared(status) || !(400..500).contains(&status) {
            wrong.push(format!("{} with a wrong request: {status} {answer}", route.id));
        }
    }
    house.server.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A request with a mistake: in the body, else in the query, else in the address, else in where it comes from.
fn mistaken(route: &table::Route, path: &str) -> Option<(String, &'static str, Option<Value>)> {
    if route.body.is_some() {
        return Some((path.to_owned(), "localhost", Some(json!({ "nonsense": 1 }))));
    }
    if route.query.is_some() {
        return Some((format!("{}?nonsense=1", route.path.replace(['{', '}'], "x")), "localhost", None));
    }
    if route.path.contains('{') {
        return Some((route.path.replace(['{', '}'], "x"), "localhost", None));
    }
    (route.entry != table::Entry::Anybody).then(|| (path.to_owned(), "elsewhere.example", None))
}
