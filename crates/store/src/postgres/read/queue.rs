//! What has to happen next: what is due, what waits for an agent, what somebody works on. All of it is in a narrow table.
//! What is taken is held for this process: others pass over what it holds, and over what somebody is about to take.

use super::{Client, Fault, agent_id, all, get, handoff_id, page, row_count, session_id, small, time};
use crate::{Due, Load, Offer, Running};
use handover_core::{
    ids::{AgentId, HandoffId, SessionId},
    limits::HOLD_MS,
    time::Timestamp,
};
use tokio_postgres::Row;
use uuid::Uuid;

fn read_due(row: &Row) -> Result<Due, Fault> {
    Ok(Due { handoff: handoff_id(row, 0)?, session: session_id(row, 1)?, at: time(row, 2)? })
}

/// Handoffs for which something is due, earliest first.
pub(crate) async fn due(conn: &Client, now: Timestamp, limit: usize) -> Result<Vec<Due>, Fault> {
    let sql = "SELECT o.id, s.id, o.due_at FROM open o JOIN sessions s ON s.no = o.session_no \
               WHERE o.due_at <= $1 ORDER BY o.due_at, o.no LIMIT $2";
    all(&conn.query(sql, &[&now.0, &page(limit)]).await?, read_due)
}

/// The same, held until a while after the time that is given: it is the engine's clock that says what is due.
pub(crate) async fn take_due(conn: &Client, by: Uuid, now: Timestamp, limit: usize) -> Result<Vec<Due>, Fault> {
    let sql = "WITH taken AS MATERIALIZED (SELECT no FROM open WHERE due_at <= $1 \
               AND (due_held_until IS NULL OR due_held_until <= $1 OR due_held_by = $4) \
               ORDER BY due_at, no LIMIT $2 FOR UPDATE SKIP LOCKED), \
               held AS (UPDATE open o SET due_held_until = $3, due_held_by = $4 FROM taken WHERE o.no = taken.no \
               RETURNING o.id, o.session_no, o.due_at, o.no) \
               SELECT h.id, s.id, h.due_at FROM held h JOIN sessions s ON s.no = h.session_no ORDER BY h.due_at, h.no";
    all(&conn.query(sql, &[&now.0, &page(limit), &(now + HOLD_MS).0, &by]).await?, read_due)
}

/// When the next thing is due.
pub(crate) async fn next_due(conn: &Client) -> Result<Option<Timestamp>, Fault> {
    let at: Option<i64> = get(&conn.query_one("SELECT min(due_at) FROM open", &[]).await?, 0)?;
    Ok(at.map(Timestamp))
}

fn read_offer(row: &Row) -> Result<Offer, Fault> {
    Ok(Offer {
        handoff: handoff_id(row, 0)?,
        session: session_id(row, 1)?,
        to: agent_id(row, 2)?,
        level: u8::try_from(get::<i16>(row, 3)?).unwrap_or(u8::MAX),
        since: time(row, 4)?,
    })
}

/// Offers to an agent, by level, then age. A whole queue may be asked for, which is longer than a page.
pub(crate) async fn offers(conn: &Client, to: &AgentId, limit: usize) -> Result<Vec<Offer>, Fault> {
    let sql = "SELECT o.id, s.id, o.to_agent, o.level, o.offered_since FROM open o \
               JOIN sessions s ON s.no = o.session_no WHERE o.to_agent = $1 AND o.offered_since IS NOT NULL \
               ORDER BY o.level, o.offered_since, o.no LIMIT $2";
    all(&conn.query(sql, &[&to.as_str(), &row_count(limit)]).await?, read_offer)
}

/// The same, held for a while by the clock of the database, which all processes share.
pub(crate) async fn take_offers(conn: &Client, by: Uuid, to: &AgentId, limit: usize) -> Result<Vec<Offer>, Fault> {
    let sql = "WITH taken AS MATERIALIZED (SELECT no FROM open WHERE to_agent = $1 AND offered_since IS NOT NULL \
               AND (held_until IS NULL OR held_until <= now() OR held_by = $4) \
               ORDER BY level, offered_since, no LIMIT $2 FOR UPDATE SKIP LOCKED), \
               held AS (UPDATE open o SET held_until = now() + $3::float8 * interval '1 millisecond', held_by = $4 \
               FROM taken WHERE o.no = taken.no \
               RETURNING o.id, o.session_no, o.to_agent, o.level, o.offered_since, o.no) \
               SELECT h.id, s.id, h.to_agent, h.level, h.offered_since FROM held h \
               JOIN sessions s ON s.no = h.session_no ORDER BY h.level, h.offered_since, h.no";
    #[expect(clippy::cast_precision_loss, reason = "a few seconds")]
    let hold = HOLD_MS as f64;
    all(&conn.query(sql, &[&to.as_str(), &row_count(limit), &hold, &by]).await?, read_offer)
}

/// Lets go of what this process holds of these.
pub(crate) async fn let_go(conn: &Client, by: Uuid, offers: &[HandoffId]) -> Result<(), Fault> {
    let ids: Vec<Uuid> = offers.iter().map(|id| id.0).collect();
    // A commit that is about to change one lets go of it by itself; nobody waits for it here.
    let sql = "UPDATE open SET held_until = NULL, held_by = NULL WHERE no IN (SELECT o.no FROM handoffs h \
               JOIN open o ON o.no = h.no WHERE h.id = ANY($1) AND o.held_by = $2 FOR UPDATE OF o SKIP LOCKED)";
    conn.execute(sql, &[&ids, &by]).await?;
    Ok(())
}

/// How many offers wait for each agent that any wait for.
pub(crate) async fn offers_waiting(conn: &Client) -> Result<Vec<(AgentId, u32)>, Fault> {
    let sql = "SELECT to_agent, count(*) FROM open WHERE offered_since IS NOT NULL GROUP BY to_agent ORDER BY to_agent";
    all(&conn.query(sql, &[]).await?, |row| Ok((agent_id(row, 0)?, small(row, 1)?)))
}

/// How much each agent has to do.
pub(crate) async fn loads(conn: &Client) -> Result<Vec<Load>, Fault> {
    let sql = "SELECT to_agent, count(*) FILTER (WHERE running), count(*) FILTER (WHERE offered_since IS NOT NULL) \
               FROM open GROUP BY to_agent ORDER BY to_agent";
    let rows = conn.query(sql, &[]).await?;
    all(&rows, |row| Ok(Load { agent: agent_id(row, 0)?, running: small(row, 1)?, waiting: small(row, 2)? }))
}

/// Something that somebody works on: the handoff, its session, who, and whether in a process of ours.
pub(crate) fn read_running(row: &Row) -> Result<Running, Fault> {
    Ok(Running {
        handoff: handoff_id(row, 0)?,
        session: session_id(row, 1)?,
        by: agent_id(row, 2)?,
        in_process: get(row, 3)?,
    })
}

/// Everything that somebody works on.
pub(crate) async fn running(conn: &Client) -> Result<Vec<Running>, Fault> {
    let sql = "SELECT o.id, s.id, o.to_agent, o.node IS NOT NULL FROM open o JOIN sessions s ON s.no = o.session_no \
               WHERE o.running ORDER BY o.session_no, o.no DESC";
    all(&conn.query(sql, &[]).await?, read_running)
}

/// Every session with a handoff that is not closed.
pub(crate) async fn open_sessions(conn: &Client) -> Result<Vec<SessionId>, Fault> {
    let sql = "SELECT id FROM sessions WHERE no IN (SELECT session_no FROM open) ORDER BY id";
    all(&conn.query(sql, &[]).await?, |row| session_id(row, 0))
}
