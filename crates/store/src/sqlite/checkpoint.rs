//! Moving the log into the database, beside the writing, so that the log stays bounded and no commit waits for it.
//!
//! A thread of its own copies the bulk while commits go on. What they added meanwhile is a small rest; the writer moves
//! it between two batches, because the log can only start anew when nothing is left in it.

use super::fault::Fault;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::JoinHandle,
    time::Duration,
};

/// How long the log may become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Pages that start a checkpoint.
    pages: i64,
    /// Pages at which the writer moves everything itself, whatever the thread is doing.
    pages_max: i64,
    /// Batches between two looks at the log.
    look_every: u32,
}

/// 40 MiB start a checkpoint, and 320 MiB end the patience.
pub(super) const LIMITS: Limits = Limits { pages: 10_000, pages_max: 80_000, look_every: 8 };
/// A rest of so many pages is small.
const REST_PAGES: i64 = 500;
/// How long the writer waits for the thread when the log has become too long.
const PATIENCE: Duration = Duration::from_millis(250);
/// How often the bulk is copied before the rest is taken as it is.
const ROUNDS_MAX: u32 = 4;

/// The writer's end.
pub(super) struct Checkpoints {
    limits: Limits,
    wake: Option<SyncSender<()>>,
    bulk_moved: Arc<AtomicBool>,
    /// One checkpoint at a time: SQLite does not wait for another one, and says busy at once.
    gate: Arc<Mutex<()>>,
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
    pub(super) fn start(conn: Connection, limits: Limits) -> std::io::Result<Self> {
        let (wake, woken) = sync_channel(1);
        let bulk_moved = Arc::new(AtomicBool::new(false));
        let done = bulk_moved.clone();
        let gate = Arc::new(Mutex::new(()));
        let shared = gate.clone();
        let thread = std::thread::Builder::new()
            .name("handover-log".into())
            .spawn(move || move_bulk(&conn, &woken, &done, &shared))?;
        Ok(Self { limits, wake: Some(wake), bulk_moved, gate, thread: Some(thread), batches: 0, next_at: limits.pages })
    }

    /// Called by the writer between two batches. Gives the pages in the log, when it looked.
    pub(super) fn after_batch(&mut self, conn: &Connection) -> Result<Option<i64>, Fault> {
        if self.bulk_moved.swap(false, Ordering::Acquire) {
            return self.move_rest(conn).map(|()| None);
        }
        self.batches += 1;
        if self.batches < self.limits.look_every {
            return Ok(None);
        }
        self.batches = 0;
        let log = checkpoint(conn, "NOOP")?;
        if log.pages >= self.limits.pages_max.max(self.next_at) {
            // Patience is over: wait a moment for the thread and for readers, so that the next batch starts the log anew.
            let gate = self.gate.clone();
            let _alone = gate.lock();
            conn.busy_timeout(PATIENCE)?;
            let moved = checkpoint(conn, "RESTART");
            conn.busy_timeout(super::file::BUSY)?;
            moved?;
            return self.move_rest(conn).map(|()| None);
        }
        if log.pages >= self.next_at
            && let Some(wake) = &self.wake
        {
            // A full channel means that the thread has been told already.
            let _ = wake.try_send(());
        }
        Ok(Some(log.pages))
    }

    fn move_rest(&mut self, conn: &Connection) -> Result<(), Fault> {
        let log = checkpoint(conn, "PASSIVE")?;
        // With everything moved, the next batch starts the log anew. Otherwise a reader still needs it; try again later.
        self.next_at = if log.moved >= log.pages { self.limits.pages } else { log.pages + self.limits.pages };
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

fn move_bulk(conn: &Connection, woken: &Receiver<()>, done: &AtomicBool, gate: &Mutex<()>) {
    while woken.recv().is_ok() {
        for _ in 0..ROUNDS_MAX {
            let alone = gate.lock();
            // What a checkpoint says is as of its start; the second question counts what came meanwhile.
            let log = checkpoint(conn, "PASSIVE").and_then(|_| checkpoint(conn, "NOOP"));
            // The writer, should it wait, comes next.
            MutexGuard::unlock_fair(alone);
            match log {
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
        "RESTART" => "PRAGMA wal_checkpoint(RESTART)",
        _ => "PRAGMA wal_checkpoint(PASSIVE)",
    };
    Ok(conn.query_row(sql, [], |row| Ok(Log { pages: row.get(1)?, moved: row.get(2)? }))?)
}

/// Moves everything and empties the log, when the store closes.
pub(super) fn finish(conn: &Connection) -> Result<(), Fault> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connect(path: &std::path::Path) -> Connection {
        let conn = Connection::open(path).unwrap();
        conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).unwrap();
        conn.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
        conn.pragma_update(None, "synchronous", "OFF").unwrap();
        conn
    }

    fn write(conn: &Connection) {
        conn.execute("INSERT INTO t (text) VALUES (?1)", ["x".repeat(20_000)]).unwrap();
    }

    #[test]
    fn the_log_stays_bounded_under_constant_writing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let conn = connect(&path);
        conn.execute_batch("CREATE TABLE t (text)").unwrap();
        let limits = Limits { pages: 50, pages_max: 400, look_every: 2 };
        let mut checkpoints = Checkpoints::start(connect(&path), limits).unwrap();
        let (mut longest, mut total) = (0, 0);
        for _ in 0..4_000 {
            write(&conn);
            total += 5;
            checkpoints.after_batch(&conn).unwrap();
            longest = longest.max(checkpoint(&conn, "NOOP").unwrap().pages);
        }
        checkpoints.stop();
        // The other thread may be in the middle of a checkpoint when patience ends, and that more than once.
        assert!(longest < 4 * limits.pages_max && total > 10 * longest, "{longest} of {total}");
        finish(&conn).unwrap();
        assert_eq!(std::fs::metadata(folder.path().join("x.db-wal")).unwrap().len(), 0);
    }

    #[test]
    fn a_reader_that_stays_only_puts_it_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        let conn = connect(&path);
        conn.execute_batch("CREATE TABLE t (text)").unwrap();
        let limits = Limits { pages: 50, pages_max: 100, look_every: 1 };
        let mut checkpoints = Checkpoints::start(connect(&path), limits).unwrap();
        let reader = connect(&path);
        let reading = reader.unchecked_transaction().unwrap();
        let seen: i64 = reading.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        for _ in 0..200 {
            write(&conn);
            checkpoints.after_batch(&conn).unwrap();
        }
        assert!(checkpoint(&conn, "NOOP").unwrap().pages > 400, "it grows while somebody reads the past");
        assert_eq!(reading.query_row("SELECT count(*) FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), seen);
        drop(reading);
        for _ in 0..200 {
            write(&conn);
            checkpoints.after_batch(&conn).unwrap();
        }
        assert!(checkpoint(&conn, "NOOP").unwrap().pages < 400, "and starts anew afterwards");
        checkpoints.stop();
    }
}
