//! One connection to the database, with the statements that it has prepared.

use super::{address::Address, fault::Fault};
use bytes::Bytes;
use futures_util::{StreamExt, stream::poll_fn};
use handover_core::limits::{STATEMENTS_MAX, STORE_CONNECT_MS};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, task::AbortHandle};
use tokio_postgres::{AsyncMessage, CopyInSink, Row, Statement, types::ToSql};

/// What a statement is given.
pub(super) type Params<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Waits for the database at most so long: one that lives and says nothing is as good as away.
pub(super) async fn within<T>(ms: u64, asked: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
    let waited = tokio::time::timeout(Duration::from_millis(ms), asked).await;
    waited.unwrap_or_else(|_| Err(Fault::Away("it does not answer".to_owned())))
}

impl Drop for Client {
    fn drop(&mut self) {
        self.carrier.abort();
    }
}

/// A connection. It ends when this is dropped.
pub(super) struct Client {
    inner: tokio_postgres::Client,
    /// The task that carries what is said. By itself it waits for answers that are owed, which on a silent line is for ever.
    carrier: AbortHandle,
    statements: Mutex<HashMap<String, Statement>>,
    /// Whether a transaction is open, so that nobody else may use it.
    in_moment: AtomicBool,
}

impl Client {
    /// Connects, and sets the schema. Whoever gives a bell has it rung for each notice of the database.
    pub(super) async fn connect(address: &Address, bell: Option<Arc<Notify>>) -> Result<Self, Fault> {
        // Large, and rare: whoever may have to connect does not carry it around.
        within(STORE_CONNECT_MS, Box::pin(Self::connected(address, bell))).await
    }

    async fn connected(address: &Address, bell: Option<Arc<Notify>>) -> Result<Self, Fault> {
        let (inner, mut connection) = address.config.connect(address.tls.clone()).await?;
        let carrier = tokio::spawn(async move {
            let mut messages = poll_fn(move |context| connection.poll_message(context));
            while let Some(Ok(message)) = messages.next().await {
                if let (AsyncMessage::Notification(_), Some(bell)) = (&message, &bell) {
                    bell.notify_one();
                }
            }
        });
        let carrier = carrier.abort_handle();
        let client = Self { inner, carrier, statements: Mutex::default(), in_moment: AtomicBool::new(false) };
        // What the database's owner set for other work may not change what we promise, nor how plans are made for us.
        let set = format!(
            "SET search_path TO {}; SET synchronous_commit TO on; SET default_transaction_isolation TO 'read committed'; \
             SET jit TO off; SET statement_timeout TO 0; SET lock_timeout TO 0; SET client_min_messages TO warning",
            address.quoted_schema()
        );
        client.batch(&set).await?;
        Ok(client)
    }

    /// Says that it is of no more use.
    pub(super) fn spend(&self) {
        self.in_moment.store(true, Ordering::Relaxed);
    }

    /// Whether it is of no more use.
    pub(super) fn is_spent(&self) -> bool {
        self.inner.is_closed() || self.in_moment.load(Ordering::Relaxed)
    }

    /// A statement, prepared once.
    pub(super) async fn prepared(&self, sql: &str) -> Result<Statement, Fault> {
        let known = self.statements.lock().get(sql).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let statement = self.inner.prepare(sql).await?;
        let mut statements = self.statements.lock();
        if statements.len() >= STATEMENTS_MAX {
            statements.clear();
        }
        statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// All rows.
    pub(super) async fn query(&self, sql: &str, params: Params<'_>) -> Result<Vec<Row>, Fault> {
        let statement = self.prepared(sql).await?;
        Ok(self.inner.query(&statement, params).await?)
    }

    /// The first row, where there is one.
    pub(super) async fn query_opt(&self, sql: &str, params: Params<'_>) -> Result<Option<Row>, Fault> {
        Ok(self.query(sql, params).await?.into_iter().next())
    }

    /// The one row that there must be.
    pub(super) async fn query_one(&self, sql: &str, params: Params<'_>) -> Result<Row, Fault> {
        let row = self.query_opt(sql, params).await?;
        row.ok_or_else(|| Fault::Damaged("a row that must be there is not".to_owned()))
    }

    /// Runs a statement, and gives how many rows it changed.
    pub(super) async fn execute(&self, sql: &str, params: Params<'_>) -> Result<u64, Fault> {
        let statement = self.prepared(sql).await?;
        Ok(self.inner.execute(&statement, params).await?)
    }

    /// Runs statements that have no parameters and give nothing.
    pub(super) async fn batch(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.inner.batch_execute(sql).await?)
    }

    /// Begins to read as of one moment. A connection that does not get to `end` is not used again.
    pub(super) async fn begin(&self) -> Result<(), Fault> {
        self.in_moment.store(true, Ordering::Relaxed);
        self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
    }

    /// Begins to write in several statements. A connection that does not get to `end` is not used again, and nothing of
    /// it is written.
    pub(super) async fn begin_writing(&self) -> Result<(), Fault> {
        self.in_moment.store(true, Ordering::Relaxed);
        self.batch("BEGIN").await
    }

    /// Fills a table with what is put into the sink.
    pub(super) async fn copy_in(&self, sql: &str) -> Result<CopyInSink<Bytes>, Fault> {
        Ok(self.inner.copy_in(sql).await?)
    }

    /// Ends what `begin` began.
    pub(super) async fn end(&self) -> Result<(), Fault> {
        self.batch("COMMIT").await?;
        self.in_moment.store(false, Ordering::Relaxed);
        Ok(())
    }
}
