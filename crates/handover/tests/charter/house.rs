//! The team in an engine of this process, on a clock that the test moves: nothing waits for a retry or for a day.

use crate::{HOME, Place, story::Story};
use handover::{
    core::{handoff::Phase, limits, session::Session, time::Timestamp},
    engine::{Start, Subscription, clock::ManualClock},
    prelude::*,
    team::{DESK, Places, Team},
    workflow,
};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};

/// Far longer than anything takes here: it only ends a hang.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct House {
    pub engine: Engine,
    pub clock: ManualClock,
    pub story: Story,
    feed: Subscription,
    _team: Team,
}

pub fn clock() -> ManualClock {
    ManualClock::at("2026-11-16T09:00:00Z".parse::<Timestamp>().unwrap())
}

pub fn id() -> SessionId {
    SessionId::new("request-1").unwrap()
}

impl House {
    /// The team at work in this folder, with these faults, and Jane's request begun or going on.
    pub async fn open(place: &Place, clock: &ManualClock, faults: Value) -> Self {
        // Timers run when the test says so.
        let options = Options { clock: Some(Arc::new(clock.clone())), background: false, ..Options::default() };
        let engine = Engine::open_with(place.at("handover.db"), options).await.unwrap();
        let feed = engine.subscribe(Filter::default(), None);
        let mut file = workflow::read(Path::new(HOME).join("workflow.yaml")).unwrap();
        file.workflow.with["faults"] = faults;
        file.workflow.with["market"] = json!({"first_after_ms": 0, "every_ms": 0});
        file.workflow.with["poll_ms"] = json!(10);
        let places = Places { home: HOME.into(), run: place.at("charter-run") };
        let team = Team::assemble(&engine, &file.workflow, &places).await.unwrap();
        let text = "Jane Miller: four people from Paris to Nice on Friday";
        let start = Start::of("charter", AgentId::new(DESK).unwrap()).with(json!({ "text": text }));
        engine.start(&id(), start).await.unwrap();
        Self { engine, clock: clock.clone(), story: Story::default(), feed, _team: team }
    }

    /// Listens until something is heard.
    pub async fn until(&mut self, what: &str, heard: impl Fn(&Value) -> bool) {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.feed.next()).await;
            let next = next.unwrap_or_else(|_| panic!("{what} was never heard; rules: {:?}", self.story.rules()));
            let Some(Notice::Event(message)) = next.unwrap() else { panic!("the feed broke off before {what}") };
            let line = serde_json::to_value(&message).unwrap();
            self.story.hear(&line);
            if heard(&line["payload"]) {
                return;
            }
        }
    }

    /// Moves the clock and handles what is due.
    pub async fn pass(&self, ms: u64) {
        self.clock.advance(Duration::from_millis(ms));
        self.engine.run_due().await.unwrap();
    }

    pub async fn session(&self) -> Arc<Session> {
        self.engine.session(&id()).await.unwrap()
    }

    /// How long the present state may still last, in milliseconds.
    pub async fn left_ms(&self, lasts_ms: u64) -> u64 {
        (self.session().await.flow.as_ref().unwrap().since + lasts_ms).since(self.engine.now())
    }

    pub async fn state(&self) -> String {
        self.session().await.flow.as_ref().unwrap().state.clone()
    }

    /// Whether the present step waits for its time.
    pub async fn is_waiting(&self) -> bool {
        self.session().await.open.values().any(|step| matches!(step.phase, Phase::Deferred { .. }))
    }

    /// Whether whoever works was told that the time is over.
    pub async fn is_reminded(&self) -> bool {
        let reminded = |phase: &Phase| matches!(phase, Phase::Running { grace_until: Some(_), .. });
        self.session().await.open.values().any(|step| reminded(&step.phase))
    }

    pub async fn close(self) {
        self.engine.verify().await.expect("the trail is whole");
        // Whoever still works is given its time, which is over at once.
        let (closed, ()) = tokio::join!(self.engine.close(), async {
            self.clock.advance(Duration::from_millis(limits::CLOSE_MS));
        });
        closed.unwrap();
    }
}
