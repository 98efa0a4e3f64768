//! What the tests share: an engine on a file of its own, the rim on it, and callers who ask in this process.

use axum::{
    Router,
    body::Body,
    http::{Request, Response},
};
use futures_util::StreamExt as _;
use handover_a2a::{Options, Rim};
use handover_core::{
    access::{KeyId, Role},
    agent::{AgentKind, Capability, Profile},
    command::{Caller, Giving, Update},
    handoff::{ContentType, Handoff, Outcome, ReturnStatus},
    ids::{AgentId, HandoffId, LeaseId},
    policy::Policy,
};
use handover_engine::Engine;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt as _;

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

/// A caller who speaks for one agent, in a tenant.
pub fn agent(name: &str, tenant: &str) -> Caller {
    Caller::of_agent(id(name), tenant)
}

pub fn operator(name: &str) -> Caller {
    Caller::new(name, "default").role(Role::Operator)
}

/// A worker that pulls its work: the test takes it and gives it back.
pub fn worker(name: &str, capability: &str) -> Profile {
    let mut profile = Profile::of(id(name));
    profile.kind = AgentKind::Worker;
    profile.max_concurrent_tasks = 100;
    profile.description = format!("{name} does {capability}");
    profile.capabilities = vec![Capability { id: capability.to_owned(), proficiency: 1.0 }];
    profile
}

/// A house: a file, an engine and the rim. Engines come and go on the file.
pub struct House {
    pub folder: tempfile::TempDir,
    pub engine: Engine,
    pub rim: Rim,
}

impl House {
    pub async fn new() -> Self {
        Self::with(Policy::without_guards()).await
    }

    pub async fn with(policy: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (engine, rim) = open(&folder, policy).await;
        engine.register_profile(worker("bob", "adding")).await.unwrap();
        engine.register_profile(worker("cleo", "writing")).await.unwrap();
        Self { folder, engine, rim }
    }

    /// The process is gone without a word, and another one opens the file.
    pub async fn restart(self) -> Self {
        let Self { folder, engine, rim } = self;
        rim.close();
        drop(rim);
        engine.close().await.unwrap();
        drop(engine);
        let (engine, rim) = open(&folder, Policy::without_guards()).await;
        Self { folder, engine, rim }
    }

    /// Somebody who asks; the program itself when nobody is named.
    pub fn client(&self, caller: Caller) -> Client {
        let engine = self.engine.for_caller(caller);
        let router = self.rim.keyed().merge(self.rim.public()).layer(axum::Extension(engine));
        Client { router }
    }

    /// Somebody who shows a key.
    pub fn with_key(&self, caller: Caller, key: &KeyId) -> Client {
        let client = self.client(caller);
        Client { router: client.router.layer(axum::Extension(key.clone())) }
    }

    /// Somebody without a key.
    pub fn stranger(&self) -> Client {
        Client { router: self.rim.keyed().merge(self.rim.public()) }
    }

    pub fn local(&self) -> Client {
        self.client(Caller::local())
    }

    pub async fn handoff(&self, task: &str) -> Handoff {
        self.engine.handoff(HandoffId(task.parse().unwrap())).await.unwrap()
    }

    /// Takes a task as its agent.
    pub async fn accept(&self, task: &str) -> LeaseId {
        let handoff = self.engine.latest(HandoffId(task.parse().unwrap())).await.unwrap();
        self.engine.accept(handoff.id, &handoff.to_agent, None, None).await.unwrap().lease
    }

    /// Gives a task back with a result.
    pub async fn finish(&self, task: &str, lease: LeaseId, body: Value) {
        let handoff = self.engine.latest(HandoffId(task.parse().unwrap())).await.unwrap();
        self.engine.give_back(handoff.id, lease, giving(ReturnStatus::Success, body, ""), None).await.unwrap();
    }

    /// Makes a task that waits for its agent.
    pub async fn task(&self, client: &Client, to: &str, text: &str) -> (String, String) {
        let path = format!("/a2a/agents/{to}");
        let params = json!({"message": message(&new_id(), json!([{"text": text}])),
            "configuration": {"returnImmediately": true}});
        let task = client.rpc_at(&path, "SendMessage", params).await["result"]["task"].clone();
        (task["id"].as_str().unwrap().to_owned(), task["contextId"].as_str().unwrap().to_owned())
    }
}

async fn open(folder: &tempfile::TempDir, policy: Policy) -> (Engine, Rim) {
    let options = handover_engine::Options { policy, sync: false, ..handover_engine::Options::default() };
    let engine = Engine::open_with(folder.path().join("test.db"), options).await.unwrap();
    let push_wait = Duration::from_millis(5);
    let rim =
        Rim::open(engine.clone(), Options { allow_private: true, push_wait, ..Options::default() }).await.unwrap();
    (engine, rim)
}

pub fn giving(status: ReturnStatus, body: Value, notes: &str) -> Giving {
    let content_type = if body.is_string() { ContentType::Text } else { ContentType::Json };
    let result = Outcome { content_type, body, score: None };
    Giving { status, result, updates: Update::default(), notes: notes.to_owned(), signal: None }
}

pub fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

#[expect(clippy::needless_pass_by_value, reason = "tables are shorter to read")]
pub fn message(id: &str, parts: Value) -> Value {
    json!({"messageId": id, "role": "ROLE_USER", "parts": parts})
}

/// Somebody who asks over HTTP, in this process.
#[derive(Clone)]
pub struct Client {
    router: Router,
}

/// What was answered.
pub struct Answer {
    pub status: u16,
    pub headers: axum::http::HeaderMap,
    pub body: Value,
}

impl Client {
    pub async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// JSON-RPC of version 1.0 at the house.
    pub async fn rpc(&self, method: &str, params: Value) -> Value {
        self.rpc_at("/a2a", method, params).await
    }

    pub async fn rpc_at(&self, path: &str, method: &str, params: Value) -> Value {
        self.rpc_in(path, Some("1.0"), method, params).await
    }

    /// JSON-RPC of some version at some place.
    pub async fn rpc_in(&self, path: &str, version: Option<&str>, method: &str, params: Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let answer = document(self.ask(post(path, version, body.to_string())).await).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert_eq!((&answer.body["jsonrpc"], &answer.body["id"]), (&json!("2.0"), &json!(7)), "{}", answer.body);
        answer.body
    }

    /// HTTP+JSON of version 1.0.
    pub async fn rest(&self, method: &str, path: &str, body: Value) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = Request::builder().method(method).uri(path).header("a2a-version", "1.0");
        let request = request.header("content-type", "application/a2a+json").header("host", "agents.example.org");
        document(self.ask(request.body(Body::from(body)).unwrap()).await).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.rest("GET", path, Value::Null).await
    }

    /// A stream over JSON-RPC.
    pub async fn stream(&self, path: &str, method: &str, params: Value) -> Events {
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        Events::of(self.ask(post(path, Some("1.0"), body.to_string())).await)
    }
}

pub fn post(path: &str, version: Option<&str>, body: String) -> Request<Body> {
    let mut request =
        Request::post(path).header("content-type", "application/json").header("host", "agents.example.org");
    if let Some(version) = version {
        request = request.header("a2a-version", version);
    }
    request.body(Body::from(body)).unwrap()
}

pub async fn document(response: Response<Body>) -> Answer {
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes)));
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// The updates of a stream.
pub struct Events {
    body: axum::body::BodyDataStream,
    text: String,
}

impl Events {
    pub fn of(response: Response<Body>) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream", "{response:?}");
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next update, without what a binding puts around it; nothing at the end.
    pub async fn next(&mut self) -> Option<Value> {
        let waited = tokio::time::timeout(Duration::from_secs(30), self.next_inner()).await;
        waited.expect("an update, or the end")
    }

    async fn next_inner(&mut self) -> Option<Value> {
        loop {
            while let Some((event, rest)) = self.text.split_once("\n\n") {
                let data = event.strip_prefix("data: ").map(|data| serde_json::from_str::<Value>(data).unwrap());
                self.text = rest.to_owned();
                if let Some(mut data) = data {
                    return Some(if data["jsonrpc"] == "2.0" { data["result"].take() } else { data });
                }
            }
            self.text.push_str(std::str::from_utf8(&self.body.next().await?.unwrap()).unwrap());
        }
    }

    /// All updates up to the end.
    pub async fn rest(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(update) = self.next().await {
            all.push(update);
        }
        all
    }
}

/// What an update says, in a word.
pub fn word(update: &Value) -> String {
    if update["task"].is_object() {
        return format!("task {}", short(&update["task"]["status"]));
    }
    if update["statusUpdate"].is_object() {
        return short(&update["statusUpdate"]["status"]);
    }
    format!("artifact {}", update["artifactUpdate"]["artifact"]["parts"][0])
}

fn short(status: &Value) -> String {
    status["state"].as_str().unwrap_or("?").trim_start_matches("TASK_STATE_").to_lowercase()
}
