//! Accounts as they were last written.

use super::{Fault, all, text};
use handover_core::ledger::{Account, Entry};
use rusqlite::{Connection, OptionalExtension};

/// All of them.
pub(crate) fn ledger(conn: &Connection) -> Result<Vec<(Account, Entry)>, Fault> {
    let mut find = conn.prepare_cached("SELECT account, entry FROM ledger ORDER BY account")?;
    all(find.query([])?, |row| Ok((Account::stored(text(row, 0)?.to_owned()), serde_json::from_str(text(row, 1)?)?)))
}

/// One of them; an empty one when nothing was ever posted to it.
pub(crate) fn entry(conn: &Connection, account: &Account) -> Result<Entry, Fault> {
    let mut find = conn.prepare_cached("SELECT entry FROM ledger WHERE account = ?1")?;
    let found: Option<String> = find.query_row([account.as_str()], |row| row.get(0)).optional()?;
    Ok(found.map(|text| serde_json::from_str(&text)).transpose()?.unwrap_or_default())
}
