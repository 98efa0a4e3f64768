//! The client against a real server, which also goes away and comes back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod asking;
mod events;
mod front;
mod worker;

use front::Front;
use handover_client::{Client, Opening};
use handover_core::{agent::Profile, handoff::Request, ids::SessionId};
use handover_engine::Engine;
use handover_server::{Options, Server};
use std::time::Duration;
use tempfile::TempDir;

/// How long anything may take before a test takes it for lost.
const LONG: Duration = Duration::from_secs(60);

/// A database with a server that can end and begin again behind one address.
struct House {
    folder: TempDir,
    front: Front,
    up: Option<(Engine, Server)>,
}

impl House {
    async fn new() -> Self {
        let mut house = Self { folder: tempfile::tempdir().unwrap(), front: Front::new().await, up: None };
        house.begin().await;
        house
    }

    async fn begin(&mut self) {
        let engine = Engine::open(self.folder.path().join("handover.db")).await.unwrap();
        let server = Server::start(engine.clone(), Options::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
        self.front.lead_to(Some(server.address()));
        self.up = Some((engine, server));
    }

    /// Nobody is told: connections break in the middle of whatever they carry.
    async fn end(&mut self) {
        self.front.lead_to(None);
        let (engine, server) = self.up.take().unwrap();
        server.close().await;
        engine.close().await.unwrap();
    }

    fn client(&self) -> Client {
        Client::new(&self.front.url(), None).unwrap()
    }

    fn engine(&self) -> &Engine {
        &self.up.as_ref().unwrap().0
    }

    /// A client, a desk, a counter, and a session of the desk.
    async fn with_team() -> (Self, Client, SessionId) {
        let house = Self::new().await;
        let client = house.client();
        for name in ["desk", "counter"] {
            client.register(&Profile::named(name).unwrap().can(name)).await.unwrap();
        }
        let opening = Opening::by("desk").unwrap().named("trip").unwrap().asking("How long?");
        let session = client.open_session(&opening).await.unwrap();
        (house, client, session.id)
    }
}

fn counting(text: &str) -> Request {
    let mut request = Request::delegation("desk", "counter", "Count the words", Duration::from_secs(600)).unwrap();
    request.task.payload = serde_json::json!({ "text": text });
    request
}
