//! The charter team in a real engine: every agent at work, and a restart within the search that makes nothing twice.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use handover_core::{
    agent::Profile,
    command::Open,
    handoff::{Request, ReturnStatus},
    ids::SessionId,
    time::Timestamp,
};
use handover_engine::{
    Engine,
    agent::{Done, Failure, Work, agent},
    clock::{Clock as _, ManualClock},
};
use handover_teams::{
    bench::Bench,
    charter::{AGENTS, CharterSettings, Office, run},
    faults::Faults,
    http::Server,
    market::{Market, MarketSettings},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::sync::Notify;

/// A piece of work as a bench. Pausing moves the market's clock, or stops for good when it shall crash there.
struct AtWork {
    work: Work,
    clock: ManualClock,
    stuck: Option<Arc<Notify>>,
}

impl Bench for AtWork {
    fn payload(&self) -> &Value {
        self.work.payload()
    }

    fn session(&self) -> &str {
        self.work.handoff().session_id.as_str()
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn step<T, R>(&self, name: &str, run: R) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
        R: Future<Output = T> + Send,
    {
        self.work.step(name, || async { Ok(run.await) }).await
    }

    async fn advance(&self, _state: &str) -> Result<(), Failure> {
        Ok(())
    }

    async fn pause(&self, ms: u64) {
        if let Some(stuck) = &self.stuck {
            stuck.notify_one();
            std::future::pending::<()>().await;
        }
        self.clock.advance(Duration::from_millis(ms));
    }
}

async fn open(file: &Path, office: &Arc<Office>, clock: &ManualClock, stuck: Option<&Arc<Notify>>) -> Engine {
    let engine = Engine::open(file).await.unwrap();
    engine.register_profile(Profile::named("desk").unwrap()).await.unwrap();
    for name in AGENTS {
        let (office, clock, stuck) = (Arc::clone(office), clock.clone(), stuck.cloned());
        let working = agent(move |work: Work| {
            let (office, bench) = (Arc::clone(&office), AtWork { work, clock: clock.clone(), stuck: stuck.clone() });
            async move {
                let ending = run(name, &bench, &office).await?;
                Ok(Done::json(json!({ "signal": ending.signal, "data": ending.data })))
            }
        });
        engine.register(Profile::named(name).unwrap(), working).await.unwrap();
    }
    engine
}

async fn ask(engine: &Engine, name: &str, known: &mut Value) -> String {
    let session = SessionId::new("request-1").unwrap();
    engine.resume_session(&session, Open::by("desk").unwrap()).await.unwrap();
    let request = Request::delegation("desk", name, "Do your part", Duration::from_secs(60)).unwrap();
    let result = engine.delegate(&session, request.payload(known.clone()).key(name)).await.unwrap();
    assert_eq!(result.status, ReturnStatus::Success, "{result:?}");
    for (field, value) in result.result.body["data"].as_object().unwrap() {
        known[field] = value.clone();
    }
    result.result.body["signal"].as_str().unwrap().to_owned()
}

/// A market that keeps its requests in a folder, and an office that uses it.
async fn services(folder: &Path, clock: &ManualClock) -> (Server, Arc<Office>) {
    let settings = MarketSettings {
        first_after_ms: 1_000,
        every_ms: 0,
        folder: Some(folder.join("market")),
        faults: Faults::default(),
    };
    let market = Market::open(settings, Arc::new(clock.clone())).unwrap().listen("127.0.0.1:0").await.unwrap();
    let register = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workflows/charter/data/clients.csv");
    let settings = json!({
        "register": register,
        "market": market.address().to_string(),
        "mail": { "outbox": folder.join("outbox") },
    });
    let settings: CharterSettings = serde_json::from_value(settings).unwrap();
    (market, Arc::new(Office::open(settings).unwrap()))
}

/// Runs something on a runtime of its own and drops it in the middle, as if the process had died.
fn until_death(run: impl Future<Output = ()>) {
    tokio::runtime::Runtime::new().unwrap().block_on(run);
}

#[test]
fn a_restart_within_the_search_makes_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let clock = ManualClock::at("2026-11-16T09:00:00Z".parse().unwrap());
    let mut known = json!({"text": "Jane Miller: four people from Paris to Nice on Friday 20 November"});
    until_death(async {
        let (_market, office) = services(folder, &clock).await;
        let stuck = Arc::new(Notify::new());
        let engine = open(&folder.join("x.db"), &office, &clock, Some(&stuck)).await;
        for (name, signal) in [("orchestrator", "ANALYZING_COMPLETE"), ("client_data", "CLIENT_DATA_COMPLETE")] {
            assert_eq!(ask(&engine, name, &mut known).await, signal);
        }
        // The request is made; the process ends while it waits for quotes, and the market with it.
        let mut lost = known.clone();
        tokio::select! {
            signal = ask(&engine, "flight_search", &mut lost) => panic!("{signal}"),
            () = stuck.notified() => {}
        }
    });
    until_death(async {
        let (_market, office) = services(folder, &clock).await;
        let engine = open(&folder.join("x.db"), &office, &clock, None).await;
        for (name, signal) in [
            ("flight_search", "QUOTES_RECEIVED"),
            ("proposal_analysis", "ANALYSIS_COMPLETE"),
            ("communication", "PROPOSAL_SENT"),
        ] {
            assert_eq!(ask(&engine, name, &mut known).await, signal);
        }
        engine.close().await.unwrap();
    });
    assert_eq!(std::fs::read_to_string(folder.join("market/rfps.jsonl")).unwrap().lines().count(), 1);
    assert_eq!(std::fs::read_dir(folder.join("outbox")).unwrap().count(), 1);
}
