//! Moving the log into the database, beside the writing, so that the log stays bounded and no commit waits for it.
//!
//! A thread of its own copies the bulk while commits go on. What they added meanwhile is a small rest; the writer moves
//! it between two batches, because the log can only start anew when nothing is left in it.

use super::fault::Fault;
use rusqlite::Connection;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
};

/// Pages in the log that start a checkpoint.
pub(super) const LOG_PAGES: i64 = 10_000;
/// A rest of so many pages is small.
const REST_PAGES: i64 = 500;
/// How often the bulk is copied before the rest is taken as it is.
const ROUNDS_MAX: u32 = 4;
/// Pages in the log at which the writer moves everything itself, whatever the thread is doing.
const LOG_PAGES_MAX: i64 = 8 * LOG_PAGES;
/// Batches between two looks at the log.
const LOOK_EVERY: u32 = 8;

/// The writer's end.
pub(super) struct Checkpoints {
    wake: Option<SyncSender<()>>,
    bulk_moved: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    batches: u32,
    /// Pages in the log at which it is looked at again, after readers kept it from starting anew.
    next_at: i64,
}

/// How much is in the log, and how much of it is in the database already.
struct Log {
    pages: i64,
    moved: i64,
}

impl Checkpoints {
    /// Starts the thread.
    pub(super) fn start(conn: Connection) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let bulk_moved = Arc::new(AtomicBool::new(false));
        let done = bulk_moved.clone();
        let thread =
            std::thread::Builder::new().name("handover-log".into()).spawn(move || move_bulk(&conn, &woken, &done))?;
        Ok(Self { wake: Some(wake), bulk_moved, thread: Some(thread), batches: 0, next_at: LOG_PAGES })
    }

    /// Called by the writer between two batches.
    pub(super) fn after_batch(&mut self, conn: &Connection) -> Result<(), Fault> {
        if self.bulk_moved.swap(false, Ordering::Acquire) {
            return self.move_rest(conn);
        }
        self.batches += 1;
        if self.batches < LOOK_EVERY {
            return Ok(());
        }
        self.batches = 0;
        let log = checkpoint(conn, "NOOP")?;
        if log.pages >= LOG_PAGES_MAX.max(self.next_at) {
            return self.move_rest(conn);
        }
        if log.pages >= self.next_at
            && let Some(wake) = &self.wake
        {
            // A full channel means that the thread has been told already.
            let _ = wake.try_send(());
        }
        Ok(())
    }

    fn move_rest(&mut self, conn: &Connection) -> Result<(), Fault> {
        let log = checkpoint(conn, "PASSIVE")?;
        // With everything moved, the next batch starts the log anew. Otherwise a reader still needs it; try again later.
        self.next_at = if log.moved >= log.pages { LOG_PAGES } else { log.pages + LOG_PAGES };
        Ok(())
    }

    /// Ends the thread.
    pub(super) fn stop(mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell: its failures are the writer's to notice.
            let _ = thread.join();
        }
    }
}

fn move_bulk(conn: &Connection, woken: &Receiver<()>, done: &AtomicBool) {
    while woken.recv().is_ok() {
        for _ in 0..ROUNDS_MAX {
            // What a checkpoint says is as of its start; the second question counts what came meanwhile.
            match checkpoint(conn, "PASSIVE").and_then(|_| checkpoint(conn, "NOOP")) {
                Ok(log) if log.pages - log.moved > REST_PAGES => {}
                // A failure here harms nothing that was promised; the writer meets it itself when it moves the rest.
                Ok(_) | Err(_) => break,
            }
        }
        done.store(true, Ordering::Release);
    }
}

fn checkpoint(conn: &Connection, mode: &str) -> Result<Log, Fault> {
    let sql = match mode {
        "NOOP" => "PRAGMA wal_checkpoint(NOOP)",
        _ => "PRAGMA wal_checkpoint(PASSIVE)",
    };
    Ok(conn.query_row(sql, [], |row| Ok(Log { pages: row.get(1)?, moved: row.get(2)? }))?)
}

/// Moves everything and empties the log, when the store closes.
pub(super) fn finish(conn: &Connection) -> Result<(), Fault> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
