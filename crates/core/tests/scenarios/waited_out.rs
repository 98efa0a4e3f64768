//! A time that the workflow gave a state and that runs out is a signal, and says nothing about whoever waited.

use crate::common::{Play, name};
use handover_core::{ledger::Account, policy::BreakerPolicy, workflow::Workflow};
use serde_json::{Value, json};
use std::sync::Arc;

fn flow(waiting: &Value, trigger: &str) -> Value {
    json!({
        "name": "w",
        "agents": {"b": {}, "e": {}},
        "start": "WAITING",
        "states": {"WAITING": waiting, "DONE": {"end": "completed"}, "LOST": {"end": "failed"}},
        "rules": [
            {"id": "1", "from": "b", "to": "e", "trigger_state": trigger, "reason": "too late"},
            {"id": "2", "from": "b", "trigger_state": "ANSWERED", "reason": "in time", "next_state": "DONE"},
            {"id": "3", "from": "e", "reason": "it cannot be done", "next_state": "LOST"}
        ],
        "on_error": {"to": "e"}
    })
}

/// Failures in a row of `b`, and how many of its handoffs were judged, after this.
fn judged(flow: Value, program: &str) -> (u32, u64) {
    let workflow: Workflow = serde_json::from_value(flow).expect("a workflow");
    workflow.check().expect("a good workflow");
    let mut play = Play::new();
    play.policy.breaker = BreakerPolicy { failures: 3, cooldown_ms: 1_000 };
    play.workflows.insert(workflow.name.clone(), Arc::new(workflow));
    let shown = play.run(&format!("open s by a workflow=w; initiate h1 a->b sequential; {program}"));
    assert!(!shown.iter().any(|line| line.starts_with("refused")), "{shown:#?}");
    let entry = play.ledger.get(&Account::of_agent(&name("b"))).cloned().unwrap_or_default();
    (entry.breaker.failures, entry.sample.ended)
}

#[test]
fn only_an_agent_that_failed_is_judged() {
    let day = json!({"agent": "b", "timeout": "24h"});
    let named = json!({"agent": "b", "timeout": "24h", "on_timeout": "TOO_LATE"});
    let late = "accept h1 by b as L1 local; next; next";
    for (what, flow, program, expected) in [
        ("a signal of its own", flow(&named, "TOO_LATE"), late, (0, 0)),
        ("a rule for the usual signal", flow(&day, "WAITING_TIMEOUT"), late, (0, 0)),
        ("a time that the workflow has no word for", flow(&day, "NO_ANSWER"), late, (1, 1)),
        ("no time of the state's own", flow(&json!({"agent": "b"}), "TOO_LATE"), late, (1, 1)),
        ("a lease that ran out", flow(&named, "TOO_LATE"), "accept h1 by b as L1; wait 31s; tick h1", (1, 0)),
        ("a failure before its time", flow(&named, "TOO_LATE"), "accept h1 by b as L1; return h1 as L1 failed", (1, 1)),
    ] {
        assert_eq!(judged(flow, program), expected, "{what}");
    }
}
