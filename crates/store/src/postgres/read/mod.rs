//! Queries, one file per resource. Each is one statement, or sees one moment where that matters.

pub(super) mod agents;
pub(super) mod figures;
pub(super) mod flow;
pub(super) mod handoffs;
pub(super) mod ledger;
pub(super) mod messages;
pub(super) mod notes;
pub(super) mod prunable;
pub(super) mod queue;
pub(super) mod records;
pub(super) mod returns;
pub(super) mod sessions;
pub(super) mod stats;

use super::{connect::Client, fault::Fault};
use handover_core::{
    digest::Digest,
    handoff::Status,
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_MAX,
    time::Timestamp,
};
use serde::de::DeserializeOwned;
use tokio_postgres::{
    Row,
    types::{FromSql, ToSql},
};
use uuid::Uuid;

/// Several questions of one moment, whatever is written meanwhile. The beginning goes out with the first of them.
pub(super) async fn moment<T>(conn: &Client, questions: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let (begun, found) = tokio::join!(conn.begin(), questions);
    begun?;
    conn.end().await?;
    found
}

/// What a question is put together of: conditions, and the values that they speak of by number.
#[derive(Default)]
struct Conditions {
    sql: Vec<String>,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Conditions {
    /// The number of one more value.
    fn value(&mut self, value: impl ToSql + Sync + Send + 'static) -> usize {
        self.values.push(Box::new(value));
        self.values.len()
    }

    /// One more condition; `?` stands for its value.
    fn add(&mut self, sql: &str, value: impl ToSql + Sync + Send + 'static) {
        let number = self.value(value);
        self.sql.push(sql.replace('?', &format!("${number}")));
    }

    fn all(&self) -> String {
        if self.sql.is_empty() { "true".into() } else { self.sql.join(" AND ") }
    }

    async fn rows(&self, conn: &Client, sql: &str) -> Result<Vec<Row>, Fault> {
        let values: Vec<&(dyn ToSql + Sync)> =
            self.values.iter().map(|value| value.as_ref() as &(dyn ToSql + Sync)).collect();
        conn.query(sql, &values).await
    }
}

/// Rows of a page, as PostgreSQL wants the number.
fn page(limit: usize) -> i64 {
    row_count(limit.min(PAGE_MAX))
}

/// A number of rows, as PostgreSQL wants it.
fn row_count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// A column. A row that does not have the types it was written with is damaged.
pub(super) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, Fault> {
    row.try_get(column).map_err(|error| Fault::Damaged(format!("a row cannot be read: {error}")))
}

fn text(row: &Row, column: usize) -> Result<&str, Fault> {
    get(row, column)
}

fn parse<T: DeserializeOwned>(body: &str) -> Result<T, Fault> {
    Ok(serde_json::from_str(body)?)
}

fn session_id(row: &Row, column: usize) -> Result<SessionId, Fault> {
    SessionId::new(text(row, column)?)
        .map_err(|error| Fault::Damaged(format!("a session's id cannot be read: {error}")))
}

fn agent_id(row: &Row, column: usize) -> Result<AgentId, Fault> {
    AgentId::new(text(row, column)?).map_err(|error| Fault::Damaged(format!("an agent's id cannot be read: {error}")))
}

fn status(word: &str) -> Result<Status, Fault> {
    let known = Status::ALL.into_iter().find(|status| status.word() == word);
    known.ok_or_else(|| Fault::Damaged(format!("a status is none: {word}")))
}

fn handoff_id(row: &Row, column: usize) -> Result<HandoffId, Fault> {
    get::<Uuid>(row, column).map(HandoffId)
}

fn digest(row: &Row, column: usize) -> Result<Digest, Fault> {
    let bytes: &[u8] = get(row, column)?;
    bytes.try_into().map(Digest).map_err(|_| Fault::Damaged("a digest has 32 bytes".into()))
}

fn time(row: &Row, column: usize) -> Result<Timestamp, Fault> {
    get(row, column).map(Timestamp)
}

/// A number that we wrote: never negative.
fn count(row: &Row, column: usize) -> Result<u64, Fault> {
    let number: i64 = get(row, column)?;
    Ok(u64::try_from(number).unwrap_or(0))
}

/// The same, where it is small.
fn small(row: &Row, column: usize) -> Result<u32, Fault> {
    Ok(u32::try_from(count(row, column)?).unwrap_or(u32::MAX))
}

/// A number as PostgreSQL has it. Nothing that we count comes near the end of the range.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Every row.
fn all<T>(rows: &[Row], read: impl FnMut(&Row) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    rows.iter().map(read).collect()
}
