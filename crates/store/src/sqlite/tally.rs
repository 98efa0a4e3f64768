//! What is counted instead of being searched: handoffs by pair and status, records, where the records of a time are, and
//! the accounts of the ledger.
//! A batch adds up in memory and writes each count once.

use super::fault::Fault;
use handover_core::{
    handoff::Status,
    ids::AgentId,
    ledger::{Account, Entry},
    time::Timestamp,
};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// How long one span of time is, in milliseconds.
pub(super) const SPAN_MS: i64 = 10 * 60 * 1_000;

/// The counts of a batch.
#[derive(Debug, Default)]
pub(super) struct Tally {
    tenants: HashMap<String, TenantTally>,
    /// By session number, source and target.
    pairs: HashMap<(i64, AgentId, AgentId), i64>,
    /// The first and the last position by span.
    spans: HashMap<i64, (i64, i64)>,
}

/// The counts of a tenant in a batch.
#[derive(Debug, Default)]
pub(super) struct TenantTally {
    pub(super) sessions: i64,
    pub(super) records: i64,
    by_status: [i64; Status::ALL.len()],
    pairs: HashMap<(AgentId, AgentId), i64>,
}

impl TenantTally {
    pub(super) fn status(&mut self, status: Status, by: i64) {
        for (known, n) in Status::ALL.iter().zip(&mut self.by_status) {
            if *known == status {
                *n += by;
            }
        }
    }

    /// A handoff went from one status, by its word, to another.
    pub(super) fn moved(&mut self, was: &str, now: Status) {
        self.status(now, 1);
        if let Some(was) = Status::ALL.into_iter().find(|status| status.word() == was) {
            self.status(was, -1);
        }
    }
}

impl Tally {
    pub(super) fn tenant(&mut self, tenant: &str) -> &mut TenantTally {
        self.tenants.entry(tenant.to_owned()).or_default()
    }

    pub(super) fn pair(&mut self, session_no: i64, tenant: &str, from: &AgentId, to: &AgentId, by: i64) {
        *self.pairs.entry((session_no, from.clone(), to.clone())).or_default() += by;
        *self.tenant(tenant).pairs.entry((from.clone(), to.clone())).or_default() += by;
    }

    /// Somebody else has the handoff now.
    pub(super) fn moved(&mut self, session_no: i64, tenant: &str, from: &AgentId, was_to: &str, to: &AgentId) {
        self.pair(session_no, tenant, from, to, 1);
        // A name that was stored is a name.
        if let Ok(was_to) = AgentId::new(was_to) {
            self.pair(session_no, tenant, from, &was_to, -1);
        }
    }

    pub(super) fn record(&mut self, tenant: &str, at: Timestamp, position: i64) {
        self.tenant(tenant).records += 1;
        let span = self.spans.entry(at.0.div_euclid(SPAN_MS)).or_insert((position, position));
        span.0 = span.0.min(position);
        span.1 = span.1.max(position);
    }

    /// Adds everything to what is stored.
    pub(super) fn write(&self, conn: &Connection) -> Result<(), Fault> {
        for (tenant, tally) in &self.tenants {
            write_tenant(conn, tenant, tally)?;
        }
        let mut add = conn.prepare_cached(
            "INSERT INTO counts (session_no, from_agent, to_agent, n) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO UPDATE SET n = n + excluded.n",
        )?;
        for ((session_no, from, to), n) in self.pairs.iter().filter(|(_, n)| **n != 0) {
            add.execute(params![session_no, from.as_str(), to.as_str(), n])?;
        }
        let mut widen = conn.prepare_cached(
            "INSERT INTO spans (span, first, last) VALUES (?1, ?2, ?3) \
             ON CONFLICT DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)",
        )?;
        for (span, (first, last)) in &self.spans {
            widen.execute(params![span, first, last])?;
        }
        Ok(())
    }
}

/// Writes accounts as they are now. One that holds nothing is not kept.
pub(super) fn write_accounts(conn: &Connection, accounts: &HashMap<Account, Entry>) -> Result<(), Fault> {
    let mut put = conn.prepare_cached(
        "INSERT INTO ledger (account, entry) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET entry = excluded.entry",
    )?;
    let mut forget = conn.prepare_cached("DELETE FROM ledger WHERE account = ?1")?;
    for (account, entry) in accounts {
        if entry.is_nothing() {
            forget.execute([account.as_str()])?;
        } else {
            put.execute(params![account.as_str(), serde_json::to_string(entry)?])?;
        }
    }
    Ok(())
}

fn write_tenant(conn: &Connection, tenant: &str, tally: &TenantTally) -> Result<(), Fault> {
    let mut add = conn.prepare_cached(
        "INSERT INTO totals (tenant, name, n) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET n = n + excluded.n",
    )?;
    let by_status = Status::ALL.iter().map(|status| status.word()).zip(tally.by_status);
    for (name, n) in by_status.chain([("sessions", tally.sessions), ("records", tally.records)]) {
        if n != 0 {
            add.execute(params![tenant, name, n])?;
        }
    }
    let mut pair = conn.prepare_cached(
        "INSERT INTO tenant_counts (tenant, from_agent, to_agent, n) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT DO UPDATE SET n = n + excluded.n",
    )?;
    for ((from, to), n) in tally.pairs.iter().filter(|(_, n)| **n != 0) {
        pair.execute(params![tenant, from.as_str(), to.as_str(), n])?;
    }
    Ok(())
}
