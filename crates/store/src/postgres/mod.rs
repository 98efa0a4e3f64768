//! The store in a PostgreSQL database that several processes share: a task that writes, one that follows what all write,
//! one that gives signs of life, and a few connections that read. The folder mirrors that of the SQLite store.

mod address;
mod connect;
mod fault;
mod follow;
mod import;
mod migrations;
mod node;
mod notes;
mod partitions;
mod postings;
mod read;
mod readers;
mod store;
mod tls;
mod write;
mod writer;

pub use fault::Fault;
pub(crate) use import::Import;

/// How long one span of time is, in milliseconds.
const SPAN_MS: i64 = 10 * 60 * 1_000;

use crate::{Commit, Hooks, Node, Prunable, Running, StoreError, failpoint};
use address::Address;
use connect::{Client, within};
use follow::Follower;
use handover_core::limits::{
    FOLLOW_PAGE, PUBLISH_QUEUE_MAX, STORE_BATCH_MS, STORE_READERS, STORE_SCAN_MS, STORE_SCANNERS, WRITER_QUEUE_MAX,
    WRITER_WAIT_MS,
};
use node::{Beat, Identity};
use parking_lot::Mutex;
use readers::{Patience, Readers, read};
use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, atomic::AtomicU64},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    task::JoinHandle,
};
use uuid::Uuid;
use writer::{Job, Waiting, Writer};

/// How a store is opened.
pub struct Options {
    /// Where the database is: `postgres://user:password@host:port/database?schema=…`.
    pub address: String,
    /// How people call this process.
    pub name: String,
    /// Who hears of what happens.
    pub hooks: Hooks,
}

/// The store in a PostgreSQL database. What it does by itself it does on the runtime that it was opened on.
pub struct PostgresStore {
    short: Readers,
    long: Readers,
    queue: mpsc::Sender<Job>,
    identity: Arc<Identity>,
    bell: Arc<Notify>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl PostgresStore {
    /// Opens the database, and makes or renews what it needs there.
    ///
    /// # Errors
    /// `Away` when the database cannot be reached, `Newer` when a newer version needs it for itself, `Failed` when it
    /// cannot be used.
    pub async fn open(options: Options) -> Result<Self, StoreError> {
        failpoint::arm_from_environment()?;
        let address = Address::read(&options.address, &options.name)?;
        let client = reached(&address).await?;
        migrations::apply(&client, &address).await?;
        let identity = Arc::new(Identity::new(options.name));
        let begun = within(STORE_BATCH_MS, async {
            let last: i64 = client.query_one("SELECT last FROM feed", &[]).await?.try_get(0)?;
            identity.look_at_clock(&client).await?;
            Ok(last.unsigned_abs())
        });
        let last = begun.await?;
        within(STORE_BATCH_MS, identity.register(&client)).await?;
        Ok(Self::start(&address, Arc::new(options.hooks), identity, client, last))
    }

    fn start(address: &Address, hooks: Arc<Hooks>, identity: Arc<Identity>, client: Client, last: u64) -> Self {
        let (queue, jobs) = mpsc::channel(WRITER_QUEUE_MAX);
        let (follower, own) = mpsc::channel(PUBLISH_QUEUE_MAX);
        let (closed, closing) = watch::channel(false);
        let pending = Arc::new(AtomicU64::new(0));
        let bell = Arc::new(Notify::new());
        let writer = Writer {
            address: address.clone(),
            hooks: hooks.clone(),
            identity: identity.clone(),
            queue: jobs,
            follower,
            pending: pending.clone(),
            client: Some(client),
            closed,
            backlog: VecDeque::new(),
            number: 0,
            made: HashSet::new(),
            statement: write::statement(),
        };
        let follower = Follower {
            address: address.clone(),
            hooks,
            own,
            pending,
            bell: bell.clone(),
            last,
            client: None,
            page_rows: FOLLOW_PAGE,
        };
        let beat = Beat {
            address: address.clone(),
            identity: identity.clone(),
            closed: closing,
            client: None,
            others: true,
            month: 0,
        };
        let tasks = vec![tokio::spawn(writer.run()), tokio::spawn(follower.run()), tokio::spawn(beat.run())];
        let short = Readers::new(address.clone(), STORE_READERS, STORE_BATCH_MS);
        let long = Readers::new(address.clone(), STORE_SCANNERS, STORE_SCAN_MS);
        Self { short, long, queue, identity, bell, tasks: Mutex::new(tasks) }
    }

    /// How many commits wait for the writer to take them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Who this process is.
    fn node(&self) -> Uuid {
        self.identity.id()
    }

    fn look_soon(&self) {
        self.bell.notify_one();
    }

    async fn write_commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError> {
        self.write(Job::Commit, commit).await
    }

    async fn write_prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError> {
        self.write(|waiting| Job::Prune(parts, waiting), commit).await
    }

    async fn write(&self, job: impl FnOnce(Box<Waiting>) -> Job, commit: Commit) -> Result<Vec<u64>, StoreError> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { commit, answer: Some(answer), since: Instant::now() };
        self.send(job(Box::new(waiting))).await?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    async fn send(&self, job: Job) -> Result<(), StoreError> {
        let waited = tokio::time::timeout(Duration::from_millis(WRITER_WAIT_MS), self.queue.send(job)).await;
        waited.map_err(|_| StoreError::Overloaded)?.map_err(|_| StoreError::Closed)
    }

    async fn abandoned_work(&self) -> Result<Vec<Running>, StoreError> {
        read!(self.long, client => node::abandoned(client))
    }

    async fn chore(&self, chore: &str, for_ms: u64) -> Result<bool, StoreError> {
        read!(self.short, client => node::take_chore(client, self.node(), chore, for_ms))
    }

    async fn say_it_serves(&self) -> Result<(), StoreError> {
        read!(self.short, client => self.identity.serve(client))
    }

    async fn live_nodes(&self) -> Result<Vec<Node>, StoreError> {
        read!(self.short, client => node::nodes(client, self.node()))
    }

    /// Finishes what has arrived, says goodbye, and lets go of all connections.
    async fn shut(&self) -> Result<(), StoreError> {
        self.short.close();
        self.long.close();
        let (answer, answered) = oneshot::channel();
        // Closing twice is closing.
        if self.send(Job::Close(answer)).await.is_ok() {
            let _ = answered.await;
        }
        let tasks = std::mem::take(&mut *self.tasks.lock());
        for task in tasks {
            // One that panicked has nothing left to finish.
            let _ = task.await;
        }
        Ok(())
    }
}

impl Drop for PostgresStore {
    /// The tasks finish what has arrived, and end by themselves.
    fn drop(&mut self) {
        self.short.close();
        self.long.close();
    }
}

/// The first connection; a database that is just starting is waited for.
async fn reached(address: &Address) -> Result<Client, StoreError> {
    let mut patience = Patience::new();
    loop {
        match Client::connect(address, None).await {
            Ok(client) => return Ok(client),
            Err(Fault::Away(why)) => patience.again(why).await?,
            Err(fault) => return Err(fault.into()),
        }
    }
}
