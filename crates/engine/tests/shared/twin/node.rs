//! The store as one node has it: what others could do meanwhile is looked at, and everything else is the file's.

use super::{Seat, Twins};
use async_trait::async_trait;
use handover_core::{
    access::Whose,
    agent::{Profile, Standing},
    glance::Glance,
    handoff::Handoff,
    ids::{AgentId, HandoffId, SessionId},
    ledger::{Account, Entry},
    message::Message,
    session::Session,
    time::Timestamp,
};
use handover_engine::clock::Clock;
use handover_store::{
    ChainEnds, Commit, Due, Figures, FiguresQuery, FirstAnswer, FlowRow, HandoffCheck, HandoffQuery, Load, Moved, Node,
    Offer, Prunable, Reading, RecordQuery, Reserved, Retention, Running, Stats, Store, StoreError, StoredRecord,
    StoredReturn, Totals, sqlite,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};
use uuid::Uuid;

/// The store of one node.
pub struct Twin {
    pub(super) twins: Arc<Twins>,
    pub(super) seat: Arc<Seat>,
}

impl Twin {
    fn store(&self) -> &sqlite::SqliteStore {
        self.twins.store()
    }

    fn now(&self) -> Timestamp {
        self.twins.clock.now()
    }

    /// Whoever was taken for gone begins anew, and is told so.
    fn still_there(&self) -> Result<Uuid, StoreError> {
        let id = *self.seat.id.lock();
        let mut state = self.twins.state.lock();
        if state.living.contains_key(&id) {
            return Ok(id);
        }
        state.enter(&self.seat, self.now());
        drop(state);
        if let Some(on_fenced) = &self.seat.hooks.on_fenced {
            on_fenced();
        }
        Err(StoreError::Fenced)
    }
}

#[async_trait]
impl Store for Twin {
    async fn commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError> {
        let _gate = self.twins.gate.lock().await;
        let node = self.still_there()?;
        let stored = self.store().version(&commit.session.id).await?;
        if stored != commit.session.expected_version {
            return Err(StoreError::Conflict);
        }
        self.twins.check(&commit).await?;
        let hashes = commit.records.iter().map(|record| (record.hash, node));
        self.twins.state.lock().writers.extend(hashes);
        let written = self.store().commit(commit.clone()).await?;
        let (last, _) = self.store().last_position().await?;
        // A commit of the book without a record changes accounts all the same.
        self.twins.state.lock().note(node, &commit, written.last().copied().unwrap_or(last + 1));
        Ok(written)
    }

    async fn prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError> {
        let _gate = self.twins.gate.lock().await;
        let node = self.still_there()?;
        let hashes = commit.records.iter().map(|record| (record.hash, node));
        self.twins.state.lock().writers.extend(hashes);
        self.store().prune(parts, commit).await
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn reading(&self) -> Option<Reading> {
        let time = self.now();
        Some(Reading { taken: Instant::now(), earliest: time, latest: time })
    }

    async fn take_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        let due = self.store().due(now, limit).await?;
        let mut state = self.twins.state.lock();
        Ok(due.into_iter().filter(|due| !state.held(now, due.handoff)).collect())
    }

    async fn take_offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        let offers = self.store().offers(to, usize::MAX).await?;
        let (now, mut state) = (self.now(), self.twins.state.lock());
        Ok(offers.into_iter().filter(|offer| !state.held(now, offer.handoff)).take(limit).collect())
    }

    async fn let_go(&self, offers: &[HandoffId]) -> Result<(), StoreError> {
        self.twins.state.lock().held.retain(|id, _| !offers.contains(id));
        Ok(())
    }

    async fn abandoned(&self) -> Result<Vec<Running>, StoreError> {
        let running = self.store().running().await?;
        let now = self.now();
        let mut state = self.twins.state.lock();
        state.living.retain(|_, (_, _, until)| *until >= now);
        let living: HashSet<Uuid> = state.living.keys().copied().collect();
        let left = |running: &Running| !state.holders.get(&running.handoff).is_some_and(|node| living.contains(node));
        Ok(running.into_iter().filter(|running| running.in_process && left(running)).collect())
    }

    async fn ledger_after(&self, position: u64) -> Result<Moved, StoreError> {
        let _gate = self.twins.gate.lock().await;
        let (through, _) = self.store().last_position().await?;
        let mut kept: HashMap<Account, Entry> = self.store().ledger().await?.into_iter().collect();
        if position == 0 {
            let accounts = kept.into_iter().map(|(account, entry)| (account, Some(entry))).collect();
            return Ok(Moved { accounts, through });
        }
        let state = self.twins.state.lock();
        // One more than the last position where a commit without a record changed it: it is told until a record follows.
        let moved = state.changed.iter().filter(|(_, at)| **at > position).map(|(account, _)| account.clone());
        let accounts = moved.map(|account| (account.clone(), kept.remove(&account))).collect();
        Ok(Moved { accounts, through })
    }

    async fn take_chore(&self, chore: &str, for_ms: u64) -> Result<bool, StoreError> {
        let (id, now) = (*self.seat.id.lock(), self.now());
        let mut state = self.twins.state.lock();
        let free = state.chores.get(chore).is_none_or(|(node, until)| *node == id || *until <= now);
        if free {
            state.chores.insert(chore.to_owned(), (id, now + for_ms));
        }
        Ok(free)
    }

    async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        let own = *self.seat.id.lock();
        let state = self.twins.state.lock();
        let mut nodes: Vec<Node> = state
            .living
            .iter()
            .map(|(id, (name, since, until))| Node {
                id: *id,
                name: name.clone(),
                since: *since,
                until: *until,
                serves: state.serving.contains(id),
                this: *id == own,
            })
            .collect();
        nodes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(nodes)
    }

    async fn serve(&self) -> Result<(), StoreError> {
        self.twins.state.lock().serving.insert(*self.seat.id.lock());
        Ok(())
    }

    /// The file stays with the others, and is closed with the last of them.
    async fn close(&self) -> Result<(), StoreError> {
        let id = *self.seat.id.lock();
        let others = {
            let mut state = self.twins.state.lock();
            state.living.remove(&id);
            !state.living.is_empty()
        };
        if others { Ok(()) } else { self.store().close().await }
    }

    fn stopped(&self) -> Option<String> {
        self.store().stopped()
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.store().session(id).await
    }
    async fn tenant(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        self.store().tenant(id).await
    }
    async fn whose(&self, id: &SessionId) -> Result<Option<Whose>, StoreError> {
        self.store().whose(id).await
    }
    async fn sessions(&self, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, StoreError> {
        self.store().sessions(tenant, skip, limit).await
    }
    async fn glances(&self, ids: &[SessionId]) -> Result<Vec<Glance>, StoreError> {
        self.store().glances(ids).await
    }
    async fn in_states(
        &self,
        tenant: &str,
        workflow: &str,
        states: &[String],
        most: usize,
    ) -> Result<Vec<usize>, StoreError> {
        self.store().in_states(tenant, workflow, states, most).await
    }
    async fn sessions_in_state(
        &self,
        tenant: &str,
        flow: &FlowRow,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<SessionId>, StoreError> {
        self.store().sessions_in_state(tenant, flow, skip, limit).await
    }
    async fn handoff(&self, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        self.store().handoff(id).await
    }
    async fn handoffs_between(
        &self,
        tenant: &str,
        first: HandoffId,
        last: HandoffId,
        limit: usize,
    ) -> Result<Vec<HandoffId>, StoreError> {
        self.store().handoffs_between(tenant, first, last, limit).await
    }
    async fn handoffs(&self, query: &HandoffQuery) -> Result<Vec<Handoff>, StoreError> {
        self.store().handoffs(query).await
    }
    async fn handoff_rows(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HandoffCheck>, StoreError> {
        self.store().handoff_rows(session, after, limit).await
    }
    async fn count(
        &self,
        session: &SessionId,
        from: Option<&AgentId>,
        to: Option<&AgentId>,
    ) -> Result<u64, StoreError> {
        self.store().count(session, from, to).await
    }
    async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, StoreError> {
        self.store().messages(session, first, last).await
    }
    async fn answered(&self, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, StoreError> {
        self.store().answered(session, key).await
    }
    async fn waiting_return(&self, of: Uuid) -> Result<Option<StoredReturn>, StoreError> {
        self.store().waiting_return(of).await
    }
    async fn waiting_returns(&self, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, StoreError> {
        self.store().waiting_returns(to, limit).await
    }
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        self.store().due(now, limit).await
    }
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        self.store().next_due().await
    }
    async fn offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        self.store().offers(to, limit).await
    }
    async fn offers_waiting(&self) -> Result<Vec<(AgentId, u32)>, StoreError> {
        self.store().offers_waiting().await
    }
    async fn running(&self) -> Result<Vec<Running>, StoreError> {
        self.store().running().await
    }
    async fn open_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        self.store().open_sessions().await
    }
    async fn agents(&self) -> Result<Vec<(Profile, Standing)>, StoreError> {
        self.store().agents().await
    }
    async fn ledger(&self) -> Result<Vec<(Account, Entry)>, StoreError> {
        self.store().ledger().await
    }
    async fn reserved(&self) -> Result<Vec<Reserved>, StoreError> {
        self.store().reserved().await
    }
    async fn records(&self, query: &RecordQuery) -> Result<Vec<StoredRecord>, StoreError> {
        self.store().records(query).await
    }
    async fn last_position(&self) -> Result<(u64, Timestamp), StoreError> {
        self.store().last_position().await
    }
    async fn chains(&self, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, StoreError> {
        self.store().chains(after, limit).await
    }
    async fn chain(&self, session: &SessionId) -> Result<Option<ChainEnds>, StoreError> {
        self.store().chain(session).await
    }
    async fn prunable(&self, retention: Retention, now: Timestamp, limit: usize) -> Result<Vec<Prunable>, StoreError> {
        self.store().prunable(retention, now, limit).await
    }
    async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), StoreError> {
        self.store().keep_note(space, key, body).await
    }
    async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        self.store().notes(space, after, limit).await
    }
    async fn stats(&self, tenant: &str) -> Result<Stats, StoreError> {
        self.store().stats(tenant).await
    }
    async fn totals(&self) -> Result<Totals, StoreError> {
        self.store().totals().await
    }
    async fn figures(&self, query: &FiguresQuery) -> Result<Figures, StoreError> {
        self.store().figures(query).await
    }
    async fn version(&self, id: &SessionId) -> Result<u64, StoreError> {
        self.store().version(id).await
    }
    async fn loads(&self) -> Result<Vec<Load>, StoreError> {
        self.store().loads().await
    }
}
