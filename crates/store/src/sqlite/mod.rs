//! The store in one SQLite file: one thread that writes, a few connections that read.

mod checkpoint;
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
mod tally;
mod write;
mod writer;

pub use fault::Fault;
pub use write::{Batch, write_commit};

use crate::{
    ChainEnds, Commit, Due, Figures, FiguresQuery, FirstAnswer, FlowRow, HandoffCheck, HandoffQuery, Offer, Prunable,
    RecordQuery, Reserved, Retention, Running, Stats, Store, StoreError, StoredRecord, StoredReturn, Totals,
    failpoint::{self, hit},
};
use async_trait::async_trait;
use checkpoint::{Checkpoints, LIMITS};
use file::Look;
use handover_core::{
    access::Whose,
    agent::{Profile, Standing},
    handoff::Handoff,
    ids::{AgentId, HandoffId, SessionId},
    ledger::{Account, Entry},
    limits::{WRITER_QUEUE_MAX, WRITER_WAIT_MS},
    message::Message,
    session::Session,
    time::Timestamp,
};
use parking_lot::Mutex;
use readers::Readers;
use rusqlite::Connection;
use std::{path::Path, sync::Arc, thread::JoinHandle, time::Duration};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use writer::{Job, Noting, Stopped, Waiting, Writer};

/// What the writer calls after each durable batch, before it answers: the last position, and the batch's records in the
/// order of their positions, made only when asked for. It runs on the writing thread: it must be quick, and must not
/// wait for the store.
pub type OnCommit = Box<dyn Fn(u64, &dyn Fn() -> Vec<StoredRecord>) + Send + Sync>;

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

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("commit.enter")?;
        let positions = self.write(Job::Commit, commit).await?;
        hit("commit.exit")?;
        Ok(positions)
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        hit("session.enter")?;
        let found = self.short.read(|conn| read::sessions::session(conn, id)).await?;
        hit("session.exit")?;
        Ok(found)
    }

    async fn sessions(&self, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, StoreError> {
        hit("sessions.enter")?;
        let tenant = tenant.to_owned();
        let found = self.long.scan(move |conn| read::sessions::sessions(conn, &tenant, skip, limit)).await?;
        hit("sessions.exit")?;
        Ok(found)
    }

    async fn in_states(
        &self,
        tenant: &str,
        workflow: &str,
        states: &[String],
        most: usize,
    ) -> Result<Vec<usize>, StoreError> {
        hit("in_states.enter")?;
        let (tenant, workflow, states) = (tenant.to_owned(), workflow.to_owned(), states.to_vec());
        let found = self.long.scan(move |conn| read::flow::in_states(conn, &tenant, &workflow, &states, most)).await?;
        hit("in_states.exit")?;
        Ok(found)
    }

    async fn sessions_in_state(
        &self,
        tenant: &str,
        flow: &FlowRow,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<SessionId>, StoreError> {
        hit("sessions_in_state.enter")?;
        let (tenant, flow) = (tenant.to_owned(), flow.clone());
        let found = self.long.scan(move |conn| read::flow::in_state(conn, &tenant, &flow, skip, limit)).await?;
        hit("sessions_in_state.exit")?;
        Ok(found)
    }

    async fn handoff(&self, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        hit("handoff.enter")?;
        let found = self.short.read(|conn| read::handoffs::handoff(conn, id)).await?;
        hit("handoff.exit")?;
        Ok(found)
    }

    async fn handoffs_between(
        &self,
        tenant: &str,
        first: HandoffId,
        last: HandoffId,
        limit: usize,
    ) -> Result<Vec<HandoffId>, StoreError> {
        hit("handoffs_between.enter")?;
        let found = self.short.read(|conn| read::handoffs::between(conn, tenant, first, last, limit)).await?;
        hit("handoffs_between.exit")?;
        Ok(found)
    }

    async fn handoffs(&self, query: &HandoffQuery) -> Result<Vec<Handoff>, StoreError> {
        hit("handoffs.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::handoffs::handoffs(conn, &query)).await?;
        hit("handoffs.exit")?;
        Ok(found)
    }

    async fn handoff_rows(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HandoffCheck>, StoreError> {
        hit("handoff_rows.enter")?;
        let session = session.clone();
        let found = self.long.scan(move |conn| read::handoffs::rows(conn, &session, after, limit)).await?;
        hit("handoff_rows.exit")?;
        Ok(found)
    }

    async fn tenant(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        hit("tenant.enter")?;
        let found = self.short.read(|conn| read::sessions::tenant(conn, id)).await?;
        hit("tenant.exit")?;
        Ok(found)
    }

    async fn whose(&self, id: &SessionId) -> Result<Option<Whose>, StoreError> {
        hit("whose.enter")?;
        let found = self.short.read(|conn| read::sessions::whose(conn, id)).await?;
        hit("whose.exit")?;
        Ok(found)
    }

    async fn count(
        &self,
        session: &SessionId,
        from: Option<&AgentId>,
        to: Option<&AgentId>,
    ) -> Result<u64, StoreError> {
        hit("count.enter")?;
        let found = self.short.read(|conn| read::handoffs::count(conn, session, from, to)).await?;
        hit("count.exit")?;
        Ok(found)
    }

    async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, StoreError> {
        hit("messages.enter")?;
        let found = self.short.read(|conn| read::messages::messages(conn, session, first, last)).await?;
        hit("messages.exit")?;
        Ok(found)
    }

    async fn answered(&self, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, StoreError> {
        hit("answered.enter")?;
        let found = self.short.read(|conn| read::returns::answered(conn, session, key)).await?;
        hit("answered.exit")?;
        Ok(found)
    }

    async fn waiting_return(&self, of: Uuid) -> Result<Option<StoredReturn>, StoreError> {
        hit("waiting_return.enter")?;
        let found = self.short.read(|conn| read::returns::waiting_return(conn, of)).await?;
        hit("waiting_return.exit")?;
        Ok(found)
    }

    async fn waiting_returns(&self, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, StoreError> {
        hit("waiting_returns.enter")?;
        let found = self.short.read(|conn| read::returns::waiting_returns(conn, to, limit)).await?;
        hit("waiting_returns.exit")?;
        Ok(found)
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        hit("due.enter")?;
        let found = self.short.read(|conn| read::queue::due(conn, now, limit)).await?;
        hit("due.exit")?;
        Ok(found)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        hit("next_due.enter")?;
        let found = self.short.read(read::queue::next_due).await?;
        hit("next_due.exit")?;
        Ok(found)
    }

    async fn offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        hit("offers.enter")?;
        let found = self.short.read(|conn| read::queue::offers(conn, to, limit)).await?;
        hit("offers.exit")?;
        Ok(found)
    }

    async fn offers_waiting(&self) -> Result<Vec<(AgentId, u32)>, StoreError> {
        hit("offers_waiting.enter")?;
        let found = self.long.scan(read::queue::offers_waiting).await?;
        hit("offers_waiting.exit")?;
        Ok(found)
    }

    async fn running(&self) -> Result<Vec<Running>, StoreError> {
        hit("running.enter")?;
        let found = self.long.scan(read::queue::running).await?;
        hit("running.exit")?;
        Ok(found)
    }

    async fn open_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        hit("open_sessions.enter")?;
        let found = self.long.scan(read::queue::open_sessions).await?;
        hit("open_sessions.exit")?;
        Ok(found)
    }

    async fn agents(&self) -> Result<Vec<(Profile, Standing)>, StoreError> {
        hit("agents.enter")?;
        let found = self.long.scan(read::agents::agents).await?;
        hit("agents.exit")?;
        Ok(found)
    }

    async fn ledger(&self) -> Result<Vec<(Account, Entry)>, StoreError> {
        hit("ledger.enter")?;
        let found = self.long.scan(read::ledger::ledger).await?;
        hit("ledger.exit")?;
        Ok(found)
    }

    async fn reserved(&self) -> Result<Vec<Reserved>, StoreError> {
        hit("reserved.enter")?;
        let found = self.long.scan(read::ledger::reserved).await?;
        hit("reserved.exit")?;
        Ok(found)
    }

    async fn records(&self, query: &RecordQuery) -> Result<Vec<StoredRecord>, StoreError> {
        hit("records.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::records::records(conn, &query)).await?;
        hit("records.exit")?;
        Ok(found)
    }

    async fn last_position(&self) -> Result<(u64, Timestamp), StoreError> {
        hit("last_position.enter")?;
        let found = self.short.read(read::records::last_position).await?;
        hit("last_position.exit")?;
        Ok(found)
    }

    async fn chains(&self, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, StoreError> {
        hit("chains.enter")?;
        let after = after.cloned();
        let found = self.long.scan(move |conn| read::sessions::chains(conn, after.as_ref(), limit)).await?;
        hit("chains.exit")?;
        Ok(found)
    }

    async fn chain(&self, session: &SessionId) -> Result<Option<ChainEnds>, StoreError> {
        hit("chain.enter")?;
        let found = self.short.read(|conn| read::sessions::chain(conn, session)).await?;
        hit("chain.exit")?;
        Ok(found)
    }

    async fn prunable(&self, retention: Retention, now: Timestamp, limit: usize) -> Result<Vec<Prunable>, StoreError> {
        hit("prunable.enter")?;
        let found = self.long.scan(move |conn| read::prunable::prunable(conn, retention, now, limit)).await?;
        hit("prunable.exit")?;
        Ok(found)
    }

    async fn prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("prune.enter")?;
        let positions = self.write(|waiting| Job::Prune(parts, waiting), commit).await?;
        hit("prune.exit")?;
        Ok(positions)
    }

    async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), StoreError> {
        hit("keep_note.enter")?;
        if self.stopped.get().is_some() {
            return Err(self.gone());
        }
        let (answer, answered) = oneshot::channel();
        let (space, key) = (space.to_owned(), key.to_owned());
        self.send(Job::Note(Box::new(Noting { space, key, body, answer }))).await?;
        answered.await.map_err(|_| self.gone())??;
        hit("keep_note.exit")
    }

    async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        hit("notes.enter")?;
        let found = self.short.read(|conn| read::notes::notes(conn, space, after, limit)).await?;
        hit("notes.exit")?;
        Ok(found)
    }

    async fn stats(&self, tenant: &str) -> Result<Stats, StoreError> {
        hit("stats.enter")?;
        let tenant = tenant.to_owned();
        let found = self.long.scan(move |conn| read::stats::stats(conn, &tenant)).await?;
        hit("stats.exit")?;
        Ok(found)
    }

    async fn totals(&self) -> Result<Totals, StoreError> {
        hit("totals.enter")?;
        let found = self.long.scan(read::stats::totals).await?;
        hit("totals.exit")?;
        Ok(found)
    }

    async fn figures(&self, query: &FiguresQuery) -> Result<Figures, StoreError> {
        hit("figures.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::figures::figures(conn, &query)).await?;
        hit("figures.exit")?;
        Ok(found)
    }

    fn stopped(&self) -> Option<String> {
        self.stopped.get().cloned()
    }

    async fn close(&self) -> Result<(), StoreError> {
        hit("close.enter")?;
        self.short.close();
        self.long.close();
        let (answer, answered) = oneshot::channel();
        // Closing twice is closing.
        if self.send(Job::Close(answer)).await.is_ok()
            && let Ok(closed) = answered.await
        {
            closed?;
        }
        self.join();
        hit("close.exit")?;
        Ok(())
    }
}
