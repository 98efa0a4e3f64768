//! How the bus is: what `/health`, metrics and people ask.

use crate::address::Address;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::Notify;

/// How the bus is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BusStatus {
    /// Where it is, without names and passwords.
    pub address: String,
    /// Whether its server answers.
    pub connected: bool,
    /// Whether it is this node that publishes.
    pub publishing: bool,
    /// The last position of the feed that is known to be on the stream.
    pub position: u64,
    /// How many positions are not known to be there yet. A node that does not publish learns it at each look.
    pub lag: u64,
    /// Messages that this node published.
    pub published: u64,
    /// Events from outside that this node took.
    pub events: u64,
    /// Events from outside that it refused.
    pub refused: u64,
    /// What is wrong, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The same while it changes.
pub struct Status {
    address: String,
    pub connected: AtomicBool,
    pub publishing: AtomicBool,
    position: AtomicU64,
    published: AtomicU64,
    pub events: AtomicU64,
    pub refused: AtomicU64,
    problem: Mutex<Option<String>>,
    bell: Notify,
}

impl Status {
    pub fn new(address: &Address) -> Self {
        Self {
            address: address.to_string(),
            connected: AtomicBool::default(),
            publishing: AtomicBool::default(),
            position: AtomicU64::default(),
            published: AtomicU64::default(),
            events: AtomicU64::default(),
            refused: AtomicU64::default(),
            problem: Mutex::default(),
            bell: Notify::new(),
        }
    }

    pub fn told(&self, feed: u64) -> BusStatus {
        let position = self.position.load(Ordering::SeqCst);
        BusStatus {
            address: self.address.clone(),
            connected: self.connected.load(Ordering::SeqCst),
            publishing: self.publishing.load(Ordering::SeqCst),
            position,
            lag: feed.saturating_sub(position),
            published: self.published.load(Ordering::Relaxed),
            events: self.events.load(Ordering::Relaxed),
            refused: self.refused.load(Ordering::Relaxed),
            problem: self.problem.lock().clone(),
        }
    }

    /// The stream has everything up to this position; so many messages of it came from here.
    pub fn has(&self, position: u64, published: usize) {
        self.position.store(position, Ordering::SeqCst);
        self.published.fetch_add(published as u64, Ordering::Relaxed);
        self.bell.notify_waiters();
    }

    /// Something is wrong. It is logged once, and not each time that it is found again.
    pub fn wrong(&self, problem: &str) {
        let before = self.problem.lock().replace(problem.to_owned());
        if before.as_deref() != Some(problem) {
            tracing::warn!(bus = %self.address, "{problem}");
        }
    }

    /// All is well again.
    pub fn well(&self) {
        if self.problem.lock().take().is_some() {
            tracing::info!(bus = %self.address, "the bus is well again");
        }
    }

    /// Done when everything up to this position is on the stream.
    pub async fn published(&self, until: u64) {
        loop {
            let mut bell = std::pin::pin!(self.bell.notified());
            bell.as_mut().enable();
            if self.position.load(Ordering::SeqCst) >= until {
                return;
            }
            bell.await;
        }
    }
}
