//! Handoffs. A row holds how one stands; its request is read from the record that initiated it, its result from the one
//! that closed it.

use super::{Client, Conditions, Fault, all, get, int, page, parse, text};
use crate::{HandoffCheck, HandoffQuery};
use handover_core::{
    handoff::{Handoff, Request, Return, Status},
    ids::{AgentId, HandoffId, SessionId},
};
use serde::Deserialize;
use std::sync::Arc;
use tokio_postgres::Row;

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

/// The times say in which partitions the records are. They are looked up for each handoff, and never the other way round.
const RECORDS: &str = "CROSS JOIN LATERAL (SELECT text FROM records \
                         WHERE position = h.no AND period IN (0, period_of(h.opened_at)) OFFSET 0) i \
                       LEFT JOIN LATERAL (SELECT text FROM records \
                         WHERE position = h.closed_position AND period IN (0, period_of(h.closed_at)) OFFSET 0) c ON true";

/// A handoff that is open, from its row and the record that initiated it.
pub(super) fn opened(state: &str, initiated: &str) -> Result<Handoff, Fault> {
    Ok(parse::<Handoff>(state)?.with_request(parse::<Initiated>(initiated)?.event.request))
}

fn read(row: &Row) -> Result<Handoff, Fault> {
    let mut handoff = opened(text(row, 0)?, text(row, 1)?)?;
    if let Some(closed) = get::<Option<&str>>(row, 2)? {
        handoff.result = Some(parse::<Closed>(closed)?.event.result);
    }
    Ok(handoff)
}

/// A handoff, open or closed.
pub(crate) async fn handoff(conn: &Client, id: HandoffId) -> Result<Option<Handoff>, Fault> {
    let sql = format!("SELECT h.state, i.text, c.text FROM handoffs h {RECORDS} WHERE h.id = $1");
    conn.query_opt(&sql, &[&id.0]).await?.as_ref().map(read).transpose()
}

/// The ids of a tenant's handoffs from the first to the last.
pub(crate) async fn between(
    conn: &Client,
    tenant: &str,
    first: HandoffId,
    last: HandoffId,
    limit: usize,
) -> Result<Vec<HandoffId>, Fault> {
    let sql = "SELECT id FROM handoffs WHERE id BETWEEN $1 AND $2 AND tenant = $3 ORDER BY id LIMIT $4";
    let rows = conn.query(sql, &[&first.0, &last.0, &tenant, &page(limit)]).await?;
    all(&rows, |row| super::handoff_id(row, 0))
}

/// Handoffs in order: by their number in the session where one is given, else by that of the house.
pub(crate) async fn handoffs(conn: &Client, query: &HandoffQuery) -> Result<Vec<Handoff>, Fault> {
    let mut conditions = Conditions::default();
    if let Some(session) = &query.session {
        conditions.add("h.session_no = (SELECT no FROM sessions WHERE id = ?)", session.as_str().to_owned());
    }
    if let Some(tenant) = &query.tenant {
        conditions.add("h.tenant = ?", tenant.clone());
    }
    if let Some(status) = query.status {
        conditions.add(of_status(status, query.session.is_some()), status.word());
    }
    for (condition, agent) in [("h.to_agent = ?", &query.to), ("h.from_agent = ?", &query.from)] {
        if let Some(agent) = agent {
            conditions.add(condition, agent.as_str().to_owned());
        }
    }
    let number = if query.session.is_some() { "h.n" } else { "h.no" };
    let sign = if query.latest_first && query.after > 0 { "<" } else { ">" };
    conditions.add(&format!("{number} {sign} ?"), int(query.after));
    let order = if query.latest_first { "DESC" } else { "ASC" };
    let limit = conditions.value(page(query.limit));
    // The records are looked up for the page alone.
    let sql = format!(
        "SELECT h.state, i.text, c.text FROM (SELECT h.* FROM handoffs h WHERE {} ORDER BY {number} {order} LIMIT ${limit}) h \
         {RECORDS} ORDER BY {number} {order}",
        conditions.all()
    );
    all(&conditions.rows(conn, &sql).await?, read)
}

/// How those with a status are found: open ones are few among all, whoever has them, and so are those that ended badly.
fn of_status(status: Status, in_session: bool) -> &'static str {
    match status {
        Status::AwaitingApproval | Status::Offered | Status::Deferred | Status::Running if !in_session => {
            "h.status = ? AND h.no IN (SELECT no FROM open)"
        }
        Status::Failed | Status::TimedOut | Status::Escalated | Status::Cancelled if !in_session => "h.ended_badly = ?",
        _ => "h.status = ?",
    }
}

/// The rows of a session's handoffs, with whether the columns by which they are found fit what they hold.
pub(crate) async fn rows(
    conn: &Client,
    session: &SessionId,
    after: u64,
    limit: usize,
) -> Result<Vec<HandoffCheck>, Fault> {
    let sql = format!(
        "SELECT h.state, i.text, c.text, h.n, h.from_agent, h.to_agent, h.status, h.level, h.due_at, h.opened_at, \
         h.closed_at, o.due_at, o.to_agent, o.level, o.offered_since, h.offered_since, o.running, h.ended_badly \
         FROM handoffs h {RECORDS} LEFT JOIN open o ON o.no = h.no \
         WHERE h.session_no = (SELECT no FROM sessions WHERE id = $1) AND h.n > $2 ORDER BY h.n LIMIT $3"
    );
    let rows = conn.query(&sql, &[&session.as_str(), &int(after), &page(limit)]).await?;
    all(&rows, |row| {
        let handoff = read(row)?;
        let fits = fits(row, &handoff)? && queued_fits(row, &handoff)?;
        Ok(HandoffCheck { handoff, fits })
    })
}

fn fits(row: &Row, handoff: &Handoff) -> Result<bool, Fault> {
    let status = handoff.status();
    let badly = matches!(status, Status::Failed | Status::TimedOut | Status::Escalated | Status::Cancelled);
    Ok(super::count(row, 3)? == handoff.n
        && text(row, 4)? == handoff.request.from_agent.as_str()
        && text(row, 5)? == handoff.to_agent.as_str()
        && text(row, 6)? == status.word()
        && get::<i16>(row, 7)? == i16::from(handoff.request.task.priority.level())
        && get::<Option<i64>>(row, 8)? == handoff.due().map(|at| at.0)
        && get::<i64>(row, 9)? == handoff.opened_at.0
        && get::<Option<i64>>(row, 10)? == handoff.closed_at.map(|at| at.0)
        && get::<Option<&str>>(row, 17)? == badly.then(|| status.word()))
}

/// Whether the narrow row of an open one says the same, and a closed one has none.
fn queued_fits(row: &Row, handoff: &Handoff) -> Result<bool, Fault> {
    let Some(due) = handoff.due() else { return Ok(get::<Option<i64>>(row, 11)?.is_none()) };
    Ok(get::<Option<i64>>(row, 11)? == Some(due.0)
        && get::<Option<&str>>(row, 12)? == Some(handoff.to_agent.as_str())
        && get::<Option<i16>>(row, 13)? == Some(i16::from(handoff.request.task.priority.level()))
        && get::<Option<i64>>(row, 14)? == get::<Option<i64>>(row, 15)?
        && get::<Option<bool>>(row, 16)? == Some(handoff.status() == Status::Running))
}

/// How many handoffs a session has had.
pub(crate) async fn count(
    conn: &Client,
    session: &SessionId,
    from: Option<&AgentId>,
    to: Option<&AgentId>,
) -> Result<u64, Fault> {
    let sql = "SELECT coalesce(sum(c.n), 0)::bigint FROM sessions s JOIN counts c ON c.session_no = s.no \
               WHERE s.id = $1 AND ($2::text IS NULL OR c.from_agent = $2) AND ($3::text IS NULL OR c.to_agent = $3)";
    let values: [Option<&str>; 2] = [from.map(AgentId::as_str), to.map(AgentId::as_str)];
    let found = conn.query_opt(sql, &[&session.as_str(), &values[0], &values[1]]).await?;
    found.map_or(Ok(0), |row| super::count(&row, 0))
}
