//! Queries, one file per resource. Each runs on a connection that only reads.

pub(super) mod agents;
pub(super) mod figures;
pub(super) mod flow;
pub(super) mod handoffs;
pub(super) mod ledger;
pub(super) mod messages;
pub(super) mod notes;
pub(super) mod prunable;
pub(super) mod queue;
pub(super) mod records;
pub(super) mod returns;
pub(super) mod sessions;
pub(super) mod stats;

use super::fault::Fault;
use handover_core::{
    digest::Digest,
    handoff::Status,
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_MAX,
};
use rusqlite::{Connection, OptionalExtension, Row};
use uuid::Uuid;

/// Rows of a page, as SQLite wants the number.
fn page(limit: usize) -> i64 {
    i64::try_from(limit.min(PAGE_MAX)).unwrap_or(i64::MAX)
}

/// The number of a session inside the file.
fn session_no(conn: &Connection, id: &SessionId) -> Result<Option<i64>, Fault> {
    let mut find = conn.prepare_cached("SELECT no FROM sessions WHERE id = ?1")?;
    Ok(find.query_row([id.as_str()], |row| row.get(0)).optional()?)
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, Fault> {
    Ok(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

fn session_id(row: &Row<'_>, column: usize) -> Result<SessionId, Fault> {
    SessionId::new(text(row, column)?)
        .map_err(|error| Fault::Damaged(format!("a session's id cannot be read: {error}")))
}

fn agent_id(row: &Row<'_>, column: usize) -> Result<AgentId, Fault> {
    AgentId::new(text(row, column)?).map_err(|error| Fault::Damaged(format!("an agent's id cannot be read: {error}")))
}

fn uuid(row: &Row<'_>, column: usize) -> Result<Uuid, Fault> {
    Ok(Uuid::from_bytes(row.get(column)?))
}

fn status(word: &str) -> Result<Status, Fault> {
    let known = Status::ALL.into_iter().find(|status| status.word() == word);
    known.ok_or_else(|| Fault::Damaged(format!("a status is none: {word}")))
}

fn handoff_id(row: &Row<'_>, column: usize) -> Result<HandoffId, Fault> {
    uuid(row, column).map(HandoffId)
}

fn digest(row: &Row<'_>, column: usize) -> Result<Digest, Fault> {
    Ok(Digest(row.get(column)?))
}

/// A number that we wrote: never negative.
fn count(row: &Row<'_>, column: usize) -> Result<u64, Fault> {
    let number: i64 = row.get(column)?;
    Ok(u64::try_from(number).unwrap_or(0))
}

/// Every row of a query.
fn all<T>(mut rows: rusqlite::Rows<'_>, mut read: impl FnMut(&Row<'_>) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}
