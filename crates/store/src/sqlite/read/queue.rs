//! What has to happen next: what is due, what waits for an agent, what somebody works on.

use super::{Fault, agent_id, all, handoff_id, page, session_id};
use crate::{Due, Load, Offer, Running};
use handover_core::{
    ids::{AgentId, SessionId},
    time::Timestamp,
};
use rusqlite::{Connection, params};

/// Handoffs for which something is due, earliest first.
pub(crate) fn due(conn: &Connection, now: Timestamp, limit: usize) -> Result<Vec<Due>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT h.id, s.id, h.due_at FROM handoffs h JOIN sessions s ON s.no = h.session_no \
         WHERE h.due_at <= ?1 ORDER BY h.due_at, h.no LIMIT ?2",
    )?;
    all(find.query(params![now.0, page(limit)])?, |row| {
        Ok(Due { handoff: handoff_id(row, 0)?, session: session_id(row, 1)?, at: Timestamp(row.get(2)?) })
    })
}

/// When the next thing is due.
pub(crate) fn next_due(conn: &Connection) -> Result<Option<Timestamp>, Fault> {
    let mut find = conn.prepare_cached("SELECT min(due_at) FROM handoffs WHERE due_at IS NOT NULL")?;
    let at: Option<i64> = find.query_row([], |row| row.get(0))?;
    Ok(at.map(Timestamp))
}

/// Offers to an agent, by level, then age.
pub(crate) fn offers(conn: &Connection, to: &AgentId, limit: usize) -> Result<Vec<Offer>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT h.id, s.id, h.to_agent, h.level, h.offered_since FROM handoffs h \
         JOIN sessions s ON s.no = h.session_no \
         WHERE h.to_agent = ?1 AND h.offered_since IS NOT NULL ORDER BY h.level, h.offered_since, h.no LIMIT ?2",
    )?;
    // A whole queue may be asked for, which is longer than a page.
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    all(find.query(params![to.as_str(), limit])?, |row| {
        Ok(Offer {
            handoff: handoff_id(row, 0)?,
            session: session_id(row, 1)?,
            to: agent_id(row, 2)?,
            level: row.get(3)?,
            since: Timestamp(row.get(4)?),
        })
    })
}

/// How many offers wait for each agent that any wait for.
pub(crate) fn offers_waiting(conn: &Connection) -> Result<Vec<(AgentId, u32)>, Fault> {
    let mut find = conn
        .prepare_cached("SELECT to_agent, count(*) FROM handoffs WHERE offered_since IS NOT NULL GROUP BY to_agent")?;
    all(find.query([])?, |row| Ok((agent_id(row, 0)?, row.get(1)?)))
}

/// How much each agent has to do.
pub(crate) fn loads(conn: &Connection) -> Result<Vec<Load>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT to_agent, sum(status = 'running'), sum(offered_since IS NOT NULL) FROM handoffs \
         WHERE due_at IS NOT NULL GROUP BY to_agent ORDER BY to_agent",
    )?;
    all(find.query([])?, |row| Ok(Load { agent: agent_id(row, 0)?, running: row.get(1)?, waiting: row.get(2)? }))
}

/// Everything that somebody works on.
pub(crate) fn running(conn: &Connection) -> Result<Vec<Running>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT h.id, s.id, h.to_agent, h.in_process FROM handoffs h JOIN sessions s ON s.no = h.session_no \
         WHERE h.due_at IS NOT NULL AND h.status = 'running' ORDER BY h.session_no, h.n DESC",
    )?;
    all(find.query([])?, |row| {
        Ok(Running {
            handoff: handoff_id(row, 0)?,
            session: session_id(row, 1)?,
            by: agent_id(row, 2)?,
            in_process: row.get(3)?,
        })
    })
}

/// Every session with a handoff that is not closed.
pub(crate) fn open_sessions(conn: &Connection) -> Result<Vec<SessionId>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT id FROM sessions WHERE no IN (SELECT session_no FROM handoffs WHERE due_at IS NOT NULL) ORDER BY id",
    )?;
    all(find.query([])?, |row| session_id(row, 0))
}
