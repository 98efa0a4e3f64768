//! Returns that wait, and first answers by key.

use super::{Client, Fault, agent_id, all, count, digest, get, page, session_id};
use crate::{FirstAnswer, rows::StoredReturn};
use handover_core::ids::{AgentId, SessionId};
use tokio_postgres::Row;
use uuid::Uuid;

const SELECT: &str = "SELECT r.of, r.to_agent, s.id, r.seq FROM returns r JOIN sessions s ON s.no = r.session_no";

fn read(row: &Row) -> Result<StoredReturn, Fault> {
    Ok(StoredReturn { of: get(row, 0)?, to: agent_id(row, 1)?, session: session_id(row, 2)?, seq: count(row, 3)? })
}

/// A return that was not taken, of a handoff or a group.
pub(crate) async fn waiting_return(conn: &Client, of: Uuid) -> Result<Option<StoredReturn>, Fault> {
    conn.query_opt(&format!("{SELECT} WHERE r.of = $1"), &[&of]).await?.as_ref().map(read).transpose()
}

/// Returns that wait for an agent, oldest first.
pub(crate) async fn waiting_returns(conn: &Client, to: &AgentId, limit: usize) -> Result<Vec<StoredReturn>, Fault> {
    let sql = format!("{SELECT} WHERE r.to_agent = $1 ORDER BY r.position LIMIT $2");
    all(&conn.query(&sql, &[&to.as_str(), &page(limit)]).await?, read)
}

/// The first answer to a request, by its key.
pub(crate) async fn answered(conn: &Client, session: &SessionId, key: &str) -> Result<Option<FirstAnswer>, Fault> {
    let sql = "SELECT k.digest, k.answer FROM sessions s JOIN keys k ON k.session_no = s.no \
               WHERE s.id = $1 AND k.key = $2";
    let found = conn.query_opt(sql, &[&session.as_str(), &key]).await?;
    found.map(|row| Ok(FirstAnswer { digest: digest(&row, 0)?, answer: get(&row, 1)? })).transpose()
}
