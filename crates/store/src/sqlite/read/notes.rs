//! Notes of rims.

use super::{Fault, all, page};
use rusqlite::{Connection, params};

/// Notes of a space by key, after this one.
pub(crate) fn notes(conn: &Connection, space: &str, after: &str, limit: usize) -> Result<Vec<(String, String)>, Fault> {
    let mut find =
        conn.prepare_cached("SELECT key, body FROM notes WHERE space = ?1 AND key > ?2 ORDER BY key LIMIT ?3")?;
    all(find.query(params![space, after, page(limit)])?, |row| Ok((row.get(0)?, row.get(1)?)))
}
