//! Places where a crash test can kill the process, or make the writer believe that the disk failed.
//!
//! Always compiled, so that what is tested is what runs; while nothing is armed, a place costs one relaxed load.
//! `HANDOVER_FAILPOINT=name:n` aborts at the n-th time, `name:n:error` fails there instead.

use crate::StoreError;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The environment variable that arms a place when a store is opened.
pub const VARIABLE: &str = "HANDOVER_FAILPOINT";

/// Every place, in the order of a commit's walk, then the entry and exit of each method.
pub const ALL: &[&str] = &[
    "sqlite.received",
    "sqlite.after_begin",
    "sqlite.after_writes",
    "sqlite.before_commit",
    "sqlite.after_commit",
    "sqlite.after_publish",
    "sqlite.after_answer",
    "commit.enter",
    "commit.exit",
    "session.enter",
    "session.exit",
    "tenant.enter",
    "tenant.exit",
    "whose.enter",
    "whose.exit",
    "sessions.enter",
    "sessions.exit",
    "glances.enter",
    "glances.exit",
    "in_states.enter",
    "in_states.exit",
    "sessions_in_state.enter",
    "sessions_in_state.exit",
    "handoff.enter",
    "handoff.exit",
    "handoff_rows.enter",
    "handoff_rows.exit",
    "handoffs_between.enter",
    "handoffs_between.exit",
    "handoffs.enter",
    "handoffs.exit",
    "count.enter",
    "count.exit",
    "messages.enter",
    "messages.exit",
    "answered.enter",
    "answered.exit",
    "waiting_return.enter",
    "waiting_return.exit",
    "waiting_returns.enter",
    "waiting_returns.exit",
    "due.enter",
    "due.exit",
    "next_due.enter",
    "next_due.exit",
    "offers.enter",
    "offers.exit",
    "offers_waiting.enter",
    "offers_waiting.exit",
    "open_sessions.enter",
    "open_sessions.exit",
    "running.enter",
    "running.exit",
    "agents.enter",
    "agents.exit",
    "ledger.enter",
    "ledger.exit",
    "reserved.enter",
    "reserved.exit",
    "records.enter",
    "records.exit",
    "last_position.enter",
    "last_position.exit",
    "chains.enter",
    "chains.exit",
    "chain.enter",
    "chain.exit",
    "prunable.enter",
    "prunable.exit",
    "prune.enter",
    "prune.exit",
    "keep_note.enter",
    "keep_note.exit",
    "notes.enter",
    "notes.exit",
    "stats.enter",
    "stats.exit",
    "totals.enter",
    "totals.exit",
    "figures.enter",
    "figures.exit",
    "close.enter",
    "close.exit",
];

/// Places on the way of a batch to PostgreSQL. A process can only die there: what came of a batch is asked for, and never guessed.
pub const OF_POSTGRES: &[&str] = &["postgres.sending", "postgres.committed", "postgres.published", "postgres.answered"];

/// What happens at an armed place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The process ends at once, as if it were killed.
    Abort,
    /// The place fails, as if the disk did.
    Error,
}

struct Armed {
    name: &'static str,
    left: u64,
    mode: Mode,
}

static ON: AtomicBool = AtomicBool::new(false);
static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

/// Arms a place, by its name or its index in [`ALL`]: the n-th time it is passed, it acts. One place at a time.
/// False when there is no such place.
pub fn arm(place: &str, n: u64, mode: Mode) -> bool {
    let by_index = || place.parse::<usize>().ok().and_then(|i| ALL.get(i));
    let mut all = ALL.iter().chain(OF_POSTGRES);
    let Some(name) = all.find(|name| **name == place).or_else(by_index) else { return false };
    *ARMED.lock() = Some(Armed { name, left: n.max(1), mode });
    ON.store(true, Ordering::Relaxed);
    true
}

/// Disarms whatever is armed.
pub fn disarm() {
    ON.store(false, Ordering::Relaxed);
    *ARMED.lock() = None;
}

/// Arms what the environment says, if it says something: `name`, `name:n` or `name:n:error`.
///
/// # Errors
/// When it says something that means nothing.
pub fn arm_from_environment() -> Result<(), StoreError> {
    let Ok(text) = std::env::var(VARIABLE) else { return Ok(()) };
    if text.is_empty() {
        return Ok(());
    }
    let mut parts = text.split(':');
    let place = parts.next().unwrap_or_default();
    let n = parts.next().map_or(Ok(1), str::parse::<u64>);
    let mode = match parts.next() {
        None | Some("abort") => Some(Mode::Abort),
        Some("error") => Some(Mode::Error),
        Some(_) => None,
    };
    match (n, mode, parts.next()) {
        (Ok(n), Some(mode), None) if arm(place, n, mode) => Ok(()),
        _ => Err(StoreError::Failed(format!("{VARIABLE}={text} names no place, count and mode"))),
    }
}

/// Passes a place.
///
/// # Errors
/// When it is armed to fail here and now.
#[inline]
pub fn hit(name: &'static str) -> Result<(), StoreError> {
    if ON.load(Ordering::Relaxed) { passed(name) } else { Ok(()) }
}

/// Passes a place where a process can only die.
#[inline]
pub(crate) fn pass(name: &'static str) {
    // One that is armed to fail goes on: there is nothing here that could.
    let _ = hit(name);
}

#[cold]
fn passed(name: &'static str) -> Result<(), StoreError> {
    let mut guard = ARMED.lock();
    let Some(armed) = guard.as_mut().filter(|armed| armed.name == name) else { return Ok(()) };
    armed.left = armed.left.saturating_sub(1);
    if armed.left > 0 {
        return Ok(());
    }
    match armed.mode {
        Mode::Abort => std::process::abort(),
        Mode::Error => {
            *guard = None;
            ON.store(false, Ordering::Relaxed);
            Err(StoreError::Failed(format!("disk I/O error (failpoint {name})")))
        }
    }
}
