//! Whatever can go wrong with a real model goes wrong when the script says so.

use super::{BOTH, Scene, talk};
use handover_agents::scripted::{Api, Asked};
use reqwest::Response;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn question(api: Api, user: &str, stream: bool) -> String {
    let mut body = talk(api, &format!("user: {user}"));
    body["stream"] = json!(stream);
    body.to_string()
}

/// What arrives of an answer, and whether it came to its end.
async fn arrived(mut response: Response) -> (String, bool) {
    let mut text = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => text.extend_from_slice(&chunk),
            end => return (String::from_utf8(text).unwrap(), end.is_ok()),
        }
    }
}

#[tokio::test]
async fn a_status_has_the_error_of_each_service() {
    let table = [
        (400, "invalid_request_error", "invalid_request_error"),
        (401, "invalid_request_error", "authentication_error"),
        (403, "invalid_request_error", "permission_error"),
        (404, "invalid_request_error", "not_found_error"),
        (413, "invalid_request_error", "request_too_large"),
        (429, "requests", "rate_limit_error"),
        (500, "server_error", "api_error"),
        (503, "server_error", "api_error"),
        (504, "server_error", "timeout_error"),
        (529, "server_error", "overloaded_error"),
    ];
    for (status, openai, anthropic) in table {
        let scene = Scene::new(&format!("- fail: {{status: {status}, message: Out of luck.}}")).await;
        for (api, kind) in [(Api::OpenAi, openai), (Api::Anthropic, anthropic)] {
            for stream in [false, true] {
                let response = scene.send(api, question(api, "x", stream)).await;
                assert_eq!(response.status().as_u16(), status);
                assert!(response.headers().get("retry-after").is_none());
                let answer: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
                assert_eq!(
                    (&answer["error"]["type"], &answer["error"]["message"]),
                    (&json!(kind), &json!("Out of luck."))
                );
            }
        }
    }
}

#[tokio::test]
async fn a_rate_limit_says_when_to_come_back_and_passes() {
    for (wait, seconds, milliseconds) in
        [("2", "2", None), ("1500ms", "2", Some("1500")), ("0.25", "1", Some("250")), ("1m", "60", None)]
    {
        let script =
            format!("- {{when: {{user: x}}, times: 2, fail: {{status: 429, retry_after: {wait}}}}}\n- say: At last.");
        for api in BOTH {
            let scene = Scene::new(&script).await;
            for _ in 0..2 {
                let response = scene.send(api, question(api, "x", true)).await;
                assert_eq!(response.status(), 429);
                let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap());
                assert_eq!((header("retry-after"), header("retry-after-ms")), (Some(seconds), milliseconds));
            }
            assert_eq!(scene.hear(api, &talk(api, "user: x")).await, "At last.");
            let statuses: Vec<u16> = scene.server.asked().iter().map(|asked: &Asked| asked.status).collect();
            assert_eq!(statuses, [429, 429, 200]);
        }
    }
}

#[tokio::test]
async fn a_cut_stream_breaks_after_so_many_pieces() {
    let script = "
- {when: {user: none}, say: one two three four, cut: 0}
- {when: {user: two}, say: one two three four, cut: 2}
- {when: {user: end}, say: one two three four, cut: 99}
- {when: {user: call}, say: one, call: [{tool: {text: 0123456789abcdef}}], cut: 2}";
    let scene = Scene::new(script).await;
    for (user, heard, unheard) in
        [("none", "", "one"), ("two", "two ", "three"), ("end", "four", "stop"), ("call", "tool", "abcdef")]
    {
        for api in BOTH {
            let (text, whole) = arrived(scene.send(api, question(api, user, true)).await).await;
            assert!(!whole, "{user} came to its end: {text}");
            assert!(text.contains(heard) && !text.contains(&format!("{unheard}\"")), "{user}: {text}");
            assert!(!text.contains("[DONE]") && !text.contains("message_stop"), "{user}: {text}");
            let (text, whole) = arrived(scene.send(api, question(api, user, false)).await).await;
            assert!(!whole && serde_json::from_str::<Value>(&text).is_err(), "{user}: {text}");
        }
    }
}

#[tokio::test]
async fn a_stalled_answer_never_ends_until_the_server_stops() {
    let scene = Scene::new("- {when: {user: some}, say: one two three, stall: 2}\n- stall: 0").await;
    let mut waiting = Vec::new();
    for api in BOTH {
        let mut response = scene.send(api, question(api, "some", true)).await;
        let mut text = String::new();
        while !text.contains("two ") {
            text += str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap();
        }
        assert!(!text.contains("three"));
        waiting.push(tokio::spawn(async move { arrived(response).await.1 }));
        for (user, stream) in [("some", false), ("silent", true), ("silent", false)] {
            let path = if api == Api::OpenAi { "/v1/chat/completions" } else { "/v1/messages" };
            let request = scene.client.post(scene.url(path)).header("anthropic-version", "2023-06-01");
            let request = request.body(question(api, user, stream));
            waiting
                .push(tokio::spawn(async move { request.send().await.is_ok_and(|response| response.status() == 200) }));
        }
    }
    while scene.server.asked().len() < 8 {
        tokio::task::yield_now().await;
    }
    assert!(waiting.iter().all(|task| !task.is_finished()));
    let begun = Instant::now();
    scene.server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(2), "whoever waits must not keep the server");
    for task in waiting {
        assert!(!task.await.unwrap(), "what stalls does not succeed");
    }
}

#[tokio::test]
async fn a_slow_answer_waits_before_each_piece() {
    let scene =
        Scene::new("- {when: {user: bad}, slow: 30ms, fail: {status: 500}}\n- {say: one two, slow: 30ms}").await;
    for api in BOTH {
        for (user, stream, pieces) in [("good", true, 5), ("good", false, 1), ("bad", false, 1)] {
            let begun = Instant::now();
            arrived(scene.send(api, question(api, user, stream)).await).await;
            assert!(begun.elapsed() >= Duration::from_millis(30) * pieces, "{api:?} {user} {stream}");
        }
    }
}

#[tokio::test]
async fn a_huge_answer_arrives_whole() {
    let scene = Scene::new("- {say: 'abcdefghijklmno ', repeat: 500000, usage: {output: 1}}").await;
    for api in BOTH {
        let heard = scene.hear(api, &talk(api, "user: x")).await;
        assert_eq!(heard.len(), 8_000_000);
        let (text, whole) = arrived(scene.send(api, question(api, "x", true)).await).await;
        assert!(whole && text.len() > 8_000_000);
    }
}

#[tokio::test]
async fn tool_calls_can_be_malformed() {
    let script = "
- {when: {user: broken}, call: [{look: '{\"at\": '}]}
- {when: {user: list}, call: [{look: '[1]'}]}
- {when: {user: unknown}, call: [{no_such_tool: {}}]}
- {when: {user: types}, call: [{look: {at: [7], deep: null}}]}
- {when: {user: empty}, say: ''}";
    let scene = Scene::new(script).await;
    for (user, openai, anthropic) in [
        ("broken", r#"look({"at": )"#, r#"look("{\"at\": ")"#),
        ("list", "look([1])", "look([1])"),
        ("unknown", "no_such_tool({})", "no_such_tool({})"),
        ("types", r#"look({"at":[7],"deep":null})"#, r#"look({"at":[7],"deep":null})"#),
        ("empty", "", ""),
    ] {
        for (api, expected) in [(Api::OpenAi, openai), (Api::Anthropic, anthropic)] {
            assert_eq!(scene.hear(api, &talk(api, &format!("user: {user}"))).await, expected);
        }
    }
}
