//! What was kept long enough.
//!
//! A chain can only lose its beginning, and its beginning is the opening of the session: nothing of a session that goes
//! on is removed. Of one that is over, the longest period that fits decides. A handoff's records are kept from its end
//! for the period of active work; for that of completed work as well, because its session is over; for that of
//! escalations as well, where it was one or became one. What belongs to no handoff counts from the end of the session,
//! or from its own time where that is later.

use super::{Client, Fault, all, count, digest, row_count, session_id};
use crate::{Prunable, Retention};
use handover_core::time::Timestamp;

/// Longer than anybody keeps anything, and short enough to be added to a time.
const FOR_EVER_MS: u64 = 1 << 60;

/// The sessions that ended first come first. Of each, the first record that is still to be kept; where there is none, all
/// go. A handoff that is gone already was kept long enough when its first record was removed.
const SELECT: &str = "SELECT s.id, r.seq, r.hash FROM sessions s CROSS JOIN LATERAL (\
                        SELECT coalesce(min(r.seq) - 1, s.head_seq) AS through FROM records r \
                        LEFT JOIN handoffs h ON h.no = r.handoff_no \
                        WHERE r.session_no = s.no AND r.seq > s.pruned_seq AND (CASE \
                          WHEN r.handoff_no IS NULL THEN greatest(s.over_at, r.at) + $2 \
                          WHEN h.no IS NULL THEN r.at \
                          WHEN h.type = 'escalation' OR h.status = 'escalated' THEN h.closed_at + $3 \
                          ELSE h.closed_at + $2 END <= $1) IS NOT TRUE) kept \
                      JOIN records r ON r.session_no = s.no AND r.seq = kept.through \
                      WHERE s.over_at IS NOT NULL AND s.over_at <= $1 - $2 AND kept.through > s.pruned_seq \
                      ORDER BY s.over_at, s.no LIMIT $4";

/// What may be removed by now, at most so many sessions, those that ended first before the others.
pub(crate) async fn prunable(
    conn: &Client,
    retention: Retention,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Prunable>, Fault> {
    let usual = retention.completed_ms.max(retention.active_ms);
    let escalated = usual.max(retention.escalation_ms);
    let [usual, escalated] = [usual, escalated].map(|ms| super::int(ms.min(FOR_EVER_MS)));
    let rows = conn.query(SELECT, &[&now.0, &usual, &escalated, &row_count(limit)]).await?;
    all(&rows, |row| Ok(Prunable { session: session_id(row, 0)?, through: count(row, 1)?, hash: digest(row, 2)? }))
}
