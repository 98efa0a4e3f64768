//! What the tests share: an engine on a file of its own with a clock moved by hand, and spans as people read them.
#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod collector;

use handover_core::{
    agent::{AgentKind, Profile},
    command::{Giving, Open, Update},
    handoff::{Outcome, Request, ReturnStatus},
    ids::{AgentId, HandoffId, SessionId},
    policy::Policy,
    record::Record,
    time::Timestamp,
};
use handover_engine::{Engine, Options, clock::ManualClock};
use handover_telemetry::{
    span::{Span, Value},
    spans::{ModelOf, Seen, Spans},
};
use serde_json::json;
use std::{collections::BTreeMap, fmt::Write as _, sync::Arc, time::Duration};

pub const START: Timestamp = Timestamp(1_800_000_000_000);
/// Stands in every text that is somebody's words.
pub const WORDS: &str = "confidential";

/// A database file and a clock; engines come and go on them.
pub struct House {
    folder: tempfile::TempDir,
    pub clock: ManualClock,
}

impl House {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::at(START) }
    }

    pub async fn open(&self) -> Engine {
        let options = Options {
            policy: Policy::without_guards(),
            clock: Some(Arc::new(self.clock.clone())),
            background: false,
            // Nothing here is about the disk.
            sync: false,
            ..Options::default()
        };
        let engine = Engine::open_with(self.folder.path().join("test.db"), options).await.unwrap();
        for name in ["desk", "anna", "ben"] {
            let mut profile = Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(100);
            profile.instructions = WORDS.to_owned();
            engine.register_profile(profile).await.unwrap();
        }
        engine.resume_session(&session("s"), Open::by("desk").unwrap().asking(WORDS)).await.unwrap();
        engine
    }

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

/// A delegation with somebody's words wherever there can be any.
pub fn asking(from: &str, to: &str) -> Request {
    let mut request = Request::delegation(from, to, WORDS, Duration::from_secs(3_600)).unwrap();
    request.reason = WORDS.to_owned();
    request.task.payload = json!({"note": WORDS});
    request.task.kind = WORDS.to_owned();
    request.context.metadata = json!({"note": WORDS});
    request.context.correlation_id = Some(WORDS.to_owned());
    request.context.user_id = Some(WORDS.to_owned());
    request.trace_id = Some(WORDS.to_owned());
    request.context.variables.insert("note".into(), json!(WORDS));
    request
}

pub fn giving(status: ReturnStatus) -> Giving {
    Giving {
        status,
        result: Outcome { body: json!(WORDS), ..Outcome::default() },
        updates: Update::default(),
        notes: WORDS.to_owned(),
        signal: None,
    }
}

pub async fn begun(engine: &Engine, request: Request) -> HandoffId {
    engine.initiate(&session("s"), request).await.unwrap().handoffs[0]
}

/// Hands over, and has it done.
pub async fn one_done(engine: &Engine, request: Request) -> HandoffId {
    let to = request.to_agent.clone().unwrap();
    let handoff = begun(engine, request).await;
    let assignment = engine.accept(handoff, &to, None, None).await.unwrap();
    engine.give_back(handoff, assignment.lease, giving(ReturnStatus::Success), None).await.unwrap();
    handoff
}

/// The records of some handoffs, in the order in which they happened.
pub async fn records(engine: &Engine, handoffs: &[HandoffId]) -> Vec<Record> {
    let mut all = Vec::new();
    for handoff in handoffs {
        all.extend(engine.trace(*handoff).await.unwrap());
    }
    all.sort_by_key(|record| record.seq);
    all
}

/// The spans of some handoffs.
pub async fn spans(engine: &Engine, handoffs: &[HandoffId]) -> Vec<Span> {
    let mut spans = Spans::default();
    let mut ended = Vec::new();
    for record in records(engine, handoffs).await {
        let seen =
            Seen { tenant: &record.tenant, session: &record.session_id, at: record.timestamp, event: &record.event };
        let models = |_: &AgentId| ModelOf { model: Some("asked-for".into()), provider: Some("openai".into()) };
        ended.extend(spans.fold(seen, &models));
    }
    ended
}

/// Spans as people read them: ids by number, times in seconds since the start.
pub fn shown(spans: &[Span]) -> String {
    let mut ids: BTreeMap<u64, usize> = BTreeMap::new();
    let mut number = |id: u64| {
        let next = ids.len() + 1;
        format!("#{}", ids.entry(id).or_insert(next))
    };
    let mut out = String::new();
    let mut sorted: Vec<&Span> = spans.iter().collect();
    sorted.sort_by_key(|span| span.start);
    for span in sorted {
        let since = |time: Timestamp| time.since(START) / 1_000;
        let parent = span.parent.map_or("root".to_owned(), |parent| format!("in {}", number(parent.0)));
        let (own, kind) = (number(span.id.0), span.kind);
        let _ = writeln!(out, "{own} {parent} {kind:?} \"{}\" {}s..{}s", span.name, since(span.start), since(span.end));
        for (name, value) in &span.attributes.0 {
            let hidden = matches!(*name, "handover.handoff_id");
            let value = match value {
                _ if hidden => "…".to_owned(),
                Value::Text(text) => text.clone(),
                Value::Whole(n) => n.to_string(),
                Value::Number(n) => n.to_string(),
                Value::Words(words) => words.join(" "),
            };
            let _ = writeln!(out, "    {name} {value}");
        }
        for link in &span.links {
            let _ = writeln!(out, "    link {} {}", link.relation, number(link.span.0));
        }
        if let Some(error) = span.error {
            let _ = writeln!(out, "    ERROR {error}");
        }
    }
    out
}
