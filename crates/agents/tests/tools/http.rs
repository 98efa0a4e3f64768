//! MCP servers that are called over streamable HTTP.

use crate::common::{boxed, called, names, patient, servers, short_start, tools};
use handover_agents::tool::{Times, ToolSettings, Tools};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// A server that ends with the test.
struct Web {
    child: Child,
    url: String,
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn web(words: &[&str]) -> Web {
    let mut command = Command::new("python3");
    command.args(["-B", "-E", "web.py"]).args(words).current_dir(servers());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3");
    let mut port = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut port).expect("a port");
    Web { child, url: format!("http://127.0.0.1:{}/mcp", port.trim()) }
}

fn at(web: &Web, more: Value, times: Times) -> Tools {
    let mut server = json!({"url": web.url});
    for (name, value) in more.as_object().into_iter().flatten() {
        server[name] = value.clone();
    }
    tools(json!({"mcp": {"it": server}}), times)
}

#[tokio::test]
async fn answers_come_as_json_or_as_events() {
    for words in [&["json"], &["sse"]] {
        let web = web(words);
        let tools = at(&web, json!({"timeout": "30s"}), patient());
        let toolbox = boxed(&tools, &["it"]).await;
        assert_eq!(names(&toolbox), ["it_echo", "it_forget", "it_garbage", "it_huge", "it_wait"], "{words:?}");
        assert_eq!(
            called(&toolbox, "it_echo", json!({"a": "ü"})).await.content,
            "echo {\"a\": \"\\u00fc\"}",
            "{words:?}"
        );
        let huge = called(&toolbox, "it_huge", json!({})).await;
        assert!(huge.failed && huge.content.contains("(MCP_MESSAGE_BYTES_MAX)"), "{words:?}: {}", huge.content);
        let garbage = called(&toolbox, "it_garbage", json!({})).await;
        assert!(garbage.failed && garbage.content.contains("{no json"), "{words:?}: {}", garbage.content);
        // A session that the server forgot begins again.
        assert_eq!(called(&toolbox, "it_forget", json!({})).await.content, "forgotten", "{words:?}");
        assert_eq!(called(&toolbox, "it_echo", json!({})).await.content, "echo {}", "{words:?}");
        tools.close().await;
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up() {
    let web = web(&["json"]);
    let toolbox = boxed(&at(&web, json!({"timeout": "100ms"}), patient()), &["it"]).await;
    let outcome = called(&toolbox, "it_wait", json!({})).await;
    assert!(outcome.failed && outcome.content.contains("it took longer than 100 ms"), "{outcome:?}");
}

#[tokio::test]
async fn keys_and_headers_are_sent() {
    // Any variable of this process does for a key.
    let right = ["key", env!("CARGO_PKG_NAME")];
    let table: Vec<(&[&str], Value, &str)> = vec![
        (&right, json!({"key_env": "CARGO_PKG_NAME"}), ""),
        (&right, json!({}), "it wants a key, or another one (see `key_env` and `headers`)"),
        (&["key", "other"], json!({"key_env": "CARGO_PKG_NAME"}), "it wants a key, or another one"),
        (&right, json!({"key_env": "NO_SUCH_KEY"}), "the variable NO_SUCH_KEY with its key is not set"),
        (&["header"], json!({"headers": {"X-Team": "blue"}}), ""),
        (&["header"], json!({"headers": {"X-Team": "red"}}), "HTTP 403 Forbidden"),
    ];
    for (words, more, trouble) in table {
        let web = web(words);
        let told = boxed(&at(&web, more.clone(), patient()), &["it"]).await.troubles().join("\n");
        assert!(told.contains(trouble) && told.is_empty() == trouble.is_empty(), "{words:?} {more}: {told}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_be_used_is_told() {
    let table = [
        ("hang", short_start(), "it did not greet within 200 ms"),
        ("html", patient(), "text/html"),
        ("broken", patient(), "HTTP 500 Internal Server Error: out of memory"),
        ("moved", patient(), "HTTP 307 Temporary Redirect"),
    ];
    for (word, times, trouble) in table {
        let web = web(&[word]);
        let told = boxed(&at(&web, json!({}), times), &["it"]).await.troubles().join("\n");
        assert!(told.contains(trouble), "{word}: {told}");
    }
    let mut gone = web(&["json"]);
    gone.child.kill().expect("an end");
    gone.child.wait().expect("an end");
    let told = boxed(&at(&gone, json!({}), patient()), &["it"]).await.troubles().join("\n");
    assert!(told.contains("refused"), "{told}");
    assert!(serde_json::from_value::<ToolSettings>(json!({"mcp": {"it": {"url": 5}}})).is_err());
}
