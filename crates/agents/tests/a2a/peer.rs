//! A remote agent on this machine that does what a test says, in every binding.

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, Response, StatusCode},
};
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::Arc,
};
use tokio::{net::TcpListener, sync::Notify};

/// How the peer is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    JsonRpc,
    HttpJson,
    Old,
}

/// What the peer does when it is asked for something.
#[derive(Debug, Clone)]
pub enum Does {
    /// Answers with this.
    Gives(Value),
    /// Says that it went wrong, by a number of the protocol.
    Refuses(i32, &'static str),
    /// Tells this, and ends.
    Tells(Vec<Value>),
    /// Tells this, and then nothing more.
    TellsAndWaits(Vec<Value>),
    /// Tells this, and breaks off.
    TellsAndBreaks(Vec<Value>),
    /// Tells this again and again.
    TellsForEver(Value),
    /// Sends a status, a kind of content, and bytes.
    Sends(u16, &'static str, Vec<u8>),
    /// Sends a beginning, and then nothing more.
    Stalls(&'static str),
    /// Never answers.
    Silent,
}

/// What the peer was asked.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The name of the operation, as JSON-RPC of today has it.
    pub what: String,
    pub path: String,
    pub headers: HeaderMap,
    pub params: Value,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

#[derive(Default)]
struct Script {
    card: Value,
    etag: Option<String>,
    card_does: Option<Does>,
    does: BTreeMap<String, VecDeque<Does>>,
    asked: Vec<Asked>,
}

#[derive(Clone)]
pub struct Peer {
    pub address: SocketAddr,
    by: By,
    script: Arc<Mutex<Script>>,
    news: Arc<Notify>,
}

impl Peer {
    pub async fn new(by: By) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let peer = Self { address, by, script: Arc::default(), news: Arc::default() };
        peer.script.lock().card = card(by, &peer.url());
        let router = Router::new().fallback(answer).with_state(peer.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        peer
    }

    pub async fn streaming(by: By) -> Self {
        let peer = Self::new(by).await;
        peer.card(|card| card["capabilities"]["streaming"] = json!(true));
        peer
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Changes the card.
    pub fn card(&self, change: impl FnOnce(&mut Value)) {
        change(&mut self.script.lock().card);
    }

    pub fn etag(&self, etag: &str) {
        self.script.lock().etag = Some(etag.to_owned());
    }

    /// What it does when it is asked for its card; nothing special when nothing is said.
    pub fn card_does(&self, does: Option<Does>) {
        self.script.lock().card_does = does;
    }

    /// Does one after the other when it is asked for this; the last for ever.
    pub fn does(&self, what: &str, does: impl IntoIterator<Item = Does>) -> &Self {
        self.script.lock().does.insert(what.to_owned(), does.into_iter().collect());
        self
    }

    /// Everything that it was asked, but for its card.
    pub fn asked(&self) -> Vec<Asked> {
        self.script.lock().asked.iter().filter(|asked| asked.what != "card").cloned().collect()
    }

    pub fn asked_for(&self, what: &str) -> Vec<Asked> {
        self.script.lock().asked.iter().filter(|asked| asked.what == what).cloned().collect()
    }

    /// Until it was asked for this so often.
    pub async fn was_asked(&self, what: &str, count: usize) {
        crate::common::within(async {
            while self.asked_for(what).len() < count {
                let news = self.news.notified();
                tokio::select! {
                    () = news => {}
                    () = tokio::task::yield_now() => {}
                }
            }
        })
        .await;
    }

    /// The names of what it was asked, in a line.
    pub fn told(&self) -> String {
        self.asked().iter().map(|asked| asked.what.clone()).collect::<Vec<_>>().join(" ")
    }
}

fn card(by: By, url: &str) -> Value {
    let skills = json!([{"id": "count-words", "name": "Count", "description": "Counts words.", "tags": ["counting"],
        "examples": ["How many words are there?"]}]);
    let mut card = json!({"name": "Counter", "description": "Counts things.", "version": "2.1.0",
        "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": skills});
    match by {
        By::JsonRpc => {
            card["supportedInterfaces"] =
                json!([{"url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]);
        }
        By::HttpJson => {
            card["supportedInterfaces"] =
                json!([{"url": format!("{url}/rest"), "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}]);
        }
        By::Old => {
            card["url"] = json!(format!("{url}/rpc"));
            card["preferredTransport"] = json!("JSONRPC");
            card["protocolVersion"] = json!("0.3.0");
        }
    }
    card
}

/// What is asked by this path and body, in the words of JSON-RPC of today.
fn named(path: &str, method: &str, body: &Value) -> (String, Value) {
    if path.ends_with(".json") {
        return ("card".to_owned(), Value::Null);
    }
    let Some(rest) = path.strip_prefix("/rest/") else {
        let name = body["method"].as_str().unwrap_or_default();
        let today = match name {
            "message/send" => "SendMessage",
            "message/stream" => "SendStreamingMessage",
            "tasks/get" => "GetTask",
            "tasks/resubscribe" => "SubscribeToTask",
            "tasks/cancel" => "CancelTask",
            "tasks/pushNotificationConfig/set" => "CreateTaskPushNotificationConfig",
            other => other,
        };
        return (today.to_owned(), body["params"].clone());
    };
    let id = |end: &str| json!({"id": rest.trim_start_matches("tasks/").trim_end_matches(end)});
    match (method, rest) {
        (_, "message:send") => ("SendMessage".into(), body.clone()),
        (_, "message:stream") => ("SendStreamingMessage".into(), body.clone()),
        (_, rest) if rest.ends_with(":cancel") => ("CancelTask".into(), id(":cancel")),
        (_, rest) if rest.ends_with(":subscribe") => ("SubscribeToTask".into(), id(":subscribe")),
        (_, rest) if rest.ends_with("/pushNotificationConfigs") => {
            ("CreateTaskPushNotificationConfig".into(), body.clone())
        }
        ("GET", _) => ("GetTask".into(), id("")),
        _ => (format!("{method} {rest}"), body.clone()),
    }
}

async fn answer(State(peer): State<Peer>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let path = parts.uri.path().to_owned();
    let (what, params) = named(&path, parts.method.as_str(), &body);
    let does = {
        let mut script = peer.script.lock();
        let whole = parts.uri.to_string();
        script.asked.push(Asked { what: what.clone(), path: whole, headers: parts.headers.clone(), params });
        if what == "card" {
            let same = script.etag.is_some()
                && parts.headers.get("if-none-match").map(|tag| tag.to_str().unwrap()) == script.etag.as_deref();
            let kept = if same {
                Does::Sends(304, "", Vec::new())
            } else {
                Does::Sends(200, "application/json", script.card.to_string().into())
            };
            script.card_does.clone().unwrap_or(kept)
        } else {
            let queue = script.does.entry(what.clone()).or_default();
            let next = if queue.len() > 1 { queue.pop_front() } else { queue.front().cloned() };
            next.unwrap_or(Does::Refuses(-32601, "there is no such method"))
        }
    };
    peer.news.notify_waiters();
    let mut response = reply(&peer, &body["id"], &what, does).await;
    let etag = peer.script.lock().etag.clone();
    if let Some(etag) = etag.filter(|_| what == "card") {
        response.headers_mut().insert("etag", etag.parse().unwrap());
    }
    response
}

fn built(status: u16, kind: &str, body: Body) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap();
    let mut response = Response::builder().status(status).header("content-type", kind);
    if status.is_redirection() {
        response = response.header("location", "http://127.0.0.1:1/elsewhere");
    }
    response.body(body).unwrap()
}

async fn reply(peer: &Peer, id: &Value, what: &str, does: Does) -> Response<Body> {
    let rest = peer.by == By::HttpJson;
    let kind = if rest { "application/a2a+json" } else { "application/json" };
    let wrapped =
        |value: &Value| if rest { value.clone() } else { json!({"jsonrpc": "2.0", "id": id, "result": value}) };
    let told = |events: &[Value]| -> Vec<Result<Bytes, std::io::Error>> {
        events.iter().map(|event| Ok(Bytes::from(format!("data: {}\n\n", wrapped(event))))).collect()
    };
    let flowing = |body: Body| built(200, "text/event-stream", body);
    match does {
        // A task is given by itself where it is asked for, and with its name where it is one of several things.
        Does::Gives(value) if matches!(what, "GetTask" | "CancelTask") && value["task"].is_object() => {
            built(200, kind, Body::from(wrapped(&value["task"]).to_string()))
        }
        Does::Gives(value) => built(200, kind, Body::from(wrapped(&value).to_string())),
        Does::Refuses(code, message) if rest => {
            let reason = match code {
                -32001 => "TASK_NOT_FOUND",
                -32002 => "TASK_NOT_CANCELABLE",
                -32003 => "PUSH_NOTIFICATION_NOT_SUPPORTED",
                -32004 | -32601 => "UNSUPPORTED_OPERATION",
                -32009 => "VERSION_NOT_SUPPORTED",
                _ => "INVALID_PARAMS",
            };
            let detail = json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"});
            let status = if code == -32001 { 404 } else { 400 };
            built(
                status,
                kind,
                Body::from(json!({"error": {"code": status, "message": message, "details": [detail]}}).to_string()),
            )
        }
        Does::Refuses(code, message) => built(
            200,
            kind,
            Body::from(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}).to_string()),
        ),
        Does::Tells(events) => flowing(Body::from_stream(stream::iter(told(&events)))),
        Does::TellsAndWaits(events) => flowing(Body::from_stream(stream::iter(told(&events)).chain(stream::pending()))),
        Does::TellsAndBreaks(events) => {
            let broken = stream::once(async {
                // What was told before must be on its way.
                for _ in 0..1_000 {
                    tokio::task::yield_now().await;
                }
                Err(std::io::Error::other("broken"))
            });
            flowing(Body::from_stream(stream::iter(told(&events)).chain(broken.boxed())))
        }
        Does::TellsForEver(event) => {
            let piece = told(&[event]).remove(0).unwrap();
            let many: Bytes = piece.repeat(100).into();
            flowing(Body::from_stream(stream::repeat_with(move || Ok::<_, std::io::Error>(many.clone()))))
        }
        Does::Sends(status, kind, bytes) => built(status, kind, Body::from(bytes)),
        Does::Stalls(text) => {
            let begun = stream::iter([Ok::<_, std::io::Error>(Bytes::from(text))]);
            built(200, kind, Body::from_stream(begun.chain(stream::pending())))
        }
        Does::Silent => std::future::pending().await,
    }
}

/// A task in this state, in the form of today.
pub fn task(state: &str) -> Value {
    json!({"task": {"id": "t-1", "contextId": "c-1", "status": {"state": format!("TASK_STATE_{state}")}}})
}

/// The same with a message.
pub fn task_saying(state: &str, text: &str) -> Value {
    let mut task = task(state);
    task["task"]["status"]["message"] =
        json!({"messageId": format!("m-{text}"), "role": "ROLE_AGENT", "parts": [{"text": text}]});
    task
}

/// A task that is done, with these parts.
pub fn done(parts: &Value) -> Value {
    let mut task = task("COMPLETED");
    task["task"]["artifacts"] = json!([{"artifactId": "a-1", "parts": parts}]);
    task
}

/// A change of state.
pub fn status(state: &str) -> Value {
    json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": {"state": format!("TASK_STATE_{state}")}}})
}

/// A piece of an artifact.
pub fn artifact(parts: &Value, append: bool) -> Value {
    json!({"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "append": append,
        "artifact": {"artifactId": "a-1", "parts": parts}}})
}

/// Something of today as it was in version 0.3.
pub fn old(value: &Value) -> Value {
    let renew = |holder: &mut Value| {
        for part in holder["parts"].as_array_mut().into_iter().flatten() {
            part["kind"] = json!(if part["data"].is_null() { "text" } else { "data" });
        }
    };
    let lower = |status: &mut Value| {
        let state =
            status["state"].as_str().unwrap().trim_start_matches("TASK_STATE_").to_lowercase().replace('_', "-");
        status["state"] = json!(state);
        if status["message"].is_object() {
            status["message"]["role"] = json!("agent");
            for part in status["message"]["parts"].as_array_mut().unwrap() {
                part["kind"] = json!("text");
            }
        }
    };
    let (name, mut inner) =
        value.as_object().unwrap().iter().next().map(|(name, inner)| (name.clone(), inner.clone())).unwrap();
    match name.as_str() {
        "task" => {
            lower(&mut inner["status"]);
            inner["artifacts"].as_array_mut().into_iter().flatten().for_each(renew);
            inner["kind"] = json!("task");
        }
        "message" => {
            renew(&mut inner);
            inner["role"] = json!("agent");
            inner["kind"] = json!("message");
        }
        "statusUpdate" => {
            lower(&mut inner["status"]);
            inner["kind"] = json!("status-update");
        }
        _ => {
            renew(&mut inner["artifact"]);
            inner["kind"] = json!("artifact-update");
        }
    }
    inner
}
