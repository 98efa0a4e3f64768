//! What these tests share: an engine on a file of its own, a stream of its own, and a foreign eye on it.

use async_nats::jetstream;
use handover_bus::{Address, Bus, BusSettings, POSITION, Wiring};
use handover_core::{
    agent::{AgentKind, Profile},
    command::Open,
    ids::{AgentId, SessionId},
    limits::BUS_ANSWER_MS,
    message::{NewMessage, Role},
    policy::Policy,
};
use handover_engine::{BusMessage, Engine, Filter, Notice, Options};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub struct House {
    pub engine: Engine,
    pub settings: BusSettings,
    /// Goes with the house.
    _folder: tempfile::TempDir,
}

/// A message as a foreign client sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub subject: String,
    pub id: String,
    pub position: u64,
    pub headers: async_nats::HeaderMap,
    pub body: Value,
}

impl House {
    /// With the server of the run.
    pub async fn new() -> Self {
        Self::at(&handover_stand::told_nats().unwrap()).await
    }

    /// With this server.
    pub async fn at(address: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { background: false, policy: Policy::without_guards(), ..Options::default() };
        let engine = Engine::open_with(folder.path().join("test.db"), options).await.unwrap();
        let name = uuid::Uuid::new_v4().simple().to_string();
        let mut settings = BusSettings::new(Address::new(address).unwrap(), "one");
        settings.prefix = format!("test-{name}");
        settings.stream = format!("TEST_{name}");
        let house = Self { engine, settings, _folder: folder };
        for name in ["desk", "smith"] {
            house
                .engine
                .register_profile(Profile::named(name).unwrap().kind(AgentKind::Worker).at_once(100))
                .await
                .unwrap();
        }
        house
    }

    pub async fn bus(&self) -> Bus {
        Bus::start(&self.engine, &self.settings, Wiring::of(&self.engine)).await.unwrap()
    }

    /// Opens a session, or goes on with it, and says something in it so many times.
    pub async fn talk(&self, name: &str, times: usize) {
        let session = session(name);
        self.engine.resume_session(&session, Open::of(id("desk"))).await.unwrap();
        for n in 0..times {
            let message = NewMessage::new(Role::User, format!("{name} {n}"));
            self.engine.say(&session, vec![message]).await.unwrap();
        }
    }

    /// Everything that is in the store, in order.
    pub async fn stored(&self) -> Vec<BusMessage> {
        let (mut feed, mut found) = (self.engine.subscribe_all(Filter::default(), Some(0)).unwrap(), Vec::new());
        while feed.position() < self.engine.feed_position() || found.is_empty() {
            let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("the feed ends") };
            found.push((*message).clone());
        }
        // What was read ahead is there, too.
        let last = self.engine.feed_position();
        while found.last().is_none_or(|message| message.position < last) {
            let Some(Notice::Event(message)) = feed.next().await.unwrap() else { panic!("the feed ends") };
            found.push((*message).clone());
        }
        found
    }

    pub async fn client(&self) -> async_nats::Client {
        let address = handover_stand::told_nats().unwrap();
        async_nats::connect(address).await.unwrap()
    }

    pub async fn stream(&self, client: &async_nats::Client) -> jetstream::stream::Stream {
        let streams = jetstream::new(client.clone());
        streams.get_stream(&self.settings.stream).await.unwrap()
    }

    /// Everything that is on the stream, in order, by raw reads as any client may do them.
    pub async fn seen(&self, client: &async_nats::Client) -> Vec<Seen> {
        let stream = self.stream(client).await;
        let state = &stream.cached_info().state;
        let mut found = Vec::new();
        for sequence in state.first_sequence..=state.last_sequence {
            let Ok(message) = stream.get_raw_message(sequence).await else { continue };
            found.push(Seen {
                subject: message.subject.to_string(),
                id: message.headers.get("Nats-Msg-Id").unwrap().to_string(),
                position: message.headers.get(POSITION).unwrap().as_str().parse().unwrap(),
                body: serde_json::from_slice(&message.payload).unwrap(),
                headers: message.headers,
            });
        }
        found
    }

    /// The stream has exactly what the store has.
    pub async fn agrees(&self, client: &async_nats::Client) -> Vec<Seen> {
        let (stored, seen) = (self.stored().await, self.seen(client).await);
        let ids = |seen: &Seen| (seen.position, seen.body["id"].as_str().unwrap().to_owned());
        let expected: Vec<(u64, String)> =
            stored.iter().map(|message| (message.position, message.id.clone())).collect();
        assert_eq!(seen.iter().map(ids).collect::<Vec<_>>(), expected);
        seen
    }
}

/// Waits until all that is on disk is on the bus.
pub async fn caught_up(bus: &Bus) {
    timeout(PATIENCE, bus.caught_up()).await.unwrap_or_else(|_| panic!("{:?}", bus.status()));
}

/// Waits until something is so. It looks again each time that the runtime has nothing else to do.
pub async fn until<F: AsyncFnMut() -> bool>(mut is_so: F) {
    let waiting = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    assert!(
        timeout(PATIENCE, waiting).await.is_ok(),
        "it does not come, in {PATIENCE:?}; an answer has {BUS_ANSWER_MS} ms"
    );
}

pub fn id(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::new(name).unwrap()
}
