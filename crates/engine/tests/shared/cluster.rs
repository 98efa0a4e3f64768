//! A few nodes on one file, with one clock that is moved by hand.

use crate::{
    common::House,
    twin::{Twin, Twins},
};
use handover_core::policy::Policy;
use handover_engine::{Engine, Options, clock::ManualClock};
use handover_store::{Hooks, Store};
use std::{sync::Arc, time::Duration};

pub struct Cluster {
    house: House,
    twins: Arc<Twins>,
}

impl Cluster {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Policy)) -> Self {
        let mut house = House::new();
        change(&mut house.policy);
        let twins = Twins::open(&house.file(), house.clock.clone());
        Self { house, twins }
    }

    pub fn clock(&self) -> &ManualClock {
        &self.house.clock
    }

    /// Timers, copies and covering run only when the test says so.
    pub async fn open(&self, name: &str) -> Engine {
        self.open_with(name, self.house.options()).await
    }

    pub async fn open_in_background(&self, name: &str) -> Engine {
        self.open_with(name, Options { background: true, ..self.house.options() }).await
    }

    async fn open_with(&self, name: &str, options: Options) -> Engine {
        let open = async |hooks: Hooks| {
            let node: Twin = self.twins.node(name, hooks);
            Ok(Arc::new(node) as Arc<dyn Store>)
        };
        Engine::on_store(options, open).await.unwrap()
    }

    /// Two nodes.
    pub async fn pair(&self) -> (Engine, Engine) {
        (self.open("one").await, self.open("two").await)
    }

    /// A node hears nothing of the others from now on.
    pub async fn deafen(&self, name: &str) {
        self.twins.deafen(name);
    }

    /// It hears what it missed.
    pub async fn hear(&self, name: &str) {
        self.twins.hear(name);
    }

    /// All but these have given no sign of life for too long.
    pub async fn only_these_live(&self, names: &[&str]) {
        self.house.clock.advance(Duration::from_millis(handover_core::limits::NODE_LEASE_MS + 1));
        self.twins.beat(names);
    }
}
