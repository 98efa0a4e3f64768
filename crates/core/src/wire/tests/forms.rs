//! The forms that are read besides the plain one.

use super::with;
use crate::{
    agent::Risk,
    command::Goto,
    context::TransferMode,
    handoff::{Aggregation, Priority, Request, ReturnStatus},
    limits,
    message::Role,
    wire,
};
use serde_json::{Value, json};

fn request(part: Value) -> Request {
    wire::request(&with(part)).unwrap().request
}

#[test]
fn lengths_of_time() {
    let table = [
        (json!({"timeout_ms": 1500}), 1_500),
        (json!({"timeout_ms": 1500.0}), 1_500),
        (json!({"timeout": 30}), 30_000),
        (json!({"timeout": 0.25}), 250),
        (json!({"timeout": "PT30S"}), 30_000),
        (json!({"timeout": "P1DT1H"}), 90_000_000),
        (json!({"timeout": "30s"}), 30_000),
        (json!({"timeout": "5m"}), 300_000),
        (json!({"timeout": " 1h 30m "}), 5_400_000),
        (json!({"timeout": "250ms"}), 250),
        (json!({"timeout": "2d"}), 172_800_000),
        (json!({"timeout": "400d"}), limits::WAIT_MS_MAX),
    ];
    for (protocol, expected) in table {
        let found = request(json!({"return_protocol": protocol})).return_protocol.timeout_ms;
        assert_eq!(found, Some(expected), "{protocol}");
    }
    for text in ["401d", "0s", "1us", "-5s", "1mo", "30", "5 apples", ""] {
        assert!(wire::request(&with(json!({"return_protocol": {"timeout": text}}))).is_err(), "{text}");
    }
}

#[test]
fn short_and_flat_names() {
    let found = request(json!({
        "task": {"description": "d", "priority": "critical"},
        "context": {"transfer": {"transfer_mode": "summary", "max_messages": 5, "include": {"tool_calls": false}}},
        "validation": {"required_capabilities": ["search", {"capability_id": "cite", "min_proficiency": 0.5}],
            "autonomy_budget": {"max_risk": "high"}},
        "broadcast": {"targets": ["a", {"to_agent": "b"}], "aggregation": {"quorum": 2}}
    }));
    assert_eq!(found.task.priority, Priority::Urgent);
    assert_eq!(found.context.transfer.mode, Some(TransferMode::Summary));
    assert!(!found.context.transfer.include.tool_calls && found.context.transfer.include.tool_results);
    assert_eq!(found.validation.required_capabilities[0].capability_id, "search");
    assert_eq!(found.validation.autonomy_budget, Some(Risk::High));
    let broadcast = found.broadcast.unwrap();
    assert_eq!((broadcast.targets.len(), broadcast.aggregation), (2, Aggregation::Quorum(2)));
}

#[test]
fn a_history_may_be_sent_back_as_it_is_kept() {
    let kept =
        json!([{"n": 1, "at": "2030-01-01T00:00:00Z", "tokens": 2, "redacted": {}, "role": "user", "content": "hi"}]);
    let parsed = wire::request(&with(json!({"context": {"conversation_history": kept}}))).unwrap();
    let history = parsed.history.unwrap();
    assert_eq!((history[0].role, history[0].content.as_str()), (Role::User, "hi"));
    assert_eq!(wire::request(&with(json!({}))).unwrap().history, None);
}

#[test]
fn turns() {
    for text in ["END", "end"] {
        assert_eq!(wire::turn(&json!({"goto": text}).to_string()).unwrap().goto, Goto::End);
    }
    // What the derived reader takes means the same here.
    for goto in [
        json!("b"),
        json!([{"to_agent": "b"}, {"to_agent": "c", "task": {"description": "d"}}]),
        json!({"one": {"to_agent": "b", "reason": "r"}}),
        json!({"many": {"sends": [{"to_agent": "b"}], "aggregation": "any"}}),
    ] {
        let text = json!({"goto": goto, "update": {"variables_changed": {"a": 1}}}).to_string();
        assert_eq!(wire::turn(&text).unwrap(), serde_json::from_str(&text).unwrap());
    }
}

#[test]
fn a_return_in_the_form_of_the_protocol() {
    let text = json!({
        "handoff_id": "00000000-0000-4000-8000-000000000001", "from_agent": "b", "to_agent": "a", "status": "partial",
        "result": {"content_type": "text", "body": "done", "score": -0.5},
        "context_updates": {"variables_changed": {"a": null}, "artifacts_produced": [{"type": "code", "path": "x.rs"}]},
        "audit": {"completion_time": "2030-01-01T00:00:00Z", "tokens_consumed": 7, "cost": 0.5, "notes": "n"}
    });
    let found = wire::giving(&text.to_string()).unwrap();
    assert_eq!((found.status, found.notes.as_str()), (ReturnStatus::Partial, "n"));
    assert_eq!((found.updates.metrics.tokens, found.updates.metrics.cost), (7, 0.5));
    assert_eq!((found.updates.context.len(), found.updates.artifacts.len()), (1, 1));
}

#[test]
fn a_profile_in_short() {
    let text = r#"{"id": "b", "capabilities": ["x", {"id": "y", "proficiency": 0.5}], "max_execution_time": "5m", "autonomy_budget": "low"}"#;
    let found = wire::profile(text).unwrap();
    assert_eq!((found.proficiency("x"), found.proficiency("y")), (Some(1.0), Some(0.5)));
    assert_eq!((found.max_execution_ms, found.autonomy_budget.max_risk), (Some(300_000), Risk::Low));
    assert!(found.accepts_handoffs && found.max_concurrent_tasks == 1);
}
