//! Remote agents that do everything wrong: each ends in a clear word, and in no time.

use crate::{
    common::{House, asking, employ_with, told},
    peer::{By, Does, Peer, artifact, done, status, task},
};
use expect_test::expect;
use handover_agents::a2a::Times;
use handover_core::limits::{PAYLOAD_BYTES_MAX, REMOTE_ANSWER_BYTES_MAX, REMOTE_ARTIFACTS_MAX, REMOTE_PARTS_MAX};
use serde_json::{Value, json};
use std::time::Duration;

/// A time that is under test.
const SHORT: Times =
    Times { connect: Duration::from_secs(10), answer: Duration::from_millis(100), idle: Duration::from_secs(10) };

fn with(mut value: Value, change: impl FnOnce(&mut Value)) -> Value {
    change(&mut value);
    value
}

/// What comes of a piece of work when the peer does this.
async fn came(streams: bool, first: Does, then: Option<Does>) -> String {
    came_within(Times::default(), streams, first, then).await
}

async fn came_within(times: Times, streams: bool, first: Does, then: Option<Does>) -> String {
    let (house, peer) = (House::new(), Peer::new(By::JsonRpc).await);
    peer.card(|card| card["capabilities"]["streaming"] = json!(streams));
    peer.does(if streams { "SendStreamingMessage" } else { "SendMessage" }, [first]);
    peer.does("GetTask", then).does("CancelTask", [Does::Gives(task("CANCELED"))]);
    let engine = house.open().await;
    employ_with(&engine, &peer, None, times).await;
    told(&house.asked(&engine, asking()).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_of_hostile_agents_are_refused() {
    let raw = |status, kind, text: &str| Does::Sends(status, kind, text.as_bytes().to_vec());
    let gives = |value: Value| Does::Gives(value);
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    let deep: Value = serde_json::from_str(&deep).unwrap();
    let abyss = format!(r#"{{"jsonrpc": "2.0", "result": {}"#, "[".repeat(100_000));
    let long = "x".repeat(REMOTE_ANSWER_BYTES_MAX);
    let history: Vec<Value> =
        (0..20).map(|n| json!({"messageId": n.to_string(), "parts": [{"text": "y".repeat(500_000)}]})).collect();
    let table = [
        ("no JSON", raw(200, "application/json", "hello")),
        ("a page", raw(200, "text/html", "<html>hello</html>")),
        ("no kind of content", raw(200, "", "{}")),
        ("a redirect", raw(307, "text/plain", "")),
        ("no key", raw(401, "text/plain", "who are you?")),
        ("not found", raw(404, "text/plain", "nothing here")),
        ("a fault of its own", raw(500, "text/plain", "out of order")),
        (
            "answers to something else",
            raw(200, "application/json", r#"{"jsonrpc": "2.0", "id": "other", "result": {}}"#),
        ),
        ("neither result nor error", raw(200, "application/json", "{}")),
        ("neither task nor message", gives(json!({"x": 1}))),
        ("task and message", gives(with(task("WORKING"), |value| value["message"] = json!({"messageId": "m"})))),
        ("no id", gives(with(task("WORKING"), |value| value["task"]["id"] = json!("")))),
        ("an endless id", gives(with(task("WORKING"), |value| value["task"]["id"] = json!("x".repeat(1_000))))),
        ("an id that is a path", gives(with(task("WORKING"), |value| value["task"]["id"] = json!("..")))),
        ("an unknown state", gives(task("HAPPY"))),
        ("another version", Does::Refuses(-32009, "1.0 is not supported")),
        ("an extension is wanted", Does::Refuses(-32008, "use mine")),
        ("an abyss", raw(200, "application/json", &abyss)),
        ("deep data", gives(done(&json!([{"data": deep}])))),
        ("large data", gives(done(&json!([{"data": "x".repeat(PAYLOAD_BYTES_MAX)}])))),
        ("a long text", gives(done(&json!([{"text": "x".repeat(PAYLOAD_BYTES_MAX)}])))),
        ("a large answer", gives(done(&json!([{"text": long}])))),
        ("an endless history", gives(with(task("WORKING"), |value| value["task"]["history"] = json!(history)))),
        ("too many parts", gives(done(&json!(vec![json!({"text": "x"}); REMOTE_PARTS_MAX + 1])))),
        (
            "too many artifacts",
            gives(with(task("COMPLETED"), |value| {
                let all: Vec<Value> =
                    (0..=REMOTE_ARTIFACTS_MAX).map(|n| json!({"artifactId": n.to_string()})).collect();
                value["task"]["artifacts"] = json!(all);
            })),
        ),
        ("a part of nothing", gives(done(&json!([{"kind": "text"}])))),
    ];
    let mut lines = String::new();
    for (name, does) in table {
        lines += &format!("{name}: {}\n", came(false, does, None).await);
    }
    expect![[r#"
        no JSON: failed null the answer of 127.0.0.1 is no JSON: expected value at line 1 column 1
        a page: failed null 127.0.0.1 answered with `text/html`, not with JSON
        no kind of content: failed null 127.0.0.1 answered with ``, not with JSON
        a redirect: failed null 127.0.0.1 answered 307 Temporary Redirect, and redirects are not followed: give the address it leads to
        no key: failed null 127.0.0.1 answered 401 Unauthorized: who are you?; an operator must give it a key by `secret_env`, which is sent only to the host of `url`
        not found: failed null 127.0.0.1 answered 404 Not Found: nothing here
        a fault of its own: failed null the remote agent says INTERNAL_ERROR: 127.0.0.1 answered 500 Internal Server Error: out of order
        answers to something else: failed null it answered to something else: the `id` of the answer is wrong
        neither result nor error: failed null it answered to something else: the `id` of the answer is wrong
        neither task nor message: failed null what it says cannot be read: it has 0 of task, message, statusUpdate, artifactUpdate, and must have exactly one
        task and message: failed null what it says cannot be read: it has 2 of task, message, statusUpdate, artifactUpdate, and must have exactly one
        no id: failed null the task has no usable id: at most 500 bytes (REMOTE_ID_BYTES_MAX)
        an endless id: failed null the task has no usable id: at most 500 bytes (REMOTE_ID_BYTES_MAX)
        an id that is a path: failed null the task has no usable id: at most 500 bytes (REMOTE_ID_BYTES_MAX)
        an unknown state: failed null what it says cannot be read: unknown variant `TASK_STATE_HAPPY`, expected one of `TASK_STATE_SUBMITTED`, `TASK_STATE_WORKING`, `TASK_STATE_COMPLETED`, `TASK_STATE_FAILED`, `TASK_STATE_CANCELED`, `TASK_STATE_INPUT_REQUIRED`, `TASK_STATE_REJECTED`, `TASK_STATE_AUTH_REQUIRED`, `TASK_STATE_UNSPECIFIED`
        another version: failed null the remote agent says VERSION_NOT_SUPPORTED: 1.0 is not supported
        an extension is wanted: failed null the remote agent says EXTENSION_SUPPORT_REQUIRED: use mine
        an abyss: failed null the answer of 127.0.0.1 is no JSON: recursion limit exceeded at line 1 column 156
        deep data: failed null its answer is nested deeper than 32 (JSON_DEPTH_MAX)
        large data: failed null its answer has 262146 bytes, and at most 262144 are kept (PAYLOAD_BYTES_MAX)
        a long text: failed null its answer has 262144 bytes, and at most 131072 are kept (half of PAYLOAD_BYTES_MAX)
        a large answer: failed null the answer of 127.0.0.1 has more than 8388608 bytes (REMOTE_ANSWER_BYTES_MAX)
        an endless history: failed null the answer of 127.0.0.1 has more than 8388608 bytes (REMOTE_ANSWER_BYTES_MAX)
        too many parts: failed null it has more than 1024 parts (REMOTE_PARTS_MAX)
        too many artifacts: failed null the task has more than 256 artifacts (REMOTE_ARTIFACTS_MAX)
        a part of nothing: failed null what it says cannot be read: Part must have one of: text, raw, url, data
    "#]].assert_eq(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_agents_are_not_waited_for() {
    for (name, does) in [("silent", Does::Silent), ("stalls", Does::Stalls("{\"jsonrpc\":"))] {
        let told = came_within(SHORT, false, does, None).await;
        assert!(told.contains("did not answer within 100 ms (REMOTE_ANSWER_MS); tried 6 times"), "{name}: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_hostile_agents_come_to_an_end() {
    let other = |value: Value, field: &'static str, id: &'static str| {
        with(value, |value| value.as_object_mut().unwrap().values_mut().for_each(|inner| inner[field] = json!(id)))
    };
    let large = artifact(&json!([{"text": "x".repeat(1_000_000)}]), true);
    let table = [
        ("no stream", Does::Sends(200, "text/html", b"hello".to_vec())),
        ("no JSON", Does::Sends(200, "text/event-stream", b"data: hello\n\n".to_vec())),
        ("a task of another", Does::Tells(vec![task("WORKING"), other(status("COMPLETED"), "taskId", "t-2")])),
        ("another task", Does::Tells(vec![task("WORKING"), other(task("COMPLETED"), "id", "t-2")])),
        ("another context", Does::Tells(vec![task("WORKING"), other(status("COMPLETED"), "contextId", "c-2")])),
        (
            "an artifact of another",
            Does::Tells(vec![task("WORKING"), other(artifact(&json!([]), false), "taskId", "t-2")]),
        ),
        ("the same for ever", Does::TellsForEver(status("WORKING"))),
        ("an endless artifact", Does::Tells([vec![task("WORKING")], vec![large; 9]].concat())),
        ("an endless line", Does::Sends(200, "text/event-stream", vec![b'x'; 5 * 1024 * 1024])),
    ];
    let mut lines = String::new();
    for (name, does) in table {
        lines += &format!("{name}: {}\n", came(true, does, None).await);
    }
    expect![[r#"
        no stream: failed null 127.0.0.1 answered with `text/html`, not with JSON
        no JSON: failed null what it says cannot be read: expected value at line 1 column 1
        a task of another: failed null it tells of another task
        another task: failed null it tells of another task
        another context: failed null it tells of another context
        an artifact of another: failed null it tells of another task
        the same for ever: failed null its streams have no end: more than 100000 events (REMOTE_EVENTS_MAX)
        an endless artifact: failed null its artifacts have more than 8388608 bytes (REMOTE_ANSWER_BYTES_MAX)
        an endless line: failed null a line of the answer is longer than 4194304 bytes (MODEL_LINE_BYTES_MAX)
    "#]]
    .assert_eq(&lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_task_is_never_taken_for_the_one_that_was_asked_for() {
    let other = with(done(&json!([{"data": "of somebody else"}])), |value| value["task"]["id"] = json!("t-2"));
    let told = came(false, Does::Gives(task("WORKING")), Some(Does::Gives(other))).await;
    assert_eq!(told, "failed null it tells of another task");
}
