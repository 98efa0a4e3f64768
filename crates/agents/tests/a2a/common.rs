//! An engine with a remote agent, and somebody who asks it.

use crate::peer::Peer;
use handover_agents::{
    a2a::{A2aAgent, A2aSettings, Times},
    webhook::Callbacks,
};
use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    handoff::{Kind, Request, Return},
    ids::{AgentId, HandoffId, SessionId},
    policy::Policy,
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use serde_json::json;
use std::{future::Future, sync::Arc, time::Duration};

/// Nothing in these tests takes so long unless it hangs.
const HANGS: Duration = Duration::from_secs(100);
pub const START: Timestamp = Timestamp(1_800_000_000_000);
pub const KEY: &str = "a key of sixteen letters";

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, work).await.expect("it hangs")
}

/// A place for a database, with a clock that the test moves.
pub struct House {
    folder: tempfile::TempDir,
    pub clock: ManualClock,
}

impl House {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::at(START) }
    }

    /// Opens the engine, with the session `s` of `desk`.
    pub async fn open(&self) -> Engine {
        let clock: Arc<dyn handover_engine::clock::Clock> = Arc::new(self.clock.clone());
        let options =
            Options { policy: Policy::without_guards(), clock: Some(clock), background: false, ..Options::default() };
        let engine = Engine::open_with(self.folder.path().join("h.db"), options).await.unwrap();
        engine.register_profile(Profile::named("desk").unwrap().kind(AgentKind::Worker)).await.unwrap();
        engine.resume_session(&session(), Open::of(id("desk")).asking("count")).await.unwrap();
        engine
    }

    /// Does this while the clock goes on.
    pub async fn moving<T>(&self, work: impl Future<Output = T>) -> T {
        let going = async {
            loop {
                self.clock.advance(Duration::from_millis(100));
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            done = within(work) => done,
            () = going => unreachable!(),
        }
    }

    /// Asks, and waits while the clock goes on.
    pub async fn asked(&self, engine: &Engine, request: Request) -> Return {
        // An offer has a window by the same clock: it must be taken before the time runs.
        let handoff = begun(engine, request).await;
        within(engine.accepted(handoff)).await.unwrap();
        self.moving(engine.returned(handoff)).await.unwrap()
    }

    /// Closes an engine whose agents wait for others.
    pub async fn close(&self, engine: Engine) {
        self.moving(engine.close()).await.unwrap();
    }
}

pub fn profile(url: &str) -> Profile {
    let mut profile = Profile::named("counter").unwrap().kind(AgentKind::A2a);
    profile.url = Some(url.to_owned());
    profile
}

/// Puts the peer to work as `counter`.
pub async fn employ(engine: &Engine, peer: &Peer) -> A2aAgent {
    employ_with(engine, peer, None, Times::default()).await
}

pub async fn employ_with(engine: &Engine, peer: &Peer, callbacks: Option<Arc<Callbacks>>, times: Times) -> A2aAgent {
    let agent = A2aAgent::with_times(&peer.url(), Some(KEY), A2aSettings::default(), callbacks, times).unwrap();
    agent.employ(engine, profile(&peer.url())).await.unwrap();
    agent
}

pub fn asking() -> Request {
    let mut request = Request::new(Kind::Delegation, id("desk"), "Count the words");
    request.to_agent = Some(id("counter"));
    request.task.payload = json!({"text": "one two"});
    // Longer than any clock is moved here.
    request.return_protocol.timeout_ms = Some(300 * 24 * 3_600_000);
    request
}

pub async fn begun(engine: &Engine, request: Request) -> HandoffId {
    engine.initiate(&session(), request).await.unwrap().handoffs[0]
}

/// A return in a line.
pub fn told(result: &Return) -> String {
    let status = serde_json::to_value(result.status).unwrap();
    format!("{} {} {}", status.as_str().unwrap(), result.result.body, result.notes).trim_end().to_owned()
}
