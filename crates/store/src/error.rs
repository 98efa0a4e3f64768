//! What can go wrong in a store. Every case has a code; none is retried in hope.

use crate::StoredRecord;
use handover_core::{
    ids::AgentId,
    ledger::Account,
    refusal::{Code, HandoffError, Refusal},
};

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The session is not at the version that the commit expected.
    #[error("the session was changed by somebody else")]
    Conflict,
    /// The agent works on as much as it may already, also for other processes.
    #[error("{0} works on as much as it may")]
    Full(AgentId),
    /// An account has changed so that what was decided by it cannot be.
    #[error("the account \"{0}\" changed meanwhile")]
    Refuted(Account),
    /// Others took this process for gone. It comes back as a new one; what it was about to write is not written.
    #[error("this process was taken for gone, and begins anew")]
    Fenced,
    /// The database cannot be reached. What was about to be written is not written.
    #[error("the database cannot be reached: {0}")]
    Away(String),
    /// Writing has stopped after a failure.
    #[error("the store has stopped writing: {0}")]
    Stopped(String),
    /// Another process has the file.
    #[error("{0}")]
    InUse(String),
    /// A newer version wrote the file.
    #[error("{0}")]
    Newer(String),
    /// The file is damaged or not ours.
    #[error("{0}")]
    Damaged(String),
    /// Too many requests wait.
    #[error("too many requests wait for the store")]
    Overloaded,
    /// It is being closed.
    #[error("the store is closed")]
    Closed,
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl StoreError {
    /// Its code.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Stopped(_) => Code::StoreStopped,
            Self::InUse(_) => Code::StoreInUse,
            Self::Newer(_) => Code::StoreNewer,
            Self::Damaged(_) => Code::StoreDamaged,
            Self::Full(_) => Code::AtCapacity,
            Self::Away(_) => Code::StoreAway,
            Self::Overloaded | Self::Refuted(_) | Self::Fenced => Code::Overloaded,
            Self::Closed => Code::ShuttingDown,
            Self::Conflict | Self::Failed(_) => Code::StoreFailed,
        }
    }
}

impl From<StoreError> for HandoffError {
    fn from(error: StoreError) -> Self {
        let refusal = Refusal::new(error.code(), error.to_string());
        Self::one(refusal)
    }
}

impl StoredRecord {
    /// Why it cannot be read: a newer version wrote it, or it is damaged.
    #[must_use]
    pub fn unreadable(&self, error: &serde_json::Error) -> StoreError {
        if is_newer(error) {
            return StoreError::Newer(format!("record {} was written by a newer version: {error}", self.position));
        }
        StoreError::Damaged(format!("record {} cannot be read: {error}", self.position))
    }
}

/// Whether a text cannot be read because a newer version wrote it: it has something that is not known here.
#[must_use]
pub fn is_newer(error: &serde_json::Error) -> bool {
    let text = error.to_string();
    text.starts_with("unknown field") || text.starts_with("unknown variant")
}
