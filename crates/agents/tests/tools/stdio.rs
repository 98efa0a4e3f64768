//! MCP servers that are programs.

use crate::common::{Living, SHORT, boxed, called, ended, names, patient, server, short_start, tools, within};
use handover_agents::tool::Times;
use handover_core::limits::{MCP_TOOLS_MAX, TOOL_CONTENT_BYTES_MAX, TOOL_DESCRIPTION_BYTES_MAX, TOOLS_MAX};
use serde_json::{Value, json};
use std::time::Duration;

fn started(file: &str, words: &[&str], more: Value) -> Value {
    let mut given = server(file, more);
    if let Some(all) = given["mcp"]["it"]["command"].as_array_mut() {
        all.extend(words.iter().map(|word| json!(word)));
    }
    given
}

#[tokio::test]
async fn the_tools_of_a_server_are_listed_and_called() {
    let tools = tools(server("good.py", json!({"env": {"A": "b"}})), patient());
    let toolbox = boxed(&tools, &["it"]).await;
    let expected = ["it_add", "it_echo", "it_fail", "it_more", "it_no_name_68267548", "it_refuse", "it_variable"];
    assert_eq!(names(&toolbox), expected);
    assert_eq!(toolbox.troubles(), [""; 0]);
    let key = "6f2c8f0e-5b1d-4c6e-9a53-0d6c3d1f7a11-1";
    let table = [
        ("it_add", json!({"a": 1, "b": 2}), "{\"total\":3}".to_owned(), false),
        ("it_echo", json!({}), format!("echo {key}"), false),
        ("it_no_name_68267548", json!({}), format!("no.name {key}"), false),
        ("it_fail", json!({}), "no such file".to_owned(), true),
        ("it_refuse", json!({}), "the server `it` refused the call: not today (code -32602)".to_owned(), true),
        ("it_variable", json!({"name": "A"}), "b".to_owned(), false),
        ("it_variable", json!({"name": "CARGO_PKG_NAME"}), "not set".to_owned(), false),
    ];
    for (name, arguments, content, failed) in table {
        let outcome = called(&toolbox, name, arguments).await;
        assert_eq!((outcome.content, outcome.failed), (content, failed), "{name}");
    }
    let outcome = called(&toolbox, "it_add", json!({"a": "1"})).await;
    assert!(
        outcome.content.contains("- b: it is missing\n") && outcome.content.contains("- a: it is string"),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_model_gets_the_schema_of_a_tool_unchanged() {
    let toolbox = boxed(&tools(server("good.py", json!({})), patient()), &["it_add"]).await;
    let parameters = toolbox.specs()[0].parameters.clone();
    assert_eq!(parameters["unevaluatedProperties"], json!(false));
    assert_eq!(parameters["properties"]["b"], json!({"$ref": "#/$defs/B"}));
}

#[tokio::test]
async fn tools_are_picked_by_every_name_that_they_have() {
    let mut given = server("good.py", json!({"tools": ["add", "echo", "ad"]}));
    given["mcp"]["other"] = json!({"command": given["mcp"]["it"]["command"], "tools": ["echo", "fail"]});
    given["tools"] = json!({"own": {"description": "d", "command": ["true"]}});
    let tools = tools(given, patient());
    let mistaken = "server `it`: there is no tool `ad`; did you mean `add`? There are: add, echo";
    let table: Vec<(&[&str], &[&str], Vec<&str>)> = vec![
        (&["own"], &["own"], vec![]),
        (&["it_add"], &["it_add"], vec![mistaken]),
        (&["add", "own"], &["it_add", "own"], vec![mistaken]),
        (&["other", "other_fail"], &["other_echo", "other_fail"], vec![]),
        (&["it", "fail"], &["it_add", "it_echo", "other_fail"], vec![mistaken]),
        (&["echo"], &[], vec![mistaken, "`echo` may be one of it_echo, other_echo; name one of them"]),
        (
            &["it_ecko"],
            &[],
            vec![mistaken, "there is no tool `it_ecko`; did you mean `it_echo`? There are: own, it_add, it_echo"],
        ),
    ];
    for (picked, expected, troubles) in table {
        let toolbox = boxed(&tools, picked).await;
        assert_eq!(
            (names(&toolbox), toolbox.troubles()),
            (
                expected.iter().map(|name| (*name).to_owned()).collect(),
                &troubles.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>()[..]
            ),
            "{picked:?}"
        );
    }
}

#[tokio::test]
async fn a_server_that_says_that_its_tools_changed_is_asked_again() {
    let tools = tools(server("good.py", json!({})), patient());
    let toolbox = boxed(&tools, &["it"]).await;
    assert_eq!(called(&toolbox, "it_more", json!({})).await.content, "there is one more");
    assert!(names(&boxed(&tools, &["it"]).await).contains(&"it_new".to_owned()));
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_told() {
    let table: Vec<(Value, Times, Vec<&str>)> = vec![
        (
            started("slow.py", &["greeting"], json!({})),
            short_start(),
            vec!["it did not greet within 200 ms", "last words: "],
        ),
        (
            started("dying.py", &["start"], json!({})),
            patient(),
            vec!["it ended before it greeted", "last words: out of memory"],
        ),
        (
            started("dying.py", &["list"], json!({})),
            patient(),
            vec!["it does not say what it offers", "last words: out of memory"],
        ),
        (started("garbage.py", &["only"], json!({})), short_start(), vec!["it did not greet within 200 ms"]),
        (
            started("huge.py", &["one"], json!({})),
            patient(),
            vec!["it sent more than 4194304 bytes at once (MCP_MESSAGE_BYTES_MAX)"],
        ),
        (
            json!({"mcp": {"it": {"command": ["no-such-program"]}}}),
            patient(),
            vec!["`no-such-program` cannot be started in `"],
        ),
        (json!({"mcp": {"it": {"command": ["true"]}}}), patient(), vec!["the server `it` cannot be used: "]),
        (json!({"mcp": {"it": {"command": ["yes"]}}}), short_start(), vec!["it did not greet within 200 ms"]),
    ];
    for (given, times, parts) in table {
        let toolbox = boxed(&tools(given.clone(), times), &["it"]).await;
        let outcome = called(&toolbox, "it_any", json!({})).await;
        assert!(outcome.failed, "{given}");
        for part in parts {
            assert!(outcome.content.contains(part), "{given}: {}", outcome.content);
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_list_its_tools_is_told() {
    let given = started("slow.py", &["list"], json!({}));
    let times = Times { list: SHORT, ..patient() };
    let toolbox = boxed(&tools(given, times), &["it"]).await;
    let told = toolbox.troubles().join("\n");
    assert!(told.contains("it did not say within 200 ms what it offers; its last words: still thinking"), "{told}");
}

#[tokio::test]
async fn a_server_that_could_not_be_used_is_left_alone_for_a_while() {
    let given = json!({"mcp": {"it": {"command": ["no-such-program"]}}});
    let tools = tools(given, Times { rest: Duration::from_secs(3_600), ..patient() });
    let first = boxed(&tools, &["it"]).await.troubles().join("");
    let second = boxed(&tools, &["it"]).await.troubles().join("");
    assert!(second.starts_with(&first) && second.contains("(it is tried again in 35"), "{second}");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let toolbox = boxed(&tools(server("slow.py", json!({"timeout": "100ms"})), patient()), &["it"]).await;
    let outcome = called(&toolbox, "it_wait", json!({})).await;
    let expected = "the server `it` gave no answer: it took longer than 100 ms; what was asked may have been done";
    assert_eq!((outcome.content.as_str(), outcome.failed), (expected, true));
}

#[tokio::test]
async fn a_server_that_died_is_started_again() {
    let toolbox = boxed(&tools(server("dying.py", json!({})), patient()), &["it"]).await;
    for _ in 0..3 {
        let outcome = called(&toolbox, "it_die", json!({})).await;
        assert!(outcome.failed, "{outcome:?}");
        assert!(
            outcome.content.contains("it went away during the call; what was asked may have been done"),
            "{outcome:?}"
        );
        assert!(outcome.content.contains("its last words: out of memory"), "{outcome:?}");
        assert_eq!(called(&toolbox, "it_live", json!({})).await.content, "alive");
        // It ends after its answer: the next call finds it gone, or dying.
        assert_eq!(called(&toolbox, "it_last", json!({})).await.content, "the last word");
    }
}

#[tokio::test]
async fn garbage_between_messages_is_passed_over() {
    let toolbox = boxed(&tools(server("garbage.py", json!({})), patient()), &["it"]).await;
    for _ in 0..3 {
        assert_eq!(called(&toolbox, "it_talk", json!({})).await.content, "fine");
    }
}

#[tokio::test]
async fn what_is_huge_is_bounded() {
    let toolbox = boxed(&tools(server("huge.py", json!({})), patient()), &["it"]).await;
    assert_eq!(names(&toolbox), ["it_line", "it_small", "it_text", "it_wordy"]);
    assert!(toolbox.troubles()[0].contains("`schema` is left out: its schema has 100"), "{:?}", toolbox.troubles());
    assert_eq!(toolbox.specs()[3].description.len(), TOOL_DESCRIPTION_BYTES_MAX);
    let outcome = called(&toolbox, "it_text", json!({})).await;
    assert!(!outcome.failed && outcome.content.len() <= TOOL_CONTENT_BYTES_MAX);
    assert!(outcome.content.ends_with("[cut: this is the beginning of 1000000 bytes (TOOL_CONTENT_BYTES_MAX)]"));
    let outcome = called(&toolbox, "it_line", json!({})).await;
    let expected =
        "the server `it` gave no answer: it sent more than 4194304 bytes at once (MCP_MESSAGE_BYTES_MAX); ask for less";
    assert_eq!(outcome.content, expected);
    // The connection is as good as before.
    assert_eq!(called(&toolbox, "it_small", json!({})).await.content, "small");
}

#[tokio::test]
async fn a_server_with_too_many_tools_is_known_in_part() {
    let tools_of = |word: &str| tools(started("huge.py", &[word], json!({})), patient());
    let toolbox = boxed(&tools_of("many"), &["it", "it_tool-00999", "it_tool-01000"]).await;
    assert_eq!(names(&toolbox).len(), TOOLS_MAX);
    let told = toolbox.troubles().join("\n");
    assert!(told.contains(&format!("tools after the first {MCP_TOOLS_MAX} are left out (MCP_TOOLS_MAX)")), "{told}");
    assert!(told.contains(&format!("an agent has at most {TOOLS_MAX} tools (TOOLS_MAX)")), "{told}");
    assert!(told.contains("there is no tool `it_tool-01000`"), "{told}");
    let some = tools(started("huge.py", &["many"], json!({"tools": ["tool-09999"]})), patient());
    assert_eq!(names(&boxed(&some, &["it"]).await), ["it_tool-09999"]);
    let told = boxed(&tools_of("endless"), &["it"]).await.troubles().join("\n");
    assert!(told.contains("tools after the first 100 pages are left out (MCP_PAGES_MAX)"), "{told}");
}

#[tokio::test]
async fn a_server_ends_with_the_tools_and_not_before() {
    let (living, port) = Living::new().await;
    let given = started("good.py", &[port.as_str()], json!({}));
    let all = tools(given.clone(), patient());
    let toolbox = boxed(&all, &["it"]).await;
    let process = living.begun().await;
    drop(all);
    // Whoever has a tool has its server.
    assert!(!called(&toolbox, "it_echo", json!({})).await.failed);
    drop(toolbox);
    ended(process).await;
    let all = tools(given, patient());
    let _toolbox = boxed(&all, &["it"]).await;
    let process = living.begun().await;
    within(all.close()).await;
    ended(process).await;
}

#[tokio::test]
async fn no_server_is_started_before_it_is_needed() {
    let given = json!({"mcp": {"it": {"command": ["no-such-program"]}}, "tools": {"a": {"description": "d", "command": ["true"]}}});
    let all = tools(given, patient());
    let toolbox = boxed(&all, &["a"]).await;
    assert_eq!(toolbox.troubles(), [""; 0]);
}
