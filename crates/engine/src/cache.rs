//! Sessions in memory, one command at a time each. Idle ones are forgotten when there are too many; the store has them.

use handover_core::{
    handoff::Handoff,
    ids::{HandoffId, SessionId},
    limits::{PLACES_MAX, SESSIONS_CACHED_MAX},
    session::Session,
};
use parking_lot::Mutex;
use std::{collections::HashMap, sync::Arc};

/// A session as it was last committed.
#[derive(Default)]
pub(crate) struct Cell {
    /// Whether `session` is what the store has.
    pub(crate) loaded: bool,
    /// The session; nothing when there is none with this id.
    pub(crate) session: Option<Arc<Session>>,
}

pub(crate) type Slot = Arc<tokio::sync::Mutex<Cell>>;

#[derive(Default)]
pub(crate) struct Cache {
    slots: Mutex<HashMap<SessionId, Slot>>,
    /// In which session an open handoff is, so that the usual look at one asks no database.
    places: Mutex<HashMap<HandoffId, SessionId>>,
}

impl Cache {
    /// The slot of a session. Whoever holds its lock is alone with the session.
    pub(crate) fn slot(&self, id: &SessionId) -> Slot {
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.get(id) {
            return slot.clone();
        }
        if slots.len() >= SESSIONS_CACHED_MAX {
            forget_idle(&mut slots);
        }
        slots.entry(id.clone()).or_default().clone()
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

    /// In which session a handoff is, as far as is known here.
    pub(crate) fn place(&self, handoff: HandoffId) -> Option<SessionId> {
        self.places.lock().get(&handoff).cloned()
    }
}

/// Forgets half of the sessions that nobody uses now. Half, so that this is not done for every further session.
fn forget_idle(slots: &mut HashMap<SessionId, Slot>) {
    let mut keep = SESSIONS_CACHED_MAX / 2;
    slots.retain(|_, slot| {
        let in_use = Arc::strong_count(slot) > 1;
        let room = keep > 0;
        keep = keep.saturating_sub(1);
        in_use || room
    });
}
