//! Counts over all sessions of a tenant, read from what is kept counted.

use super::{Client, Fault, count, text};
use crate::{Stats, Totals};
use handover_core::handoff::Status;

/// The counts of a tenant, all as of one moment: those by name, then those by pair.
const STATS: &str = "SELECT name, NULL, n FROM totals WHERE tenant = $1 AND n > 0 UNION ALL \
                     SELECT from_agent, to_agent, n FROM tenant_counts WHERE tenant = $1 AND n > 0";

/// The counts of a tenant.
pub(crate) async fn stats(conn: &Client, tenant: &str) -> Result<Stats, Fault> {
    let mut stats = Stats::default();
    for row in conn.query(STATS, &[&tenant]).await? {
        let (name, n) = (text(&row, 0)?, count(&row, 2)?);
        match super::get::<Option<&str>>(&row, 1)? {
            Some(to) => {
                stats.handoffs_by_agent.entry(name.to_owned()).or_default().sent += n;
                stats.handoffs_by_agent.entry(to.to_owned()).or_default().received += n;
            }
            None => add_total(&mut stats, name, n),
        }
    }
    Ok(stats)
}

/// The counts of the house, all as of one moment.
pub(crate) async fn totals(conn: &Client) -> Result<Totals, Fault> {
    let mut totals = Totals::default();
    let sql = "SELECT name, sum(n)::bigint FROM totals GROUP BY name UNION ALL \
               SELECT '', count(DISTINCT session_no) FROM open";
    for row in conn.query(sql, &[]).await? {
        let (name, n) = (text(&row, 0)?, count(&row, 1)?);
        if let Some(status) = Status::ALL.into_iter().find(|status| status.word() == name) {
            totals.by_status.insert(status, n);
        } else if name == "sessions" {
            totals.sessions = n;
        } else if name.is_empty() {
            totals.active_sessions = n;
        }
    }
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
