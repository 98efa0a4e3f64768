//! The feed: everything that happened and is on disk, in order, live and from any position.
//! Whoever is too slow is dropped with a notice and can go on from where it was.

use handover_core::{
    event::Event,
    ids::{AgentId, SessionId},
    limits::{PAGE_MAX, SUBSCRIBER_LAG_MAX},
    record::Record,
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{RecordQuery, Store, StoredRecord};
use parking_lot::RwLock;
use serde::Serialize;
use std::{
    collections::VecDeque,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::sync::broadcast;

/// A message on the bus.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BusMessage {
    /// Its id: the session and the number of the record. The same event has the same id, however often it is seen.
    pub id: String,
    /// Its place in the feed.
    pub position: u64,
    /// Its type: `AGENT_HANDOFF`, `TASK_STARTED`, `TASK_COMPLETED`, `TASK_FAILED`, and one for each further step.
    #[serde(rename = "type")]
    pub kind: String,
    /// Who hands over.
    pub source_agent: Option<AgentId>,
    /// To whom.
    pub target_agent: Option<AgentId>,
    /// When.
    pub timestamp: Timestamp,
    /// What happened.
    pub payload: Event,
    /// Where it belongs.
    pub context: BusContext,
}

/// Where a message belongs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BusContext {
    /// The caller's own id for the request, where there is one; else the handoff.
    pub request_id: Option<String>,
    /// The session.
    pub session_id: SessionId,
    /// To whom the session belongs.
    pub tenant: String,
}

/// What a subscriber wants to see. Everything that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only these types.
    pub types: Vec<String>,
    /// Only what this agent sends or receives.
    pub agent: Option<AgentId>,
    /// Only this session.
    pub session: Option<SessionId>,
}

impl BusMessage {
    /// The message of a record; nothing when its text cannot be read.
    #[must_use]
    pub fn of(stored: &StoredRecord) -> Option<Self> {
        read(stored).map(Arc::unwrap_or_clone)
    }
}

impl Filter {
    fn admits(&self, tenant: Option<&str>, message: &BusMessage) -> bool {
        tenant.is_none_or(|tenant| message.context.tenant == tenant) && self.fits(message)
    }

    /// Whether a message is one of those that are wanted.
    #[must_use]
    pub fn fits(&self, message: &BusMessage) -> bool {
        let agent = |agent: &AgentId| {
            message.source_agent.as_ref() == Some(agent) || message.target_agent.as_ref() == Some(agent)
        };
        (self.types.is_empty() || self.types.contains(&message.kind))
            && self.agent.as_ref().is_none_or(agent)
            && self.session.as_ref().is_none_or(|session| *session == message.context.session_id)
    }
}

/// A record on its way to the subscribers, read once for all of them.
struct Published {
    record: StoredRecord,
    message: OnceLock<Option<Arc<BusMessage>>>,
}

/// The live end of the feed.
#[derive(Clone)]
pub(crate) struct Feed {
    /// Nothing once the engine is closed.
    sender: Arc<RwLock<Option<broadcast::Sender<Arc<Published>>>>>,
    /// The last position that is on disk, so that a new subscriber knows where it begins.
    last: Arc<AtomicU64>,
    /// Batches written so far: how many commits shared a sync.
    batches: Arc<AtomicU64>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        let sender = Arc::new(RwLock::new(Some(broadcast::Sender::new(SUBSCRIBER_LAG_MAX))));
        Self { sender, last: Arc::default(), batches: Arc::default() }
    }

    pub(crate) fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// The last position that is on disk.
    pub(crate) fn position(&self) -> u64 {
        self.last.load(Ordering::SeqCst)
    }

    /// Nothing more will come: subscribers see what is there, and then the end.
    pub(crate) fn end(&self) {
        self.sender.write().take();
    }

    pub(crate) fn begin_after(&self, position: u64) {
        self.last.fetch_max(position, Ordering::SeqCst);
    }

    /// Called by the store's writer with what is on disk. The records are made only when somebody listens.
    pub(crate) fn publish(&self, last: u64, records: &dyn Fn() -> Vec<StoredRecord>) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.last.fetch_max(last, Ordering::SeqCst);
        let sender = self.sender.read();
        let Some(sender) = sender.as_ref().filter(|sender| sender.receiver_count() > 0) else { return };
        for record in records() {
            // Nobody listening is fine.
            let _ = sender.send(Arc::new(Published { record, message: OnceLock::new() }));
        }
    }

    pub(crate) fn subscribe(
        &self,
        store: Arc<dyn Store>,
        tenant: Option<String>,
        filter: Filter,
        after: Option<u64>,
    ) -> Subscription {
        let live = self.sender.read().as_ref().map(broadcast::Sender::subscribe);
        Subscription {
            live,
            store,
            tenant,
            filter,
            position: after.unwrap_or_else(|| self.last.load(Ordering::SeqCst)),
            catching_up: after.is_some(),
            ready: VecDeque::new(),
        }
    }
}

/// What a subscriber gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// Something happened.
    Event(Arc<BusMessage>),
    /// The subscriber was too slow and is dropped. Nothing is lost: subscribe again after this position.
    Dropped {
        /// The last position that it saw.
        resume_after: u64,
    },
}

/// A view on the feed, from a position on.
pub struct Subscription {
    live: Option<broadcast::Receiver<Arc<Published>>>,
    store: Arc<dyn Store>,
    /// Whose sessions are seen; those of all when nothing is said.
    tenant: Option<String>,
    filter: Filter,
    position: u64,
    catching_up: bool,
    ready: VecDeque<Arc<BusMessage>>,
}

impl Subscription {
    /// The position up to which everything was looked at.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next event; nothing when the subscription is over.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self) -> Result<Option<Notice>, HandoffError> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Ok(Some(Notice::Event(message)));
            }
            if self.catching_up {
                self.catch_up().await?;
                continue;
            }
            let Some(live) = &mut self.live else { return Ok(None) };
            match live.recv().await {
                Ok(published) => self.take(&published),
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    self.live = None;
                    return Ok(Some(Notice::Dropped { resume_after: self.position }));
                }
                Err(broadcast::error::RecvError::Closed) => return Ok(None),
            }
        }
    }

    /// Reads a page of what was written before; an empty one means that live events follow without a gap, because
    /// the live end was taken before the first page was read.
    async fn catch_up(&mut self) -> Result<(), HandoffError> {
        let query = RecordQuery {
            tenant: self.tenant.clone(),
            session: self.filter.session.clone(),
            after: self.position,
            limit: PAGE_MAX,
            ..RecordQuery::default()
        };
        let page = self.store.records(&query).await?;
        self.catching_up = page.len() == PAGE_MAX;
        for record in page {
            self.position = record.position;
            if let Some(message) = read(&record).filter(|message| self.filter.admits(self.tenant.as_deref(), message)) {
                self.ready.push_back(message);
            }
        }
        Ok(())
    }

    fn take(&mut self, published: &Published) {
        if published.record.position <= self.position {
            return; // Seen while catching up.
        }
        self.position = published.record.position;
        let message = published.message.get_or_init(|| read(&published.record));
        if let Some(message) = message.as_ref().filter(|message| self.filter.admits(self.tenant.as_deref(), message)) {
            self.ready.push_back(message.clone());
        }
    }
}

fn read(stored: &StoredRecord) -> Option<Arc<BusMessage>> {
    let record: Record = serde_json::from_str(&stored.text).ok()?;
    let correlation = match &record.event {
        Event::Initiated { request, .. } => request.context.correlation_id.clone(),
        _ => None,
    };
    Some(Arc::new(BusMessage {
        id: format!("{}#{}", stored.session_id, stored.seq),
        position: stored.position,
        kind: record.event.bus_type(),
        source_agent: record.from_agent,
        target_agent: record.to_agent,
        timestamp: record.timestamp,
        context: BusContext {
            request_id: correlation.or_else(|| record.handoff_id.map(|id| id.to_string())),
            session_id: record.session_id,
            tenant: record.tenant,
        },
        payload: record.event,
    }))
}
