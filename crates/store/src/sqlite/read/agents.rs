//! Agents as they were registered.

use super::{Fault, all, text};
use handover_core::agent::{Profile, Standing};
use rusqlite::Connection;

/// All of them.
pub(crate) fn agents(conn: &Connection) -> Result<Vec<(Profile, Standing)>, Fault> {
    let mut find = conn.prepare_cached("SELECT profile, standing FROM agents ORDER BY id")?;
    all(find.query([])?, |row| Ok((serde_json::from_str(text(row, 0)?)?, serde_json::from_str(text(row, 1)?)?)))
}
