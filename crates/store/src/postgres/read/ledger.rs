//! Accounts as they were last written.

use super::{Client, Fault, all, count, get, parse, small, text};
use crate::{Moved, Reserved};
use handover_core::{
    budget::Amount,
    guard::breaker::Breaker,
    handoff::Handoff,
    ids::HandoffId,
    ledger::{Account, Entry, Sample},
    time::Timestamp,
};
use std::collections::BTreeMap;
use tokio_postgres::Row;
use uuid::Uuid;

const SELECT: &str = "SELECT account, nothing, reserved_tokens, reserved_micros, reserved_ms, used_tokens, used_micros, \
                      used_ms, ended, succeeded, ms, ms_squares, cost, cost_squares, failures, open_until, probe, trips \
                      FROM ledger";

fn amount(row: &Row, first: usize) -> Result<Amount, Fault> {
    Ok(Amount { tokens: count(row, first)?, micros: count(row, first + 1)?, ms: count(row, first + 2)? })
}

/// An account, and what it holds; nothing where it is not kept any more.
fn read(row: &Row) -> Result<(Account, Option<Entry>), Fault> {
    let account = Account::stored(text(row, 0)?.to_owned());
    if get(row, 1)? {
        return Ok((account, None));
    }
    let sample = Sample {
        ended: count(row, 8)?,
        succeeded: count(row, 9)?,
        ms: get(row, 10)?,
        ms_squares: get(row, 11)?,
        cost: get(row, 12)?,
        cost_squares: get(row, 13)?,
    };
    let breaker = Breaker {
        failures: small(row, 14)?,
        open_until: get::<Option<i64>>(row, 15)?.map(Timestamp),
        probe: get::<Option<Uuid>>(row, 16)?.map(HandoffId),
        trips: small(row, 17)?,
    };
    Ok((account, Some(Entry { reserved: amount(row, 2)?, used: amount(row, 5)?, sample, breaker })))
}

/// All that are kept.
pub(crate) async fn ledger(conn: &Client) -> Result<Vec<(Account, Entry)>, Fault> {
    let rows = conn.query(&format!("{SELECT} WHERE NOT nothing ORDER BY account"), &[]).await?;
    let kept = all(&rows, read)?.into_iter();
    Ok(kept.filter_map(|(account, entry)| Some((account, entry?))).collect())
}

/// Those that changed after a position. The last position comes with them, so that both are of one moment.
pub(crate) async fn after(conn: &Client, position: u64) -> Result<Moved, Fault> {
    let select = SELECT.replacen(" FROM ledger", ", f.last FROM feed f LEFT JOIN ledger l ON l.changed > $1", 1);
    let rows = conn.query(&format!("{select} ORDER BY account"), &[&super::int(position)]).await?;
    let through = rows.first().map_or(Ok(0), |row| count(row, 18))?;
    let mut accounts = Vec::with_capacity(rows.len());
    for row in &rows {
        // Where nothing changed there is the last position alone.
        if get::<Option<&str>>(row, 0)?.is_some() {
            accounts.push(read(row)?);
        }
    }
    Ok(Moved { accounts, through })
}

/// What each account has set aside, by the ledger and by the handoffs that are open. Needs to be of one moment.
pub(crate) async fn reserved(conn: &Client) -> Result<Vec<Reserved>, Fault> {
    let held = "SELECT h.state FROM open o JOIN handoffs h ON h.no = o.no \
                WHERE h.state::json -> 'reservation' IS NOT NULL";
    let (counted, held) = tokio::join!(ledger(conn), conn.query(held, &[]));
    let mut sums: BTreeMap<Account, (Amount, Amount)> =
        counted?.into_iter().map(|(account, entry)| (account, (entry.reserved, Amount::default()))).collect();
    for handoff in all(&held?, |row| parse::<Handoff>(text(row, 0)?))? {
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
