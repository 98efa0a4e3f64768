//! Handoffs. A row holds how one stands; its request is read from the record that initiated it, its result from the one
//! that closed it.

use super::{Fault, all, page, text};
use crate::{HandoffCheck, HandoffQuery};
use handover_core::{
    handoff::{Handoff, Request, Return},
    ids::{AgentId, HandoffId, SessionId},
};
use rusqlite::{Connection, Row, params, params_from_iter, types::Value};
use serde::Deserialize;
use std::sync::Arc;

#[derive(Deserialize)]
struct Initiated {
    event: InitiatedEvent,
}

#[derive(Deserialize)]
struct InitiatedEvent {
    request: Arc<Request>,
}

#[derive(Deserialize)]
struct Closed {
    event: ClosedEvent,
}

#[derive(Deserialize)]
struct ClosedEvent {
    result: Arc<Return>,
}

const SELECT: &str = "SELECT h.state, i.text, c.text FROM handoffs h \
                      JOIN records i ON i.position = h.no LEFT JOIN records c ON c.position = h.closed_position";

fn read(row: &Row<'_>) -> Result<Handoff, Fault> {
    let handoff: Handoff = serde_json::from_str(text(row, 0)?)?;
    let mut handoff = handoff.with_request(serde_json::from_str::<Initiated>(text(row, 1)?)?.event.request);
    if let Some(closed) = row.get_ref(2)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        handoff.result = Some(serde_json::from_str::<Closed>(closed)?.event.result);
    }
    Ok(handoff)
}

/// A handoff, open or closed.
pub(crate) fn handoff(conn: &Connection, id: HandoffId) -> Result<Option<Handoff>, Fault> {
    let mut find = conn.prepare_cached(&format!("{SELECT} WHERE h.id = ?1"))?;
    let mut rows = find.query([id.0.as_bytes()])?;
    rows.next()?.map(read).transpose()
}

/// The ids of a tenant's handoffs from the first to the last.
pub(crate) fn between(
    conn: &Connection,
    tenant: &str,
    first: HandoffId,
    last: HandoffId,
    limit: usize,
) -> Result<Vec<HandoffId>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT h.id FROM handoffs h JOIN sessions s ON s.no = h.session_no \
         WHERE h.id BETWEEN ?1 AND ?2 AND s.tenant = ?3 ORDER BY h.id LIMIT ?4",
    )?;
    let rows = find.query(params![first.0.as_bytes(), last.0.as_bytes(), tenant, page(limit)])?;
    all(rows, |row| super::handoff_id(row, 0))
}

/// What a session holds open.
pub(super) fn open(conn: &Connection, session_no: i64) -> Result<Vec<Handoff>, Fault> {
    let mut find = conn.prepare_cached(&format!("{SELECT} WHERE h.session_no = ?1 AND h.closed_at IS NULL"))?;
    all(find.query([session_no])?, read)
}

/// Handoffs in order: by their number in the session where one is given, else by that of the house.
pub(crate) fn handoffs(conn: &Connection, query: &HandoffQuery) -> Result<Vec<Handoff>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut conditions: Vec<&str> = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    if let Some(session) = &query.session {
        let Some(no) = super::session_no(&moment, session)? else { return Ok(Vec::new()) };
        conditions.push("h.session_no = ?");
        values.push(no.into());
    }
    if let Some(tenant) = &query.tenant {
        conditions.push("(SELECT tenant FROM sessions WHERE no = h.session_no) = ?");
        values.push(tenant.clone().into());
    }
    if let Some(status) = query.status {
        // An open one is found among what is due.
        conditions.push(if status.is_closed() { "h.status = ?" } else { "h.status = ? AND h.due_at IS NOT NULL" });
        values.push(status.word().to_owned().into());
    }
    for (condition, agent) in [("h.to_agent = ?", &query.to), ("h.from_agent = ?", &query.from)] {
        if let Some(agent) = agent {
            conditions.push(condition);
            values.push(agent.as_str().to_owned().into());
        }
    }
    let number = if query.session.is_some() { "h.n" } else { "h.no" };
    let after = format!("{number} {} ?", if query.latest_first && query.after > 0 { "<" } else { ">" });
    conditions.push(&after);
    values.push(super::super::write::int(query.after).into());
    let order = if query.latest_first { "DESC" } else { "ASC" };
    // Those that are open are few among all, whoever has them: they are found by what is due.
    let open = query.session.is_none() && query.status.is_some_and(|status| !status.is_closed());
    let select =
        if open { SELECT.replacen("handoffs h", "handoffs h INDEXED BY handoffs_due", 1) } else { SELECT.into() };
    let sql = format!("{select} WHERE {} ORDER BY {number} {order} LIMIT ?", conditions.join(" AND "));
    values.push(page(query.limit).into());
    all(moment.prepare_cached(&sql)?.query(params_from_iter(values))?, read)
}

/// The rows of a session's handoffs, with whether the columns by which they are found fit what they hold.
pub(crate) fn rows(
    conn: &Connection,
    session: &SessionId,
    after: u64,
    limit: usize,
) -> Result<Vec<HandoffCheck>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let Some(no) = super::session_no(&moment, session)? else { return Ok(Vec::new()) };
    let columns = ", h.n, h.from_agent, h.to_agent, h.status, h.level, h.due_at, h.opened_at, h.closed_at FROM";
    let sql = SELECT.replacen(" FROM", columns, 1);
    let sql = format!("{sql} WHERE h.session_no = ?1 AND h.n > ?2 ORDER BY h.n LIMIT ?3");
    let mut find = moment.prepare_cached(&sql)?;
    all(find.query(params![no, super::super::write::int(after), page(limit)])?, |row| {
        let handoff = read(row)?;
        let fits = super::count(row, 3)? == handoff.n
            && text(row, 4)? == handoff.request.from_agent.as_str()
            && text(row, 5)? == handoff.to_agent.as_str()
            && text(row, 6)? == handoff.status().word()
            && row.get::<_, u8>(7)? == handoff.request.task.priority.level()
            && row.get::<_, Option<i64>>(8)? == handoff.due().map(|at| at.0)
            && row.get::<_, i64>(9)? == handoff.opened_at.0
            && row.get::<_, Option<i64>>(10)? == handoff.closed_at.map(|at| at.0);
        Ok(HandoffCheck { handoff, fits })
    })
}

/// How many handoffs a session has had.
pub(crate) fn count(
    conn: &Connection,
    session: &SessionId,
    from: Option<&AgentId>,
    to: Option<&AgentId>,
) -> Result<u64, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT coalesce(sum(c.n), 0) FROM sessions s JOIN counts c ON c.session_no = s.no \
         WHERE s.id = ?1 AND (?2 IS NULL OR c.from_agent = ?2) AND (?3 IS NULL OR c.to_agent = ?3)",
    )?;
    let mut rows = find.query(params![session.as_str(), from.map(AgentId::as_str), to.map(AgentId::as_str)])?;
    match rows.next()? {
        Some(row) => super::count(row, 0),
        None => Ok(0),
    }
}
