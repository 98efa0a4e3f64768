//! Connections that read, a few of each kind. Each is made when it is needed, and left when it breaks.
//! A read begins after every commit that was acknowledged, and sees them all.

use super::{
    address::Address,
    connect::{Client, within},
    fault::Fault,
};
use crate::StoreError;
use handover_core::limits::{STORE_AWAY_MS, STORE_CONNECT_MS, STORE_RETRY_MS, STORE_RETRY_MS_MAX};
use parking_lot::Mutex;
use std::{
    ops::Deref,
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, SemaphorePermit};

/// A few connections of one kind.
pub(super) struct Readers {
    address: Address,
    idle: Mutex<Vec<Client>>,
    permits: Semaphore,
    /// How long an answer may take before the connection is taken for broken.
    pub(super) patience: Duration,
}

/// A connection for one read.
pub(super) struct Guard<'r> {
    readers: &'r Readers,
    client: Option<Client>,
    _permit: SemaphorePermit<'r>,
}

impl Readers {
    /// At most so many at once, for questions that take at most so many milliseconds.
    pub(super) fn new(address: Address, count: usize, patience_ms: u64) -> Self {
        let patience = Duration::from_millis(patience_ms);
        Self { address, idle: Mutex::default(), permits: Semaphore::new(count.max(1)), patience }
    }

    /// A connection, as soon as one is free.
    pub(super) async fn client(&self) -> Result<Guard<'_>, Fault> {
        let permit = self.permits.acquire().await.map_err(|_| Fault::Closed)?;
        let idle = self.idle.lock().pop().filter(|client| !client.is_spent());
        let client = match idle {
            Some(client) => client,
            None => self.connect().await?,
        };
        Ok(Guard { readers: self, client: Some(client), _permit: permit })
    }

    async fn connect(&self) -> Result<Client, Fault> {
        let client = Client::connect(&self.address, None).await?;
        // The database does not see that nobody waits any more: a question that is given up here would go on there.
        let set = format!("SET statement_timeout TO {}", self.patience.as_millis());
        within(STORE_CONNECT_MS, client.batch(&set)).await?;
        Ok(client)
    }

    /// No more reads; connections end as soon as nobody uses them.
    pub(super) fn close(&self) {
        self.permits.close();
        self.idle.lock().clear();
    }
}

impl Deref for Guard<'_> {
    type Target = Client;
    fn deref(&self) -> &Client {
        // It is taken out only when this ends.
        #[expect(clippy::expect_used, reason = "there is always one until the guard is dropped")]
        self.client.as_ref().expect("a connection")
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.client.take().filter(|client| !client.is_spent())
            && !self.readers.permits.is_closed()
        {
            self.readers.idle.lock().push(client);
        }
    }
}

/// How long somebody waits for a database that is away.
pub(super) struct Patience {
    since: Instant,
    next_ms: u64,
}

impl Patience {
    pub(super) fn new() -> Self {
        Self::since(Instant::now())
    }

    /// Of somebody who has waited since then.
    pub(super) fn since(since: Instant) -> Self {
        Self { since, next_ms: STORE_RETRY_MS }
    }

    /// Waits a little longer each time; `Away` when that was long enough.
    pub(super) async fn again(&mut self, why: String) -> Result<(), StoreError> {
        if self.is_over() {
            return Err(StoreError::Away(why));
        }
        self.pause().await;
        Ok(())
    }

    /// Whether that was long enough.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() >= Duration::from_millis(STORE_AWAY_MS)
    }

    /// Waits a little longer each time.
    pub(super) async fn pause(&mut self) {
        tokio::time::sleep(Duration::from_millis(self.next_ms)).await;
        self.next_ms = (self.next_ms * 2).min(STORE_RETRY_MS_MAX);
    }
}

/// Asks on one of the connections, again where the database is away for a moment: `read!(readers, client => question)`.
/// The question is a future that gives a `Result<_, Fault>` and can be made again.
macro_rules! read {
    ($readers:expr, $client:ident => $question:expr) => {{
        let mut patience = $crate::postgres::readers::Patience::new();
        loop {
            let asked = async {
                let guard = $readers.client().await?;
                let $client = &*guard;
                // A connection that lost the other end may never say so.
                let answered = tokio::time::timeout($readers.patience, $question).await;
                answered.unwrap_or_else(|_| {
                    guard.spend();
                    Err($crate::postgres::fault::Fault::Away("it does not answer".to_owned()))
                })
            };
            match asked.await {
                Err($crate::postgres::fault::Fault::Away(why)) => patience.again(why).await?,
                Err(fault) => break Err($crate::StoreError::from(fault)),
                Ok(found) => break Ok(found),
            }
        }
    }};
}
pub(super) use read;
