//! Sessions in memory, one command at a time each. Idle ones are forgotten when there are too many; the store has them.

use handover_core::{
    handoff::Handoff,
    ids::{HandoffId, SessionId},
    limits::{PLACES_MAX, SESSIONS_CACHED_MAX},
    session::Session,
};
use handover_store::{Store, StoreError};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// What is remembered is not to be trusted, whatever its number.
const ANYTHING: u64 = u64::MAX;

/// A session as it was last committed.
#[derive(Default)]
pub(crate) struct Cell {
    /// Whether `session` is what the store has.
    pub(crate) loaded: bool,
    /// The session; nothing when there is none with this id.
    pub(crate) session: Option<Arc<Session>>,
    /// The last record of it that another process is known to have written.
    heard: Arc<AtomicU64>,
}

impl Cell {
    /// Whether it holds what the store has, as far as is known here.
    pub(crate) fn is_current(&self) -> bool {
        let head = self.session.as_ref().map_or(0, |session| session.head.seq);
        self.loaded && self.heard.load(Ordering::SeqCst) <= head
    }

    /// Reads it from the store.
    pub(crate) async fn read(&mut self, store: &dyn Store, id: &SessionId) -> Result<(), StoreError> {
        self.loaded = false;
        // Before the look: what is heard meanwhile counts.
        let _ = self.heard.compare_exchange(ANYTHING, 0, Ordering::SeqCst, Ordering::SeqCst);
        self.session = store.session(id).await?.map(Arc::new);
        self.loaded = true;
        Ok(())
    }

    /// The version that it holds; 0 where there is none.
    pub(crate) fn version(&self) -> u64 {
        self.session.as_ref().map_or(0, |session| session.version)
    }
}

/// The cell of a session, and what is heard of it without waiting for whoever has the cell.
struct Slot {
    cell: Arc<tokio::sync::Mutex<Cell>>,
    heard: Arc<AtomicU64>,
}

impl Slot {
    fn new() -> Self {
        let heard = Arc::<AtomicU64>::default();
        let cell = Cell { heard: heard.clone(), ..Cell::default() };
        Self { cell: Arc::new(tokio::sync::Mutex::new(cell)), heard }
    }
}

#[derive(Default)]
pub(crate) struct Cache {
    slots: Mutex<HashMap<SessionId, Slot>>,
    /// In which session an open handoff is, so that the usual look at one asks no database.
    places: Mutex<HashMap<HandoffId, SessionId>>,
}

impl Cache {
    /// The cell of a session. Whoever holds its lock is alone with the session.
    pub(crate) fn slot(&self, id: &SessionId) -> Arc<tokio::sync::Mutex<Cell>> {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(id) {
            return slot.cell.clone();
        }
        if slots.len() >= SESSIONS_CACHED_MAX {
            forget_idle(&mut slots);
        }
        slots.entry(id.clone()).or_insert_with(Slot::new).cell.clone()
    }

    /// Another process wrote this record. A session that is not in memory is read from the store anyway.
    pub(crate) fn heard(&self, id: &SessionId, seq: u64) {
        if let Some(slot) = self.slots.lock().get(id) {
            slot.heard.fetch_max(seq, Ordering::SeqCst);
        }
    }

    /// Nothing that is in memory is to be trusted.
    pub(crate) fn distrust(&self) {
        for slot in self.slots.lock().values() {
            slot.heard.store(ANYTHING, Ordering::SeqCst);
        }
    }

    /// Remembers where an open handoff is, and forgets a closed one.
    pub(crate) fn note(&self, handoff: &Handoff) {
        let mut places = self.places.lock();
        if handoff.status().is_closed() {
            places.remove(&handoff.id);
        } else if places.len() < PLACES_MAX && !places.contains_key(&handoff.id) {
            places.insert(handoff.id, handoff.session_id.clone());
        }
    }

    /// Forgets where a handoff is that somebody else closed.
    pub(crate) fn forget_place(&self, handoff: HandoffId) {
        self.places.lock().remove(&handoff);
    }

    /// In which session a handoff is, as far as is known here.
    pub(crate) fn place(&self, handoff: HandoffId) -> Option<SessionId> {
        self.places.lock().get(&handoff).cloned()
    }
}

/// Forgets half of the sessions that nobody uses now. Half, so that this is not done for every further session.
fn forget_idle(slots: &mut HashMap<SessionId, Slot>) {
    let mut keep = SESSIONS_CACHED_MAX / 2;
    slots.retain(|_, slot| {
        let in_use = Arc::strong_count(&slot.cell) > 1;
        let room = keep > 0;
        keep = keep.saturating_sub(1);
        in_use || room
    });
}
