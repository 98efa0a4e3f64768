//! Removing what was kept long enough: the beginning of a chain, and what hangs on its records.
//! The session stays and remembers where its chain begins now.

use super::{
    fault::Fault,
    write::{Batch, int},
};
use crate::{Prunable, rows::Commit};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// Writes the commit that records the removal, then removes. Inside the caller's transaction.
///
/// # Errors
/// `Fault::Conflict` when the commit or a part no longer fits what is stored. The caller rolls back then, as after
/// any failure.
pub(super) fn prune(conn: &Connection, parts: &[Prunable], commit: &Commit) -> Result<Vec<u64>, Fault> {
    let mut batch = Batch::begin(conn)?;
    // The record comes first, so that the last position is taken before earlier ones become free.
    let positions = batch.write(commit)?;
    batch.finish()?;
    for part in parts {
        remove(conn, part)?;
    }
    Ok(positions)
}

fn remove(conn: &Connection, part: &Prunable) -> Result<(), Fault> {
    let (session_no, tenant, whole) = find(conn, part)?;
    let through = int(part.through);
    remove_handoffs(conn, session_no, &tenant, through)?;
    remove_returns(conn, session_no, through)?;
    let removed = conn
        .prepare_cached("DELETE FROM records WHERE session_no = ?1 AND seq <= ?2")?
        .execute(params![session_no, through])?;
    let removed = i64::try_from(removed).unwrap_or(i64::MAX);
    conn.prepare_cached("UPDATE totals SET n = n - ?2 WHERE tenant = ?1 AND name = 'records'")?
        .execute(params![tenant, removed])?;
    conn.prepare_cached("DELETE FROM keys WHERE session_no = ?1 AND seq <= ?2")?
        .execute(params![session_no, through])?;
    conn.prepare_cached("UPDATE sessions SET pruned_seq = ?2, pruned_hash = ?3 WHERE no = ?1")?.execute(params![
        session_no,
        through,
        part.hash.0
    ])?;
    if whole {
        conn.prepare_cached("DELETE FROM messages WHERE session_no = ?1")?.execute([session_no])?;
        conn.prepare_cached("DELETE FROM items WHERE session_no = ?1")?.execute([session_no])?;
    }
    Ok(())
}

/// The session's number and tenant, and whether all of its records go. Only a part that still fits may be removed.
fn find(conn: &Connection, part: &Prunable) -> Result<(i64, String, bool), Fault> {
    let found: Option<(i64, String, i64)> = conn
        .prepare_cached(
            "SELECT s.no, s.tenant, s.head_seq FROM sessions s \
             JOIN records r ON r.session_no = s.no AND r.seq = ?2 \
             WHERE s.id = ?1 AND r.hash = ?3 AND s.pruned_seq < ?2 AND s.ended_at IS NOT NULL",
        )?
        .query_row(params![part.session.as_str(), int(part.through), part.hash.0], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    let (no, tenant, head) = found.ok_or(Fault::Conflict)?;
    Ok((no, tenant, head == int(part.through)))
}

/// Handoffs whose first record goes, with what was counted of them.
fn remove_handoffs(conn: &Connection, session_no: i64, tenant: &str, through: i64) -> Result<(), Fault> {
    let mut find = conn.prepare_cached(
        "SELECT h.no, h.from_agent, h.to_agent, h.status FROM records r JOIN handoffs h ON h.no = r.position \
         WHERE r.session_no = ?1 AND r.seq <= ?2",
    )?;
    let gone = find
        .query_map(params![session_no, through], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?, row.get::<_, String>(3)?))
        })?
        .collect::<Result<Vec<_>, _>>()?;
    let mut pair =
        conn.prepare_cached("UPDATE counts SET n = n - 1 WHERE session_no = ?1 AND from_agent = ?2 AND to_agent = ?3")?;
    let mut of_tenant = conn
        .prepare_cached("UPDATE tenant_counts SET n = n - 1 WHERE tenant = ?1 AND from_agent = ?2 AND to_agent = ?3")?;
    let mut total = conn.prepare_cached("UPDATE totals SET n = n - 1 WHERE tenant = ?1 AND name = ?2")?;
    let mut delete = conn.prepare_cached("DELETE FROM handoffs WHERE no = ?1")?;
    for (no, from, to, status) in gone {
        pair.execute(params![session_no, from, to])?;
        of_tenant.execute(params![tenant, from, to])?;
        total.execute(params![tenant, status])?;
        delete.execute([no])?;
    }
    conn.prepare_cached("DELETE FROM counts WHERE session_no = ?1 AND n <= 0")?.execute([session_no])?;
    conn.prepare_cached("DELETE FROM tenant_counts WHERE tenant = ?1 AND n <= 0")?.execute([tenant])?;
    Ok(())
}

/// Returns that nobody took: their results are in the records that go, which also say of what they are.
fn remove_returns(conn: &Connection, session_no: i64, through: i64) -> Result<(), Fault> {
    let mut find = conn.prepare_cached(
        "SELECT coalesce(json_extract(text, '$.event.result.handoff_id'), json_extract(text, '$.event.group')) \
         FROM records WHERE session_no = ?1 AND seq <= ?2 AND json_extract(text, '$.event.returned_to') IS NOT NULL",
    )?;
    let mut delete = conn.prepare_cached("DELETE FROM returns WHERE of = ?1")?;
    let mut rows = find.query(params![session_no, through])?;
    while let Some(row) = rows.next()? {
        let of: Option<String> = row.get(0)?;
        if let Some(of) = of.and_then(|text| text.parse::<Uuid>().ok()) {
            delete.execute([of.as_bytes()])?;
        }
    }
    Ok(())
}
