//! Notes of rims: small texts by space and key, beside all that is recorded.

use super::fault::Fault;
use rusqlite::{Connection, params};

/// Keeps a note, or removes it where there is no text.
pub(super) fn keep(conn: &Connection, space: &str, key: &str, body: Option<&str>) -> Result<(), Fault> {
    match body {
        Some(body) => conn
            .prepare_cached(
                "INSERT INTO notes (space, key, body) VALUES (?1, ?2, ?3) \
                 ON CONFLICT (space, key) DO UPDATE SET body = excluded.body",
            )?
            .execute(params![space, key, body])?,
        None => conn.prepare_cached("DELETE FROM notes WHERE space = ?1 AND key = ?2")?.execute(params![space, key])?,
    };
    Ok(())
}
