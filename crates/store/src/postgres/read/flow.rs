//! Where sessions stand in their workflows: how many in each state, and which.

use super::{Client, Fault, all, count, page, row_count, session_id};
use crate::rows::FlowRow;
use handover_core::ids::SessionId;

/// How many sessions of a workflow stand in each of these states, each counted up to `most`.
pub(crate) async fn in_states(
    conn: &Client,
    tenant: &str,
    workflow: &str,
    states: &[String],
    most: usize,
) -> Result<Vec<usize>, Fault> {
    let sql = "SELECT (SELECT count(*) FROM (SELECT 1 FROM sessions \
               WHERE tenant = $1 AND workflow = $2 AND flow_state = wanted.state LIMIT $4) AS found) \
               FROM unnest($3::text[]) WITH ORDINALITY AS wanted (state, place) ORDER BY wanted.place";
    let rows = conn.query(sql, &[&tenant, &workflow, &states, &row_count(most)]).await?;
    all(&rows, |row| Ok(usize::try_from(count(row, 0)?).unwrap_or(usize::MAX)))
}

/// The sessions of a workflow in a state, latest first.
pub(crate) async fn in_state(
    conn: &Client,
    tenant: &str,
    flow: &FlowRow,
    skip: usize,
    limit: usize,
) -> Result<Vec<SessionId>, Fault> {
    let sql = "SELECT id FROM sessions WHERE tenant = $1 AND workflow = $2 AND flow_state = $3 \
               ORDER BY no DESC LIMIT $4 OFFSET $5";
    let rows = conn.query(sql, &[&tenant, &flow.workflow, &flow.state, &page(limit), &row_count(skip)]).await?;
    all(&rows, |row| session_id(row, 0))
}
