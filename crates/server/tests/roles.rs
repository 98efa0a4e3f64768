//! Every route, with every role, in its own tenant and in another: no cell of the table deviates.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::World;
use handover_core::{
    access::{Right, Role},
    agent::{AgentKind, Profile},
};
use handover_server::table::{Entry, Route, routes};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Whoever asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Nobody,
    Viewer,
    /// The agent that works on what is asked about.
    Agent,
    /// An agent of the same tenant that has no part in it.
    Stranger,
    Operator,
    Admin,
    OtherViewer,
    OtherAgent,
    OtherOperator,
    OtherAdmin,
    House,
}

const ALL: [Who; 11] = [
    Who::Nobody,
    Who::Viewer,
    Who::Agent,
    Who::Stranger,
    Who::Operator,
    Who::Admin,
    Who::OtherViewer,
    Who::OtherAgent,
    Who::OtherOperator,
    Who::OtherAdmin,
    Who::House,
];

impl Who {
    fn role(self) -> Option<Role> {
        match self {
            Self::Nobody => None,
            Self::Viewer | Self::OtherViewer => Some(Role::Viewer),
            Self::Agent | Self::Stranger | Self::OtherAgent => Some(Role::Agent),
            Self::Operator | Self::OtherOperator => Some(Role::Operator),
            Self::Admin | Self::OtherAdmin | Self::House => Some(Role::Admin),
        }
    }

    fn is_other(self) -> bool {
        matches!(self, Self::OtherViewer | Self::OtherAgent | Self::OtherOperator | Self::OtherAdmin)
    }
}

/// What is expected of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// It is let in: whatever is answered, it is neither 401 nor 403, nor that it does not exist.
    In,
    /// Who are you?
    Unknown,
    /// Not you.
    Forbidden,
    /// There is no such thing.
    Missing,
}

/// Routes that belong to the house: no tenant's key uses them, whatever its role.
const OF_THE_HOUSE: [&str; 5] = ["define_workflow", "verify_audit", "prune_audit", "read_house_book", "metrics"];

/// What a cell should be.
fn expected(route: &Route, who: Who) -> Expected {
    let Entry::With(right) = route.entry else { return Expected::In };
    let Some(role) = who.role() else { return Expected::Unknown };
    if !role.may(right) {
        return Expected::Forbidden;
    }
    if OF_THE_HOUSE.contains(&route.id) && who != Who::House {
        return Expected::Forbidden;
    }
    let of_session = route.path.contains("{session}") || route.path.contains("{handoff}");
    if route.id == "read_group" {
        return Expected::Missing; // There is none, for nobody.
    }
    if of_session && (who.is_other() || who == Who::Stranger) {
        return Expected::Missing;
    }
    if route.path.contains("{agent}") && who.is_other() && route.id != "register_agent" {
        return Expected::Missing;
    }
    expected_of_agent(route, who, right)
}

/// What an agent may see of others, and may not do in their place.
fn expected_of_agent(route: &Route, who: Who, right: Right) -> Expected {
    let speaks = ["claim", "register_agent", "alive", "read_inbox", "read_returns"];
    match who {
        // The pilot is nobody else.
        Who::Stranger if speaks.contains(&route.id) => Expected::Forbidden,
        // An operator registers nobody, and an agent nobody else.
        Who::Operator | Who::OtherAgent | Who::OtherOperator if route.id == "register_agent" => Expected::Forbidden,
        // The planner of the one tenant is nobody in the other.
        Who::OtherAgent | Who::OtherOperator | Who::OtherAdmin
            if ["open_session", "start_workflow", "set_event_rule"].contains(&route.id) =>
        {
            Expected::Missing
        }
        // Sessions are opened and started in the name of an agent of one's own.
        Who::Agent | Who::Stranger if right == Right::Act && ["open_session", "start_workflow"].contains(&route.id) => {
            Expected::Forbidden
        }
        Who::Agent
            if [
                "end_session",
                "decide",
                "complete_segment",
                "end_turn",
                "hand_off",
                "dry_run",
                "take_return",
                "cancel",
                "answer",
            ]
            .contains(&route.id) =>
        {
            Expected::Forbidden
        }
        _ => Expected::In,
    }
}

fn found(status: u16, code: &str) -> Expected {
    match status {
        401 => Expected::Unknown,
        403 => Expected::Forbidden,
        // What is not there is told from what the caller may not see by nothing; here it is known to be there.
        404 if ["HO0301", "HO0501", "HO0208", "HO1001"].contains(&code) => Expected::Missing,
        _ => Expected::In,
    }
}

/// The body of a request that is right in itself.
fn body(id: &str, lease: &str, n: usize) -> Option<Value> {
    let by = "planner";
    Some(match id {
        "open_session" => json!({"active_agent": by, "id": format!("new-{n}")}),
        "end_session" => json!({"by": by, "reason": "over"}),
        "limit_session" => json!({}),
        "say" => json!({"messages": [{"role": "user", "content": "hello"}]}),
        "decide" => json!({"by": by, "description": "we fly"}),
        "complete_segment" => json!({"by": by}),
        "end_turn" => json!({"goto": "END"}),
        "write_variables" => json!({"by": "pilot", "writes": [{"name": "pilot/x", "value": 1}]}),
        "write_variable" => json!({"by": "pilot", "value": 1}),
        "keep_artifact" => json!({"by": "pilot", "artifact": {"type": "file", "path": "a.txt"}}),
        "mark_artifact" => json!({"by": "pilot", "status": "final"}),
        "lock" => json!({"by": "pilot", "path": "a.txt", "lock_type": "exclusive", "lease_ms": 10_000}),
        "unlock" => json!({"by": "pilot", "path": "a.txt"}),
        "hand_off" | "dry_run" => json!({
            "from_agent": by, "to_agent": "pilot", "type": "delegation", "reason": "r", "user_intent": "i",
            "original_request": "o", "task": {"description": "d"}, "return_protocol": {"timeout_ms": 60_000}}),
        "recommend" => json!({"task": "fly to Nice"}),
        "take_return" => json!({"by": by}),
        "claim" => json!({"wait_ms": 0}),
        "accept" => json!({"by": "pilot"}),
        "reject" => json!({"by": "pilot", "reason": "no"}),
        "defer" => json!({"by": "pilot", "for_ms": 1000, "reason": "later"}),
        "heartbeat" => json!({"lease": lease}),
        "record_step" => json!({"lease": lease, "name": "s", "output": 1}),
        "move_state" => json!({"lease": lease, "state": "s"}),
        "give_back" => json!({"lease": lease, "status": "success"}),
        "decline" => json!({"lease": lease, "reason": "no"}),
        "escalate" => json!({"lease": lease, "assessment": "hard"}),
        "ask" => json!({"lease": lease, "question": "which?"}),
        "answer" => json!({"by": by, "text": "this"}),
        "cancel" => json!({"by": by, "reason": "over"}),
        "redirect" => json!({"to_agent": "pilot", "reason": "it is better so"}),
        "retry" => json!({"reason": "once more"}),
        "approve" | "deny" => json!({"by": "pilot"}),
        "amend" => json!({"by": "pilot", "edit": {"description": "other"}}),
        "register_agent" => json!({"kind": "worker", "max_concurrent_tasks": 100_000}),
        "drain_agent" => json!({"drain": false}),
        "define_workflow" => workflow(),
        "start_workflow" => json!({"by": by}),
        "raise_event" => json!({"id": format!("e{n}"), "type": "nothing"}),
        "set_event_rule" => json!({"name": "r", "on": "x", "from_agent": by, "to_agent": "pilot", "task": "t"}),
        "make_key" => json!({"name": "k", "role": "viewer"}),
        "rotate_key" => json!({}),
        _ => return None,
    })
}

/// A workflow of one step.
fn workflow() -> Value {
    json!({
        "name": "w", "agents": {"clerk": {}}, "start": "AT_WORK",
        "states": {"AT_WORK": {"agent": "clerk"}, "DONE": {"end": "completed"}},
        "rules": [{"id": "1", "from": "clerk", "trigger_state": "READY", "reason": "done", "next_state": "DONE"}]
    })
}

/// The address of a route, of things that are there.
fn address(route: &Route, session: &str, handoff: &str) -> String {
    let path = route
        .path
        .replace("{session}", session)
        .replace("{handoff}", handoff)
        .replace("{agent}", "pilot")
        .replace("{variable}", "pilot%2Fx")
        .replace("{artifact}", "00000000-0000-4000-8000-000000000000")
        .replace("{group}", "00000000-0000-4000-8000-000000000000")
        .replace("{workflow}", "w")
        .replace("{rule}", "r")
        .replace("{experiment}", "e")
        .replace("{key}", "abcdefghijkl")
        .replace("{code}", "HO0101");
    match route.id {
        "end_turn" => path + "?by=planner",
        "read_shown" | "recall" => path + "?first=1&last=1",
        _ => path,
    }
}

async fn keys(world: &World) -> BTreeMap<Who, Option<String>> {
    let mut keys = BTreeMap::new();
    for who in ALL {
        let tenant = if who.is_other() { "globex" } else { "acme" };
        let agents: &[&str] = match who {
            Who::Agent => &["pilot"],
            Who::Stranger => &["stranger"],
            Who::OtherAgent => &["other"],
            _ => &[],
        };
        let key = match (who, who.role()) {
            (Who::House, _) => Some(world.house_key().await),
            (_, Some(role)) => Some(world.key(tenant, role, agents).await),
            (_, None) => None,
        };
        keys.insert(who, key);
    }
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn every_cell_of_the_table_is_as_it_should_be() {
    let world = World::open().await;
    for (tenant, name) in [("acme", "planner"), ("acme", "pilot"), ("acme", "stranger"), ("globex", "other")] {
        world.worker(tenant, name).await;
    }
    // Workflows are of the house, and so are those who work in them.
    let clerk = Profile::named("clerk").unwrap().kind(AgentKind::Worker).at_once(100_000);
    world.engine.register_profile(clerk).await.unwrap();
    world.engine.define(serde_json::from_value(workflow()).unwrap()).await.unwrap();
    let keys = keys(&world).await;
    let mut wrong = Vec::new();
    let mut cells = 0;
    for route in routes() {
        // What ends things comes last for nobody: each cell has a session and a handoff of its own.
        for who in ALL {
            cells += 1;
            let session = format!("s-{cells}");
            world.opened("acme", &session, "planner").await;
            let (handoff, lease) = if ["accept", "reject", "defer", "claim"].contains(&route.id) {
                (world.offered("acme", &session, "planner", "pilot").await.to_string(), String::new())
            } else {
                let (handoff, lease) = world.taken("acme", &session, "planner", "pilot").await;
                (handoff.to_string(), lease.to_string())
            };
            let body = body(route.id, &lease, cells);
            let path = address(&route, &session, &handoff);
            // A key of the house speaks for the tenant that it names.
            let headers: &[(&str, &str)] = if who == Who::House { &[("handover-tenant", "acme")] } else { &[] };
            let key = keys[&who].as_deref();
            let said = world.ask_with(route.method.as_str(), &path, key, body.as_ref(), headers).await;
            let code = serde_json::from_str::<Value>(&said.text).unwrap_or_default();
            let found = found(said.status, code["code"].as_str().unwrap_or_default());
            let expected = expected(&route, who);
            if found != expected || said.status >= 500 {
                wrong.push(format!("{} as {who:?}: {expected:?}, but {} {}", route.id, said.status, said.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cells} cells deviate:\n{}", wrong.len(), wrong.join("\n"));
    world.engine.verify().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_show_what_is_ones_own() {
    let world = World::open().await;
    for (tenant, name) in [("acme", "planner"), ("acme", "pilot"), ("globex", "other"), ("globex", "helper")] {
        world.worker(tenant, name).await;
    }
    world.opened("acme", "a", "planner").await;
    world.opened("globex", "g", "other").await;
    world.offered("acme", "a", "planner", "pilot").await;
    world.offered("globex", "g", "other", "helper").await;
    let acme = world.key("acme", Role::Admin, &[]).await;
    let globex = world.key("globex", Role::Admin, &[]).await;
    for (key, mine, theirs) in
        [(&acme, ["\"a\"", "pilot"], ["\"g\"", "helper"]), (&globex, ["\"g\"", "helper"], ["\"a\"", "pilot"])]
    {
        for path in
            ["/v1/sessions", "/v1/handoffs", "/v1/agents", "/v1/audit", "/v1/stats", "/v1/keys", "/v1/approvals"]
        {
            let said = world.ask("GET", path, Some(key), None).await;
            assert_eq!(said.status, 200, "{path}: {}", said.text);
            assert!(
                theirs.iter().all(|word| !said.text.contains(word)),
                "{path} shows what is not theirs: {}",
                said.text
            );
            if ["/v1/handoffs", "/v1/audit"].contains(&path) {
                assert!(mine.iter().all(|word| said.text.contains(word)), "{path} hides what is theirs: {}", said.text);
            }
        }
    }
    let said = world.ask_with("GET", "/v1/sessions", Some(&acme), None, &[("handover-tenant", "globex")]).await;
    assert_eq!((said.status, said.json()["code"].as_str()), (403, Some("HO0309")));
}
