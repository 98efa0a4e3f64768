//! Returns that wait, and first answers by key.

use super::{Fault, agent_id, all, count, digest, page, session_id, uuid};
use crate::{FirstAnswer, rows::StoredReturn};
use handover_core::ids::{AgentId, SessionId};
use rusqlite::{Connection, Row, params};
use uuid::Uuid;

const SELECT: &str = "SELECT r.of, r.to_agent, s.id, r.seq FROM returns r JOIN sessions s ON s.no = r.session_no";

fn read(row: &Row<'_>) -> Result<StoredReturn, Fault> {
    Ok(StoredReturn { of: uuid(row, 0)?, to: agent_id(row, 1)?, session: session_id(row, 2)?, seq: count(row, 3)? })
}

/// A return that was not taken, of a handoff or a group.
pub(crate) fn waiting_return(conn: &Connection, of: Uuid) -> Result<Option<StoredReturn>, Fault> {
    let mut find = conn.prepare_cached(&format!("{SELECT} WHERE r.of = ?1"))?;
    let mut rows = find.query([of.as_bytes()])?;
    rows.next()?.map(read).transpose()
}

/// Returns that wait for an agent, oldest first.
pub(crate) fn waiting_returns(conn: &Connection, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, Fault> {
    let mut find = conn.prepare_cached(&format!("{SELECT} WHERE r.to_agent = ?1 ORDER BY r.position LIMIT ?2"))?;
    all(find.query(params![to.as_str(), page(limit)])?, read)
}

/// The first answer to a request, by its key.
pub(crate) fn answered(conn: &Connection, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT k.digest, k.answer FROM sessions s JOIN keys k ON k.session_no = s.no WHERE s.id = ?1 AND k.key = ?2",
    )?;
    let mut rows = find.query(params![session.as_str(), key])?;
    let read = |row: &Row<'_>| Ok(FirstAnswer { digest: digest(row, 0)?, answer: row.get(1)? });
    rows.next()?.map(read).transpose()
}
