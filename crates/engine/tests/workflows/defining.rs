//! A workflow that is defined again while sessions of it go on, and two that name the same agent.

use crate::{begun, common::*, end_step, flow, people, stands, workflow};
use handover_core::{command::Command, refusal::Code};
use handover_engine::Start;
use serde_json::{Value, json};

/// The workflow with everything of one name called another.
fn renamed(from: &str, to: &str) -> Value {
    serde_json::from_str(&flow().to_string().replace(&format!("\"{from}\""), &format!("\"{to}\""))).unwrap()
}

/// The workflow with something put in a place of it.
fn with(pointer: &str, value: Value) -> Value {
    let mut flow = flow();
    *flow.pointer_mut(pointer).unwrap() = value;
    flow
}

#[tokio::test]
async fn what_a_running_session_needs_stays() {
    let house = House::new();
    let engine = begun(&house).await;
    end_step(&engine, "b", "LOOKED").await;
    let before = engine.workflow("w").unwrap();
    let moved = json!({"id": "2", "from": "e", "trigger_state": "FETCHED", "reason": "x", "next_state": "DONE"});
    for (new, told) in [
        (renamed("FETCHING", "GETTING"), "session s stands in FETCHING, which is no state any more"),
        (renamed("c", "f"), "session s stands in FETCHING with c, who is no agent any more"),
        (with("/rules/0/id", json!("1.1")), "session s came to FETCHING by rule 1, which is gone"),
        (with("/rules/1", moved), "session s stands in FETCHING, and no rule leads its agent on from there any more"),
    ] {
        let mut new = workflow(new);
        if told.ends_with("from there any more") {
            // Who is responsible nowhere may end it from everywhere: the error route has its own rule.
            new.states.get_mut("SORTING").unwrap().end = Some(handover_core::workflow::End::Completed);
            new.transitions.remove("SORTING");
            new.transitions.insert("FETCHING".into(), vec!["SORTING".into(), "PACKING".into()]);
            new.states.get_mut("PACKING").unwrap().end = Some(handover_core::workflow::End::Completed);
        }
        let error = engine.define(new).await.unwrap_err();
        assert_eq!(error.code(), Code::WorkflowInUse, "{error}");
        assert!(error.refusals[0].message.contains(told), "{error}");
        assert_eq!(engine.workflow("w").unwrap(), before, "nothing was replaced");
    }
    // The same is always fine, and so is what nobody stands in.
    engine.define(workflow(flow())).await.unwrap();
    engine.define(workflow(renamed("LOOKING", "SEEING"))).await.unwrap();
    engine.define(workflow(with("/rules/1/reason", json!("it came")))).await.unwrap();
    end_step(&engine, "c", "FETCHED").await;
    assert_eq!(stands(&engine).await, ("DONE".into(), true));
    // Nobody is left who needs it.
    engine.define(workflow(renamed("FETCHING", "GETTING"))).await.unwrap();
    engine.close().await.unwrap();
}

#[tokio::test]
async fn only_a_few_sessions_are_named() {
    let house = House::new();
    let engine = begun(&house).await;
    for name in ["t", "u", "v", "x"] {
        engine.start(&session(name), Start::of("w", id("a"))).await.unwrap();
    }
    let error = engine.define(workflow(renamed("LOOKING", "SEEING"))).await.unwrap_err();
    let message = &error.refusals[0].message;
    assert!(message.contains("session s stands in LOOKING") && message.ends_with("; and 2 more"), "{message}");
    assert_eq!(error.refusals[0].details["sessions"], 5);
    engine.close().await.unwrap();
}

#[tokio::test]
async fn two_workflows_share_only_the_same_agent() {
    let run = |command: &str| json!({"run": {"command": [command]}});
    let named = |name: &str, member: Value| {
        let mut flow = with("/agents/c", member);
        flow["name"] = json!(name);
        workflow(flow)
    };
    let house = House::new();
    let engine = house.open().await;
    people(&engine).await;
    engine.define(named("first", run("one"))).await.unwrap();
    // Nobody works with the first: the second takes over.
    engine.define(named("second", run("two"))).await.unwrap();
    engine.start(&session("s"), Start::of("second", id("a"))).await.unwrap();
    let also = |name: &str, value: Value| {
        let mut member = run("two");
        member[name] = value;
        member
    };
    for (name, member, differs) in [
        ("third", run("two"), ""),
        ("first", run("one"), "another `run`"),
        ("fourth", run("three"), "another `run`"),
        ("fourth", json!({}), "another `run`"),
        ("fourth", also("with", json!({"x": 1})), "another `with`"),
        ("fourth", also("at_once", json!(3)), "another `at_once`"),
        ("fourth", also("max_risk", json!("low")), "another `max_risk`"),
        ("fourth", json!({"run": {"command": ["six"]}, "at_once": 3}), "another `run` and another `at_once`"),
        // What each expects of it and says of it is its own.
        ("fourth", also("signals", json!(["FETCHED"])), ""),
        ("fourth", also("about", json!("fetches")), ""),
        ("fourth", also("capabilities", json!(["fetching"])), ""),
        ("second", run("two"), ""),
        // In a definition of its own it may change.
        ("second", run("four"), ""),
    ] {
        let answer = engine.define(named(name, member.clone())).await;
        assert_eq!(answer.is_ok(), differs.is_empty(), "{name} {member}");
        if let Err(error) = answer {
            let told =
                format!("\"c\" of \"{name}\" has {differs} than \"c\" of \"second\", of which 1 session goes on");
            assert!(error.has(Code::AgentInUse) && error.refusals[0].message.starts_with(&told), "{error}");
            assert_eq!(error.refusals[0].field, "agents.c");
        }
    }
    let end = Command::End { by: id("a"), reason: "enough".into() };
    engine.submit(&session("s"), end, None).await.unwrap();
    engine.define(named("first", run("one"))).await.unwrap();
    engine.close().await.unwrap();
}
