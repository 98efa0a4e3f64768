//! Notes of rims.

use super::{Client, Fault, all, get, page};

/// Notes of a space by key, after this one.
pub(crate) async fn notes(
    conn: &Client,
    space: &str,
    after: &str,
    limit: usize,
) -> Result<Vec<(String, String)>, Fault> {
    let sql = "SELECT key, body FROM notes WHERE space = $1 AND key > $2 ORDER BY key LIMIT $3";
    let rows = conn.query(sql, &[&space, &after, &page(limit)]).await?;
    all(&rows, |row| Ok((get(row, 0)?, get(row, 1)?)))
}
