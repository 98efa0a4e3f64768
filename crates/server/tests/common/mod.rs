//! A server for tests, with two tenants and keys for everybody.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking; not every test needs all of it"
)]

use handover_core::{
    access::{NewKey, Role},
    agent::{AgentKind, Profile},
    command::{Caller, Open},
    handoff::Request,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
};
use handover_engine::{Engine, Options as EngineOptions};
use handover_server::{Options, Server};
use serde_json::Value;
use std::{net::SocketAddr, time::Duration};

pub struct World {
    pub engine: Engine,
    pub server: Server,
    pub http: reqwest::Client,
    _folder: tempfile::TempDir,
}

pub struct Said {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

impl World {
    /// A server without keys.
    pub async fn open() -> Self {
        Self::with(|options| options).await
    }

    pub async fn with(change: impl FnOnce(Options) -> Options) -> Self {
        // The first one installs it; who comes second finds it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let options = EngineOptions { sync: false, ..EngineOptions::default() };
        let engine = Engine::open_with(folder.path().join("h.db"), options).await.unwrap();
        let options = change(Options::at(SocketAddr::from(([127, 0, 0, 1], 0))));
        let server = Server::start(engine.clone(), options).await.unwrap();
        Self { engine, server, http: reqwest::Client::new(), _folder: folder }
    }

    /// The engine as one tenant sees it.
    pub fn tenant(&self, name: &str) -> Engine {
        self.engine.for_caller(Caller::new(name, name))
    }

    /// A worker of a tenant.
    pub async fn worker(&self, tenant: &str, name: &str) {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(100_000);
        self.tenant(tenant).register_profile(profile).await.unwrap();
    }

    /// A session of a tenant.
    pub async fn opened(&self, tenant: &str, name: &str, by: &str) {
        self.tenant(tenant).open_session(&session(name), Open::by(by).unwrap().asking("a jet")).await.unwrap();
    }

    /// A handoff in it that is on offer.
    pub async fn offered(&self, tenant: &str, name: &str, from: &str, to: &str) -> HandoffId {
        let request = Request::delegation(from, to, "find a jet", Duration::from_secs(60)).unwrap();
        self.tenant(tenant).initiate(&session(name), request).await.unwrap().handoffs[0]
    }

    /// The same, taken.
    pub async fn taken(&self, tenant: &str, name: &str, from: &str, to: &str) -> (HandoffId, LeaseId) {
        let handoff = self.offered(tenant, name, from, to).await;
        let assignment = self.tenant(tenant).accept(handoff, &id(to), None, None).await.unwrap();
        (handoff, assignment.lease)
    }

    pub async fn key(&self, tenant: &str, role: Role, agents: &[&str]) -> String {
        let mut new = NewKey::of(format!("{tenant}-{role}"), role);
        new.tenant = Some(tenant.to_owned());
        new.agents = (!agents.is_empty()).then(|| agents.iter().map(|name| id(name)).collect());
        self.engine.make_key(new).await.unwrap().1
    }

    pub async fn house_key(&self) -> String {
        let mut new = NewKey::of("house", Role::Admin);
        new.house = true;
        self.engine.make_key(new).await.unwrap().1
    }

    pub async fn ask(&self, method: &str, path: &str, key: Option<&str>, body: Option<&Value>) -> Said {
        self.ask_with(method, path, key, body, &[]).await
    }

    pub async fn ask_with(
        &self,
        method: &str,
        path: &str,
        key: Option<&str>,
        body: Option<&Value>,
        headers: &[(&str, &str)],
    ) -> Said {
        let url = format!("{}{path}", self.server.url());
        let mut request = self.http.request(method.parse().unwrap(), url);
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // A stream has no end: whoever asks for one is told by its head.
        let streams = headers.get("content-type").is_some_and(|media| media == "text/event-stream");
        let text = if streams { String::new() } else { response.text().await.unwrap() };
        Said { status, headers, text }
    }
}
