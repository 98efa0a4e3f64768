//! Giving back the space of what was removed. Removing only says where each chain begins now; the rows go with the partitions
//! of their months, which costs nothing. What still lives in a month that is long over is moved to the partition of what
//! outlives its month first, in small steps and beside all other work.

use super::{
    connect::Client,
    fault::Fault,
    read::{get, int},
};
use crate::Retention;
use handover_core::{limits::MOVED_AT_ONCE, time::Timestamp};

/// What PostgreSQL says when somebody else has a table for longer than one waits.
const IN_USE: &str = "55P03";

/// Drops the months in which everything was kept long enough, and forgets what nobody asks for any more. Gives how many
/// months went. One that is in use right now goes another time.
pub(super) async fn give_back(conn: &Client, retention: Retention, now: Timestamp) -> Result<usize, Fault> {
    let usual = int(retention.completed_ms.max(retention.active_ms));
    let mut dropped = 0;
    let latest = u64::try_from(now.0.saturating_sub(usual)).unwrap_or(0);
    // A sum of times stays within the years that a calendar has.
    for period in over(conn, Timestamp(0) + latest).await? {
        move_records(conn, period).await?;
        move_messages(conn, period).await?;
        match conn.query_one("SELECT drop_period_v1($1)", &[&period]).await {
            Ok(row) => dropped += usize::from(get::<bool>(&row, 0)?),
            Err(Fault::Bad(why)) if why.contains(IN_USE) => {}
            Err(fault) => return Err(fault),
        }
    }
    if dropped > 0 {
        sweep(conn).await?;
    }
    forget(conn).await?;
    Ok(dropped)
}

/// The months that have partitions and were over at a time.
async fn over(conn: &Client, at: Timestamp) -> Result<Vec<i32>, Fault> {
    let sql = "SELECT found.period FROM (SELECT DISTINCT substring(c.relname FROM '_([0-9]{6})$')::integer AS period \
               FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
               WHERE i.inhparent IN ('records'::regclass, 'messages'::regclass)) AS found \
               WHERE found.period < period_of($1) ORDER BY found.period";
    conn.query(sql, &[&at.0]).await?.iter().map(|row| get(row, 0)).collect()
}

/// Moves the records of a month that still live.
async fn move_records(conn: &Client, period: i32) -> Result<(), Fault> {
    let sql = format!(
        "WITH live AS MATERIALIZED (SELECT r.position FROM records r JOIN sessions s ON s.no = r.session_no \
         WHERE r.period = {period} AND r.position > $1 AND r.seq > s.pruned_seq ORDER BY r.position LIMIT $2), \
         moved AS (UPDATE records SET period = 0 WHERE period = {period} AND position IN (SELECT position FROM live)) \
         SELECT max(position) FROM live"
    );
    let mut after: Option<i64> = Some(0);
    while let Some(last) = after {
        after = get(&conn.query_one(&sql, &[&last, &int(MOVED_AT_ONCE)]).await?, 0)?;
    }
    Ok(())
}

/// Moves the messages of a month that still live.
async fn move_messages(conn: &Client, period: i32) -> Result<(), Fault> {
    let sql = format!(
        "WITH live AS MATERIALIZED (SELECT m.session_no, m.n FROM messages m JOIN sessions s ON s.no = m.session_no \
         WHERE m.period = {period} AND (m.session_no, m.n) > ($1::bigint, $2::bigint) AND m.n > s.pruned_n \
         ORDER BY m.session_no, m.n LIMIT $3), \
         moved AS (UPDATE messages m SET period = 0 FROM live \
         WHERE m.period = {period} AND m.session_no = live.session_no AND m.n = live.n) \
         SELECT session_no, n FROM live ORDER BY session_no DESC, n DESC LIMIT 1"
    );
    let mut after: Option<(i64, i64)> = Some((0, 0));
    while let Some((session, n)) = after {
        let last = conn.query_opt(&sql, &[&session, &n, &int(MOVED_AT_ONCE)]).await?;
        after = last.map(|row| Ok::<_, Fault>((get(&row, 0)?, get(&row, 1)?))).transpose()?;
    }
    Ok(())
}

/// Removes what outlived its month, and was removed since.
async fn sweep(conn: &Client) -> Result<(), Fault> {
    let records = "DELETE FROM records_kept r USING sessions s WHERE s.no = r.session_no AND r.seq <= s.pruned_seq";
    conn.execute(records, &[]).await?;
    let messages = "DELETE FROM messages_kept m USING sessions s WHERE s.no = m.session_no AND m.n <= s.pruned_n";
    conn.execute(messages, &[]).await?;
    Ok(())
}

/// Forgets accounts that hold nothing, and processes that are gone, when everybody has heard of it long ago.
async fn forget(conn: &Client) -> Result<(), Fault> {
    conn.execute("DELETE FROM ledger WHERE nothing AND changed_at < now() - interval '1 day'", &[]).await?;
    conn.execute("DELETE FROM nodes WHERE fenced AND until < now() - interval '1 day'", &[]).await?;
    Ok(())
}
