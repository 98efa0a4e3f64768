//! Settings of tools: what is wrong is told with its place, all of it at once.

use crate::common::settings;
use handover_agents::tool::ToolSettings;
use serde_json::json;

#[test]
fn every_mistake_has_its_place() {
    let tool = |more: &str| format!("tools: {{it: {{description: d, command: [x], {more}}}}}");
    let server = |name: &str, more: &str| format!("mcp: {{{name}: {{{more}}}}}");
    let table = [
        (tool("timeout: 30s"), vec![]),
        (server("it", "command: [x], tools: [a], pass: [A], timeout: 1m"), vec![]),
        (server("it", "url: 'https://x.org/mcp', headers: {X-A: b}, key_env: KEY"), vec![]),
        (tool("timeout: 2h"), vec!["tools.it.timeout: it is from 1ms to 3600000ms (TOOL_MS_MAX)"]),
        (tool("parameters: {type: string}"), vec!["tools.it.parameters: it is a JSON Schema with `type: object`"]),
        (
            tool("parameters: {type: object, propertys: {}}"),
            vec!["tools.it.parameters.propertys: the keyword is not understood; did you mean `properties`?"],
        ),
        (tool("env: {'A=B': c}"), vec!["tools.it.env.A=B: this cannot be the name or value of a variable"]),
        (
            "tools: {'a b': {description: '', command: []}}".to_owned(),
            vec![
                "tools.a b: `a b` cannot be a name: it contains ' '; letters, digits, `_` and `-` are allowed",
                "tools.a b.description: it is empty; say what the tool does and when to use it",
                "tools.a b.command: it names no program; write it as a list such as [python3, tool.py]",
            ],
        ),
        (server("it", ""), vec!["mcp.it: it needs a `command` or a `url`"]),
        (server("it", "command: [x], url: 'http://x'"), vec!["mcp.it: it has a `command` or a `url`, not both"]),
        (server("it", "url: 'file:///x'"), vec!["mcp.it.url: it is no address that begins with http:// or https://"]),
        (
            server("it", "url: 'http://x', headers: {Accept: x, 'a b': c}"),
            vec![
                "mcp.it.headers.Accept: the protocol sets this header itself",
                "mcp.it.headers.a b: this cannot be the name of a header",
            ],
        ),
        (
            server("it", "command: [x], key_env: K"),
            vec!["mcp.it: `headers` and `key_env` go with a `url`; a program gets `env` and `pass`"],
        ),
        (
            server("a-server-with-a-name-that-is-far-too-long", "command: [x]"),
            vec!["mcp.a-server-with-a-name-that-is-far-too-long: the name of a server has at most 32 characters"],
        ),
        (
            "{tools: {it: {description: d, command: [x]}}, mcp: {it: {command: [x]}}}".to_owned(),
            vec!["mcp.it: a tool has this name too; give one of them another"],
        ),
    ];
    for (text, expected) in table {
        let read: ToolSettings = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let told: Vec<String> =
            read.mistakes().iter().map(|fault| format!("{}: {}", fault.at, fault.message)).collect();
        assert_eq!(told, expected, "{text}");
    }
}

#[test]
fn a_setting_that_is_none_is_told_when_it_is_read() {
    for (text, part) in [
        ("mcp: {it: {comand: [x]}}", "comand"),
        ("tools: {it: {description: d, command: [x], timeout: 30}}", "30"),
        ("tols: {}", "tols"),
    ] {
        let told = serde_saphyr::from_str::<ToolSettings>(text).expect_err("no settings").to_string();
        assert!(told.contains(part), "{text}: {told}");
    }
}

#[test]
fn settings_are_written_as_they_are_read() {
    let given = settings(json!({
        "tools": {"a": {"description": "d", "command": ["x"], "timeout": "90s"}},
        "mcp": {"b": {"url": "http://x", "tools": ["t"], "timeout": "1m"}},
    }));
    let written = serde_json::to_value(&given).expect("JSON");
    assert_eq!(written["tools"]["a"]["timeout"], "90s");
    assert_eq!(settings(written), given);
}
