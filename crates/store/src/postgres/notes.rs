//! Notes of rims: small texts by space and key, beside all that is recorded.

use super::{connect::Client, fault::Fault};

/// Keeps a note, or removes it where there is no text. The same once more changes nothing, so that it can be asked again.
pub(super) async fn keep(conn: &Client, space: &str, key: &str, body: Option<&str>) -> Result<(), Fault> {
    match body {
        Some(body) => {
            let sql = "INSERT INTO notes (space, key, body) VALUES ($1, $2, $3) \
                       ON CONFLICT (space, key) DO UPDATE SET body = excluded.body";
            conn.execute(sql, &[&space, &key, &body]).await?
        }
        None => conn.execute("DELETE FROM notes WHERE space = $1 AND key = $2", &[&space, &key]).await?,
    };
    Ok(())
}
