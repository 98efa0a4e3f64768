//! A few nodes on a schema of their own, with one clock that is moved by hand. Signs of life go by the clock of the
//! database: whoever is to be gone is removed there.

use crate::common::START;
use handover_core::policy::Policy;
use handover_engine::{Engine, Options, clock::ManualClock};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};
use tokio_postgres::NoTls;
use uuid::Uuid;

const VARIABLE: &str = "HANDOVER_TEST_POSTGRES";

pub struct Cluster {
    server: String,
    schema: String,
    policy: Policy,
    clock: ManualClock,
    nodes: Mutex<HashMap<String, Engine>>,
}

impl Cluster {
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut Policy)) -> Self {
        let Ok(server) = std::env::var(VARIABLE) else {
            panic!("{VARIABLE} is not set: run this with `cargo xtask with-servers cargo test …`");
        };
        let mut policy = Policy::without_guards();
        change(&mut policy);
        let schema = format!("engine_{}", Uuid::new_v4().simple());
        Self { server, schema, policy, clock: ManualClock::at(START), nodes: Mutex::default() }
    }

    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// Timers, copies and covering run only when the test says so.
    pub async fn open(&self, name: &str) -> Engine {
        self.open_with(name, false).await
    }

    pub async fn open_in_background(&self, name: &str) -> Engine {
        self.open_with(name, true).await
    }

    async fn open_with(&self, name: &str, background: bool) -> Engine {
        let options = Options {
            policy: self.policy.clone(),
            clock: Some(Arc::new(self.clock.clone())),
            background,
            node: name.to_owned(),
            ..Options::default()
        };
        let engine = Engine::connect(&format!("{}?schema={}", self.server, self.schema), options).await.unwrap();
        self.nodes.lock().insert(name.to_owned(), engine.clone());
        engine
    }

    /// Two nodes.
    pub async fn pair(&self) -> (Engine, Engine) {
        (self.open("one").await, self.open("two").await)
    }

    /// Nodes hear of each other whether they like it or not; when is not for a test to say.
    pub async fn deafen(&self, _name: &str) {}

    /// It knows what the others wrote.
    pub async fn hear(&self, name: &str) {
        let node = self.nodes.lock()[name].clone();
        node.catch_up().await.unwrap();
    }

    /// All but these are taken for gone.
    pub async fn only_these_live(&self, names: &[&str]) {
        let (client, connection) = tokio_postgres::connect(&self.server, NoTls).await.unwrap();
        tokio::spawn(connection);
        let gone = format!("DELETE FROM {}.nodes WHERE name <> ALL ($1)", self.schema);
        client.execute(&gone, &[&names]).await.unwrap();
    }

    /// Does something to the database itself. Gives how many rows it was about.
    pub async fn sql(&self, sql: &str) -> u64 {
        let (client, connection) = tokio_postgres::connect(&self.server, NoTls).await.unwrap();
        tokio::spawn(connection);
        client.batch_execute(&format!("SET search_path TO {}", self.schema)).await.unwrap();
        client.execute(sql, &[]).await.unwrap()
    }
}
