//! Bad input, with the full list of what is said about it.

use super::{check, with};
use crate::{limits, refusal::Code, wire};
use expect_test::expect;
use serde_json::{Value, json};

fn refused(part: Value, expected: &expect_test::Expect) {
    check(wire::request(&with(part)), expected);
}

#[test]
fn eight_mistakes_are_told_at_once_in_the_order_of_the_specification() {
    let text = r#"{
        "from_agent": "dojo", "to_agent": "the librarian", "type": "seqential", "reason": "  ",
        "original_request": 7, "task": {"description": "find it"},
        "context": {"conversation_history": "hello"},
        "return_protocol": {"timeout_ms": -1}, "retrun_protocol": {}
    }"#;
    check(
        wire::request(text),
        &expect![[r#"
            HO0101 user_intent: it is missing
            HO0102 reason: it is empty
            HO0103 type: "seqential" is not one of sequential, delegation, broadcast, escalation (did you mean "sequential"?)
            HO0104 original_request: expected a text, found a number
            HO0104 context.conversation_history: expected a list, found a text
            HO0105 retrun_protocol: there is no such field (did you mean "return_protocol"?)
            HO0108 to_agent: "the librarian": it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
            HO0109 return_protocol.timeout_ms: -1 is not between 1 and 34560000000 ms (WAIT_MS_MAX)"#]],
    );
    assert!(wire::request(text).is_err_and(|error| error.agents == "dojo->?"));
}

#[test]
fn missing_and_empty() {
    check(
        wire::request("{}"),
        &expect![[r#"
        HO0101 from_agent: it is missing
        HO0101 type: it is missing
        HO0101 reason: it is missing
        HO0101 user_intent: it is missing
        HO0101 original_request: it is missing
        HO0101 task: it is missing"#]],
    );
    refused(
        json!({"reason": "", "task": {}, "from_agent": "", "capability": " ", "user_intent": null}),
        &expect![[r#"
        HO0101 user_intent: it is missing
        HO0101 task.description: it is missing
        HO0102 from_agent: it is empty
        HO0102 capability: it is empty
        HO0102 reason: it is empty"#]],
    );
    refused(
        json!({"broadcast": {}, "ladder": [{}], "validation": {"required_capabilities": ["", {}]}}),
        &expect![[r#"
        HO0101 validation.required_capabilities[1].capability_id: it is missing
        HO0101 broadcast.targets: it is missing
        HO0101 ladder[0].agent: it is missing
        HO0102 validation.required_capabilities[0]: it is empty"#]],
    );
}

#[test]
fn unknown_words() {
    refused(
        json!({"type": "Delegation", "trigger": "whim", "audit": {"risk_level": "hihg"}}),
        &expect![[r#"
            HO0103 type: "Delegation" is not one of sequential, delegation, broadcast, escalation (did you mean "delegation"?)
            HO0103 trigger: "whim" is not one of explicit_request, task_completion, capability_mismatch, escalation, timeout, event
            HO0103 audit.risk_level: "hihg" is not one of low, medium, high (did you mean "high"?)"#]],
    );
    refused(
        json!({"broadcast": {"targets": ["a"], "aggregation": "quorum"}}),
        &expect![[r#"HO0103 broadcast.aggregation: a quorum says how many (write it as {"quorum": 2})"#]],
    );
    refused(
        json!({"broadcast": {"targets": ["a"], "aggregation": "mayority"}}),
        &expect![[
            r#"HO0103 broadcast.aggregation: "mayority" is not one of all, any, majority, best_of, {"quorum": k} (did you mean "majority"?)"#
        ]],
    );
    check(
        wire::giving(r#"{"status": "timeout"}"#),
        &expect![[r#"HO0103 status: "timeout" is not one of success, partial, failed"#]],
    );
}

#[test]
fn wrong_types() {
    refused(
        json!({"task": "do it", "candidates": "b", "blocking": "yes", "context": [], "parent_id": "h1", "ladder": {},
            "return_protocol": {"timeout": true, "expected": 1}, "validation": {"required_capabilities": [3]}}),
        &expect![[r#"
            HO0104 parent_id: expected a UUID, found "h1"
            HO0104 candidates: expected a list, found a text
            HO0104 task: expected an object, found a text
            HO0104 context: expected an object, found a list
            HO0104 validation.required_capabilities[0]: expected a text or an object, found a number
            HO0104 return_protocol.expected: expected true or false, found a number
            HO0104 return_protocol.timeout: expected a number of seconds or a text such as "30s", found true or false
            HO0104 blocking: expected true or false, found a text
            HO0104 ladder: expected a list, found an object"#]],
    );
    refused(
        json!({"context": {"conversation_history": {"transfer_mode": "full"}}}),
        &expect![
            "HO0104 context.conversation_history: expected a list of messages, found an object (what is shown of it belongs in `context.transfer`)"
        ],
    );
    refused(
        json!({"context": {"conversation_history": [{"role": "user", "content": []}, "hi"]}}),
        &expect![[r#"
        HO0104 context.conversation_history[0].content: expected a text, found a list
        HO0104 context.conversation_history[1]: expected an object, found a text"#]],
    );
    refused(
        json!({"context": {"constraints": {"deadline": "tomorrow", "budget": "1"}}}),
        &expect![[r#"
            HO0104 context.constraints.budget: expected a number or an object, found a text
            HO0104 context.constraints.deadline: expected a time, found "tomorrow" (write it as 2030-01-31T12:00:00Z)"#]],
    );
    refused(
        json!({"return_protocol": {"timeout": "soon"}, "ladder": [{"agent": "a", "timeout_ms": 1.5}]}),
        &expect![[r#"
            HO0104 return_protocol.timeout: expected a length of time, found "soon" (write it as "30s", "5m", "PT30S" or a number of seconds)
            HO0104 ladder[0].timeout_ms: expected a whole number, found 1.5"#]],
    );
    check(wire::request("[]"), &expect!["HO0104 expected an object, found a list"]);
    check(wire::messages("{}"), &expect!["HO0104 messages: expected a list, found an object"]);
}

#[test]
fn unknown_and_doubled_fields() {
    refused(
        json!({"resaon": "x", "zebra": 1, "task": {"description": "d", "descripton": "e"}}),
        &expect![[r#"
        HO0105 task.descripton: there is no such field (did you mean "description"?)
        HO0105 resaon: there is no such field (did you mean "reason"?)
        HO0105 zebra: there is no such field"#]],
    );
    refused(
        json!({"return_protocol": {"timeout": 3, "timeout_ms": 3000},
            "context": {"transfer": {"mode": "full", "transfer_mode": "full"}}}),
        &expect![[r#"
            HO0105 context.transfer.transfer_mode: `mode` says the same (give one of the two)
            HO0105 return_protocol.timeout: `timeout_ms` says the same (give one of the two)"#]],
    );
    check(
        wire::giving(r#"{"status": "success", "notes": "a", "audit": {"notes": "b"}}"#),
        &expect!["HO0105 audit.notes: `notes` says the same (give one of the two)"],
    );
}

#[test]
fn too_large_and_too_deep() {
    check(
        wire::request(&" ".repeat(limits::REQUEST_BYTES_MAX + 1)),
        &expect!["HO0106 it has 1048577 bytes; at most 1048576 are allowed (REQUEST_BYTES_MAX)"],
    );
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    check(
        wire::request(&deep(100_000)),
        &expect!["HO0107 it is nested more than 39 levels deep (32 for your data, JSON_DEPTH_MAX, and 7 around it)"],
    );
    check(
        wire::request(&deep(500_000).replace(']', "")),
        &expect!["HO0107 it is nested more than 39 levels deep (32 for your data, JSON_DEPTH_MAX, and 7 around it)"],
    );
    let nested = |levels| serde_json::from_str::<Value>(&deep(levels)).unwrap();
    refused(
        json!({"context": {"metadata": nested(33)}, "reason": "x".repeat(20_000)}),
        &expect![[r#"
        HO0106 reason: it has 20000 bytes; at most 16384 are allowed (TEXT_BYTES_MAX)
        HO0107 context.metadata: it is nested more than 32 levels deep (JSON_DEPTH_MAX)"#]],
    );
    let target = json!({"to_agent": "a", "task": {"description": "d", "payload": nested(32)}});
    let inner = with(json!({"broadcast": {"targets": [target]}}));
    assert!(wire::turn(&format!(r#"{{"goto": {{"request": {inner}}}}}"#)).is_ok());
    // Brackets in a text are no nesting.
    assert!(wire::request(&with(json!({"reason": "\\\"[".repeat(100)}))).is_ok());
    refused(
        json!({"candidates": vec!["a"; 33], "idempotency_key": "k".repeat(201), "to_agent": "a".repeat(129)}),
        &expect![[r#"
            HO0106 idempotency_key: it has 201 characters; at most 200 are allowed (KEY_CHARS_MAX)
            HO0106 to_agent: it has 129 characters, at most 128 are allowed (AGENT_ID_CHARS_MAX)
            HO0106 candidates: it has 33 entries; at most 32 are allowed (CANDIDATES_MAX)"#]],
    );
}

#[test]
fn bad_texts_and_numbers() {
    refused(
        json!({"to_agent": "a b", "reason": "a\u{0}b", "context": {"variables": {"a\u{7}": 1, " ": 2}}}),
        &expect![[r#"
            HO0102 context.variables. : it is empty
            HO0108 to_agent: "a b": it contains ' '; letters, digits, '-', '_', '.', ':' and '/' are allowed
            HO0108 reason: it contains '\0'
            HO0108 context.variables.a�: it contains '\u{7}'"#]],
    );
    refused(
        json!({"return_protocol": {"timeout": "-PT5S"}, "ladder": [{"agent": "a", "timeout": 1e30}],
            "context": {"transfer": {"max_messages": 0}, "constraints": {"budget": -1}},
            "validation": {"required_capabilities": [{"capability_id": "x", "min_proficiency": 1.5}]},
            "broadcast": {"targets": [], "aggregation": {"quorum": 0}}}),
        &expect![[r#"
            HO0109 context.transfer.max_messages: 0 is not between 1 and 2^64 - 1
            HO0109 context.constraints.budget: -1 is below 0
            HO0109 validation.required_capabilities[0].min_proficiency: 1.5 is not between 0 and 1
            HO0109 return_protocol.timeout: "-PT5S" is not between 1 and 34560000000 ms (WAIT_MS_MAX)
            HO0109 broadcast.aggregation.quorum: 0 is not between 1 and 64
            HO0109 ladder[0].timeout: 1e+30 s is not between 1 and 34560000000 ms (WAIT_MS_MAX)"#]],
    );
}

#[test]
fn not_json() {
    check(wire::request(""), &expect!["HO0111 EOF while parsing a value at line 1 column 0 (nothing was sent)"]);
    check(wire::request("{\n  \"reason\": oops\n}"), &expect!["HO0111 expected value at line 2 column 13"]);
    check(wire::request("{} {}"), &expect!["HO0111 trailing characters at line 1 column 4"]);
    check(wire::profile("{\"id\": \"\\ud800\"}"), &expect!["HO0111 unexpected end of hex escape at line 1 column 15"]);
    check(wire::turn("{\"goto\": 1e999}"), &expect!["HO0111 number out of range at line 1 column 14"]);
}

#[test]
fn turns_profiles_and_messages() {
    check(wire::turn("{}"), &expect!["HO0101 goto: it is missing"]);
    check(
        wire::turn(r#"{"goto": {"to_agent": "b"}}"#),
        &expect![[r#"
        HO0101 goto: expected one of `one`, `request` and `many`
        HO0105 goto.to_agent: there is no such field"#]],
    );
    check(
        wire::turn(r#"{"goto": {"one": {}, "many": {}}, "update": {"contxt": {}}}"#),
        &expect![[r#"
        HO0105 goto.many: a turn goes one way (give one of `one`, `request` and `many`)
        HO0105 update.contxt: there is no such field (did you mean "context"?)"#]],
    );
    check(
        wire::turn(r#"{"goto": ["b", {"to_agnet": "c"}, 5]}"#),
        &expect![[r#"
            HO0101 goto[1].to_agent: it is missing
            HO0104 goto[2]: expected a text or an object, found a number
            HO0105 goto[1].to_agnet: there is no such field (did you mean "to_agent"?)"#]],
    );
    let history = with(json!({"context": {"conversation_history": []}}));
    check(
        wire::turn(&format!(r#"{{"goto": {{"request": {history}}}}}"#)),
        &expect![
            "HO0105 goto.request.context.conversation_history: a turn carries no conversation (append the messages before the turn ends)"
        ],
    );
    check(
        wire::profile(
            r#"{"id": "", "capabilities": [{"id": "x", "proficiency": 2}], "kind": "robot", "escalates": 1}"#,
        ),
        &expect![[r#"
            HO0102 id: it is empty
            HO0103 kind: "robot" is not one of local, worker, human, llm, command, http, a2a
            HO0105 escalates: there is no such field (did you mean "escalates_to"?)
            HO0109 capabilities[0].proficiency: 2 is not between 0 and 1"#]],
    );
    check(
        wire::messages(r#"[{"role": "user", "content": "a", "n": 1}, {"tool_calls": [{}]}]"#),
        &expect![[r#"
            HO0101 messages[1].role: it is missing
            HO0101 messages[1].tool_calls[0].id: it is missing
            HO0101 messages[1].tool_calls[0].name: it is missing
            HO0105 messages[0].n: there is no such field"#]],
    );
}

#[test]
fn a_flood_of_mistakes_is_cut() {
    let many: serde_json::Map<String, Value> = (0..50_000).map(|i| (format!("field{i}"), Value::Null)).collect();
    let error = wire::request(&Value::Object(many).to_string()).unwrap_err();
    assert_eq!(error.refusals.len(), 65);
    assert_eq!(error.code(), Code::MissingField);
    assert_eq!(error.refusals[64].message, "49942 further mistakes are not listed");
    let long = format!("{{\"{}\": 1}}", "x".repeat(1_000_000));
    assert!(wire::request(&long).unwrap_err().to_string().len() < 1_000);
}
