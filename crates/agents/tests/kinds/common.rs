//! An engine with agents of any kind, and somebody who asks them.

use handover_agents::staff::{Staff, StaffSettings};
use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    handoff::{Kind, Request, Return},
    ids::{AgentId, HandoffId, SessionId},
    policy::Policy,
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use serde_json::{Value, json};
use std::{future::Future, path::PathBuf, sync::Arc, time::Duration};

/// Nothing in these tests takes so long unless it hangs.
const HANGS: Duration = Duration::from_secs(120);

pub const START: Timestamp = Timestamp(1_800_000_000_000);

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session() -> SessionId {
    SessionId::new("s").unwrap()
}

pub async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, work).await.expect("it hangs")
}

pub struct House {
    pub folder: tempfile::TempDir,
    /// A clock that the test moves; the machine's when there is none.
    pub clock: Option<ManualClock>,
}

impl House {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: None }
    }

    pub fn by_hand() -> Self {
        Self { clock: Some(ManualClock::at(START)), ..Self::new() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Opens the engine, with the session `s` of `desk`.
    pub async fn open(&self) -> Engine {
        let clock = self.clock.clone().map(|clock| Arc::new(clock) as Arc<dyn handover_engine::clock::Clock>);
        let background = clock.is_none();
        let options = Options { policy: Policy::without_guards(), clock, background, ..Options::default() };
        let engine = Engine::open_with(self.path("h.db"), options).await.unwrap();
        let desk = Profile::named("desk").unwrap().kind(AgentKind::Worker);
        engine.register_profile(desk).await.unwrap();
        engine.resume_session(&session(), Open::of(id("desk")).asking("count")).await.unwrap();
        engine
    }

    pub async fn staff(&self, engine: &Engine, settings: StaffSettings) -> Staff {
        Staff::new(&settings, self.folder.path(), engine).await.unwrap()
    }
}

/// An agent that is a program for `sh`.
pub fn program(name: &str, script: &str) -> Profile {
    let mut profile = Profile::named(name).unwrap().kind(AgentKind::Command);
    profile.command = ["sh", "-c", script].map(str::to_owned).to_vec();
    profile
}

pub fn asking(to: &str) -> Request {
    let mut request = Request::new(Kind::Delegation, id("desk"), "Count the words");
    request.to_agent = Some(id(to));
    request.task.payload = json!({"text": "one two"});
    // Longer than any clock is moved here.
    request.return_protocol.timeout_ms = Some(300 * 24 * 3_600_000);
    request
}

pub async fn begun(engine: &Engine, request: Request) -> HandoffId {
    engine.initiate(&session(), request).await.unwrap().handoffs[0]
}

pub async fn asked(engine: &Engine, request: Request) -> Return {
    within(engine.delegate(&session(), request)).await.unwrap()
}

/// A return in a line.
pub fn told(result: &Return) -> String {
    let status = serde_json::to_value(result.status).unwrap();
    let score = result.result.score.map(|score| format!(" score {score}")).unwrap_or_default();
    let body: &Value = &result.result.body;
    format!("{} {} {body}{score} {}", result.from_agent, status.as_str().unwrap(), result.notes).trim_end().to_owned()
}
