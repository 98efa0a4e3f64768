//! What the store answers: each question goes to the writer, to a connection for short reads or to one for long ones.

use super::{
    SqliteStore, read,
    writer::{Job, Noting},
};
use crate::{
    ChainEnds, Commit, Due, Figures, FiguresQuery, FirstAnswer, FlowRow, HandoffCheck, HandoffQuery, Load, Moved, Node,
    Offer, Prunable, RecordQuery, Reserved, Retention, Running, Stats, Store, StoreError, StoredRecord, StoredReturn,
    Totals, failpoint::hit,
};
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
use tokio::sync::oneshot;
use uuid::Uuid;

#[async_trait]
impl Store for SqliteStore {
    async fn commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("commit.enter")?;
        let positions = self.write(Job::Commit, commit).await?;
        hit("commit.exit")?;
        Ok(positions)
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        hit("session.enter")?;
        let found = self.short.read(|conn| read::sessions::session(conn, id)).await?;
        hit("session.exit")?;
        Ok(found)
    }

    async fn sessions(&self, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, StoreError> {
        hit("sessions.enter")?;
        let tenant = tenant.to_owned();
        let found = self.long.scan(move |conn| read::sessions::sessions(conn, &tenant, skip, limit)).await?;
        hit("sessions.exit")?;
        Ok(found)
    }

    async fn glances(&self, ids: &[SessionId]) -> Result<Vec<Glance>, StoreError> {
        hit("glances.enter")?;
        let ids = ids.to_vec();
        let found = self.long.scan(move |conn| read::sessions::glances(conn, &ids)).await?;
        hit("glances.exit")?;
        Ok(found)
    }

    async fn in_states(
        &self,
        tenant: &str,
        workflow: &str,
        states: &[String],
        most: usize,
    ) -> Result<Vec<usize>, StoreError> {
        hit("in_states.enter")?;
        let (tenant, workflow, states) = (tenant.to_owned(), workflow.to_owned(), states.to_vec());
        let found = self.long.scan(move |conn| read::flow::in_states(conn, &tenant, &workflow, &states, most)).await?;
        hit("in_states.exit")?;
        Ok(found)
    }

    async fn sessions_in_state(
        &self,
        tenant: &str,
        flow: &FlowRow,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<SessionId>, StoreError> {
        hit("sessions_in_state.enter")?;
        let (tenant, flow) = (tenant.to_owned(), flow.clone());
        let found = self.long.scan(move |conn| read::flow::in_state(conn, &tenant, &flow, skip, limit)).await?;
        hit("sessions_in_state.exit")?;
        Ok(found)
    }

    async fn handoff(&self, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        hit("handoff.enter")?;
        let found = self.short.read(|conn| read::handoffs::handoff(conn, id)).await?;
        hit("handoff.exit")?;
        Ok(found)
    }

    async fn handoffs_between(
        &self,
        tenant: &str,
        first: HandoffId,
        last: HandoffId,
        limit: usize,
    ) -> Result<Vec<HandoffId>, StoreError> {
        hit("handoffs_between.enter")?;
        let found = self.short.read(|conn| read::handoffs::between(conn, tenant, first, last, limit)).await?;
        hit("handoffs_between.exit")?;
        Ok(found)
    }

    async fn handoffs(&self, query: &HandoffQuery) -> Result<Vec<Handoff>, StoreError> {
        hit("handoffs.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::handoffs::handoffs(conn, &query)).await?;
        hit("handoffs.exit")?;
        Ok(found)
    }

    async fn handoff_rows(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HandoffCheck>, StoreError> {
        hit("handoff_rows.enter")?;
        let session = session.clone();
        let found = self.long.scan(move |conn| read::handoffs::rows(conn, &session, after, limit)).await?;
        hit("handoff_rows.exit")?;
        Ok(found)
    }

    async fn tenant(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        hit("tenant.enter")?;
        let found = self.short.read(|conn| read::sessions::tenant(conn, id)).await?;
        hit("tenant.exit")?;
        Ok(found)
    }

    async fn whose(&self, id: &SessionId) -> Result<Option<Whose>, StoreError> {
        hit("whose.enter")?;
        let found = self.short.read(|conn| read::sessions::whose(conn, id)).await?;
        hit("whose.exit")?;
        Ok(found)
    }

    async fn count(
        &self,
        session: &SessionId,
        from: Option<&AgentId>,
        to: Option<&AgentId>,
    ) -> Result<u64, StoreError> {
        hit("count.enter")?;
        let found = self.short.read(|conn| read::handoffs::count(conn, session, from, to)).await?;
        hit("count.exit")?;
        Ok(found)
    }

    async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, StoreError> {
        hit("messages.enter")?;
        let found = self.short.read(|conn| read::messages::messages(conn, session, first, last)).await?;
        hit("messages.exit")?;
        Ok(found)
    }

    async fn answered(&self, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, StoreError> {
        hit("answered.enter")?;
        let found = self.short.read(|conn| read::returns::answered(conn, session, key)).await?;
        hit("answered.exit")?;
        Ok(found)
    }

    async fn waiting_return(&self, of: Uuid) -> Result<Option<StoredReturn>, StoreError> {
        hit("waiting_return.enter")?;
        let found = self.short.read(|conn| read::returns::waiting_return(conn, of)).await?;
        hit("waiting_return.exit")?;
        Ok(found)
    }

    async fn waiting_returns(&self, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, StoreError> {
        hit("waiting_returns.enter")?;
        let found = self.short.read(|conn| read::returns::waiting_returns(conn, to, limit)).await?;
        hit("waiting_returns.exit")?;
        Ok(found)
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        hit("due.enter")?;
        let found = self.short.read(|conn| read::queue::due(conn, now, limit)).await?;
        hit("due.exit")?;
        Ok(found)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        hit("next_due.enter")?;
        let found = self.short.read(read::queue::next_due).await?;
        hit("next_due.exit")?;
        Ok(found)
    }

    async fn offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        hit("offers.enter")?;
        let found = self.short.read(|conn| read::queue::offers(conn, to, limit)).await?;
        hit("offers.exit")?;
        Ok(found)
    }

    async fn offers_waiting(&self) -> Result<Vec<(AgentId, u32)>, StoreError> {
        hit("offers_waiting.enter")?;
        let found = self.long.scan(read::queue::offers_waiting).await?;
        hit("offers_waiting.exit")?;
        Ok(found)
    }

    async fn running(&self) -> Result<Vec<Running>, StoreError> {
        hit("running.enter")?;
        let found = self.long.scan(read::queue::running).await?;
        hit("running.exit")?;
        Ok(found)
    }

    async fn open_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        hit("open_sessions.enter")?;
        let found = self.long.scan(read::queue::open_sessions).await?;
        hit("open_sessions.exit")?;
        Ok(found)
    }

    async fn agents(&self) -> Result<Vec<(Profile, Standing)>, StoreError> {
        hit("agents.enter")?;
        let found = self.long.scan(read::agents::agents).await?;
        hit("agents.exit")?;
        Ok(found)
    }

    async fn ledger(&self) -> Result<Vec<(Account, Entry)>, StoreError> {
        hit("ledger.enter")?;
        let found = self.long.scan(read::ledger::ledger).await?;
        hit("ledger.exit")?;
        Ok(found)
    }

    async fn reserved(&self) -> Result<Vec<Reserved>, StoreError> {
        hit("reserved.enter")?;
        let found = self.long.scan(read::ledger::reserved).await?;
        hit("reserved.exit")?;
        Ok(found)
    }

    async fn records(&self, query: &RecordQuery) -> Result<Vec<StoredRecord>, StoreError> {
        hit("records.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::records::records(conn, &query)).await?;
        hit("records.exit")?;
        Ok(found)
    }

    async fn last_position(&self) -> Result<(u64, Timestamp), StoreError> {
        hit("last_position.enter")?;
        let found = self.short.read(read::records::last_position).await?;
        hit("last_position.exit")?;
        Ok(found)
    }

    async fn chains(&self, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, StoreError> {
        hit("chains.enter")?;
        let after = after.cloned();
        let found = self.long.scan(move |conn| read::sessions::chains(conn, after.as_ref(), limit)).await?;
        hit("chains.exit")?;
        Ok(found)
    }

    async fn chain(&self, session: &SessionId) -> Result<Option<ChainEnds>, StoreError> {
        hit("chain.enter")?;
        let found = self.short.read(|conn| read::sessions::chain(conn, session)).await?;
        hit("chain.exit")?;
        Ok(found)
    }

    async fn prunable(&self, retention: Retention, now: Timestamp, limit: usize) -> Result<Vec<Prunable>, StoreError> {
        hit("prunable.enter")?;
        let found = self.long.scan(move |conn| read::prunable::prunable(conn, retention, now, limit)).await?;
        hit("prunable.exit")?;
        Ok(found)
    }

    async fn prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("prune.enter")?;
        let positions = self.write(|waiting| Job::Prune(parts, waiting), commit).await?;
        hit("prune.exit")?;
        Ok(positions)
    }

    async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), StoreError> {
        hit("keep_note.enter")?;
        if self.stopped.get().is_some() {
            return Err(self.gone());
        }
        let (answer, answered) = oneshot::channel();
        let (space, key) = (space.to_owned(), key.to_owned());
        self.send(Job::Note(Box::new(Noting { space, key, body, answer }))).await?;
        answered.await.map_err(|_| self.gone())??;
        hit("keep_note.exit")
    }

    async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        hit("notes.enter")?;
        let found = self.short.read(|conn| read::notes::notes(conn, space, after, limit)).await?;
        hit("notes.exit")?;
        Ok(found)
    }

    async fn stats(&self, tenant: &str) -> Result<Stats, StoreError> {
        hit("stats.enter")?;
        let tenant = tenant.to_owned();
        let found = self.long.scan(move |conn| read::stats::stats(conn, &tenant)).await?;
        hit("stats.exit")?;
        Ok(found)
    }

    async fn totals(&self) -> Result<Totals, StoreError> {
        hit("totals.enter")?;
        let found = self.long.scan(read::stats::totals).await?;
        hit("totals.exit")?;
        Ok(found)
    }

    async fn figures(&self, query: &FiguresQuery) -> Result<Figures, StoreError> {
        hit("figures.enter")?;
        let query = query.clone();
        let found = self.long.scan(move |conn| read::figures::figures(conn, &query)).await?;
        hit("figures.exit")?;
        Ok(found)
    }

    async fn version(&self, id: &SessionId) -> Result<u64, StoreError> {
        hit("version.enter")?;
        let found = self.short.read(|conn| read::sessions::version(conn, id)).await?;
        hit("version.exit")?;
        Ok(found)
    }

    async fn let_go(&self, _offers: &[HandoffId]) -> Result<(), StoreError> {
        Ok(())
    }

    /// Asked when it is opened: whoever held something in a process had the file before.
    async fn abandoned(&self) -> Result<Vec<Running>, StoreError> {
        Ok(self.running().await?.into_iter().filter(|running| running.in_process).collect())
    }

    async fn loads(&self) -> Result<Vec<Load>, StoreError> {
        hit("loads.enter")?;
        let found = self.long.scan(read::queue::loads).await?;
        hit("loads.exit")?;
        Ok(found)
    }

    async fn ledger_after(&self, _position: u64) -> Result<Moved, StoreError> {
        let (through, _) = self.last_position().await?;
        let accounts = self.ledger().await?.into_iter().map(|(account, entry)| (account, Some(entry))).collect();
        Ok(Moved { accounts, through })
    }

    async fn take_chore(&self, _chore: &str, _for_ms: u64) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        Ok(Vec::new())
    }

    fn stopped(&self) -> Option<String> {
        self.stopped.get().cloned()
    }

    async fn close(&self) -> Result<(), StoreError> {
        hit("close.enter")?;
        self.short.close();
        self.long.close();
        let (answer, answered) = oneshot::channel();
        // Closing twice is closing.
        if self.send(Job::Close(answer)).await.is_ok()
            && let Ok(closed) = answered.await
        {
            closed?;
        }
        self.join();
        hit("close.exit")?;
        Ok(())
    }
}
