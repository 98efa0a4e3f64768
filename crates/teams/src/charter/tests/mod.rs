//! Every agent at a bench without an engine: the bench, and a scene with all services.

mod failing;
mod working;

use super::*;
use crate::{
    faults::{Fault, QuoteFault},
    http::Server,
    mail::Email,
    market::{Market, MarketSettings},
};
use handover_core::time::Timestamp;
use handover_engine::clock::{Clock, ManualClock};
use parking_lot::Mutex;
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

const REGISTER_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workflows/charter/data/clients.csv");

/// A bench in memory. Pausing moves the clock.
struct Double {
    payload: Value,
    clock: ManualClock,
    steps: Mutex<BTreeMap<String, Value>>,
    states: Mutex<Vec<String>>,
    paused: Mutex<Vec<u64>>,
}

impl Double {
    fn new(payload: Value, clock: &ManualClock) -> Self {
        let clock = clock.clone();
        Self { payload, clock, steps: Mutex::default(), states: Mutex::default(), paused: Mutex::default() }
    }
}

impl Bench for Double {
    fn payload(&self) -> &Value {
        &self.payload
    }

    fn session(&self) -> &'static str {
        "request-1"
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    async fn step<T, R>(&self, name: &str, run: R) -> Result<T, Failure>
    where
        T: Serialize + DeserializeOwned + Send,
        R: Future<Output = T> + Send,
    {
        let known = self.steps.lock().get(name).cloned();
        if let Some(known) = known {
            return Ok(serde_json::from_value(known)?);
        }
        let output = run.await;
        self.steps.lock().insert(name.to_owned(), serde_json::to_value(&output)?);
        Ok(output)
    }

    async fn advance(&self, state: &str) -> Result<(), Failure> {
        self.states.lock().push(state.to_owned());
        Ok(())
    }

    async fn pause(&self, ms: u64) {
        self.paused.lock().push(ms);
        self.clock.advance(Duration::from_millis(ms));
    }
}

/// An office with a market, all in one folder.
struct Scene {
    folder: tempfile::TempDir,
    clock: ManualClock,
    _market: Server,
    office: Office,
}

impl Scene {
    async fn new(faults: Faults) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at("2026-11-16T09:00:00Z".parse::<Timestamp>().unwrap());
        let settings = MarketSettings { first_after_ms: 1_000, every_ms: 500, folder: None, faults: faults.clone() };
        let market = Market::open(settings, Arc::new(clock.clone())).unwrap();
        let market = market.listen("127.0.0.1:0").await.unwrap();
        let office = Office::open(CharterSettings {
            register: REGISTER_FILE.into(),
            market: market.address().to_string(),
            mail: Delivery::Outbox(folder.path().join("outbox")),
            sender_name: default_sender_name(),
            sender: default_sender(),
            poll_ms: 100,
            faults,
            state: None,
        });
        Self { office: office.unwrap(), folder, clock, _market: market }
    }

    fn bench(&self, payload: Value) -> Double {
        Double::new(payload, &self.clock)
    }

    async fn run(&self, agent: &str, payload: Value) -> Ending {
        run(agent, &self.bench(payload), &self.office).await.unwrap()
    }

    fn letters(&self) -> usize {
        std::fs::read_dir(self.folder.path().join("outbox")).map_or(0, Iterator::count)
    }
}

fn quotes(quotes: QuoteFault) -> Faults {
    Faults { quotes, ..Faults::default() }
}

fn fault(fail_first: u32, permanently: bool) -> Fault {
    Fault { fail_first, permanently }
}

fn rfp_data() -> Value {
    json!({"client_name": "Jane Miller", "from": "Paris", "from_code": "LBG", "to": "Nice", "to_code": "NCE",
        "date": "2026-11-20", "passengers": 4, "urgency": "normal"})
}

/// Adds the data of an ending to what was known, as the rules of a workflow do.
fn onward(known: &Value, ending: &Ending) -> Value {
    let mut next = known.clone();
    for (name, value) in ending.data.as_object().unwrap() {
        next[name] = value.clone();
    }
    next
}
