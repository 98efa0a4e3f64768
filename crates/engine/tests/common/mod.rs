//! What the engine's tests share: an engine on a file of its own, a clock moved by hand, a few agents.
#![allow(dead_code, reason = "each test uses its part")]

use handover_core::{
    agent::{AgentKind, Profile},
    command::{Giving, Open, Update},
    handoff::{Outcome, Request, ReturnStatus},
    ids::{AgentId, SessionId},
    message::{NewMessage, Role},
    policy::Policy,
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use serde_json::json;
use std::{path::PathBuf, sync::Arc, time::Duration};

pub const START: Timestamp = Timestamp(1_800_000_000_000);

/// A database file and a clock; engines come and go on them.
pub struct House {
    pub folder: tempfile::TempDir,
    pub clock: ManualClock,
    pub policy: Policy,
}

impl House {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::at(START), policy: Policy::default() }
    }

    pub fn with_human(mut self, human: &str) -> Self {
        self.policy.human = Some(id(human));
        self
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("test.db")
    }

    /// Timers and checkpoints run only when the test says so.
    pub async fn open(&self) -> Engine {
        let options = Options {
            policy: self.policy.clone(),
            clock: Some(Arc::new(self.clock.clone())),
            background: false,
            ..Options::default()
        };
        Engine::open_with(self.file(), options).await.unwrap()
    }

    /// Moves the clock and handles what is due.
    pub async fn pass(&self, engine: &Engine, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
        engine.run_due().await.unwrap();
    }
}

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}

/// Registers agents that pull their work, and opens session `s` owned by the first.
pub async fn workers(engine: &Engine, names: &[&str]) {
    for name in names {
        let profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(100);
        engine.register_profile(profile).await.unwrap();
    }
    engine.resume_session(&session("s"), Open::by(names[0]).unwrap().asking("a jet on Friday")).await.unwrap();
}

pub fn delegation(from: &str, to: &str) -> Request {
    Request::delegation(from, to, "find a jet", Duration::from_secs(60)).unwrap()
}

pub fn success(body: &str) -> Giving {
    Giving {
        status: ReturnStatus::Success,
        result: Outcome { body: json!(body), ..Outcome::default() },
        updates: Update::default(),
        notes: String::new(),
    }
}

pub fn user(text: &str) -> NewMessage {
    NewMessage::new(Role::User, text)
}

/// The words of a session's records.
pub async fn words(engine: &Engine, name: &str) -> Vec<String> {
    let query = handover_store::RecordQuery { session: Some(session(name)), limit: 1000, ..Default::default() };
    let records = engine.audit(query).await.unwrap();
    records
        .iter()
        .map(|stored| {
            let record: handover_core::record::Record = serde_json::from_str(&stored.text).unwrap();
            record.event_type
        })
        .collect()
}
