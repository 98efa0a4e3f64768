//! The scripted model, asked over the wire by a plain client.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod faults;
mod log;
mod matching;
mod mistakes;
mod streams;
mod strict;

use handover_agents::scripted::{Api, Script, Server, serve};
use reqwest::{Client, Response};
use serde_json::{Value, json};

/// A server of a script, and somebody who asks it.
struct Scene {
    server: Server,
    client: Client,
}

const BOTH: [Api; 2] = [Api::OpenAi, Api::Anthropic];

impl Scene {
    async fn new(script: &str) -> Self {
        // Another test may have done so.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let script = Script::parse(script).unwrap_or_else(|error| panic!("{error}"));
        let server = serve(script, ([127, 0, 0, 1], 0).into()).await.unwrap();
        Self { server, client: Client::builder().no_proxy().build().unwrap() }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.server.address())
    }

    async fn send(&self, api: Api, body: String) -> Response {
        let request = match api {
            Api::OpenAi => self.client.post(self.url("/v1/chat/completions")),
            Api::Anthropic => self.client.post(self.url("/v1/messages")).header("anthropic-version", "2023-06-01"),
        };
        request.header("content-type", "application/json").body(body).send().await.unwrap()
    }

    /// Asks, and gives the status and the answer.
    async fn ask(&self, api: Api, body: &Value) -> (u16, Value) {
        let response = self.send(api, body.to_string()).await;
        let status = response.status().as_u16();
        (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
    }

    /// Asks, and gives what is said and asked for in one line, or the error.
    async fn hear(&self, api: Api, body: &Value) -> String {
        let (status, answer) = self.ask(api, body).await;
        if status == 200 { heard(api, &answer) } else { format!("{status} {}", answer["error"]["message"]) }
    }
}

/// An answer in one line: what it says, and the tools with their arguments.
fn heard(api: Api, answer: &Value) -> String {
    let mut parts = Vec::new();
    match api {
        Api::OpenAi => {
            let message = &answer["choices"][0]["message"];
            parts.extend(message["content"].as_str().filter(|text| !text.is_empty()).map(str::to_owned));
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let function = &call["function"];
                parts.push(format!(
                    "{}({})",
                    function["name"].as_str().unwrap(),
                    function["arguments"].as_str().unwrap()
                ));
            }
        }
        Api::Anthropic => {
            for block in answer["content"].as_array().unwrap() {
                parts.push(match block["type"].as_str().unwrap() {
                    "text" => block["text"].as_str().unwrap().to_owned(),
                    _ => format!("{}({})", block["name"].as_str().unwrap(), block["input"]),
                });
            }
        }
    }
    parts.join(" + ")
}

/// A conversation from a short text, in either format. A line is `system: …`, `user: …`, `model: …`, `calls: a, b`,
/// `result a: …` or `tools: a, b`. A call has its name as its id.
fn talk(api: Api, text: &str) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    let mut body = json!({"model": "m", "max_tokens": 100});
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (head, rest) = line.split_once(':').unwrap();
        let rest = rest.trim();
        match (head, api) {
            ("system", Api::OpenAi) => messages.push(json!({"role": "system", "content": rest})),
            ("system", Api::Anthropic) => body["system"] = json!(rest),
            ("user", _) => messages.push(json!({"role": "user", "content": rest})),
            ("model", _) => messages.push(json!({"role": "assistant", "content": rest})),
            ("calls", _) => messages.push(calls(api, rest)),
            ("tools", _) => body["tools"] = rest.split(", ").map(|name| tool(api, name)).collect(),
            (head, _) => result(api, head.strip_prefix("result ").unwrap(), rest, &mut messages),
        }
    }
    body["messages"] = Value::Array(messages);
    body
}

fn tool(api: Api, name: &str) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    match api {
        Api::OpenAi => json!({"type": "function", "function": {"name": name, "parameters": schema}}),
        Api::Anthropic => json!({"name": name, "input_schema": schema}),
    }
}

fn calls(api: Api, names: &str) -> Value {
    let names = names.split(", ");
    match api {
        Api::OpenAi => {
            let call = |name| json!({"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}});
            json!({"role": "assistant", "content": null, "tool_calls": names.map(call).collect::<Vec<_>>()})
        }
        Api::Anthropic => {
            let call = |name| json!({"type": "tool_use", "id": name, "name": name, "input": {}});
            json!({"role": "assistant", "content": names.map(call).collect::<Vec<_>>()})
        }
    }
}

fn result(api: Api, name: &str, text: &str, messages: &mut Vec<Value>) {
    match api {
        Api::OpenAi => messages.push(json!({"role": "tool", "tool_call_id": name, "content": text})),
        Api::Anthropic => {
            let block = json!({"type": "tool_result", "tool_use_id": name, "content": text});
            match messages.last_mut().filter(|last| last["role"] == "user") {
                Some(last) => last["content"].as_array_mut().unwrap().push(block),
                None => messages.push(json!({"role": "user", "content": [block]})),
            }
        }
    }
}
