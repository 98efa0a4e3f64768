//! The engine: what it holds, for whom it is used, closing it.

use crate::{
    access::{Denials, Keys, Look},
    cache::Cache,
    clock::Clock,
    dispatch::Local,
    feed::{Feed, Filter, Subscription},
    picker::Picker,
    shared::Shared,
    summarizer::Summarizer,
    waiting::Waiters,
    watching::Counts,
};
use handover_core::{
    access::Right,
    agent::Agents,
    command::Caller,
    ids::{AgentId, HandoffId, SessionId},
    ledger::Ledger,
    limits::CLOSE_MS,
    policy::Policy,
    refusal::HandoffError,
    time::Timestamp,
    workflow::Workflows,
};
use handover_store::{Retention, Store};
use parking_lot::{Mutex, RwLock};
use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};
use tokio::{
    sync::{Notify, Semaphore},
    task::JoinHandle,
};

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// How an engine is opened.
pub struct Options {
    /// The settings that decisions depend on.
    pub policy: Policy,
    /// Where the time comes from; the machine when nothing is said.
    pub clock: Option<Arc<dyn Clock>>,
    /// Whether timers, checkpoints, health checks and retention run by themselves. A test drives them by hand.
    pub background: bool,
    /// Whether work that was going on is taken up. Without it the engine only looks: nothing is reclaimed or sealed.
    pub take_up: bool,
    /// Whether every acknowledgement waits for the disk. Only a benchmark switches this off.
    pub sync: bool,
    /// How long records are kept.
    pub retention: Retention,
    /// How people call this process, where several work on one store.
    pub node: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            clock: None,
            background: true,
            take_up: true,
            sync: true,
            retention: Retention { active_ms: 30 * DAY_MS, completed_ms: 90 * DAY_MS, escalation_ms: 180 * DAY_MS },
            node: "handover".into(),
        }
    }
}

pub(crate) struct Inner {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) policy: RwLock<Policy>,
    pub(crate) agents: RwLock<Agents>,
    /// What is counted over all sessions, with what is decided and not yet on disk.
    pub(crate) ledger: RwLock<Ledger>,
    /// The workflows that are kept.
    pub(crate) workflows: RwLock<Workflows>,
    /// The keys by which callers are known.
    pub(crate) keys: Keys,
    /// How often somebody was denied of late.
    pub(crate) denials: Denials,
    /// Held while a decision reserves or chooses: what two decide at once must not be more than there is, or go to one.
    pub(crate) deciding: Mutex<()>,
    /// The model that picks agents, where one is connected.
    pub(crate) picker: RwLock<Option<Arc<dyn Picker>>>,
    /// Places for models that are asked.
    pub(crate) picks: Arc<Semaphore>,
    /// The model that summarises, where one is connected.
    pub(crate) summarizer: RwLock<Option<Arc<dyn Summarizer>>>,
    /// Places for models that summarise.
    pub(crate) summaries: Arc<Semaphore>,
    /// Agents whose breaker opened, and whose offers nobody has looked at since.
    pub(crate) left_alone: Mutex<BTreeSet<AgentId>>,
    /// Agents that can take work again, and for whom steps of workflows may have waited.
    pub(crate) back: Mutex<BTreeSet<AgentId>>,
    pub(crate) locals: Mutex<HashMap<AgentId, Arc<Local>>>,
    /// Pieces of work that run in this process, to be stopped when their lease is gone.
    pub(crate) running: Mutex<HashMap<HandoffId, Vec<Arc<Notify>>>>,
    /// When agents that pull work were last heard of.
    pub(crate) heard: Mutex<HashMap<AgentId, Timestamp>>,
    /// Those who wait for work that they pull.
    pub(crate) claims: crate::claims::Claims,
    pub(crate) cache: Cache,
    pub(crate) feed: Feed,
    /// What is counted since it was opened, and nowhere kept.
    pub(crate) counts: Counts,
    pub(crate) waiters: Waiters,
    /// The next time something is due, as far as is known; wakes the timer when it moves forward.
    pub(crate) next_due: AtomicI64,
    pub(crate) timer_bell: Notify,
    pub(crate) idle_bell: Notify,
    pub(crate) closing: AtomicBool,
    /// Held by whoever closes.
    pub(crate) ending: tokio::sync::Mutex<()>,
    /// Nothing more is done at all: whoever waits is told so.
    pub(crate) closed: AtomicBool,
    pub(crate) retention: Retention,
    /// One change of the registry at a time: a profile and a standing must not overtake each other.
    pub(crate) registry: tokio::sync::Mutex<()>,
    /// What it keeps besides where others work on the same store; nothing where it has the store for itself.
    pub(crate) shared: Option<Shared>,
    pub(crate) takes_up: bool,
    pub(crate) tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// A handle on the engine. Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
    pub(crate) caller: Arc<Caller>,
    /// How far lists look for what exists for this caller; as far as there is something where nobody says.
    pub(crate) look: Option<Arc<Look>>,
}

impl Engine {
    /// The same engine for another caller: who sees only the sessions of its tenant and speaks only for its agents.
    #[must_use]
    pub fn for_caller(&self, caller: Caller) -> Self {
        Self { inner: self.inner.clone(), caller: Arc::new(caller), look: None }
    }

    /// The time, as this engine has it.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.inner.clock.now()
    }

    /// The person who is asked where nobody else is left.
    #[must_use]
    pub fn human(&self) -> Option<AgentId> {
        self.inner.policy.read().human.clone()
    }

    /// The clock that all of it goes by.
    #[must_use]
    pub fn clock(&self) -> Arc<dyn Clock> {
        self.inner.clock.clone()
    }

    /// Waits so many milliseconds, by the clock of this engine.
    pub async fn wait(&self, ms: u64) {
        self.inner.clock.until(self.inner.clock.now() + ms).await;
    }

    /// Changes the settings that decisions depend on.
    ///
    /// # Errors
    /// When one of them cannot be, or this caller is no administrator of the house.
    pub fn set_policy(&self, policy: Policy) -> Result<(), HandoffError> {
        self.operator()?;
        policy.check()?;
        *self.inner.policy.write() = policy;
        Ok(())
    }

    /// Whether this caller runs the house: it may change settings, and speaks for all agents.
    ///
    /// # Errors
    /// When it is bound to certain agents, or is no administrator of the house.
    pub fn operator(&self) -> Result<(), HandoffError> {
        self.unbound()?;
        self.caller.may_in_house(Right::Administer)
    }

    /// Everything that happens from now on, or after a position of the feed.
    #[must_use]
    pub fn subscribe(&self, filter: Filter, after: Option<u64>) -> Subscription {
        self.inner.feed.subscribe(self.inner.store.clone(), self.caller.clone(), false, filter, after)
    }

    /// Batches that were synced to disk since it was opened. Commits that arrive together share one.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.inner.feed.batches()
    }

    /// Why the store has stopped writing, if it has.
    #[must_use]
    pub fn stopped(&self) -> Option<String> {
        self.inner.store.stopped()
    }

    /// Finishes what runs in this process, writes a checkpoint, and closes the store. What is offered stays offered.
    /// Work that takes longer than `CLOSE_MS` is left to the next start, which goes on after its last recorded step.
    ///
    /// # Errors
    /// When the store cannot be closed cleanly. Nothing that was acknowledged is lost even then. When this caller is no
    /// administrator of the house.
    pub async fn close(&self) -> Result<(), HandoffError> {
        self.operator()?;
        self.inner.closing.store(true, Ordering::SeqCst);
        // One at a time; whoever comes second finds it closed.
        let _alone = self.inner.ending.lock().await;
        if self.not_closed().is_err() {
            return Ok(());
        }
        let until = self.inner.clock.now() + CLOSE_MS;
        tokio::select! {
            () = self.settle_running() => {}
            () = self.inner.clock.until(until) => {}
        }
        for stop in self.inner.running.lock().values().flatten() {
            stop.notify_one(); // Its lease is taken back at the next start.
        }
        for task in self.inner.tasks.lock().drain(..) {
            task.abort();
        }
        let sealed = if self.stopped().is_none() && self.inner.takes_up { self.seal_at_end().await } else { Ok(()) };
        self.inner.closed.store(true, Ordering::SeqCst);
        self.detach_all();
        let closed = self.inner.store.close().await;
        // After the store: whoever looks again is told that it is closed.
        self.inner.waiters.wake_all();
        self.inner.feed.end();
        closed?;
        sealed
    }

    /// Waits until nothing runs in this process.
    async fn settle_running(&self) {
        loop {
            let mut bell = std::pin::pin!(self.inner.idle_bell.notified());
            bell.as_mut().enable();
            if self.inner.running.lock().is_empty() {
                return;
            }
            bell.await;
        }
    }

    /// Whether it is about to end: what stops now goes on at the next start.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.inner.closing.load(Ordering::SeqCst)
    }

    /// A refusal once nothing more is done at all.
    pub(crate) fn not_closed(&self) -> Result<(), HandoffError> {
        if self.inner.closed.load(Ordering::SeqCst) {
            return Err(handover_store::StoreError::Closed.into());
        }
        Ok(())
    }

    pub(crate) fn engine_caller(&self) -> Caller {
        Caller::new("engine", &self.caller.tenant).of_house()
    }

    /// The id of a session that this caller may see, by one of its handoffs.
    pub(crate) async fn session_of(&self, handoff: HandoffId) -> Result<SessionId, HandoffError> {
        self.find(handoff).await.map(|found| found.session_id.clone())
    }
}
