//! Accounts as they were last written.

use super::{Fault, all, text};
use crate::Reserved;
use handover_core::{
    budget::Amount,
    handoff::Handoff,
    ledger::{Account, Entry},
};
use rusqlite::{Connection, OptionalExtension};
use std::collections::BTreeMap;

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

/// What each account has set aside, by the ledger and by the handoffs that are open.
pub(crate) fn reserved(conn: &Connection) -> Result<Vec<Reserved>, Fault> {
    // Both as of one moment, whatever is written meanwhile.
    let moment = conn.unchecked_transaction()?;
    let mut sums: BTreeMap<Account, (Amount, Amount)> =
        ledger(&moment)?.into_iter().map(|(account, entry)| (account, (entry.reserved, Amount::default()))).collect();
    let mut find = moment.prepare_cached(
        "SELECT state FROM handoffs WHERE closed_at IS NULL AND json_extract(state, '$.reservation') IS NOT NULL",
    )?;
    let open: Vec<Handoff> = all(find.query([])?, |row| Ok(serde_json::from_str(text(row, 0)?)?))?;
    for handoff in open {
        let Some(held) = &handoff.reservation else { continue };
        let shares = [(&held.agent, held.share.amount()), (&held.tenant, handoff.outstanding())];
        for (account, amount) in shares {
            if let Some(account) = account {
                let sum = &mut sums.entry(account.clone()).or_default().1;
                *sum = sum.plus(amount);
            }
        }
    }
    Ok(sums.into_iter().map(|(account, (counted, held))| Reserved { account, counted, held }).collect())
}
