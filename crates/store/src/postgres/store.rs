//! What the store answers: each question goes to the writer, to a connection for short reads or to one for long ones.

use super::{PostgresStore, notes, partitions, read, readers::read as ask};
use crate::{
    ChainEnds, Commit, Due, Figures, FiguresQuery, FirstAnswer, FlowRow, HandoffCheck, HandoffQuery, Load, Moved, Node,
    Offer, Prunable, Reading, RecordQuery, Reserved, Retention, Running, Stats, Store, StoreError, StoredRecord,
    StoredReturn, Totals, failpoint::hit,
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
use uuid::Uuid;

#[async_trait]
impl Store for PostgresStore {
    async fn commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("commit.enter")?;
        let positions = self.write_commit(commit).await?;
        hit("commit.exit")?;
        Ok(positions)
    }

    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        hit("session.enter")?;
        let found = ask!(self.short, conn => read::sessions::session(conn, id))?;
        hit("session.exit")?;
        Ok(found)
    }

    async fn sessions(&self, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, StoreError> {
        hit("sessions.enter")?;
        let found = ask!(self.long, conn => read::sessions::sessions(conn, tenant, skip, limit))?;
        hit("sessions.exit")?;
        Ok(found)
    }

    async fn glances(&self, ids: &[SessionId]) -> Result<Vec<Glance>, StoreError> {
        hit("glances.enter")?;
        let found = ask!(self.long, conn => read::sessions::glances(conn, ids))?;
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
        let found = ask!(self.long, conn => read::flow::in_states(conn, tenant, workflow, states, most))?;
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
        let found = ask!(self.long, conn => read::flow::in_state(conn, tenant, flow, skip, limit))?;
        hit("sessions_in_state.exit")?;
        Ok(found)
    }

    async fn handoff(&self, id: HandoffId) -> Result<Option<Handoff>, StoreError> {
        hit("handoff.enter")?;
        let found = ask!(self.short, conn => read::handoffs::handoff(conn, id))?;
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
        let found = ask!(self.short, conn => read::handoffs::between(conn, tenant, first, last, limit))?;
        hit("handoffs_between.exit")?;
        Ok(found)
    }

    async fn handoffs(&self, query: &HandoffQuery) -> Result<Vec<Handoff>, StoreError> {
        hit("handoffs.enter")?;
        let found = ask!(self.long, conn => read::handoffs::handoffs(conn, query))?;
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
        let found = ask!(self.long, conn => read::handoffs::rows(conn, session, after, limit))?;
        hit("handoff_rows.exit")?;
        Ok(found)
    }

    async fn tenant(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        hit("tenant.enter")?;
        let found = ask!(self.short, conn => read::sessions::tenant(conn, id))?;
        hit("tenant.exit")?;
        Ok(found)
    }

    async fn whose(&self, id: &SessionId) -> Result<Option<Whose>, StoreError> {
        hit("whose.enter")?;
        let found = ask!(self.short, conn => read::sessions::whose(conn, id))?;
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
        let found = ask!(self.short, conn => read::handoffs::count(conn, session, from, to))?;
        hit("count.exit")?;
        Ok(found)
    }

    async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, StoreError> {
        hit("messages.enter")?;
        let found = ask!(self.short, conn => read::messages::messages(conn, session, first, last))?;
        hit("messages.exit")?;
        Ok(found)
    }

    async fn answered(&self, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, StoreError> {
        hit("answered.enter")?;
        let found = ask!(self.short, conn => read::returns::answered(conn, session, key))?;
        hit("answered.exit")?;
        Ok(found)
    }

    async fn waiting_return(&self, of: Uuid) -> Result<Option<StoredReturn>, StoreError> {
        hit("waiting_return.enter")?;
        let found = ask!(self.short, conn => read::returns::waiting_return(conn, of))?;
        hit("waiting_return.exit")?;
        Ok(found)
    }

    async fn waiting_returns(&self, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, StoreError> {
        hit("waiting_returns.enter")?;
        let found = ask!(self.short, conn => read::returns::waiting_returns(conn, to, limit))?;
        hit("waiting_returns.exit")?;
        Ok(found)
    }

    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        hit("due.enter")?;
        let found = ask!(self.short, conn => read::queue::due(conn, now, limit))?;
        hit("due.exit")?;
        Ok(found)
    }

    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError> {
        hit("next_due.enter")?;
        let found = ask!(self.short, conn => read::queue::next_due(conn))?;
        hit("next_due.exit")?;
        Ok(found)
    }

    async fn offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        hit("offers.enter")?;
        let found = ask!(self.short, conn => read::queue::offers(conn, to, limit))?;
        hit("offers.exit")?;
        Ok(found)
    }

    async fn offers_waiting(&self) -> Result<Vec<(AgentId, u32)>, StoreError> {
        hit("offers_waiting.enter")?;
        let found = ask!(self.long, conn => read::queue::offers_waiting(conn))?;
        hit("offers_waiting.exit")?;
        Ok(found)
    }

    async fn running(&self) -> Result<Vec<Running>, StoreError> {
        hit("running.enter")?;
        let found = ask!(self.long, conn => read::queue::running(conn))?;
        hit("running.exit")?;
        Ok(found)
    }

    async fn open_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        hit("open_sessions.enter")?;
        let found = ask!(self.long, conn => read::queue::open_sessions(conn))?;
        hit("open_sessions.exit")?;
        Ok(found)
    }

    async fn agents(&self) -> Result<Vec<(Profile, Standing)>, StoreError> {
        hit("agents.enter")?;
        let found = ask!(self.long, conn => read::agents::agents(conn))?;
        hit("agents.exit")?;
        Ok(found)
    }

    async fn ledger(&self) -> Result<Vec<(Account, Entry)>, StoreError> {
        hit("ledger.enter")?;
        let found = ask!(self.long, conn => read::ledger::ledger(conn))?;
        hit("ledger.exit")?;
        Ok(found)
    }

    async fn reserved(&self) -> Result<Vec<Reserved>, StoreError> {
        hit("reserved.enter")?;
        let found = ask!(self.long, conn => read::moment(conn, read::ledger::reserved(conn)))?;
        hit("reserved.exit")?;
        Ok(found)
    }

    async fn records(&self, query: &RecordQuery) -> Result<Vec<StoredRecord>, StoreError> {
        hit("records.enter")?;
        let found = ask!(self.long, conn => read::records::records(conn, query))?;
        hit("records.exit")?;
        Ok(found)
    }

    async fn last_position(&self) -> Result<(u64, Timestamp), StoreError> {
        hit("last_position.enter")?;
        let found = ask!(self.short, conn => read::records::last_position(conn))?;
        hit("last_position.exit")?;
        Ok(found)
    }

    async fn chains(&self, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, StoreError> {
        hit("chains.enter")?;
        let found = ask!(self.long, conn => read::sessions::chains(conn, after, limit))?;
        hit("chains.exit")?;
        Ok(found)
    }

    async fn chain(&self, session: &SessionId) -> Result<Option<ChainEnds>, StoreError> {
        hit("chain.enter")?;
        let found = ask!(self.short, conn => read::sessions::chain(conn, session))?;
        hit("chain.exit")?;
        Ok(found)
    }

    async fn prunable(&self, retention: Retention, now: Timestamp, limit: usize) -> Result<Vec<Prunable>, StoreError> {
        hit("prunable.enter")?;
        let found = ask!(self.long, conn => read::prunable::prunable(conn, retention, now, limit))?;
        if found.is_empty() {
            // Whoever asks and finds nothing more has removed all that there was: its space can be given back.
            ask!(self.long, conn => partitions::give_back(conn, retention, now))?;
        }
        hit("prunable.exit")?;
        Ok(found)
    }

    async fn prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError> {
        hit("prune.enter")?;
        let positions = self.write_prune(parts, commit).await?;
        hit("prune.exit")?;
        Ok(positions)
    }

    async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), StoreError> {
        hit("keep_note.enter")?;
        ask!(self.short, conn => notes::keep(conn, space, key, body.as_deref()))?;
        hit("keep_note.exit")
    }

    async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError> {
        hit("notes.enter")?;
        let found = ask!(self.short, conn => read::notes::notes(conn, space, after, limit))?;
        hit("notes.exit")?;
        Ok(found)
    }

    async fn stats(&self, tenant: &str) -> Result<Stats, StoreError> {
        hit("stats.enter")?;
        let found = ask!(self.long, conn => read::stats::stats(conn, tenant))?;
        hit("stats.exit")?;
        Ok(found)
    }

    async fn totals(&self) -> Result<Totals, StoreError> {
        hit("totals.enter")?;
        let found = ask!(self.long, conn => read::stats::totals(conn))?;
        hit("totals.exit")?;
        Ok(found)
    }

    async fn figures(&self, query: &FiguresQuery) -> Result<Figures, StoreError> {
        hit("figures.enter")?;
        let found = ask!(self.long, conn => read::moment(conn, read::figures::figures(conn, query)))?;
        hit("figures.exit")?;
        Ok(found)
    }

    async fn version(&self, id: &SessionId) -> Result<u64, StoreError> {
        ask!(self.short, conn => read::sessions::version(conn, id))
    }

    fn is_shared(&self) -> bool {
        true
    }

    async fn take_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        let by = self.node();
        ask!(self.short, conn => read::queue::take_due(conn, by, now, limit))
    }

    async fn take_offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        let by = self.node();
        ask!(self.short, conn => read::queue::take_offers(conn, by, to, limit))
    }

    async fn let_go(&self, offers: &[HandoffId]) -> Result<(), StoreError> {
        let by = self.node();
        if !offers.is_empty() {
            ask!(self.short, conn => read::queue::let_go(conn, by, offers))?;
        }
        Ok(())
    }

    async fn abandoned(&self) -> Result<Vec<Running>, StoreError> {
        self.abandoned_work().await
    }

    async fn loads(&self) -> Result<Vec<Load>, StoreError> {
        ask!(self.short, conn => read::queue::loads(conn))
    }

    async fn ledger_after(&self, position: u64) -> Result<Moved, StoreError> {
        ask!(self.short, conn => read::ledger::after(conn, position))
    }

    async fn take_chore(&self, chore: &str, for_ms: u64) -> Result<bool, StoreError> {
        self.chore(chore, for_ms).await
    }

    async fn nodes(&self) -> Result<Vec<Node>, StoreError> {
        self.live_nodes().await
    }

    async fn serve(&self) -> Result<(), StoreError> {
        self.say_it_serves().await
    }

    fn reading(&self) -> Option<Reading> {
        self.identity.reading()
    }

    fn clock_apart_ms(&self) -> i64 {
        self.identity.apart_ms()
    }

    fn look(&self) {
        self.look_soon();
    }

    /// A database that cannot be reached comes back; nothing is stopped for good.
    fn stopped(&self) -> Option<String> {
        None
    }

    async fn close(&self) -> Result<(), StoreError> {
        hit("close.enter")?;
        self.shut().await?;
        hit("close.exit")
    }
}
