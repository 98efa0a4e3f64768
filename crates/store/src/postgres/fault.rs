//! What PostgreSQL's errors mean to us: somebody else was first, one request was bad, or nobody is there.

use crate::{StoreError, is_newer};
use std::error::Error as _;
use tokio_postgres::{
    Error,
    error::DbError,
    types::{WasNull, WrongType},
};

/// What went wrong in the database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The session, a return, or what is to be removed is no longer as the commit believed.
    #[error("the session was changed by somebody else")]
    Conflict,
    /// This request cannot be written; others can.
    #[error("{0}")]
    Bad(String),
    /// There is no partition for the time of a record.
    #[error("{0}")]
    NoPartition(String),
    /// The content is not what it must be.
    #[error("{0}")]
    Damaged(String),
    /// A newer version wrote it.
    #[error("{0}")]
    Newer(String),
    /// The database cannot be reached, or does not take requests now.
    #[error("{0}")]
    Away(String),
    /// Nobody knows any more whether a batch was written.
    #[error("{0}")]
    Unknown(String),
    /// Others took this process for gone.
    #[error("this process was taken for gone")]
    Fenced,
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

/// The process was taken for gone: nothing of the batch is written.
const FENCED: &str = "HO001";
/// Something does not fit any more: nothing of the batch is written.
const CONFLICT: &str = "HO003";
/// No partition takes the row, besides rows that break a check.
const CHECK_VIOLATION: &str = "23514";

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        if let Some(db) = error.as_db_error() {
            return Self::told(db);
        }
        let text = words(&error);
        match error.source() {
            Some(source) if source.is::<WasNull>() || source.is::<WrongType>() => Self::Damaged(text),
            _ => Self::Away(text),
        }
    }
}

impl Fault {
    fn told(error: &DbError) -> Self {
        let code = error.code().code();
        let text = error.detail().map_or_else(
            || format!("{} ({code})", error.message()),
            |detail| format!("{} ({code}): {detail}", error.message()),
        );
        match code {
            FENCED => Self::Fenced,
            CONFLICT => Self::Conflict,
            CHECK_VIOLATION if error.constraint().is_none() => Self::NoPartition(text),
            "XX001" | "XX002" => Self::Damaged(text),
            // Took too long, shut down, starting up, too many connections, on a standby, or in the way of another: it may go
            // well later.
            "57014" | "57P01" | "57P02" | "57P03" | "53300" | "25006" | "40001" | "40P01" => Self::Away(text),
            _ if code.starts_with("08") => Self::Away(text),
            _ => Self::Bad(text),
        }
    }
}

/// An error with what is behind it.
pub(super) fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(behind) = source {
        let more = behind.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        source = behind.source();
    }
    text
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
            Fault::Away(text) => Self::Away(text),
            Fault::Fenced => Self::Fenced,
            Fault::Closed => Self::Closed,
            Fault::Bad(text) | Fault::NoPartition(text) | Fault::Unknown(text) => Self::Failed(text),
        }
    }
}
