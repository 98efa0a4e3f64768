//! Questions that the real services refuse are refused, with the words and the shape of each.

use super::{BOTH, Scene, talk};
use expect_test::expect;
use handover_agents::scripted::Api;
use serde_json::{Value, json};
use std::fmt::Write;

fn with(base: &Value, name: &str, value: Value) -> Value {
    let mut body = base.clone();
    body[name] = value;
    body
}

async fn refusals(api: Api, bodies: Vec<Value>) -> String {
    let scene = Scene::new("- say: x").await;
    let mut told = String::new();
    for body in bodies {
        let (status, answer) = scene.ask(api, &body).await;
        let error = &answer["error"];
        assert_eq!((status, &error["type"]), (400, &json!("invalid_request_error")), "{body}");
        let more = if api == Api::OpenAi { format!(" {} {}", error["param"], error["code"]) } else { String::new() };
        writeln!(told, "{}{more}", error["message"].as_str().unwrap()).unwrap();
    }
    told
}

#[tokio::test]
async fn openai_refuses() {
    let base = talk(Api::OpenAi, "user: hi\ntools: a");
    let talk = |text| talk(Api::OpenAi, text);
    let messages = |value| with(&base, "messages", value);
    let bodies = vec![
        json!({"messages": []}),
        json!({"model": "m"}),
        messages(json!([])),
        messages(json!("hi")),
        messages(json!(["hi"])),
        messages(json!([{"content": "hi"}])),
        messages(json!([{"role": "robot", "content": "hi"}])),
        messages(json!([{"role": "user"}])),
        messages(json!([{"role": "user", "content": 7}])),
        messages(json!([{"role": "user", "content": [{"type": "text"}]}])),
        messages(json!([{"role": "user", "content": "x", "mood": "good"}])),
        messages(json!([{"role": "assistant"}])),
        messages(json!([{"role": "assistant", "tool_calls": []}])),
        messages(
            json!([{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "a", "arguments": {}}}]}]),
        ),
        talk("user: go\nresult a: x"),
        talk("user: go\ncalls: a, b\nresult b: x\nuser: y"),
        talk("user: go\ncalls: a"),
        talk("user: go\ncalls: a\nresult a: x\nresult a: x"),
        with(&base, "mood", json!("good")),
        with(&base, "temperature", json!("hot")),
        with(&base, "temperature", json!(2.5)),
        with(&base, "max_tokens", json!(0)),
        with(&base, "max_tokens", json!(1.5)),
        with(&base, "stream", json!("yes")),
        with(&base, "stream_options", json!({"include_usage": true})),
        with(&base, "n", json!(2)),
        with(&base, "tools", json!([])),
        with(&base, "tools", json!([{"type": "function", "function": {"name": "a b"}}])),
        with(&base, "tools", json!([{"type": "function", "function": {"name": "a", "parameters": "x"}}])),
        with(&base, "tool_choice", json!("maybe")),
        with(&talk("user: hi"), "tool_choice", json!("auto")),
    ];
    expect![[r#"
        you must provide a model parameter null null
        Missing required parameter: 'messages'. "messages" "missing_required_parameter"
        Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead. "messages" "empty_array"
        Invalid type for 'messages': expected array, but got a string instead. "messages" "invalid_type"
        Invalid type for 'messages[0]': expected object, but got a string instead. "messages[0]" "invalid_type"
        Missing required parameter: 'messages[0].role'. "messages[0].role" "missing_required_parameter"
        Invalid value: 'robot'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool'. "messages[0].role" "invalid_value"
        Missing required parameter: 'messages[0].content'. "messages[0].content" "missing_required_parameter"
        Invalid type for 'messages[0].content': expected one of a string or array of objects, but got a number instead. "messages[0].content" "invalid_type"
        Missing required parameter: 'messages[0].content[0].text'. "messages[0].content[0].text" "missing_required_parameter"
        Unknown parameter: 'messages[0].mood'. "messages[0].mood" "unknown_parameter"
        Missing required parameter: 'messages[0].content'. "messages[0].content" "missing_required_parameter"
        Invalid 'messages[0].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead. "messages[0].tool_calls" "empty_array"
        Invalid type for 'messages[0].tool_calls[0].function.arguments': expected string, but got an object instead. "messages[0].tool_calls[0].function.arguments" "invalid_type"
        messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "messages[1]" null
        An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a "messages[3]" null
        An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a "messages" null
        messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. "messages[3]" null
        Unrecognized request argument supplied: mood "mood" "unknown_parameter"
        Invalid type for 'temperature': expected number, but got a string instead. "temperature" "invalid_type"
        Invalid 'temperature': expected a value <= 2, but got 2.5 instead. "temperature" "invalid_value"
        Invalid 'max_tokens': expected a value >= 1, but got 0 instead. "max_tokens" "invalid_value"
        Invalid type for 'max_tokens': expected integer, but got a number instead. "max_tokens" "invalid_type"
        Invalid type for 'stream': expected boolean, but got a string instead. "stream" "invalid_type"
        The 'stream_options' parameter is only allowed when 'stream' is enabled. "stream_options" null
        The scripted model gives one answer: 'n' must be 1. null null
        Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead. "tools" "empty_array"
        Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]{1,64}$'. "tools[0].function.name" "invalid_value"
        Invalid type for 'tools[0].function.parameters': expected object, but got a string instead. "tools[0].function.parameters" "invalid_type"
        Invalid value: 'maybe'. Supported values are: 'none', 'auto', 'required'. "tool_choice" "invalid_value"
        'tool_choice' is only allowed when 'tools' are specified. "tool_choice" null
    "#]].assert_eq(&refusals(Api::OpenAi, bodies).await);
}

#[tokio::test]
async fn anthropic_refuses() {
    let base = talk(Api::Anthropic, "user: hi\ntools: a");
    let talk = |text| talk(Api::Anthropic, text);
    let messages = |value| with(&base, "messages", value);
    let late = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "a", "input": {}}]},
        {"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "tool_result", "tool_use_id": "a"}]},
    ]);
    let bodies = vec![
        json!({"messages": [], "max_tokens": 1}),
        json!({"model": "m", "max_tokens": 1}),
        json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}),
        messages(json!([])),
        messages(json!("hi")),
        messages(json!([{"role": "system", "content": "x"}])),
        messages(json!([{"role": "robot", "content": "x"}])),
        messages(json!([{"role": "assistant", "content": "x"}])),
        messages(json!([{"role": "user", "content": "x"}, {"role": "user", "content": "y"}])),
        messages(json!([{"role": "user", "content": ""}])),
        messages(json!([{"role": "user", "content": [{"type": "text", "text": ""}]}])),
        messages(json!([{"role": "user", "content": [{"type": "smell"}]}])),
        messages(json!([{"role": "user", "content": "x", "name": "y"}])),
        messages(json!([{"role": "user", "content": [{"type": "tool_use", "id": "a", "name": "a", "input": {}}]}])),
        talk("user: go\nmodel: x\nresult a: x"),
        talk("user: go\ncalls: a, b\nresult b: x"),
        talk("user: go\ncalls: a"),
        talk("user: go\ncalls: a\nresult a: x\ncalls: a\nresult a: x"),
        messages(late),
        with(&base, "mood", json!("good")),
        with(&base, "temperature", json!(1.5)),
        with(&base, "max_tokens", json!(0)),
        with(&base, "stream", json!(null)),
        with(&base, "system", json!(7)),
        with(&base, "tools", json!([{"name": "a"}])),
        with(&base, "tools", json!([{"name": "a", "input_schema": {"type": "array"}}])),
        with(&base, "tools", json!([{"name": "a b", "input_schema": {"type": "object"}}])),
        with(&base, "tools", json!([base["tools"][0], base["tools"][0]])),
        with(&talk("user: hi"), "tool_choice", json!({"type": "auto"})),
        with(&base, "tool_choice", json!({"type": "maybe"})),
    ];
    expect![[r#"
        model: Field required
        messages: Field required
        max_tokens: Field required
        messages: at least one message is required
        messages: Input should be a valid array
        messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.
        messages.0.role: Input should be one of 'user', 'assistant'
        messages: first message must use the "user" role
        messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row
        messages.0: all messages must have non-empty content except for the optional final assistant message
        messages: text content blocks must be non-empty
        messages.0.content.0.type: Input should be one of 'text', 'tool_use', 'tool_result', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking'
        messages.0.name: Extra inputs are not permitted
        messages.0: `tool_use` blocks can only be in `assistant` messages
        messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.
        messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.
        messages: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.
        messages.3: `tool_use` ids must be unique: a
        messages.2.content.1: `tool_result` blocks must come before all other content
        mood: Extra inputs are not permitted
        temperature: Input should be <= 1
        max_tokens: Input should be >= 1
        stream: Input should be a valid boolean
        system: Input should be a valid array
        tools.0.input_schema: Field required
        tools.0.input_schema.type: Input should be 'object'
        tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'
        tools: Tool names must be unique.
        tool_choice: may only be specified while providing tools
        tool_choice.type: Input should be one of 'auto', 'any', 'tool', 'none'
    "#]].assert_eq(&refusals(Api::Anthropic, bodies).await);
}

#[tokio::test]
async fn what_is_no_json_is_refused_in_the_shape_of_each() {
    let scene = Scene::new("- say: x").await;
    for api in BOTH {
        for body in ["", "{", "[]", "{\"model\": \"m\"}}", "\u{feff}{}"] {
            let response = scene.send(api, body.to_owned()).await;
            assert_eq!(response.status(), 400, "{api:?} {body}");
            let answer: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
            assert_eq!(answer["error"]["type"], "invalid_request_error");
            assert_eq!(answer["type"] == "error", api == Api::Anthropic);
        }
    }
    let unversioned = scene.client.post(scene.url("/v1/messages")).body("{}").send().await.unwrap();
    assert!(unversioned.text().await.unwrap().contains("anthropic-version: header is required"));
}

#[tokio::test]
async fn a_key_that_is_asked_for_must_be_given() {
    let scene = Scene::new("key: secret\nentries: [{say: Hello.}]").await;
    let headers = [
        (Api::OpenAi, "authorization", "Bearer secret", 200),
        (Api::OpenAi, "authorization", "Bearer other", 401),
        (Api::OpenAi, "authorization", "secret", 401),
        (Api::OpenAi, "x-api-key", "secret", 401),
        (Api::Anthropic, "x-api-key", "secret", 200),
        (Api::Anthropic, "authorization", "Bearer secret", 200),
        (Api::Anthropic, "x-api-key", "other", 401),
        (Api::Anthropic, "x-other", "secret", 401),
    ];
    for (api, name, value, expected) in headers {
        let path = if api == Api::OpenAi { "/v1/chat/completions" } else { "/v1/messages" };
        let request = scene.client.post(scene.url(path)).header("anthropic-version", "2023-06-01").header(name, value);
        let response = request.body(talk(api, "user: hi").to_string()).send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        assert_eq!(status, expected, "{api:?} {name}: {value}: {text}");
        let kind = if api == Api::OpenAi { "invalid_api_key" } else { "authentication_error" };
        assert_eq!(text.contains(kind), expected == 401, "{text}");
        assert!(!text.contains("secret"), "a key is never repeated");
    }
}

#[tokio::test]
async fn models_are_listed_and_others_are_not_found() {
    let scene = Scene::new("models: [one, two]\nentries: [{say: Hello.}]").await;
    for api in BOTH {
        let mut request = scene.client.get(scene.url("/v1/models"));
        if api == Api::Anthropic {
            request = request.header("anthropic-version", "2023-06-01");
        }
        let list: Value = serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
        assert_eq!((&list["data"][0]["id"], &list["data"][1]["id"]), (&json!("one"), &json!("two")));
        assert_eq!(list["object"] == "list", api == Api::OpenAi);
        assert_eq!(scene.ask(api, &with(&talk(api, "user: hi"), "model", json!("two"))).await.0, 200);
        assert_eq!(scene.ask(api, &talk(api, "user: hi")).await.0, 404);
    }
    let nowhere = scene.client.post(scene.url("/v1/embeddings")).send().await.unwrap();
    assert_eq!(nowhere.status(), 404);
}
