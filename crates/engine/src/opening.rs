//! Opening an engine: on a file, at an address, on any store; and taking up what was going on there.

use crate::{
    access::{Denials, Keys},
    cache::Cache,
    clock::{Clock, SystemClock},
    engine::{Engine, Inner, Options},
    feed::Feed,
    shared::{self, Ear, Shared, SharedClock},
    waiting::Waiters,
    watching::Counts,
};
use handover_core::{
    agent::Agents,
    command::{Caller, Command},
    ledger::Ledger,
    limits,
    refusal::HandoffError,
};
use handover_store::{
    Hooks, Store, StoreError,
    postgres::{self, PostgresStore},
    sqlite,
};
use parking_lot::{Mutex, RwLock};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64},
    },
};
use tokio::sync::{Notify, Semaphore};

/// Whether an address is that of a database which several processes may share.
fn is_shared_address(address: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| address.starts_with(scheme))
}

impl Engine {
    /// Opens the engine on a database file; the file is made when there is none. Whatever was going on when it was
    /// last closed or killed goes on.
    ///
    /// # Errors
    /// When the file is in use, damaged, written by a newer version, or cannot be written.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, HandoffError> {
        Self::open_with(path, Options::default()).await
    }

    /// Opens the engine with other settings.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub async fn open_with(path: impl AsRef<Path>, options: Options) -> Result<Self, HandoffError> {
        let path: PathBuf = path.as_ref().to_path_buf();
        let sync = options.sync;
        Self::on_store(options, async move |hooks| {
            let options = sqlite::Options { sync, on_commit: hooks.on_commit, ..sqlite::Options::default() };
            let opened = tokio::task::spawn_blocking(move || sqlite::SqliteStore::open(&path, options)).await;
            let store = opened.map_err(|error| StoreError::Failed(error.to_string()))??;
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
        .await
    }

    /// Opens the engine at an address: `postgres://user:password@host:port/database?schema=…` is a database that several
    /// processes may share, anything else a file of this one. `Options::node` is how people call this process there.
    ///
    /// # Errors
    /// As [`Engine::open`]; and when the database cannot be reached.
    pub async fn connect(address: &str, options: Options) -> Result<Self, HandoffError> {
        if !is_shared_address(address) {
            return Self::open_with(address, options).await;
        }
        let (address, name) = (address.to_owned(), options.node.clone());
        Self::on_store(options, async move |hooks| {
            let store = PostgresStore::open(postgres::Options { address, name, hooks }).await?;
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
        .await
    }

    /// Opens the engine on any store. The store is opened by whoever asks, with what it has to call while it is used.
    ///
    /// # Errors
    /// When the store cannot be opened or read.
    #[doc(hidden)]
    pub async fn on_store<F>(options: Options, open: F) -> Result<Self, HandoffError>
    where
        F: AsyncFnOnce(Hooks) -> Result<Arc<dyn Store>, StoreError>,
    {
        let (feed, ear) = (Feed::new(), Ear::default());
        let store = open(ear.hooks(&feed)).await?;
        Self::begin(store, feed, &ear, options).await
    }

    async fn begin(store: Arc<dyn Store>, feed: Feed, ear: &Ear, options: Options) -> Result<Self, HandoffError> {
        options.policy.check()?;
        let (position, last) = store.last_position().await?;
        feed.begin_after(position);
        let clock = options.clock.unwrap_or_else(|| match store.reading() {
            Some(reading) => Arc::new(SharedClock::new(store.clone(), reading, last)) as Arc<dyn Clock>,
            None => Arc::new(SystemClock::starting_at_least(last)),
        });
        let mut agents = Agents::default();
        for (profile, standing) in store.agents().await? {
            agents.put(Arc::new(profile), standing);
        }
        let ledger = Ledger::of(store.ledger().await?);
        let shared = store.is_shared().then(Shared::default);
        let engine = Self {
            inner: Arc::new(Inner {
                shared,
                store,
                clock,
                policy: RwLock::new(options.policy),
                agents: RwLock::new(agents),
                ledger: RwLock::new(ledger),
                workflows: RwLock::default(),
                keys: Keys::default(),
                denials: Denials::default(),
                deciding: Mutex::default(),
                picker: RwLock::default(),
                picks: Arc::new(Semaphore::new(limits::PICKS_AT_ONCE_MAX)),
                summarizer: RwLock::default(),
                summaries: Arc::new(Semaphore::new(limits::SUMMARIES_AT_ONCE_MAX)),
                left_alone: Mutex::default(),
                back: Mutex::default(),
                locals: Mutex::default(),
                running: Mutex::default(),
                claims: crate::claims::Claims::default(),
                heard: Mutex::default(),
                cache: Cache::default(),
                feed,
                counts: Counts::default(),
                waiters: Waiters::default(),
                next_due: AtomicI64::new(i64::MIN),
                timer_bell: Notify::new(),
                idle_bell: Notify::new(),
                closing: AtomicBool::new(false),
                ending: tokio::sync::Mutex::default(),
                closed: AtomicBool::new(false),
                retention: options.retention,
                registry: tokio::sync::Mutex::new(()),
                takes_up: options.take_up,
                tasks: Mutex::default(),
            }),
            caller: Arc::new(Caller::local()),
            look: None,
        };
        engine.load_workflows().await?;
        engine.load_keys().await?;
        engine.begin_shared(ear).await?;
        // The vocabulary takes a moment to load; nobody should wait for it with their first message.
        std::thread::spawn(handover_core::context::tokens::warm_up);
        let taken_up = engine.take_up(options.take_up).await;
        if options.take_up {
            taken_up?; // Whoever only looks is to see also what is damaged.
        }
        if options.background {
            engine.start_background();
        }
        Ok(engine)
    }

    /// From now on it is told what others write; what they wrote before that is read.
    async fn begin_shared(&self, ear: &Ear) -> Result<(), HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(()) };
        let missed = ear.bind(self);
        self.reload_all().await?;
        if missed {
            // What was told between the opening of the store and this is in what was read just now.
            shared.ring();
        }
        Ok(())
    }

    /// Counts who works on what, and takes back what the process before this one held, unless it only looks.
    async fn take_up(&self, reclaim: bool) -> Result<(), HandoffError> {
        if self.inner.shared.is_some() {
            return if reclaim { self.cover().await.map(|_| ()) } else { Ok(()) };
        }
        for (agent, offers) in self.inner.store.offers_waiting().await? {
            self.inner.agents.write().count_waiting(&agent, offers);
        }
        for running in self.inner.store.running().await? {
            if let Some(agent) = self.inner.agents.write().get_mut(&running.by) {
                agent.load += 1;
            }
            if running.in_process && reclaim {
                let command = Command::Reclaim { handoff: running.handoff };
                // One session that cannot be read must not keep all others from going on.
                let reclaimed = self.submit_as_engine(&running.session, command).await;
                if self.stopped().is_some() {
                    reclaimed?;
                }
            }
        }
        self.look_at_breakers();
        Ok(())
    }

    fn start_background(&self) {
        let tasks = [
            tokio::spawn(crate::timers::run(self.clone())),
            tokio::spawn(crate::housekeeping::run(self.clone())),
            tokio::spawn(crate::housekeeping::watch_health(self.clone())),
        ];
        self.inner.tasks.lock().extend(tasks);
        if self.inner.shared.is_some() {
            let tasks = [tokio::spawn(shared::run(self.clone())), tokio::spawn(shared::cover_run(self.clone()))];
            self.inner.tasks.lock().extend(tasks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_is_a_database_and_anything_else_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("postgres.db");
        let opened = tokio::spawn(async move { Engine::connect(file.to_str().unwrap(), Options::default()).await });
        assert!(!opened.await.unwrap().unwrap().is_shared());
        for (address, shared) in [
            ("postgres://u@h/d", true),
            ("postgresql://h", true),
            ("postgres", false),
            ("folder/postgres://x", false),
            ("POSTGRES.db", false),
        ] {
            assert_eq!(is_shared_address(address), shared, "{address}");
        }
    }
}
