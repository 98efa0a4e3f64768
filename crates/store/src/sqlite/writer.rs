//! The one thread that writes. It takes whatever has arrived, writes it as one transaction, syncs, publishes, answers.
//!
//! While one batch is being synced the next one gathers, so there is no timer: a quiet store answers at once, a busy one
//! shares each sync among many. After a failure of the disk nothing more is written, because nobody knows what the disk
//! holds; reading goes on.

use super::{
    OnCommit,
    checkpoint::{self, Checkpoints},
    fault::Fault,
    lock::Lock,
    notes, prune,
    room::Room,
    write::Batch,
};
use crate::{Prunable, StoreError, StoredRecord, failpoint, rows::Commit};
use handover_core::limits::{BATCH_BYTES_MAX, BATCH_COMMITS_MAX};
use rusqlite::Connection;
use std::sync::{Arc, OnceLock};
use tokio::sync::{mpsc, oneshot};

type Written = Result<Vec<u64>, StoreError>;

/// A commit and whoever waits for it.
pub(super) struct Waiting {
    pub(super) commit: Commit,
    pub(super) answer: oneshot::Sender<Written>,
}

/// A note of a rim and whoever waits for it.
pub(super) struct Noting {
    pub(super) space: String,
    pub(super) key: String,
    /// Nothing where it is removed.
    pub(super) body: Option<String>,
    pub(super) answer: oneshot::Sender<Result<(), StoreError>>,
}

/// What the writer is asked to do.
pub(super) enum Job {
    Commit(Box<Waiting>),
    Prune(Vec<Prunable>, Box<Waiting>),
    Note(Box<Noting>),
    Close(oneshot::Sender<Result<(), StoreError>>),
}

/// Why nothing more is written.
pub(super) type Stopped = Arc<OnceLock<String>>;

/// The thread's own things.
pub(super) struct Writer {
    pub(super) conn: Connection,
    pub(super) queue: mpsc::Receiver<Job>,
    pub(super) on_commit: Option<OnCommit>,
    pub(super) stopped: Stopped,
    pub(super) checkpoints: Checkpoints,
    pub(super) room: Room,
    pub(super) lock: Lock,
}

/// Says so when the thread ends in any other way than by being asked to.
struct Watch(Stopped, bool);

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.1 {
            self.0.get_or_init(|| "the writer ended unexpectedly".to_owned());
        }
    }
}

impl Writer {
    /// Until the store is closed or dropped.
    pub(super) fn run(mut self) {
        let mut watch = Watch(self.stopped.clone(), false);
        self.make_room(0);
        let mut closing = None;
        let mut next = self.queue.blocking_recv();
        while let Some(job) = next {
            next = match job {
                Job::Commit(first) => {
                    let (batch, after) = self.gather(*first);
                    self.batch(batch);
                    after.or_else(|| self.queue.blocking_recv())
                }
                Job::Prune(parts, waiting) => {
                    self.prune(&parts, *waiting);
                    self.queue.blocking_recv()
                }
                Job::Note(noting) => {
                    self.note(*noting);
                    self.queue.blocking_recv()
                }
                Job::Close(answer) => {
                    closing = Some(answer);
                    break;
                }
            };
        }
        watch.1 = true;
        let finished = self.finish();
        if let Some(answer) = closing {
            let _ = answer.send(finished);
        }
    }

    /// What has arrived, up to a batch, and the job of another kind that ended the gathering.
    fn gather(&mut self, first: Waiting) -> (Vec<Waiting>, Option<Job>) {
        let mut bytes = first.commit.bytes();
        let mut batch = vec![first];
        while batch.len() < BATCH_COMMITS_MAX && bytes < BATCH_BYTES_MAX {
            match self.queue.try_recv() {
                Ok(Job::Commit(waiting)) => {
                    bytes += waiting.commit.bytes();
                    batch.push(*waiting);
                }
                Ok(other) => return (batch, Some(other)),
                Err(_) => break,
            }
        }
        (batch, None)
    }

    fn batch(&mut self, batch: Vec<Waiting>) {
        let written = self.transaction(&batch);
        match written {
            Ok(written) => self.acknowledge(batch, written),
            // One of them cannot be written. Alone, each shows whether it is the one.
            Err(Fault::Bad(_)) if batch.len() > 1 => {
                for waiting in batch {
                    self.batch(vec![waiting]);
                }
            }
            Err(fault) => self.refuse(batch, fault),
        }
        self.look_after_log();
    }

    /// Writes and commits; on any failure nothing of it remains. The inner results are conflicts of single commits.
    fn transaction(&self, batch: &[Waiting]) -> Result<Vec<Result<Vec<u64>, Fault>>, Fault> {
        self.in_transaction(|conn| {
            let mut rows = Batch::begin(conn)?;
            let mut written = Vec::with_capacity(batch.len());
            for waiting in batch {
                match rows.write(&waiting.commit) {
                    Ok(positions) => written.push(Ok(positions)),
                    Err(Fault::Conflict) => written.push(Err(Fault::Conflict)),
                    Err(fault) => return Err(fault),
                }
            }
            rows.finish()?;
            Ok(written)
        })
    }

    fn in_transaction<T>(&self, write: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, Fault> {
        if let Some(reason) = self.stopped.get() {
            return Err(Fault::Broken(reason.clone()));
        }
        hit("sqlite.received")?;
        self.conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let written = hit("sqlite.after_begin").and_then(|()| write(&self.conn)).and_then(|written| {
            hit("sqlite.after_writes")?;
            hit("sqlite.before_commit")?;
            self.commit()?;
            Ok(written)
        });
        if written.is_err() && !self.conn.is_autocommit() {
            // Should this fail too, the transaction stays open and no other can begin: nothing is written either way.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
        let written = written?;
        hit("sqlite.after_commit")?;
        Ok(written)
    }

    /// A commit that fails leaves it open what the disk holds, whatever the reason.
    fn commit(&self) -> Result<(), Fault> {
        let mut commit = self.conn.prepare_cached("COMMIT")?;
        commit.execute([]).map_err(|error| Fault::Broken(error.to_string()))?;
        Ok(())
    }

    /// Publishes, then answers: nobody hears of an answer before the feed has its records.
    fn acknowledge(&self, batch: Vec<Waiting>, written: Vec<Result<Vec<u64>, Fault>>) {
        let pairs = || batch.iter().map(|waiting| &waiting.commit).zip(&written);
        let last = pairs().filter_map(|(_, written)| written.as_ref().ok()?.last().copied()).max();
        if let (Some(publish), Some(last)) = (&self.on_commit, last) {
            let durable = || pairs().filter_map(|(commit, written)| Some((commit, written.as_ref().ok()?)));
            publish(last, &|| durable().flat_map(|(commit, positions)| stored(commit, positions)).collect());
        }
        if let Err(fault) = hit("sqlite.after_publish") {
            return self.refuse(batch, fault);
        }
        for (waiting, written) in batch.into_iter().zip(written) {
            let _ = waiting.answer.send(written.map_err(StoreError::from));
        }
        if let Err(fault) = hit("sqlite.after_answer") {
            self.stop(&fault);
        }
    }

    fn refuse(&self, batch: Vec<Waiting>, fault: Fault) {
        let error = if fault.stops() { StoreError::Stopped(self.stop(&fault)) } else { StoreError::from(fault) };
        for waiting in batch {
            let _ = waiting.answer.send(Err(error.clone()));
        }
    }

    /// Nothing more is written. The first reason stays.
    fn stop(&self, fault: &Fault) -> String {
        self.stopped.get_or_init(|| fault.to_string()).clone()
    }

    fn prune(&mut self, parts: &[Prunable], waiting: Waiting) {
        match self.in_transaction(|conn| prune::prune(conn, parts, &waiting.commit)) {
            Ok(positions) => self.acknowledge(vec![waiting], vec![Ok(positions)]),
            Err(fault) => self.refuse(vec![waiting], fault),
        }
        self.look_after_log();
    }

    fn note(&mut self, noting: Noting) {
        let Noting { space, key, body, answer } = noting;
        let written = self.in_transaction(|conn| notes::keep(conn, &space, &key, body.as_deref()));
        let written = written.map_err(|fault| {
            if fault.stops() { StoreError::Stopped(self.stop(&fault)) } else { StoreError::from(fault) }
        });
        let _ = answer.send(written);
        self.look_after_log();
    }

    fn look_after_log(&mut self) {
        if self.stopped.get().is_some() {
            return;
        }
        match self.checkpoints.after_batch(&self.conn) {
            Err(fault) if fault.stops() => {
                self.stop(&fault);
            }
            // Nobody waits: a good moment to make room.
            Ok(Some(pages)) if self.queue.is_empty() => self.make_room(pages),
            Ok(_) | Err(_) => {}
        }
    }

    /// Makes room in the log, alone with it: a transaction keeps everybody else from writing behind its end meanwhile.
    fn make_room(&self, pages: i64) {
        if !self.room.is_low(pages) || self.conn.execute_batch("BEGIN IMMEDIATE").is_err() {
            return;
        }
        let made = self.room.make();
        // Nothing was written in it; should this fail, no other can begin, and the next commit says so.
        let _ = self.conn.execute_batch("ROLLBACK");
        if let Err(error) = made {
            self.stop(&Fault::Broken(error.to_string()));
        }
    }

    /// Empties the log and lets go of the file, in this order.
    fn finish(self) -> Result<(), StoreError> {
        let Self { conn, queue, on_commit, stopped, checkpoints, room: _, lock } = self;
        drop(queue);
        drop(on_commit);
        checkpoints.stop();
        let finished = if stopped.get().is_none() { checkpoint::finish(&conn) } else { Ok(()) };
        let closed = conn.close().map_err(|(_, error)| Fault::from(error));
        drop(lock);
        finished.and(closed).map_err(StoreError::from)
    }
}

/// A place of the writer; one that is armed to fail fails as the disk would.
fn hit(name: &'static str) -> Result<(), Fault> {
    failpoint::hit(name).map_err(|error| Fault::Broken(error.to_string()))
}

fn stored<'a>(commit: &'a Commit, positions: &'a [u64]) -> impl Iterator<Item = StoredRecord> + 'a {
    commit.records.iter().zip(positions).map(|(row, position)| StoredRecord {
        position: *position,
        session_id: commit.session.id.clone(),
        seq: row.seq,
        hash: row.hash,
        text: row.text.as_str().into(),
    })
}
