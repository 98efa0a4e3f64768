//! Where Handover keeps what it promised. One trait, one implementation per database; SQL is nowhere else.
//!
//! A commit is one transaction over the records, the handoffs, the session and everything else that a command changed.
//! It is acknowledged only when it is on disk.

mod copy;
mod error;
pub mod failpoint;
mod figures;
pub mod postgres;
mod rows;
mod shared;
pub mod sqlite;

pub use copy::{Copied, copy};
pub use error::{StoreError, is_newer};
pub use figures::{FigureRow, Figures, FiguresQuery, SessionFigures, Word};
pub use rows::{
    AgentRow, Commit, FlowRow, HandoffRow, Item, ItemKind, KeyRow, MessageRow, RecordRow, Reserved, ReturnRow,
    SessionRow, StoredReturn,
};

pub use shared::{Hooks, Load, Moved, Node, OnCommit, OnFenced, OnForeign, Place, Reading};

use async_trait::async_trait;
use handover_core::{
    access::Whose,
    agent::{Profile, Standing},
    digest::Digest,
    glance::Glance,
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, SessionId},
    ledger::{Account, Entry},
    message::Message,
    session::Session,
    time::Timestamp,
};
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// A record as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Its place in the feed: the order of commits over all sessions.
    pub position: u64,
    /// The session.
    pub session_id: SessionId,
    /// Its number in the session.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
    /// Its text, to the letter.
    pub text: Arc<str>,
}

/// Which records are asked for. Everything that is given must fit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordQuery {
    /// Of this tenant's sessions; of all when nothing is said.
    pub tenant: Option<String>,
    /// Of this handoff.
    pub handoff: Option<HandoffId>,
    /// Of handoffs that carry this task.
    pub task: Option<String>,
    /// Of this session.
    pub session: Option<SessionId>,
    /// Of handoffs from this agent.
    pub from: Option<AgentId>,
    /// Of handoffs to this agent.
    pub to: Option<AgentId>,
    /// Of this event type.
    pub event_type: Option<String>,
    /// Not before.
    pub since: Option<Timestamp>,
    /// Before.
    pub until: Option<Timestamp>,
    /// After this position.
    pub after: u64,
    /// Before this position, where it is not 0.
    pub before: u64,
    /// The latest first instead of the earliest.
    pub latest_first: bool,
    /// At most so many; `PAGE_MAX` at the most.
    pub limit: usize,
}

/// A handoff that waits for its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The handoff.
    pub handoff: HandoffId,
    /// Its session.
    pub session: SessionId,
    /// To whom it is offered.
    pub to: AgentId,
    /// Its level: lower goes first.
    pub level: u8,
    /// Since when it has been on offer.
    pub since: Timestamp,
}

/// A handoff for which something is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// The handoff.
    pub handoff: HandoffId,
    /// Its session.
    pub session: SessionId,
    /// When.
    pub at: Timestamp,
}

/// A handoff that somebody works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// The handoff.
    pub handoff: HandoffId,
    /// Its session.
    pub session: SessionId,
    /// Who works on it.
    pub by: AgentId,
    /// Whether the holder lived in the engine's own process.
    pub in_process: bool,
}

/// Which handoffs are asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandoffQuery {
    /// Of this session; of the tenant's sessions otherwise.
    pub session: Option<SessionId>,
    /// Of this tenant's sessions.
    pub tenant: Option<String>,
    /// With this status.
    pub status: Option<Status>,
    /// To this agent.
    pub to: Option<AgentId>,
    /// From this agent.
    pub from: Option<AgentId>,
    /// After this number: of the session where one is given, else of the house. With the latest first: before it, where
    /// it is not 0.
    pub after: u64,
    /// The latest first instead of the earliest.
    pub latest_first: bool,
    /// At most so many; `PAGE_MAX` at the most.
    pub limit: usize,
}

/// A handoff as its row says, for a verification.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffCheck {
    /// The handoff, with its request and its result.
    pub handoff: Handoff,
    /// Whether the columns by which it is found say the same.
    pub fits: bool,
}

/// Counts over all sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Stats {
    /// Handoffs.
    pub total_handoffs: u64,
    /// Handoffs that nobody has accepted yet.
    pub pending_handoffs: u64,
    /// Handoffs by status.
    pub by_status: BTreeMap<String, u64>,
    /// Sent and received by agent.
    pub handoffs_by_agent: BTreeMap<String, SentReceived>,
    /// Sessions.
    pub sessions: u64,
    /// Records.
    pub records: u64,
}

/// Counts over the whole house, whoever its sessions belong to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Handoffs by status.
    pub by_status: BTreeMap<Status, u64>,
    /// Sessions, all that ever were.
    pub sessions: u64,
    /// Sessions with a handoff that is not closed.
    pub active_sessions: u64,
}

/// How many handoffs an agent sent and received.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct SentReceived {
    /// Sent.
    pub sent: u64,
    /// Received.
    pub received: u64,
}

/// The first answer to a request, by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstAnswer {
    /// The digest of what was asked.
    pub digest: Digest,
    /// The answer, as JSON.
    pub answer: String,
}

/// The end of a session's chain, and where it begins when older records were removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainEnds {
    /// The session.
    pub session: SessionId,
    /// The number and hash of the last record.
    pub head: (u64, Digest),
    /// The number and hash of the last record that was removed; 0 when none was.
    pub pruned: (u64, Digest),
}

/// A part of a trail that was kept long enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prunable {
    /// The session.
    pub session: SessionId,
    /// The last record that may be removed.
    pub through: u64,
    /// Its hash.
    pub hash: Digest,
}

/// How long what is kept, in milliseconds. After the end of the handoff, or of the session for what belongs to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Sessions that go on: a handoff's records stay this long after it was closed.
    pub active_ms: u64,
    /// Sessions that are over.
    pub completed_ms: u64,
    /// Escalations.
    pub escalation_ms: u64,
}

/// A place that keeps what it promised.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Writes a commit as one transaction, together with whatever else arrived meanwhile, and syncs.
    /// Gives the positions of its records. `StoreError::Conflict` when the session is not at the expected version.
    async fn commit(&self, commit: Commit) -> Result<Vec<u64>, StoreError>;

    /// A session with its open handoffs, variables, artifacts, locks and decisions.
    async fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError>;
    /// To whom a session belongs; nothing when there is none with this id.
    async fn tenant(&self, id: &SessionId) -> Result<Option<String>, StoreError>;
    /// To whom a session belongs and who takes part in it; nothing when there is none with this id.
    async fn whose(&self, id: &SessionId) -> Result<Option<Whose>, StoreError>;
    /// Sessions of a tenant (ids, latest first), after a number of them, at most so many.
    async fn sessions(&self, tenant: &str, skip: usize, limit: usize) -> Result<Vec<SessionId>, StoreError>;
    /// These sessions as a list shows them, in the same order; those that are not there are left out.
    async fn glances(&self, ids: &[SessionId]) -> Result<Vec<Glance>, StoreError>;
    /// How many sessions of a workflow stand in each of these states, in their order; none is counted beyond `most`.
    async fn in_states(
        &self,
        tenant: &str,
        workflow: &str,
        states: &[String],
        most: usize,
    ) -> Result<Vec<usize>, StoreError>;
    /// The sessions of a workflow in a state (ids, latest first), after a number of them, at most so many.
    async fn sessions_in_state(
        &self,
        tenant: &str,
        flow: &FlowRow,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<SessionId>, StoreError>;
    /// A handoff, open or closed, with its request and its result.
    async fn handoff(&self, id: HandoffId) -> Result<Option<Handoff>, StoreError>;
    /// Handoffs of a tenant with ids from the first to the last, in the order of ids, at most so many.
    async fn handoffs_between(
        &self,
        tenant: &str,
        first: HandoffId,
        last: HandoffId,
        limit: usize,
    ) -> Result<Vec<HandoffId>, StoreError>;
    /// Handoffs with their requests and results, in order.
    async fn handoffs(&self, query: &HandoffQuery) -> Result<Vec<Handoff>, StoreError>;
    /// The rows of a session's handoffs by number, after this one, with whether their columns fit.
    async fn handoff_rows(
        &self,
        session: &SessionId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<HandoffCheck>, StoreError>;
    /// How many handoffs a session has had, from and to whom. Costs the same for a few and for a million.
    async fn count(&self, session: &SessionId, from: Option<&AgentId>, to: Option<&AgentId>)
    -> Result<u64, StoreError>;
    /// Messages of a session from the first number to the last, at most `PAGE_MAX`.
    async fn messages(&self, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, StoreError>;
    /// The first answer to a request of a session, by its key.
    async fn answered(&self, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, StoreError>;
    /// A return that was not taken, of a handoff or a group.
    async fn waiting_return(&self, of: Uuid) -> Result<Option<StoredReturn>, StoreError>;
    /// Returns that wait for an agent, oldest first.
    async fn waiting_returns(&self, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, StoreError>;

    /// Handoffs for which something is due by now, earliest first.
    async fn due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError>;
    /// When the next thing is due.
    async fn next_due(&self) -> Result<Option<Timestamp>, StoreError>;
    /// Offers to an agent, by level, then age.
    async fn offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError>;
    /// How many offers wait for each agent that any wait for.
    async fn offers_waiting(&self) -> Result<Vec<(AgentId, u32)>, StoreError>;
    /// Everything that somebody works on.
    async fn running(&self) -> Result<Vec<Running>, StoreError>;
    /// Every session with a handoff that is not closed, by id.
    async fn open_sessions(&self) -> Result<Vec<SessionId>, StoreError>;

    /// All agents.
    async fn agents(&self) -> Result<Vec<(Profile, Standing)>, StoreError>;

    /// All accounts of the ledger.
    async fn ledger(&self) -> Result<Vec<(Account, Entry)>, StoreError>;
    /// What each account has set aside by the ledger, and by the handoffs that are open, as of one moment.
    async fn reserved(&self) -> Result<Vec<Reserved>, StoreError>;

    /// Records in the order of commits. Never skips one.
    async fn records(&self, query: &RecordQuery) -> Result<Vec<StoredRecord>, StoreError>;
    /// The last position, and the time of the last record.
    async fn last_position(&self) -> Result<(u64, Timestamp), StoreError>;
    /// The ends of all chains, by session id, after this one.
    async fn chains(&self, after: Option<&SessionId>, limit: usize) -> Result<Vec<ChainEnds>, StoreError>;
    /// The ends of one chain.
    async fn chain(&self, session: &SessionId) -> Result<Option<ChainEnds>, StoreError>;
    /// What may be removed by now, at most so many sessions.
    async fn prunable(&self, retention: Retention, now: Timestamp, limit: usize) -> Result<Vec<Prunable>, StoreError>;
    /// Removes these, in one transaction with the commit that records it.
    async fn prune(&self, parts: Vec<Prunable>, commit: Commit) -> Result<Vec<u64>, StoreError>;

    /// Keeps a note of a rim under a space and a key, in place of the one before; removes it where there is no text. It is
    /// acknowledged only when it is on disk.
    async fn keep_note(&self, space: &str, key: &str, body: Option<String>) -> Result<(), StoreError>;
    /// Notes of a space by key, after this one, at most so many.
    async fn notes(&self, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, StoreError>;

    /// Counts over all sessions of a tenant.
    async fn stats(&self, tenant: &str) -> Result<Stats, StoreError>;
    /// Counts over the whole house. Costs a look at each tenant, and at each handoff that is open.
    async fn totals(&self) -> Result<Totals, StoreError>;
    /// Handoffs in numbers, for statistics.
    async fn figures(&self, query: &FiguresQuery) -> Result<Figures, StoreError>;
    /// Whether other processes may write here, too: what is remembered of it may be out of date.
    fn is_shared(&self) -> bool {
        false
    }
    /// The version of a session as it is stored; 0 when there is none.
    async fn version(&self, id: &SessionId) -> Result<u64, StoreError>;
    /// As `due`, held for this process for `HOLD_MS`: no other one is given them meanwhile.
    async fn take_due(&self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        self.due(now, limit).await
    }
    /// As `offers`, held for this process for `HOLD_MS`: no other one is given them meanwhile.
    async fn take_offers(&self, to: &AgentId, limit: usize) -> Result<Vec<Offer>, StoreError> {
        self.offers(to, limit).await
    }
    /// Lets go of offers that are held for this process and that it did not take.
    async fn let_go(&self, offers: &[HandoffId]) -> Result<(), StoreError>;
    /// Work whose holder lived in a process that is gone, at most `ABANDONED_MAX` pieces. Whoever is found gone writes nothing more.
    async fn abandoned(&self) -> Result<Vec<Running>, StoreError>;
    /// How much each agent has to do that has anything to do, over all processes.
    async fn loads(&self) -> Result<Vec<Load>, StoreError>;
    /// The accounts of the ledger that changed after a position.
    async fn ledger_after(&self, position: u64) -> Result<Moved, StoreError>;
    /// Whether a chore that one process does for all is for this one, for so many milliseconds from now. Whoever has it
    /// keeps it by asking again in time.
    async fn take_chore(&self, chore: &str, for_ms: u64) -> Result<bool, StoreError>;
    /// The processes that work here; none where it is only this one.
    async fn nodes(&self) -> Result<Vec<Node>, StoreError>;
    /// Says that this process answers requests of others.
    async fn serve(&self) -> Result<(), StoreError> {
        Ok(())
    }
    /// What the clock said that all processes go by, when it was last looked at; nothing where there is none.
    fn reading(&self) -> Option<Reading> {
        None
    }
    /// How far the clock of this machine is ahead of the one that all processes go by, in milliseconds.
    fn clock_apart_ms(&self) -> i64 {
        0
    }
    /// Looks soon for what others wrote.
    fn look(&self) {}

    /// Why it has stopped writing, if it has.
    fn stopped(&self) -> Option<String>;
    /// Finishes what has arrived and closes.
    async fn close(&self) -> Result<(), StoreError>;
}
