//! Handoffs. A row holds how one stands; its request is read from the record that initiated it, its result from the one
//! that closed it.

use super::{Fault, all, page, text};
use crate::{HandoffCheck, HandoffQuery};
use handover_core::{
    handoff::{Handoff, Request, Return, Status},
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
                      CROSS JOIN records i ON i.position = h.no LEFT JOIN records c ON c.position = h.closed_position";

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

/// Handoffs between two ids that are looked at for those of a tenant. Ids that were made in the same days begin alike: a few
/// letters may stand for all there are.
const BETWEEN_LOOK: i64 = 20_000;
/// An agent with so many open handoffs is in the way of what it completed.
const CROWD: i64 = 2_000;

/// The ids of a tenant's handoffs from the first to the last.
pub(crate) fn between(
    conn: &Connection,
    tenant: &str,
    first: HandoffId,
    last: HandoffId,
    limit: usize,
) -> Result<Vec<HandoffId>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT id FROM (SELECT id, tenant FROM handoffs WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?5) \
         WHERE tenant = ?3 ORDER BY id LIMIT ?4",
    )?;
    let rows = find.query(params![first.0.as_bytes(), last.0.as_bytes(), tenant, page(limit), BETWEEN_LOOK])?;
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
    let session_no = match &query.session {
        Some(session) => match super::session_no(&moment, session)? {
            Some(no) => Some(no),
            None => return Ok(Vec::new()),
        },
        None => None,
    };
    let (sql, values) = statement(query, session_no, is_crowded(&moment, query)?);
    all(moment.prepare_cached(&sql)?.query(params_from_iter(values))?, read)
}

/// Whether so much of what an agent gave or got is open that what it completed is better looked for among all that is
/// completed.
fn is_crowded(conn: &Connection, query: &HandoffQuery) -> Result<bool, Fault> {
    let (Some(Status::Completed), Some(tenant), None) = (query.status, &query.tenant, &query.session) else {
        return Ok(false);
    };
    let open = match (&query.from, &query.to) {
        (None, None) => return Ok(false),
        (_, Some(_)) => "handoffs INDEXED BY handoffs_open_by_target WHERE tenant = ?1 AND to_agent = ?2",
        (Some(_), None) => "handoffs INDEXED BY handoffs_open_by_status WHERE tenant = ?1 AND from_agent = ?2",
    };
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM {open} AND due_at IS NOT NULL LIMIT ?3)");
    let agent = query.to.as_ref().or(query.from.as_ref()).map(AgentId::as_str);
    let open: i64 = conn.prepare_cached(&sql)?.query_row(params![tenant, agent, CROWD], |row| row.get(0))?;
    Ok(open >= CROWD)
}

/// The index that has what is asked for in its order. A condition that it does not hold is looked at row by row.
fn way(query: &HandoffQuery, crowded: bool) -> &'static str {
    if query.session.is_some() {
        return "INDEXED BY handoffs_by_session";
    }
    if query.tenant.is_none() {
        return "NOT INDEXED";
    }
    match (query.status, &query.from, &query.to) {
        (Some(status), _, Some(_)) if !status.is_closed() => "INDEXED BY handoffs_open_by_target",
        (Some(status), _, None) if !status.is_closed() => "INDEXED BY handoffs_open_by_status",
        // Few end badly. Completed ones are everywhere: those of an agent are found by its name.
        (Some(Status::Completed), from, to) if !crowded && (from.is_some() || to.is_some()) => match (from, to) {
            (Some(_), Some(_)) => "INDEXED BY handoffs_by_pair",
            (Some(_), None) => "INDEXED BY handoffs_by_source",
            (None, _) => "INDEXED BY handoffs_by_target",
        },
        (Some(_), _, _) => "INDEXED BY handoffs_closed",
        (_, Some(_), Some(_)) => "INDEXED BY handoffs_by_pair",
        (_, Some(_), None) => "INDEXED BY handoffs_by_source",
        (_, None, Some(_)) => "INDEXED BY handoffs_by_target",
        (_, None, None) => "INDEXED BY handoffs_by_tenant",
    }
}

/// What SQLite is asked. What an index that holds only some rows asks of them is said to the letter: of a status that comes
/// later it cannot know that it is the same.
fn statement(query: &HandoffQuery, session_no: Option<i64>, crowded: bool) -> (String, Vec<Value>) {
    let (mut conditions, mut values): (Vec<&str>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut add = |condition: &'static str, value: Value| {
        conditions.push(condition);
        values.push(value);
    };
    if let Some(no) = session_no {
        add("h.session_no = ?", no.into());
    }
    if let Some(tenant) = &query.tenant {
        add("h.tenant = ?", tenant.clone().into());
    }
    if let Some(status) = query.status {
        let condition = match status.is_closed() {
            true => "h.status = ? AND h.due_at IS NULL",
            false => "h.status = ? AND h.due_at IS NOT NULL",
        };
        add(condition, status.word().to_owned().into());
    }
    for (condition, agent) in [("h.to_agent = ?", &query.to), ("h.from_agent = ?", &query.from)] {
        if let Some(agent) = agent {
            add(condition, agent.as_str().to_owned().into());
        }
    }
    let number = if session_no.is_some() { "h.n" } else { "h.no" };
    let after = format!("{number} {} ?", if query.latest_first && query.after > 0 { "<" } else { ">" });
    conditions.push(&after);
    values.push(super::super::write::int(query.after).into());
    let order = if query.latest_first { "DESC" } else { "ASC" };
    let select = SELECT.replacen("handoffs h", &format!("handoffs h {}", way(query, crowded)), 1);
    values.push(page(query.limit).into());
    (format!("{select} WHERE {} ORDER BY {number} {order} LIMIT ?", conditions.join(" AND ")), values)
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
    let columns = ", h.n, h.from_agent, h.to_agent, h.status, h.level, h.due_at, h.opened_at, h.closed_at, \
                   h.tenant = (SELECT tenant FROM sessions WHERE no = h.session_no) FROM";
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
            && row.get::<_, Option<i64>>(10)? == handoff.closed_at.map(|at| at.0)
            && row.get::<_, bool>(11)?;
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::sqlite::migrations;

    fn plan(conn: &Connection, query: &HandoffQuery, crowded: bool) -> String {
        let (sql, values) = statement(query, query.session.as_ref().map(|_| 1), crowded);
        let mut explain = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let rows = explain.query_map(params_from_iter(values), |row| row.get::<_, String>(3)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    /// Every list has an index that leads to the page, in its order: nothing is sorted, and nobody else's rows are looked at.
    #[test]
    fn every_list_of_a_tenant_has_an_index() {
        let conn = Connection::open_in_memory().unwrap();
        migrations::apply(&conn).unwrap();
        let agent = |name| Some(AgentId::new(name).unwrap());
        let base = HandoffQuery { tenant: Some("t".into()), limit: 50, ..HandoffQuery::default() };
        let statuses = Status::ALL.into_iter().map(Some).chain([None]);
        let mut queries = Vec::new();
        for status in statuses {
            for (from, to) in [(None, None), (agent("a"), None), (None, agent("b")), (agent("a"), agent("b"))] {
                for (latest_first, after) in [(false, 0), (true, 0), (true, 9)] {
                    let query = HandoffQuery { status, latest_first, after, ..base.clone() };
                    queries.push(HandoffQuery { from: from.clone(), to: to.clone(), ..query });
                }
            }
        }
        for (query, crowded) in queries.iter().flat_map(|query| [(query, false), (query, true)]) {
            let (plan, way) = (plan(&conn, query, crowded), way(query, crowded));
            let led = format!("SEARCH h USING INDEX {} (tenant=?", way.trim_start_matches("INDEXED BY "));
            assert!(plan.contains(&led) && !plan.contains("TEMP B-TREE"), "{query:?}: {plan}");
            // What an index holds, it is asked for.
            for (held, column) in [("open_by", "status=?"), ("closed", "status=?"), ("by_pair", "to_agent=?")] {
                assert!(!way.contains(held) || plan.contains(column), "{query:?}: {plan}");
            }
        }
        let of_session = HandoffQuery { session: Some(SessionId::new("s").unwrap()), ..base };
        assert!(plan(&conn, &of_session, false).contains("handoffs_by_session (session_no=? AND n>?)"));
    }
}
