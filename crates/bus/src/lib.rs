//! The bus: everything that happens, on a stream of NATS JetStream, for whoever subscribes with any client of NATS; bells by
//! which nodes wake each other up; and events from outside that hand work over.
//!
//! The store stays the truth. Without NATS everything goes on: the feed is published when it is back, and nodes that hear no
//! bell look by themselves. A stream that was emptied or deleted is filled again from the store.

mod address;
mod bells;
mod inward;
mod link;
mod publisher;
mod settings;
mod status;
mod stream;
mod subject;
mod wiring;

pub use address::Address;
pub use settings::{BadSetting, BusSettings, Keep};
pub use status::BusStatus;
pub use subject::{decoded, encoded};
pub use wiring::{LookNow, MyTurn, Wiring};

use handover_core::{limits::BUS_CLOSE_MS, refusal::HandoffError};
use handover_engine::{Engine, Filter};
use parking_lot::Mutex;
use status::Status;
use std::{sync::Arc, time::Duration};
use tokio::{task::JoinHandle, time::timeout};

/// The header of a published message that says its place in the feed.
pub const POSITION: &str = "Handover-Position";
/// The header of a message whose content is too large for the bus: its size. The content is left out of it.
pub const TOO_LARGE: &str = "Handover-Too-Large";

/// Why it cannot start. A server that cannot be reached is no reason.
#[derive(Debug, thiserror::Error)]
pub enum CannotStart {
    /// A setting cannot be.
    #[error(transparent)]
    Setting(#[from] BadSetting),
    /// The engine does not show the whole house to this caller.
    #[error(transparent)]
    Engine(#[from] HandoffError),
    /// The client does not start.
    #[error("the bus cannot be used: {0}")]
    Client(String),
}

/// An engine on the bus.
pub struct Bus {
    engine: Engine,
    status: Arc<Status>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Bus {
    /// Puts an engine, which must be that of the house, on the bus. It returns at once, also where the server is away.
    ///
    /// # Errors
    /// When a setting cannot be, or this caller does not run the house.
    pub async fn start(engine: &Engine, settings: &BusSettings, wiring: Wiring) -> Result<Self, CannotStart> {
        settings.check()?;
        // Whoever does not run the house is refused here, and not later in silence.
        drop(engine.subscribe_all(Filter::default(), None)?);
        let status = Arc::new(Status::new(&settings.address));
        let client = link::connect(settings, &status).await.map_err(CannotStart::Client)?;
        let link = link::Link { engine: engine.clone(), settings: settings.clone(), client, status, wiring };
        let mut tasks = vec![tokio::spawn(publisher::run(link.clone()))];
        if settings.bell.is_some() {
            tasks.push(tokio::spawn(bells::ring(link.clone())));
            tasks.push(tokio::spawn(bells::listen(link.clone())));
        }
        if settings.events {
            tasks.push(tokio::spawn(inward::run(link.clone())));
        }
        Ok(Self { engine: engine.clone(), status: link.status, tasks: Mutex::new(tasks) })
    }

    /// How it is.
    #[must_use]
    pub fn status(&self) -> BusStatus {
        self.status.told(self.engine.feed_position())
    }

    /// Waits until everything that is on disk now is on the bus.
    pub async fn caught_up(&self) {
        let until = self.engine.feed_position();
        self.status.published(until).await;
    }

    /// Publishes what is on disk by now where its server answers, for at most `BUS_CLOSE_MS`, and ends.
    pub async fn finish(&self) {
        let status = self.status();
        if status.connected && status.publishing {
            let _ = timeout(Duration::from_millis(BUS_CLOSE_MS), self.caught_up()).await;
        }
        self.close();
    }

    /// Ends. What is not published yet is published by another node, or after the next start.
    pub fn close(&self) {
        for task in self.tasks.lock().drain(..) {
            task.abort();
        }
    }
}

impl Drop for Bus {
    fn drop(&mut self) {
        self.close();
    }
}
