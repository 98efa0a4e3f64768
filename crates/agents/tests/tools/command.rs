//! Tools that are programs.

use crate::common::{boxed, call, called, context, patient, tools, within};
use handover_agents::tool::ToolOutcome;
use serde_json::{Value, json};

fn tool(script: &str, more: Value) -> Value {
    let mut tool = json!({"description": "x", "command": ["sh", "-c", script]});
    for (name, value) in more.as_object().into_iter().flatten() {
        tool[name] = value.clone();
    }
    json!({"tools": {"it": tool}})
}

#[tokio::test]
async fn what_a_program_writes_is_the_result() {
    let table = [
        ("cat", json!({}), "{\"a\":1}\n", false),
        ("true", json!({}), "It is done; there is no output.", false),
        (
            "echo half; echo broken >&2; exit 2",
            json!({}),
            "`sh` ended with exit status 2: broken\nIt wrote:\nhalf\n",
            true,
        ),
        ("exit 1", json!({}), "`sh` ended with exit status 1: it said nothing", true),
        (
            "exec sleep 1000",
            json!({"timeout": "100ms"}),
            "`sh` did not end within 100 ms and was ended: it said nothing",
            true,
        ),
        ("echo $A", json!({"env": {"A": "b"}}), "b\n", false),
        ("basename $PWD", json!({"folder": "."}), "servers\n", false),
        ("true", json!({"folder": "nowhere"}), "`sh` cannot be started: there is no folder `", true),
        ("echo $HANDOVER_CALL_KEY", json!({}), "6f2c8f0e-5b1d-4c6e-9a53-0d6c3d1f7a11-1\n", false),
        ("echo $HANDOVER_SESSION_ID $HANDOVER_AGENT $HANDOVER_CALL_ID", json!({}), "s-1 helper call-1\n", false),
    ];
    for (script, more, content, failed) in table {
        let toolbox = boxed(&tools(tool(script, more), patient()), &["it"]).await;
        let outcome = called(&toolbox, "it", json!({"a": 1})).await;
        assert!(outcome.content.starts_with(content), "{script}: {outcome:?}");
        assert_eq!(outcome.failed, failed, "{script}");
    }
}

#[tokio::test]
async fn the_same_call_has_the_same_key_and_no_other_has_it() {
    let toolbox = boxed(&tools(tool("printf %s $HANDOVER_CALL_KEY", json!({})), patient()), &["it"]).await;
    let mut keys = Vec::new();
    for number in [1, 2, 1] {
        keys.push(within(toolbox.call(&call("it", json!({})), &context(number))).await.content);
    }
    assert_eq!(keys[0], keys[2]);
    assert_ne!(keys[0], keys[1]);
    assert_eq!(ToolOutcome::done("x").of(&call("it", json!({}))).id, "call-1");
}
