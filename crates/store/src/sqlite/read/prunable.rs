//! What was kept long enough.
//!
//! A chain can only lose its beginning, and its beginning is the opening of the session: nothing of a session that goes
//! on is removed. Of one that is over, the longest period that fits decides. A handoff's records are kept from its end
//! for the period of active work; for that of completed work as well, because its session is over; for that of
//! escalations as well, where it was one or became one. What belongs to no handoff counts from the end of the session,
//! or from its own time where that is later.

use super::{Fault, count, digest, session_id};
use crate::{Prunable, Retention, sqlite::write::int};
use handover_core::{digest::Digest, ids::SessionId, time::Timestamp};
use rusqlite::{Connection, Row, params};

struct Over {
    no: i64,
    id: SessionId,
    pruned_seq: u64,
    ended_at: Timestamp,
}

/// What may be removed by now, at most so many sessions, those that ended first before the others.
pub(crate) fn prunable(
    conn: &Connection,
    retention: Retention,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Prunable>, Fault> {
    let moment = conn.unchecked_transaction()?;
    let mut find = moment.prepare_cached(
        "SELECT no, id, pruned_seq, ended_at FROM sessions \
         WHERE ended_at IS NOT NULL AND pruned_seq < head_seq AND ended_at <= ?1 ORDER BY ended_at, no",
    )?;
    let latest = now.0.saturating_sub(int(usual(retention)));
    let mut rows = find.query([latest])?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let over = Over {
            no: row.get(0)?,
            id: session_id(row, 1)?,
            pruned_seq: count(row, 2)?,
            ended_at: Timestamp(row.get(3)?),
        };
        if let Some((through, hash)) = prefix(&moment, &over, retention, now)? {
            found.push(Prunable { session: over.id, through, hash });
        }
    }
    Ok(found)
}

/// The period of everything in a session that is over, escalations apart.
fn usual(retention: Retention) -> u64 {
    retention.completed_ms.max(retention.active_ms)
}

/// The last record of the longest beginning in which every record was kept long enough.
fn prefix(
    conn: &Connection,
    over: &Over,
    retention: Retention,
    now: Timestamp,
) -> Result<Option<(u64, Digest)>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT r.seq, r.hash, r.at, r.handoff_no, h.no, h.closed_at, h.type = 'escalation' OR h.status = 'escalated' \
         FROM records r LEFT JOIN handoffs h ON h.no = r.handoff_no \
         WHERE r.session_no = ?1 AND r.seq > ?2 ORDER BY r.seq",
    )?;
    let mut rows = find.query(params![over.no, int(over.pruned_seq)])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        match kept_until(row, over, retention)? {
            Some(until) if until <= now => last = Some((count(row, 0)?, digest(row, 1)?)),
            Some(_) | None => break,
        }
    }
    Ok(last)
}

/// Until when a record is kept; nothing while its handoff is open.
fn kept_until(row: &Row<'_>, over: &Over, retention: Retention) -> Result<Option<Timestamp>, Fault> {
    let at = Timestamp(row.get(2)?);
    let of_handoff: Option<i64> = row.get(3)?;
    let handoff: Option<i64> = row.get(4)?;
    let closed_at: Option<i64> = row.get(5)?;
    let escalated: Option<bool> = row.get(6)?;
    Ok(match (of_handoff, handoff, closed_at) {
        (None, _, _) => Some(over.ended_at.max(at) + usual(retention)),
        // The handoff is gone already: it was kept long enough when its first record was removed.
        (Some(_), None, _) => Some(at),
        (Some(_), Some(_), None) => None,
        (Some(_), Some(_), Some(closed_at)) => {
            let period = usual(retention);
            let period = if escalated == Some(true) { period.max(retention.escalation_ms) } else { period };
            Some(Timestamp(closed_at) + period)
        }
    })
}
