//! Counts over all sessions of a tenant, read from what is kept counted.

use super::{Fault, count, text};
use crate::{Stats, Totals};
use handover_core::handoff::Status;
use rusqlite::Connection;

/// The counts of a tenant, all as of one moment.
pub(crate) fn stats(conn: &Connection, tenant: &str) -> Result<Stats, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut stats = Stats::default();
    let mut totals = moment.prepare_cached("SELECT name, n FROM totals WHERE tenant = ?1 AND n > 0")?;
    let mut rows = totals.query([tenant])?;
    while let Some(row) = rows.next()? {
        add_total(&mut stats, text(row, 0)?, count(row, 1)?);
    }
    let mut pairs =
        moment.prepare_cached("SELECT from_agent, to_agent, n FROM tenant_counts WHERE tenant = ?1 AND n > 0")?;
    let mut rows = pairs.query([tenant])?;
    while let Some(row) = rows.next()? {
        let n = count(row, 2)?;
        stats.handoffs_by_agent.entry(text(row, 0)?.to_owned()).or_default().sent += n;
        stats.handoffs_by_agent.entry(text(row, 1)?.to_owned()).or_default().received += n;
    }
    Ok(stats)
}

/// The counts of the house, all as of one moment.
pub(crate) fn totals(conn: &Connection) -> Result<Totals, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut totals = Totals::default();
    let mut sums = moment.prepare_cached("SELECT name, sum(n) FROM totals GROUP BY name")?;
    let mut rows = sums.query([])?;
    while let Some(row) = rows.next()? {
        let (name, n) = (text(row, 0)?, count(row, 1)?);
        if let Some(status) = Status::ALL.into_iter().find(|status| status.word() == name) {
            totals.by_status.insert(status, n);
        } else if name == "sessions" {
            totals.sessions = n;
        }
    }
    let mut active =
        moment.prepare_cached("SELECT count(DISTINCT session_no) FROM handoffs WHERE closed_at IS NULL")?;
    totals.active_sessions = active.query_row([], |row| Ok(count(row, 0)))??;
    Ok(totals)
}

fn add_total(stats: &mut Stats, name: &str, n: u64) {
    match name {
        "sessions" => stats.sessions = n,
        "records" => stats.records = n,
        status => {
            stats.total_handoffs += n;
            let waits = [Status::AwaitingApproval, Status::Offered, Status::Deferred];
            if waits.iter().any(|known| known.word() == status) {
                stats.pending_handoffs += n;
            }
            stats.by_status.insert(status.to_owned(), n);
        }
    }
}
