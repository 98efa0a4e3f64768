//! Answers as streams, event by event.

use super::{BOTH, Scene, heard, talk};
use expect_test::expect;
use handover_agents::scripted::Api;
use serde_json::{Value, json};

const SCRIPT: &str = "
- when: {user: go}
  say: Let me see.
  call:
    - run_tests: {suite: unit, times: 2}
    - look: '{\"at\": '
  usage: {input: 120, output: 18}
- when: {user: mute}
  call: [look]
- say: Hello.
";

async fn stream(scene: &Scene, api: Api, user: &str, options: Option<Value>) -> String {
    let mut body = talk(api, user);
    body["stream"] = json!(true);
    if let Some(options) = options {
        body["stream_options"] = options;
    }
    let response = scene.send(api, body.to_string()).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    response.text().await.unwrap()
}

/// The events without what is the same in all of them.
fn short(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let Some(mut data) = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Value>(data).ok())
        else {
            return line.to_owned();
        };
        for name in ["id", "object", "created", "model", "service_tier", "system_fingerprint"] {
            data.as_object_mut().unwrap().remove(name);
        }
        if let Some(choice) = data["choices"].as_array_mut().into_iter().flatten().next() {
            choice.as_object_mut().unwrap().remove("logprobs");
        } else if data["choices"].is_null() {
            data.as_object_mut().unwrap().remove("choices");
        }
        format!("data: {data}")
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn openai_streams_chunks() {
    let scene = Scene::new(SCRIPT).await;
    let text = stream(&scene, Api::OpenAi, "user: go", Some(json!({"include_usage": true}))).await;
    expect![[r#"
        data: {"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"content":"Let "},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"content":"me "},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"content":"see."},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"run_tests"},"id":"call_2c3f7b_1","index":0,"type":"function"}]},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"suite\":\"unit\","},"index":0}]},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"\"times\":2}"},"index":0}]},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"look"},"id":"call_2c3f7b_2","index":1,"type":"function"}]},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"at\": "},"index":1}]},"finish_reason":null,"index":0}],"usage":null}
        data: {"choices":[{"delta":{},"finish_reason":"tool_calls","index":0}],"usage":null}
        data: {"choices":[],"usage":{"completion_tokens":18,"completion_tokens_details":{"audio_tokens":0,"reasoning_tokens":0},"prompt_tokens":120,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"total_tokens":138}}
        data: [DONE]"#]].assert_eq(&short(&text));
    let text = stream(&scene, Api::OpenAi, "user: hi", None).await;
    expect![[r#"
        data: {"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0}]}
        data: {"choices":[{"delta":{"content":"Hello."},"finish_reason":null,"index":0}]}
        data: {"choices":[{"delta":{},"finish_reason":"stop","index":0}]}
        data: [DONE]"#]]
    .assert_eq(&short(&text));
}

#[tokio::test]
async fn anthropic_streams_blocks() {
    let scene = Scene::new(SCRIPT).await;
    expect![[r#"
        event: message_start
        data: {"message":{"content":[],"id":"msg_3ebc4264bfe9","model":"m","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":120,"output_tokens":1,"service_tier":"standard"}},"type":"message_start"}
        event: content_block_start
        data: {"content_block":{"text":"","type":"text"},"index":0,"type":"content_block_start"}
        event: ping
        data: {"type":"ping"}
        event: content_block_delta
        data: {"delta":{"text":"Let ","type":"text_delta"},"index":0,"type":"content_block_delta"}
        event: content_block_delta
        data: {"delta":{"text":"me ","type":"text_delta"},"index":0,"type":"content_block_delta"}
        event: content_block_delta
        data: {"delta":{"text":"see.","type":"text_delta"},"index":0,"type":"content_block_delta"}
        event: content_block_stop
        data: {"index":0,"type":"content_block_stop"}
        event: content_block_start
        data: {"content_block":{"id":"toolu_2c3f7b_1","input":{},"name":"run_tests","type":"tool_use"},"index":1,"type":"content_block_start"}
        event: content_block_delta
        data: {"delta":{"partial_json":"{\"suite\":\"unit\",","type":"input_json_delta"},"index":1,"type":"content_block_delta"}
        event: content_block_delta
        data: {"delta":{"partial_json":"\"times\":2}","type":"input_json_delta"},"index":1,"type":"content_block_delta"}
        event: content_block_stop
        data: {"index":1,"type":"content_block_stop"}
        event: content_block_start
        data: {"content_block":{"id":"toolu_2c3f7b_2","input":{},"name":"look","type":"tool_use"},"index":2,"type":"content_block_start"}
        event: content_block_delta
        data: {"delta":{"partial_json":"{\"at\": ","type":"input_json_delta"},"index":2,"type":"content_block_delta"}
        event: content_block_stop
        data: {"index":2,"type":"content_block_stop"}
        event: message_delta
        data: {"delta":{"stop_reason":"tool_use","stop_sequence":null},"type":"message_delta","usage":{"output_tokens":18}}
        event: message_stop
        data: {"type":"message_stop"}"#]].assert_eq(&short(&stream(&scene, Api::Anthropic, "user: go", None).await));
    expect![[r#"
        event: message_start
        data: {"message":{"content":[],"id":"msg_247544b9265b","model":"m","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":{"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"input_tokens":1,"output_tokens":1,"service_tier":"standard"}},"type":"message_start"}
        event: content_block_start
        data: {"content_block":{"id":"toolu_bc94f9_1","input":{},"name":"look","type":"tool_use"},"index":0,"type":"content_block_start"}
        event: ping
        data: {"type":"ping"}
        event: content_block_delta
        data: {"delta":{"partial_json":"{}","type":"input_json_delta"},"index":0,"type":"content_block_delta"}
        event: content_block_stop
        data: {"index":0,"type":"content_block_stop"}
        event: message_delta
        data: {"delta":{"stop_reason":"tool_use","stop_sequence":null},"type":"message_delta","usage":{"output_tokens":2}}
        event: message_stop
        data: {"type":"message_stop"}"#]].assert_eq(&short(&stream(&scene, Api::Anthropic, "user: mute", None).await));
}

/// Puts the pieces of a stream together as a client does.
fn joined(api: Api, text: &str) -> String {
    let (mut said, mut calls): (String, Vec<(String, String)>) = <_>::default();
    for data in text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]") {
        let data: Value = serde_json::from_str(data).unwrap();
        let delta = if api == Api::OpenAi { &data["choices"][0]["delta"] } else { &data["delta"] };
        said += delta["content"].as_str().or(delta["text"].as_str()).unwrap_or_default();
        let block = &data["content_block"];
        let function = &delta["tool_calls"][0]["function"];
        let opened = function["name"].as_str().or(block["name"].as_str());
        calls.extend(opened.map(|name| (name.to_owned(), String::new())));
        if let Some(more) = function["arguments"].as_str().or(delta["partial_json"].as_str()) {
            calls.last_mut().unwrap().1 += more;
        }
    }
    let calls = calls.into_iter().map(|(name, arguments)| format!("{name}({arguments})"));
    Some(said).into_iter().filter(|said| !said.is_empty()).chain(calls).collect::<Vec<_>>().join(" + ")
}

#[tokio::test]
async fn a_stream_says_what_an_answer_at_once_says() {
    let script = "
- when: {user: many}
  say: |
    Ünï — two  spaces, a tab\tand

    an empty line. 
  call: [{a: {text: 'wörds “in” quotes, and more of them'}}, {b: {}}, {a: {list: [1, {x: null}]}}]
- {say: 'word ', repeat: 9000}";
    let scene = Scene::new(script).await;
    for api in BOTH {
        for user in ["user: many", "user: long"] {
            let (_, whole) = scene.ask(api, &talk(api, user)).await;
            assert_eq!(joined(api, &stream(&scene, api, user, None).await), heard(api, &whole));
        }
    }
}
