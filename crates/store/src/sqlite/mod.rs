//! The store in one SQLite file: one thread that writes, a few connections that read.

mod checkpoint;
mod export;
mod fault;
mod file;
mod flow;
mod lock;
mod migrations;
mod notes;
mod prune;
mod read;
mod readers;
mod room;
mod store;
mod tally;
mod write;
mod writer;

pub use fault::Fault;
pub use write::{Batch, write_commit};

use crate::{Commit, OnCommit, StoreError, failpoint};
use checkpoint::{Checkpoints, LIMITS};
use file::Look;
use handover_core::limits::{WRITER_QUEUE_MAX, WRITER_WAIT_MS};
use parking_lot::Mutex;
use readers::Readers;
use rusqlite::Connection;
use std::{path::Path, sync::Arc, thread::JoinHandle, time::Duration};
use tokio::sync::{mpsc, oneshot};
use writer::{Job, Stopped, Waiting, Writer};

/// Connections for long reads, besides those for short ones.
const SCANNERS: usize = 2;

/// How a store is opened.
pub struct Options {
    /// Whether a commit waits for the disk. Without it a crash of the machine loses what was acknowledged; for
    /// measurements only.
    pub sync: bool,
    /// Connections for short reads.
    pub readers: usize,
    /// Who hears of each durable batch.
    pub on_commit: Option<OnCommit>,
}

impl Default for Options {
    fn default() -> Self {
        Self { sync: true, readers: 4, on_commit: None }
    }
}

/// The store in one SQLite file.
pub struct SqliteStore {
    queue: Option<mpsc::Sender<Job>>,
    stopped: Stopped,
    short: Arc<Readers>,
    long: Arc<Readers>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl SqliteStore {
    /// Opens the database, or makes a new one where there is none.
    ///
    /// # Errors
    /// `InUse` when another process or another store of this process has it, `Newer` when a newer version wrote it,
    /// `Damaged` when it is not ours or not whole, `Failed` when it cannot be opened.
    pub fn open(path: &Path, options: Options) -> Result<Self, StoreError> {
        failpoint::arm_from_environment()?;
        let path = &file::whole(path);
        // Where somebody may have the file already, its lock comes first: opening and closing the file here would let go
        // of the locks that SQLite holds for this process. Elsewhere a look comes first, which leaves no trace beside a
        // file that is not ours.
        let early = if lock::exists(path) { Some(lock::take(path)?) } else { None };
        file::look(path)?;
        let lock = match early {
            Some(lock) => lock,
            None => lock::take(path)?,
        };
        let conn = connect(path, &options)?;
        let failed = |error: std::io::Error| StoreError::Failed(format!("no thread for the store: {error}"));
        let checkpoints = Checkpoints::start(file::checkpointer(path, &options)?, LIMITS).map_err(failed)?;
        let short = Readers::open(path.to_owned(), options.readers)?;
        let long = Readers::open(path.to_owned(), SCANNERS)?;
        let (sender, queue) = mpsc::channel(WRITER_QUEUE_MAX);
        let stopped = Stopped::default();
        let writer = Writer {
            conn,
            queue,
            on_commit: options.on_commit,
            stopped: stopped.clone(),
            checkpoints,
            room: room::Room::of(path),
            lock,
        };
        let thread =
            std::thread::Builder::new().name("handover-writer".into()).spawn(|| writer.run()).map_err(failed)?;
        Ok(Self { queue: Some(sender), stopped, short, long, thread: Mutex::new(Some(thread)) })
    }

    /// How many commits wait for the writer to take them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.as_ref().map_or(0, |queue| queue.max_capacity() - queue.capacity())
    }

    async fn send(&self, job: Job) -> Result<(), StoreError> {
        let queue = self.queue.as_ref().ok_or(StoreError::Closed)?;
        let waited = tokio::time::timeout(Duration::from_millis(WRITER_WAIT_MS), queue.send(job)).await;
        waited.map_err(|_| StoreError::Overloaded)?.map_err(|_| self.gone())
    }

    async fn write(&self, job: impl FnOnce(Box<Waiting>) -> Job, commit: Commit) -> Result<Vec<u64>, StoreError> {
        if self.stopped.get().is_some() {
            return Err(self.gone());
        }
        let (answer, answered) = oneshot::channel();
        self.send(job(Box::new(Waiting { commit, answer }))).await?;
        answered.await.map_err(|_| self.gone())?
    }

    /// Why nobody answers.
    fn gone(&self) -> StoreError {
        self.stopped.get().map_or(StoreError::Closed, |reason| StoreError::Stopped(reason.clone()))
    }

    fn join(&self) {
        let thread = self.thread.lock().take();
        // The last handle may be let go by the writer itself, in what it calls after a batch; it cannot wait for itself.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            // A writer that panicked has said so by `stopped`.
            let _ = thread.join();
        }
    }
}

impl Drop for SqliteStore {
    /// Finishes what has arrived, and lets go of the file.
    fn drop(&mut self) {
        self.short.close();
        self.long.close();
        self.queue = None;
        self.join();
    }
}

/// The connection that writes, without the thread and the lock, for a measurement of the bare statements.
///
/// # Errors
/// As [`SqliteStore::open`].
pub fn connect(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    match file::look(path)? {
        Look::New => file::create(path)?,
        Look::Ours => {}
    }
    file::writer(path, options)
}
