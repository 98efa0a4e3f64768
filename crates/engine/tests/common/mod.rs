//! What the engine's tests share: an engine on a file of its own, a clock moved by hand, a few agents.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use handover_core::{
    agent::{AgentKind, Profile},
    command::{Caller, Giving, Open, Update},
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
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::at(START), policy: Policy::without_guards() }
    }

    pub fn with_human(mut self, human: &str) -> Self {
        self.policy.human = Some(id(human));
        self
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("test.db")
    }

    /// Timers and checkpoints run only when the test says so.
    pub fn options(&self) -> Options {
        Options {
            policy: self.policy.clone(),
            clock: Some(Arc::new(self.clock.clone())),
            background: false,
            ..Options::default()
        }
    }

    pub async fn open(&self) -> Engine {
        Engine::open_with(self.file(), self.options()).await.unwrap()
    }

    /// For tests with very many writes that are not about the disk.
    pub async fn open_unsynced(&self) -> Engine {
        Engine::open_with(self.file(), Options { sync: false, ..self.options() }).await.unwrap()
    }

    /// The file as anybody with a shell sees it. The engine is closed first.
    pub fn raw(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.file()).unwrap()
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

/// The same engine for somebody else's sessions.
pub fn tenant(engine: &Engine, tenant: &str) -> Engine {
    engine.for_caller(Caller::new(tenant, tenant))
}

/// The book of the house, as its owner sees it.
pub async fn book(engine: &Engine) -> Vec<handover_core::record::Record> {
    let query = handover_store::RecordQuery { session: Some(SessionId::house()), limit: 1000, ..Default::default() };
    let records = engine.for_caller(Caller::new("owner", "handover:house").of_house()).audit(query).await.unwrap();
    records.iter().map(|stored| serde_json::from_str(&stored.text).unwrap()).collect()
}

/// Hands one piece of work over and has it done: initiated, accepted, completed.
pub async fn one_done(engine: &Engine, name: &str, from: &str, to: &str) -> handover_core::ids::HandoffId {
    let handoff = engine.initiate(&session(name), delegation(from, to)).await.unwrap().handoffs[0];
    let assignment = engine.accept(handoff, &id(to), None, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, success("done"), None).await.unwrap();
    handoff
}

/// Gives others a turn until something is so. Nothing here waits for a clock.
pub async fn until(mut is_so: impl FnMut() -> bool) {
    for _ in 0..1_000_000 {
        if is_so() {
            return;
        }
        tokio::task::yield_now().await;
    }
    assert!(is_so(), "it never came to be");
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
        signal: None,
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
