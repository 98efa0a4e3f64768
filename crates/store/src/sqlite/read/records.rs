//! Records, in the order of commits. The feed and the audit read here.

use super::{Fault, all, count, digest, page, session_id, session_no, text};
use crate::{
    RecordQuery, StoredRecord,
    sqlite::{tally::SPAN_MS, write::int},
};
use handover_core::{ids::HandoffId, time::Timestamp};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter, types::Value};

/// An agent with more handoffs than this is in so many records that reading them in order finds a page sooner.
const RARE: i64 = 20_000;

/// How the records are found; everything else is a condition on what is found.
enum Way {
    Session,
    Handoffs,
    Positions,
}

#[derive(Default)]
struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, sql: impl Into<String>, value: impl Into<Value>) {
        self.sql.push(sql.into());
        self.values.push(value.into());
    }
}

/// The records that fit everything that is asked.
pub(crate) fn records(conn: &Connection, query: &RecordQuery) -> Result<Vec<StoredRecord>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut conditions = Conditions::default();
    let Some(way) = way(&moment, query, &mut conditions)? else { return Ok(Vec::new()) };
    if !add_time(&moment, query, &mut conditions)? {
        return Ok(Vec::new());
    }
    if let Some(tenant) = &query.tenant {
        conditions.add("s.tenant = ?", tenant.clone());
    }
    if let Some(event_type) = &query.event_type {
        conditions.add("r.event_type = ?", event_type.clone());
    }
    conditions.add("r.position > ?", int(query.after));
    if query.before > 0 {
        conditions.add("r.position < ?", int(query.before));
    }
    let direction = if query.latest_first { "DESC" } else { "ASC" };
    let (from, order) = match way {
        Way::Session => ("records r INDEXED BY records_by_session", "r.seq"),
        Way::Handoffs => ("records r INDEXED BY records_by_handoff", "r.position"),
        Way::Positions => ("records r NOT INDEXED", "r.position"),
    };
    let sql = format!(
        "SELECT r.position, s.id, r.seq, r.hash, r.text FROM {from} CROSS JOIN sessions s ON s.no = r.session_no \
         WHERE {} ORDER BY {order} {direction} LIMIT ?",
        conditions.sql.join(" AND ")
    );
    conditions.values.push(page(query.limit).into());
    all(moment.prepare_cached(&sql)?.query(params_from_iter(conditions.values))?, |row| {
        Ok(StoredRecord {
            position: count(row, 0)?,
            session_id: session_id(row, 1)?,
            seq: count(row, 2)?,
            hash: digest(row, 3)?,
            text: text(row, 4)?.into(),
        })
    })
}

/// The way to the records; nothing when there cannot be any.
fn way(conn: &Connection, query: &RecordQuery, conditions: &mut Conditions) -> Result<Option<Way>, Fault> {
    let mut way = Way::Positions;
    if let Some(session) = &query.session {
        let Some(no) = session_no(conn, session)? else { return Ok(None) };
        conditions.add("r.session_no = ?", no);
        if let Some(seq) = seq_of(conn, no, query.after)? {
            conditions.add("r.seq > ?", seq);
        }
        if let Some(seq) = seq_of(conn, no, query.before)? {
            conditions.add("r.seq < ?", seq);
        }
        way = Way::Session;
    }
    if let Some(id) = query.handoff {
        let Some(no) = handoff_no(conn, id)? else { return Ok(None) };
        conditions.add("r.handoff_no = ?", no);
        way = Way::Handoffs;
    }
    if let Some(task) = &query.task {
        // A task without an id of its own goes by its handoff's.
        let own = task.parse::<HandoffId>().ok().filter(|id| id.to_string() == *task);
        conditions.add(
            "r.handoff_no IN (SELECT no FROM handoffs WHERE task_id = ? UNION ALL \
             SELECT no FROM handoffs WHERE id = ? AND task_id IS NULL)",
            task.clone(),
        );
        conditions.values.push(own.map_or(Value::Null, |id| id.0.as_bytes().to_vec().into()));
        way = Way::Handoffs;
    }
    for (column, agent) in [("from_agent", &query.from), ("to_agent", &query.to)] {
        let Some(agent) = agent else { continue };
        let tenant = query.tenant.as_deref().filter(|_| matches!(way, Way::Positions));
        match tenant {
            Some(tenant) if is_rare(conn, column, tenant, agent.as_str())? => {
                conditions.add(
                    format!("r.handoff_no IN (SELECT no FROM handoffs WHERE tenant = ? AND {column} = ?)"),
                    tenant.to_owned(),
                );
                conditions.values.push(agent.as_str().to_owned().into());
                way = Way::Handoffs;
            }
            Some(_) | None => conditions
                .add(format!("(SELECT {column} FROM handoffs WHERE no = r.handoff_no) = ?"), agent.as_str().to_owned()),
        }
    }
    Ok(Some(way))
}

/// Where the last page of a session ended, so that the next one begins there.
fn seq_of(conn: &Connection, session_no: i64, position: u64) -> Result<Option<i64>, Fault> {
    let mut find = conn.prepare_cached("SELECT seq FROM records WHERE position = ?1 AND session_no = ?2")?;
    Ok(find.query_row(params![int(position), session_no], |row| row.get(0)).optional()?)
}

fn handoff_no(conn: &Connection, id: HandoffId) -> Result<Option<i64>, Fault> {
    let mut find = conn.prepare_cached("SELECT no FROM handoffs WHERE id = ?1")?;
    Ok(find.query_row([id.0.as_bytes()], |row| row.get(0)).optional()?)
}

fn is_rare(conn: &Connection, column: &str, tenant: &str, agent: &str) -> Result<bool, Fault> {
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM handoffs WHERE tenant = ?1 AND {column} = ?2 LIMIT ?3)");
    let found: i64 = conn.prepare_cached(&sql)?.query_row(params![tenant, agent, RARE], |row| row.get(0))?;
    Ok(found < RARE)
}

/// Times, and the positions between which such records are. False when there cannot be any.
fn add_time(conn: &Connection, query: &RecordQuery, conditions: &mut Conditions) -> Result<bool, Fault> {
    if query.since.is_none() && query.until.is_none() {
        return Ok(true);
    }
    let span = |time: Option<Timestamp>, otherwise: i64| time.map_or(otherwise, |time| time.0.div_euclid(SPAN_MS));
    let mut find = conn.prepare_cached("SELECT min(first), max(last) FROM spans WHERE span BETWEEN ?1 AND ?2")?;
    let found: (Option<i64>, Option<i64>) = find
        .query_row(params![span(query.since, i64::MIN), span(query.until, i64::MAX)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let (Some(first), Some(last)) = found else { return Ok(false) };
    conditions.add("r.position >= ?", first);
    conditions.add("r.position <= ?", last);
    if let Some(since) = query.since {
        conditions.add("r.at >= ?", since.0);
    }
    if let Some(until) = query.until {
        conditions.add("r.at < ?", until.0);
    }
    Ok(true)
}

/// The last position, and the time of the last record.
pub(crate) fn last_position(conn: &Connection) -> Result<(u64, Timestamp), Fault> {
    let mut find = conn.prepare_cached("SELECT position, at FROM records ORDER BY position DESC LIMIT 1")?;
    let mut rows = find.query([])?;
    match rows.next()? {
        Some(row) => Ok((count(row, 0)?, Timestamp(row.get(1)?))),
        None => Ok((0, Timestamp(0))),
    }
}
