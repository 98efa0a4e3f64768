//! The feed: everything that happened and is on disk, in order, live and from any position.
//! Whoever is too slow is dropped with a notice and can go on from where it was.

mod live;

use crate::access::exists_for;
use handover_core::{
    access::Caller,
    event::Event,
    ids::{AgentId, SessionId},
    limits::PAGE_MAX,
    record::Record,
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{RecordQuery, Store, StoredRecord, is_newer};
use live::{Heard, Listening, Live, Published};
use serde::Serialize;
use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A message on the bus.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The live end of the feed.
#[derive(Clone)]
pub(crate) struct Feed {
    live: Arc<Live>,
    /// The last position that is on disk, so that a new subscriber knows where it begins.
    last: Arc<AtomicU64>,
    /// Batches written so far: how many commits shared a sync.
    batches: Arc<AtomicU64>,
}

impl Feed {
    pub(crate) fn new() -> Self {
        Self { live: Arc::default(), last: Arc::default(), batches: Arc::default() }
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
        self.live.end();
    }

    pub(crate) fn begin_after(&self, position: u64) {
        self.last.fetch_max(position, Ordering::SeqCst);
    }

    /// Called by the store's writer with what is on disk. The records are made only when somebody listens.
    pub(crate) fn publish(&self, last: u64, records: &dyn Fn() -> Vec<StoredRecord>) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.last.fetch_max(last, Ordering::SeqCst);
        self.live.tell(records);
    }

    pub(crate) fn subscribe(
        &self,
        store: Arc<dyn Store>,
        caller: Arc<Caller>,
        all: bool,
        filter: Filter,
        after: Option<u64>,
    ) -> Subscription {
        let live = Some(self.live.listen(filter.session.as_ref()));
        Subscription {
            live,
            store,
            caller,
            all,
            filter,
            position: after.unwrap_or_else(|| self.last.load(Ordering::SeqCst)),
            catching_up: after.is_some(),
            ready: VecDeque::new(),
            taken: None,
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
    /// Nothing once it was dropped.
    live: Option<Listening>,
    store: Arc<dyn Store>,
    caller: Arc<Caller>,
    /// Whether it hears of all tenants, as the house does.
    all: bool,
    filter: Filter,
    position: u64,
    catching_up: bool,
    ready: VecDeque<Arc<BusMessage>>,
    /// Taken from the live end and not looked at to the end: whoever stops waiting in the middle loses nothing.
    taken: Option<Arc<Published>>,
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
            if let Some(taken) = self.taken.clone() {
                self.take(&taken).await?;
                self.taken = None;
                continue;
            }
            let Some(live) = &mut self.live else { return Ok(None) };
            match live.next().await {
                Heard::Published(published) => self.taken = Some(published),
                Heard::TooSlow => {
                    self.live = None;
                    return Ok(Some(Notice::Dropped { resume_after: self.position }));
                }
                Heard::End => return Ok(None),
            }
        }
    }

    /// Whose events it hears; everybody's when nothing is said.
    fn tenant(&self) -> Option<&str> {
        (!self.all).then_some(self.caller.tenant.as_str())
    }

    /// Reads a page of what was written before; an empty one means that live events follow without a gap, because
    /// the live end was taken before the first page was read.
    async fn catch_up(&mut self) -> Result<(), HandoffError> {
        let query = RecordQuery {
            tenant: self.tenant().map(str::to_owned),
            session: self.filter.session.clone(),
            after: self.position,
            limit: PAGE_MAX,
            ..RecordQuery::default()
        };
        let page = self.store.records(&query).await?;
        let hidden = self.hidden(&page).await?;
        self.catching_up = page.len() == PAGE_MAX;
        for record in page {
            let message = read(&record);
            if message.is_none()
                && let Some(newer) = of_newer_version(&record)
            {
                // What comes before it is told first. It is not passed over: whoever is new enough tells it.
                self.catching_up = true;
                return if self.ready.is_empty() { Err(newer) } else { Ok(()) };
            }
            self.position = record.position;
            let message = message.filter(|_| !hidden.contains(&record.session_id));
            self.ready.extend(message.filter(|message| self.filter.admits(self.tenant(), message)));
        }
        Ok(())
    }

    /// The sessions of a page that do not exist for this caller.
    async fn hidden(&self, page: &[StoredRecord]) -> Result<HashSet<SessionId>, HandoffError> {
        let mut hidden = HashSet::new();
        if self.all || !self.caller.is_restricted() {
            return Ok(hidden);
        }
        let sessions: HashSet<&SessionId> = page.iter().map(|record| &record.session_id).collect();
        for session in sessions {
            if !exists_for(&*self.store, &self.caller, session, None).await? {
                hidden.insert(session.clone());
            }
        }
        Ok(hidden)
    }

    async fn take(&mut self, published: &Published) -> Result<(), HandoffError> {
        if published.record.position <= self.position {
            return Ok(()); // Seen while catching up.
        }
        let message = published.message.get_or_init(|| read(&published.record));
        if message.is_none() && of_newer_version(&published.record).is_some() {
            self.catching_up = true;
            return Ok(());
        }
        let message = message.as_ref().filter(|message| self.filter.admits(self.tenant(), message));
        let seen = message.is_some() && self.sees(published).await?;
        self.position = published.record.position;
        self.ready.extend(message.filter(|_| seen).cloned());
        Ok(())
    }

    /// Whether the session of a message of this tenant exists for this caller.
    async fn sees(&self, published: &Published) -> Result<bool, HandoffError> {
        let session = &published.record.session_id;
        if self.all || !self.caller.is_restricted() {
            return Ok(true);
        }
        if !self.caller.may_open(session) {
            return Ok(false);
        }
        let whose = published.whose.get_or_try_init(|| self.store.whose(session)).await?;
        Ok(exists_for(&*self.store, &self.caller, session, whose.as_ref()).await?)
    }
}

/// Says so where a record cannot be read because a newer version wrote it. One that is damaged is passed over: the trail tells
/// of it, and nobody else can read it either.
fn of_newer_version(stored: &StoredRecord) -> Option<HandoffError> {
    let error = serde_json::from_str::<Record>(&stored.text).err().filter(is_newer)?;
    Some(stored.unreadable(&error).into())
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
