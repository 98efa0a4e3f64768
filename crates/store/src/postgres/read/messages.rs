//! The conversation of a session, by number.

use super::{Client, Fault, all, int, page, parse, text};
use handover_core::{ids::SessionId, limits::PAGE_MAX, message::Message};

/// Messages from the first number to the last, at most a page..
pub(crate) async fn messages(conn: &Client, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, Fault> {
    let sql = "SELECT m.body FROM sessions s JOIN messages m ON m.session_no = s.no \
               WHERE s.id = $1 AND m.n > s.pruned_n AND m.n BETWEEN $2 AND $3 ORDER BY m.n LIMIT $4";
    let rows = conn.query(sql, &[&session.as_str(), &int(first), &int(last), &page(PAGE_MAX)]).await?;
    all(&rows, |row| parse(text(row, 0)?))
}
