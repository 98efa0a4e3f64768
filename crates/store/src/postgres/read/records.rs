//! Records, in the order of commits. The feed and the audit read here.

use super::{Client, Conditions, Fault, all, count, digest, get, int, page, session_id, text, time};
use crate::{RecordQuery, StoredRecord, postgres::SPAN_MS};
use handover_core::{ids::HandoffId, time::Timestamp};
use tokio_postgres::Row;
use uuid::Uuid;

/// An agent with more handoffs than this is in so many records that reading them in order finds a page sooner.
const RARE: i64 = 20_000;

/// How the records are found; everything else is a condition on what is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Session,
    Handoffs,
    Positions,
}

impl Way {
    /// What brings them into the order of commits. What is added to a position keeps the database from walking through all
    /// of them for the sake of the order.
    fn order(self) -> &'static str {
        match self {
            Self::Session => "r.seq",
            Self::Handoffs => "r.position + 0",
            Self::Positions => "r.position",
        }
    }
}

/// The records that fit everything that is asked. Those before the beginning of a chain are not there any more.
pub(crate) async fn records(conn: &Client, query: &RecordQuery) -> Result<Vec<StoredRecord>, Fault> {
    let mut conditions = Conditions::default();
    let way = way(conn, query, &mut conditions).await?;
    add_time(query, &mut conditions);
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
    let limit = conditions.value(page(query.limit));
    // The session is looked up for each record that is found, and never the other way round.
    let sql = format!(
        "SELECT r.position, s.id, r.seq, r.hash, r.text FROM records r CROSS JOIN LATERAL \
         (SELECT id, tenant, pruned_seq FROM sessions WHERE no = r.session_no OFFSET 0) s \
         WHERE r.seq > s.pruned_seq AND {} ORDER BY {} {direction} LIMIT ${limit}",
        conditions.all(),
        way.order()
    );
    all(&conditions.rows(conn, &sql).await?, stored)
}

/// A record, from its position, its session, its number there, its hash and its text.
pub(crate) fn stored(row: &Row) -> Result<StoredRecord, Fault> {
    Ok(StoredRecord {
        position: count(row, 0)?,
        session_id: session_id(row, 1)?,
        seq: count(row, 2)?,
        hash: digest(row, 3)?,
        text: text(row, 4)?.into(),
    })
}

async fn way(conn: &Client, query: &RecordQuery, conditions: &mut Conditions) -> Result<Way, Fault> {
    let mut way = Way::Positions;
    if let Some(session) = &query.session {
        add_session(session.as_str(), query, conditions);
        way = Way::Session;
    }
    if let Some(id) = query.handoff {
        conditions.add("r.handoff_no = (SELECT no FROM handoffs WHERE id = ?)", id.0);
        way = Way::Handoffs;
    }
    if let Some(task) = &query.task {
        // A task without an id of its own goes by its handoff's.
        let own: Option<Uuid> = task.parse::<HandoffId>().ok().filter(|id| id.to_string() == *task).map(|id| id.0);
        let own = conditions.value(own);
        let sql = format!(
            "r.handoff_no IN (SELECT no FROM handoffs WHERE task_id = ? UNION ALL \
             SELECT no FROM handoffs WHERE id = ${own} AND task_id IS NULL)"
        );
        conditions.add(&sql, task.clone());
        way = Way::Handoffs;
    }
    for (column, agent) in [("from_agent", &query.from), ("to_agent", &query.to)] {
        let Some(agent) = agent else { continue };
        let agent = agent.as_str().to_owned();
        match query.tenant.as_ref().filter(|_| way == Way::Positions) {
            Some(tenant) if is_rare(conn, column, tenant, &agent).await? => {
                let tenant = conditions.value(tenant.clone());
                let sql =
                    format!("r.handoff_no IN (SELECT no FROM handoffs WHERE tenant = ${tenant} AND {column} = ?)");
                conditions.add(&sql, agent);
                way = Way::Handoffs;
            }
            _ => conditions.add(&format!("(SELECT {column} FROM handoffs WHERE no = r.handoff_no) = ?"), agent),
        }
    }
    Ok(way)
}

/// The session, and where in it the last page ended, so that the next one begins there.
fn add_session(session: &str, query: &RecordQuery, conditions: &mut Conditions) {
    conditions.add("r.session_no = (SELECT no FROM sessions WHERE id = ?)", session.to_owned());
    let no = format!("(SELECT no FROM sessions WHERE id = ${})", conditions.values.len());
    for (position, sign, otherwise) in [(query.after, ">", i64::MIN), (query.before, "<", i64::MAX)] {
        if position > 0 {
            let sql = format!(
                "r.seq {sign} coalesce((SELECT seq FROM records WHERE position = ? AND session_no = {no}), {otherwise})"
            );
            conditions.add(&sql, int(position));
        }
    }
}

async fn is_rare(conn: &Client, column: &str, tenant: &str, agent: &str) -> Result<bool, Fault> {
    let sql =
        format!("SELECT count(*) FROM (SELECT 1 FROM handoffs WHERE tenant = $1 AND {column} = $2 LIMIT $3) AS found");
    let found: i64 = get(&conn.query_one(&sql, &[&tenant, &agent, &RARE]).await?, 0)?;
    Ok(found < RARE)
}

/// Times, with the positions between which and the partitions in which such records are.
fn add_time(query: &RecordQuery, conditions: &mut Conditions) {
    if query.since.is_none() && query.until.is_none() {
        return;
    }
    let span = |time: Option<Timestamp>, otherwise: i64| time.map_or(otherwise, |time| time.0.div_euclid(SPAN_MS));
    let first = conditions.value(span(query.since, i64::MIN));
    let last = conditions.value(span(query.until, i64::MAX));
    let spans = format!("FROM spans WHERE span BETWEEN ${first} AND ${last}");
    conditions.sql.push(format!("r.position >= (SELECT min(first) {spans})"));
    conditions.sql.push(format!("r.position <= (SELECT max(last) {spans})"));
    for (time, sign) in [(query.since, ">="), (query.until, "<")] {
        if let Some(time) = time {
            conditions.add(&format!("r.at {sign} ?"), time.0);
        }
    }
}

/// The last position, and the time of the last record.
pub(crate) async fn last_position(conn: &Client) -> Result<(u64, Timestamp), Fault> {
    let row = conn.query_one("SELECT last, at FROM feed", &[]).await?;
    Ok((count(&row, 0)?, time(&row, 1)?))
}
