//! Agents, keys and workflows follow the book of the house, entry by entry and in its order, whoever wrote it.

use super::Shared;
use crate::{defining, engine::Engine};
use handover_core::{
    agent::{Agents, Standing},
    decide::Written,
    event::Event,
    ids::SessionId,
    ledger::Posting,
    limits::BOOK_AHEAD_MAX,
    record::Record,
    refusal::HandoffError,
    session::Session,
};
use handover_store::{AgentRow, StoredRecord, is_newer};
use parking_lot::Mutex;
use std::{collections::BTreeMap, sync::Arc};

/// What is to be written into the book of the house in one commit.
#[derive(Clone, Default)]
pub(crate) struct Leaf {
    pub(crate) events: Vec<Event>,
    pub(crate) agents: Vec<AgentRow>,
    pub(crate) postings: Vec<Posting>,
}

/// How far the book was followed.
#[derive(Default)]
pub(crate) struct Book {
    state: Mutex<State>,
    /// Held by whoever reads all of it.
    reading: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    /// The last entry that was followed.
    seq: u64,
    /// Entries that were heard of before those that come before them. Nothing where there is no use for an entry.
    ahead: BTreeMap<u64, Option<Event>>,
}

impl Book {
    /// How far it was followed.
    pub(crate) fn seq(&self) -> u64 {
        self.state.lock().seq
    }
}

impl State {
    /// Follows what has come, as far as there is no gap.
    fn follow(&mut self, engine: &Engine, seq: u64, event: Option<Event>) {
        if seq <= self.seq {
            return;
        }
        self.ahead.insert(seq, event);
        while let Some(event) = self.ahead.remove(&(self.seq + 1)) {
            self.seq += 1;
            if let Some(event) = event {
                engine.follow_entry(event);
            }
        }
        if self.ahead.len() > BOOK_AHEAD_MAX {
            // The book itself has them: whoever looks next finds that this is behind.
            self.ahead.clear();
        }
    }
}

impl Engine {
    /// Another process wrote into the book.
    pub(crate) fn hear_book(&self, shared: &Shared, stored: &StoredRecord) {
        let event = match serde_json::from_str::<Record>(&stored.text) {
            Ok(record) => Some(record.event),
            // It is not followed: whoever needs the book finds that this is behind, and reads what came of it.
            Err(error) if is_newer(&error) => return,
            Err(_) => None,
        };
        shared.book.state.lock().follow(self, stored.seq, event);
    }

    /// This process wrote into the book.
    pub(crate) fn follow_own(&self, written: &[Written]) {
        let Some(shared) = &self.inner.shared else { return };
        let mut state = shared.book.state.lock();
        for written in written {
            state.follow(self, written.record.seq, Some(written.record.event.clone()));
        }
    }

    /// Makes sure that agents, keys and workflows are as the book of the house is now.
    pub(crate) async fn sync_book(&self) -> Result<bool, HandoffError> {
        if self.inner.shared.is_none() {
            return Ok(false);
        }
        let book = self.house().await?.session.clone();
        self.know_book(book.as_deref()).await
    }

    /// Makes sure that agents, keys and workflows are at least as this book is.
    pub(crate) async fn know_book(&self, book: Option<&Session>) -> Result<bool, HandoffError> {
        let (Some(shared), Some(book)) = (&self.inner.shared, book) else { return Ok(false) };
        let behind = || shared.book.state.lock().seq < book.head.seq;
        if !behind() {
            return Ok(false);
        }
        let _alone = shared.book.reading.lock().await;
        if behind() {
            self.take_book(shared, book).await?;
        }
        Ok(true)
    }

    /// Reads all of it anew, whatever was followed before.
    pub(crate) async fn reload_book(&self) -> Result<(), HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(()) };
        // The book before the lock: whoever writes into it holds it, and may wait for the lock.
        let book = self.read_book().await?;
        let _alone = shared.book.reading.lock().await;
        shared.book.state.lock().seq = 0;
        if let Some(book) = book {
            self.take_book(shared, &book).await?;
        }
        Ok(())
    }

    async fn read_book(&self) -> Result<Option<Arc<Session>>, HandoffError> {
        let mut cell = self.inner.cache.slot(&SessionId::house()).lock_owned().await;
        cell.read(&*self.inner.store, &SessionId::house()).await?;
        Ok(cell.session.clone())
    }

    async fn take_book(&self, shared: &Shared, book: &Session) -> Result<(), HandoffError> {
        // Read after the book: they may be further than it, and what follows is followed once more.
        let stored = self.inner.store.agents().await?;
        let mut state = shared.book.state.lock();
        if state.seq >= book.head.seq {
            return Ok(());
        }
        self.keep_agents(stored);
        *self.inner.workflows.write() = defining::workflows_of(Some(book));
        self.inner.keys.take_over(Some(book));
        state.seq = book.head.seq;
        state.ahead.retain(|seq, _| *seq > book.head.seq);
        let next = state.ahead.pop_first();
        if let Some((seq, event)) = next {
            state.follow(self, seq, event);
        }
        Ok(())
    }

    /// Knows exactly these agents, each with the work that it has.
    fn keep_agents(&self, stored: Vec<(handover_core::agent::Profile, Standing)>) {
        let mut agents = self.inner.agents.write();
        let gone: Vec<_> = {
            let kept: std::collections::HashSet<_> = stored.iter().map(|(profile, _)| &profile.id).collect();
            let known = agents.iter().map(|agent| &agent.profile.id);
            known.filter(|id| !kept.contains(id)).cloned().collect()
        };
        for id in gone {
            agents.remove(&id);
        }
        for (profile, standing) in stored {
            put(&mut agents, Arc::new(profile), standing);
        }
    }

    /// What follows from one entry.
    fn follow_entry(&self, event: Event) {
        match event {
            Event::AgentRegistered { profile } => {
                let mut agents = self.inner.agents.write();
                // As whoever registered it decided: an agent that is being drained stays so.
                let standing = match agents.get(&profile.id).map(|known| known.standing) {
                    Some(Standing::Draining) => Standing::Draining,
                    Some(Standing::Available | Standing::Unavailable) | None => Standing::Available,
                };
                put(&mut agents, profile, standing);
            }
            Event::AgentStanding { agent, standing, .. } => {
                if let Some(known) = self.inner.agents.write().get_mut(&agent) {
                    (known.standing, known.failures) = (standing, 0);
                }
                if standing == Standing::Available {
                    self.kick(&agent);
                }
            }
            Event::AgentRemoved { agent } => {
                self.inner.agents.write().remove(&agent);
                self.inner.heard.lock().remove(&agent);
                self.detach(&agent);
            }
            Event::VariablesSet { set, .. } => {
                for (name, (value, _)) in set {
                    defining::follow(&mut self.inner.workflows.write(), &name, &value);
                    self.inner.keys.follow(&name, &value);
                }
            }
            Event::BreakerMoved { agent, breaker, .. } => {
                if let Some(shared) = &self.inner.shared {
                    shared.ledger.note(&agent, &breaker);
                }
            }
            _ => {}
        }
    }
}

/// Puts an agent in unless it is there as it is: indexes are not made anew for nothing.
fn put(agents: &mut Agents, profile: Arc<handover_core::agent::Profile>, standing: Standing) {
    match agents.get_mut(&profile.id) {
        Some(known) if *known.profile == *profile => known.standing = standing,
        Some(_) | None => agents.put(profile, standing),
    }
}
