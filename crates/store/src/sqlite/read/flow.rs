//! Where sessions stand in their workflows: how many in each state, and which.

use super::{Fault, all, page, session_id};
use crate::rows::FlowRow;
use handover_core::ids::SessionId;
use rusqlite::{Connection, params};

/// How many sessions of a workflow stand in each of these states, each counted up to `most`.
pub(crate) fn in_states(
    conn: &Connection,
    tenant: &str,
    workflow: &str,
    states: &[String],
    most: usize,
) -> Result<Vec<usize>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT count(*) FROM (SELECT 1 FROM sessions WHERE tenant = ?1 AND workflow = ?2 AND flow_state = ?3 LIMIT ?4)",
    )?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let mut counts = Vec::with_capacity(states.len());
    for state in states {
        let found: i64 = find.query_row(params![tenant, workflow, state, most], |row| row.get(0))?;
        counts.push(usize::try_from(found).unwrap_or(0));
    }
    Ok(counts)
}

/// The sessions of a workflow in a state, latest first.
pub(crate) fn in_state(
    conn: &Connection,
    tenant: &str,
    flow: &FlowRow,
    skip: usize,
    limit: usize,
) -> Result<Vec<SessionId>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT id FROM sessions WHERE tenant = ?1 AND workflow = ?2 AND flow_state = ?3 \
         ORDER BY no DESC LIMIT ?4 OFFSET ?5",
    )?;
    let skip = i64::try_from(skip).unwrap_or(i64::MAX);
    all(find.query(params![tenant, flow.workflow, flow.state, page(limit), skip])?, |row| session_id(row, 0))
}
