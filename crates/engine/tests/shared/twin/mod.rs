//! A store that several engines of one test share: one SQLite file that acts as if processes of their own wrote to it. Each
//! node has its own hooks, its own lease on a clock that is moved by hand, and can be deaf to what the others write.

mod node;

pub use node::Twin;

use handover_core::{
    digest::Digest,
    ids::HandoffId,
    ledger::{Account, Ledger},
    limits::{HOLD_MS, NODE_LEASE_MS},
    time::Timestamp,
};
use handover_engine::clock::{Clock, ManualClock};
use handover_store::{Commit, Hooks, Store, StoreError, StoredRecord, sqlite};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{Arc, OnceLock},
};
use uuid::Uuid;

/// What a node hears of one batch.
type Heard = (u64, Vec<StoredRecord>);

/// One process, as the others see it.
struct Seat {
    name: String,
    hooks: Hooks,
    id: Mutex<Uuid>,
    /// What it has not heard yet; nothing where it hears everything at once.
    deaf: Mutex<Option<Vec<Heard>>>,
}

#[derive(Default)]
struct State {
    seats: Vec<Arc<Seat>>,
    /// Until when each process is taken to be there.
    living: HashMap<Uuid, (String, Timestamp, Timestamp)>,
    /// Those that answer requests.
    serving: HashSet<Uuid>,
    /// Who wrote which record.
    writers: HashMap<Digest, Uuid>,
    /// In which process work is held.
    holders: HashMap<HandoffId, Uuid>,
    /// What is held for somebody who asked, until when.
    held: HashMap<HandoffId, Timestamp>,
    /// When each account last changed.
    changed: HashMap<Account, u64>,
    chores: HashMap<String, (Uuid, Timestamp)>,
}

/// What all nodes share.
pub struct Twins {
    store: OnceLock<sqlite::SqliteStore>,
    state: Mutex<State>,
    /// One commit at a time: what is checked is still so when it is written.
    gate: tokio::sync::Mutex<()>,
    clock: ManualClock,
}

impl Twins {
    pub fn open(path: &Path, clock: ManualClock) -> Arc<Self> {
        let twins = Arc::new(Self {
            store: OnceLock::new(),
            state: Mutex::default(),
            gate: tokio::sync::Mutex::default(),
            clock,
        });
        let teller = Arc::downgrade(&twins);
        let on_commit: handover_store::OnCommit = Box::new(move |last, records| {
            if let Some(twins) = teller.upgrade() {
                twins.tell(last, &records());
            }
        });
        let options = sqlite::Options { sync: false, on_commit: Some(on_commit), ..sqlite::Options::default() };
        assert!(twins.store.set(sqlite::SqliteStore::open(path, options).unwrap()).is_ok());
        twins
    }

    /// A store for one more process.
    pub fn node(self: &Arc<Self>, name: &str, hooks: Hooks) -> Twin {
        let seat = Arc::new(Seat { name: name.to_owned(), hooks, id: Mutex::default(), deaf: Mutex::default() });
        let mut state = self.state.lock();
        state.enter(&seat, self.clock.now());
        state.seats.push(seat.clone());
        Twin { twins: self.clone(), seat }
    }

    fn seat(&self, name: &str) -> Arc<Seat> {
        self.state.lock().seats.iter().rfind(|seat| seat.name == name).unwrap().clone()
    }

    /// A node hears nothing from now on.
    pub fn deafen(&self, name: &str) {
        self.seat(name).deaf.lock().get_or_insert_default();
    }

    /// It hears what it missed, and everything from now on.
    pub fn hear(&self, name: &str) {
        let seat = self.seat(name);
        let mut deaf = seat.deaf.lock();
        for (last, records) in deaf.take().into_iter().flatten() {
            self.pass(&seat, last, &records);
        }
    }

    /// These give a sign of life.
    pub fn beat(&self, names: &[&str]) {
        for name in names {
            let id = *self.seat(name).id.lock();
            let until = self.clock.now() + NODE_LEASE_MS;
            if let Some(living) = self.state.lock().living.get_mut(&id) {
                living.2 = until;
            }
        }
    }

    fn tell(&self, last: u64, records: &[StoredRecord]) {
        let seats = self.state.lock().seats.clone();
        for seat in seats {
            let mut deaf = seat.deaf.lock();
            match &mut *deaf {
                Some(missed) => missed.push((last, records.to_vec())),
                None => self.pass(&seat, last, records),
            }
        }
    }

    fn pass(&self, seat: &Seat, last: u64, records: &[StoredRecord]) {
        let own = *seat.id.lock();
        let of_others = |record: &&StoredRecord| self.state.lock().writers.get(&record.hash) != Some(&own);
        let foreign: Vec<StoredRecord> = records.iter().filter(of_others).cloned().collect();
        if let (Some(on_foreign), false) = (&seat.hooks.on_foreign, foreign.is_empty()) {
            on_foreign(&foreign);
        }
        if let Some(on_commit) = &seat.hooks.on_commit {
            on_commit(last, &|| records.to_vec());
        }
    }

    fn store(&self) -> &sqlite::SqliteStore {
        self.store.get().unwrap()
    }

    /// Whether the agent has a place, and the accounts allow what is posted.
    async fn check(&self, commit: &Commit) -> Result<(), StoreError> {
        if let Some(place) = &commit.place {
            let loads = self.store().loads().await?;
            let running = loads.iter().find(|load| load.agent == place.agent).map_or(0, |load| load.running);
            if running >= place.most {
                return Err(StoreError::Full(place.agent.clone()));
            }
        }
        if commit.postings.is_empty() {
            return Ok(());
        }
        let mut ledger = Ledger::of(self.store().ledger().await?);
        ledger.post(&commit.postings).map(|_| ()).map_err(StoreError::Refuted)
    }
}

impl State {
    fn enter(&mut self, seat: &Seat, now: Timestamp) {
        let id = Uuid::new_v4();
        *seat.id.lock() = id;
        self.living.insert(id, (seat.name.clone(), now, now + NODE_LEASE_MS));
    }

    fn held(&mut self, now: Timestamp, id: HandoffId) -> bool {
        if self.held.get(&id).is_some_and(|until| *until > now) {
            return true;
        }
        self.held.insert(id, now + HOLD_MS);
        false
    }

    fn note(&mut self, node: Uuid, commit: &Commit, last: u64) {
        for row in &commit.handoffs {
            self.held.remove(&row.id);
            if !row.in_process {
                self.holders.remove(&row.id);
            } else {
                self.holders.entry(row.id).or_insert(node);
            }
        }
        for posting in &commit.postings {
            self.changed.insert(posting.account.clone(), last);
        }
    }
}
