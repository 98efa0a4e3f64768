//! The conversation of a session, by number.

use super::{Fault, all, page, text};
use crate::sqlite::write::int;
use handover_core::{ids::SessionId, limits::PAGE_MAX, message::Message};
use rusqlite::{Connection, params};

/// Messages from the first number to the last, at most a page.
pub(crate) fn messages(conn: &Connection, session: &SessionId, first: u64, last: u64) -> Result<Vec<Message>, Fault> {
    let mut find = conn.prepare_cached(
        "SELECT m.body FROM sessions s JOIN messages m ON m.session_no = s.no \
         WHERE s.id = ?1 AND m.n BETWEEN ?2 AND ?3 ORDER BY m.n LIMIT ?4",
    )?;
    all(find.query(params![session.as_str(), int(first), int(last), page(PAGE_MAX)])?, |row| {
        Ok(serde_json::from_str(text(row, 0)?)?)
    })
}
