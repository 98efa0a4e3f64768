//! Where a session stands in its workflow, written beside it. Apart from the rest of its row: most commits leave a session in its
//! state, and then the index is not touched.

use super::fault::Fault;
use crate::rows::FlowRow;
use rusqlite::{Connection, params};

/// Writes the state that a session came into; nothing where it stays in its own.
pub(super) fn write(conn: &Connection, session_no: i64, flow: Option<&FlowRow>) -> Result<(), Fault> {
    let Some(flow) = flow else { return Ok(()) };
    conn.prepare_cached("UPDATE sessions SET workflow = ?2, flow_state = ?3 WHERE no = ?1")?.execute(params![
        session_no,
        flow.workflow,
        flow.state
    ])?;
    Ok(())
}
