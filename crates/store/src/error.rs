//! What can go wrong in a store. Every case has a code; none is retried in hope.

use handover_core::refusal::{Code, HandoffError, Refusal};

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The session is not at the version that the commit expected.
    #[error("the session was changed by somebody else")]
    Conflict,
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
            Self::Overloaded => Code::Overloaded,
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
