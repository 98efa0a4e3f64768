//! Agents as they were registered.

use super::{Client, Fault, all, parse, text};
use handover_core::agent::{Profile, Standing};

/// All of them.
pub(crate) async fn agents(conn: &Client) -> Result<Vec<(Profile, Standing)>, Fault> {
    let rows = conn.query("SELECT profile, standing FROM agents ORDER BY id", &[]).await?;
    all(&rows, |row| Ok((parse(text(row, 0)?)?, parse(text(row, 1)?)?)))
}
