//! What SQLite's errors mean to us: somebody else was first, one request was bad, or the file can no longer be trusted.

use crate::{StoreError, is_newer};
use rusqlite::ErrorCode;
use std::path::Path;

/// What went wrong in the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The session, or a return, is no longer as the commit believed.
    #[error("the session was changed by somebody else")]
    Conflict,
    /// This request cannot be written; others can.
    #[error("{0}")]
    Bad(String),
    /// Somebody else holds the file's lock.
    #[error("{0}")]
    Busy(String),
    /// The content is not what it must be.
    #[error("{0}")]
    Damaged(String),
    /// A newer version wrote it.
    #[error("{0}")]
    Newer(String),
    /// The disk failed, is full, or will not be written.
    #[error("{0}")]
    Broken(String),
}

impl Fault {
    /// Whether nothing more may be written after it.
    #[must_use]
    pub fn stops(&self) -> bool {
        match self {
            Self::Damaged(_) | Self::Broken(_) => true,
            Self::Conflict | Self::Bad(_) | Self::Busy(_) | Self::Newer(_) => false,
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::DiskFull
                | ErrorCode::OutOfMemory
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport,
            ) => Self::Broken(text),
            Some(_) => Self::Bad(text),
            // A row that does not have the types it was written with.
            None => Self::Damaged(text),
        }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        if is_newer(&error) {
            return Self::Newer(format!("a newer version wrote this, and this one leaves it alone: {error}"));
        }
        Self::Damaged(format!("a row cannot be read: {error}"))
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Conflict => Self::Conflict,
            Fault::Damaged(text) => Self::Damaged(text),
            Fault::Newer(text) => Self::Newer(text),
            Fault::Bad(text) | Fault::Busy(text) | Fault::Broken(text) => Self::Failed(text),
        }
    }
}

/// The same, with the name of the file that is to be opened.
pub(super) fn opening(path: &Path, fault: Fault) -> StoreError {
    let path = path.display();
    match fault {
        Fault::Damaged(text) => StoreError::Damaged(format!("{path} is damaged: {text}")),
        Fault::Busy(text) => StoreError::InUse(format!("{path} is in use: {text}")),
        Fault::Newer(text) => StoreError::Newer(text),
        Fault::Conflict | Fault::Bad(_) | Fault::Broken(_) => {
            StoreError::Failed(format!("{path} cannot be opened: {fault}"))
        }
    }
}
