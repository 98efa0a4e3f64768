//! Takes everything of another store, in one transaction. Whoever writes meanwhile waits for its end.

use super::{
    PostgresStore,
    connect::Client,
    fault::Fault,
    read::{get, int},
    readers::Guard,
};
use crate::{
    StoreError,
    copy::{Page, Value},
};
use handover_core::{
    ledger::{Account, Entry},
    time::Timestamp,
};
use std::{error::Error, pin::pin};
use tokio::sync::mpsc;
use tokio_postgres::{
    binary_copy::BinaryCopyInWriter,
    types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked},
};

/// The tables that must be empty.
const EMPTY: &str = "SELECT EXISTS (SELECT FROM sessions) OR EXISTS (SELECT FROM records) OR EXISTS (SELECT FROM agents) \
                     OR EXISTS (SELECT FROM ledger) OR EXISTS (SELECT FROM notes)";

/// A store that is being filled. Dropped before its end it leaves nothing behind.
pub(crate) struct Import<'s> {
    client: Guard<'s>,
}

impl PostgresStore {
    /// Begins to fill an empty store.
    pub(crate) async fn import(&self) -> Result<Import<'_>, StoreError> {
        let client = self.long.client().await?;
        client.begin_writing().await?;
        client.query_one("SELECT last FROM feed FOR UPDATE", &[]).await?;
        if get(&client.query_one(EMPTY, &[]).await?, 0)? {
            let why = "the database has something in it already: choose an empty one, or another schema".to_owned();
            return Err(StoreError::Failed(why));
        }
        Ok(Import { client })
    }
}

impl Import<'_> {
    /// Makes the partitions of these months.
    pub(crate) async fn make_partitions(&self, periods: &Page) -> Result<(), StoreError> {
        let periods: Vec<i32> = periods
            .iter()
            .filter_map(|row| match row.first() {
                Some(Value::Integer(period)) => i32::try_from(*period).ok(),
                _ => None,
            })
            .collect();
        self.client.execute("SELECT make_partitions_v1($1)", &[&periods]).await?;
        Ok(())
    }

    /// Fills a table. Gives how many rows it got.
    pub(crate) async fn table(
        &self,
        table: &str,
        columns: &str,
        mut pages: mpsc::Receiver<Page>,
    ) -> Result<u64, StoreError> {
        let types = types(&self.client, table, columns).await?;
        let sink = self.client.copy_in(&format!("COPY {table} ({columns}) FROM STDIN BINARY")).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &types));
        while let Some(page) = pages.recv().await {
            for row in page {
                let cells: Vec<Cell> = row.into_iter().map(Cell).collect();
                let cells: Vec<&(dyn ToSql + Sync)> = cells.iter().map(|cell| cell as &(dyn ToSql + Sync)).collect();
                writer.as_mut().write(&cells).await.map_err(Fault::from)?;
            }
        }
        Ok(writer.finish().await.map_err(Fault::from)?)
    }

    /// Fills the ledger, as of a position.
    pub(crate) async fn ledger(&self, ledger: &[(Account, Entry)], position: u64) -> Result<(), StoreError> {
        let sql = "INSERT INTO ledger (account, reserved_tokens, reserved_micros, reserved_ms, used_tokens, used_micros, \
                   used_ms, ended, succeeded, failures, trips, changed, ms, ms_squares, cost, cost_squares, open_until, \
                   probe) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
        for (account, Entry { reserved, used, sample, breaker }) in ledger {
            let account = account.as_str();
            let sums = [reserved.tokens, reserved.micros, reserved.ms, used.tokens, used.micros, used.ms];
            let counts = [sample.ended, sample.succeeded, breaker.failures.into(), breaker.trips.into(), position];
            let numbers: Vec<i64> = sums.into_iter().chain(counts).map(int).collect();
            let fractions = [sample.ms, sample.ms_squares, sample.cost, sample.cost_squares];
            let (open_until, probe) = (breaker.open_until.map(|at| at.0), breaker.probe.map(|handoff| handoff.0));
            let mut values: Vec<&(dyn ToSql + Sync)> = vec![&account];
            values.extend(numbers.iter().map(|number| number as &(dyn ToSql + Sync)));
            values.extend(fractions.iter().map(|fraction| fraction as &(dyn ToSql + Sync)));
            values.extend([&open_until as &(dyn ToSql + Sync), &probe]);
            self.client.execute(sql, &values).await?;
        }
        Ok(())
    }

    /// Says where to go on, and makes all of it count.
    pub(crate) async fn finish(self, last_position: u64, at: Timestamp) -> Result<(), StoreError> {
        let sql = "UPDATE feed SET last = $1, at = $2, sessions = (SELECT coalesce(max(no), 0) FROM sessions)";
        self.client.execute(sql, &[&int(last_position), &at.0]).await?;
        self.client.end().await?;
        // So many rows at once are news to the planner; without it the first questions would be slow.
        Ok(self.client.batch("ANALYZE sessions, records, handoffs, open, messages, returns").await?)
    }
}

/// The types of columns, as the table has them.
async fn types(client: &Client, table: &str, columns: &str) -> Result<Vec<Type>, Fault> {
    let statement = client.prepared(&format!("SELECT {columns} FROM {table} LIMIT 0")).await?;
    Ok(statement.columns().iter().map(|column| column.type_().clone()).collect())
}

/// A value as SQLite has it, written as the column wants it.
#[derive(Debug)]
struct Cell(Value);

impl ToSql for Cell {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match (&self.0, ty) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT8) => number.to_sql(ty, out),
            (Value::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out),
            (Value::Integer(number), &Type::INT2) => i16::try_from(*number)?.to_sql(ty, out),
            (Value::Integer(number), &Type::BOOL) => (*number != 0).to_sql(ty, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(ty, out),
            (Value::Text(text), &Type::TEXT) => text.to_sql(ty, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(ty, out),
            (Value::Blob(bytes), &Type::UUID) => uuid::Uuid::from_slice(bytes)?.to_sql(ty, out),
            (value, ty) => Err(format!("{:?} cannot be a {ty}", value.data_type()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
