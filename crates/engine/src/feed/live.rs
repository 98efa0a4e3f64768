//! The live end of the feed: each event goes to those who want its session, and to those who want all. Whoever listens to
//! one quiet session costs the others nothing.

use super::BusMessage;
use handover_core::{access::Whose, ids::SessionId, limits::SUBSCRIBER_LAG_MAX};
use handover_store::StoredRecord;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::{
    OnceCell,
    mpsc::{self, error::TrySendError},
};

/// A record on its way to the subscribers, read once for all of them.
pub(super) struct Published {
    pub(super) record: StoredRecord,
    pub(super) message: OnceLock<Option<Arc<BusMessage>>>,
    /// Whose session it is, asked once for all subscribers who may not see every one.
    pub(super) whose: OnceCell<Option<Whose>>,
}

/// Where one subscriber hears.
struct Ear {
    sender: mpsc::Sender<Arc<Published>>,
    too_slow: Arc<AtomicBool>,
}

impl Ear {
    /// Whether it still listens.
    fn hears(&self, published: &Arc<Published>) -> bool {
        match self.sender.try_send(published.clone()) {
            Ok(()) => true,
            Err(TrySendError::Closed(_)) => false,
            Err(TrySendError::Full(_)) => {
                self.too_slow.store(true, Ordering::SeqCst);
                false
            }
        }
    }
}

#[derive(Default)]
struct Ears {
    next: u64,
    all: HashMap<u64, Ear>,
    by_session: HashMap<SessionId, HashMap<u64, Ear>>,
    ended: bool,
}

/// Everybody who listens.
#[derive(Default)]
pub(super) struct Live {
    ears: Mutex<Ears>,
}

impl Live {
    pub(super) fn listen(self: &Arc<Self>, session: Option<&SessionId>) -> Listening {
        let (sender, receiver) = mpsc::channel(SUBSCRIBER_LAG_MAX);
        let too_slow = Arc::new(AtomicBool::new(false));
        let mut ears = self.ears.lock();
        ears.next += 1;
        let id = ears.next;
        if !ears.ended {
            let ear = Ear { sender, too_slow: too_slow.clone() };
            match session {
                Some(session) => drop(ears.by_session.entry(session.clone()).or_default().insert(id, ear)),
                None => drop(ears.all.insert(id, ear)),
            }
        }
        drop(ears);
        Listening { live: self.clone(), session: session.cloned(), id, receiver, too_slow }
    }

    /// Tells everybody who wants to hear. The records are made only when somebody listens.
    pub(super) fn tell(&self, records: &dyn Fn() -> Vec<StoredRecord>) {
        let mut ears = self.ears.lock();
        if ears.all.is_empty() && ears.by_session.is_empty() {
            return;
        }
        for record in records() {
            let Ears { all, by_session, .. } = &mut *ears;
            let of_session = by_session.get_mut(&record.session_id);
            if all.is_empty() && of_session.is_none() {
                continue;
            }
            let session = record.session_id.clone();
            let published = Arc::new(Published { record, message: OnceLock::new(), whose: OnceCell::new() });
            all.retain(|_, ear| ear.hears(&published));
            if let Some(of_session) = of_session {
                of_session.retain(|_, ear| ear.hears(&published));
                if of_session.is_empty() {
                    by_session.remove(&session);
                }
            }
        }
    }

    /// Nothing more will come: those who listen hear what is there, and then the end.
    pub(super) fn end(&self) {
        let mut ears = self.ears.lock();
        ears.ended = true;
        ears.all.clear();
        ears.by_session.clear();
    }

    fn leave(&self, session: Option<&SessionId>, id: u64) {
        let mut ears = self.ears.lock();
        let Some(session) = session else {
            ears.all.remove(&id);
            return;
        };
        if let Some(of_session) = ears.by_session.get_mut(session) {
            of_session.remove(&id);
            if of_session.is_empty() {
                ears.by_session.remove(session);
            }
        }
    }
}

/// A subscriber at the live end. It leaves when it is dropped.
pub(super) struct Listening {
    live: Arc<Live>,
    session: Option<SessionId>,
    id: u64,
    receiver: mpsc::Receiver<Arc<Published>>,
    too_slow: Arc<AtomicBool>,
}

/// What comes out of the live end.
pub(super) enum Heard {
    Published(Arc<Published>),
    TooSlow,
    End,
}

impl Listening {
    pub(super) async fn next(&mut self) -> Heard {
        if self.too_slow.load(Ordering::SeqCst) {
            // What was kept for it is not kept any longer: it is all on disk.
            self.receiver.close();
            while self.receiver.try_recv().is_ok() {}
            return Heard::TooSlow;
        }
        match self.receiver.recv().await {
            Some(published) => Heard::Published(published),
            None if self.too_slow.load(Ordering::SeqCst) => Heard::TooSlow,
            None => Heard::End,
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.live.leave(self.session.as_ref(), self.id);
    }
}
