//! The store in a PostgreSQL database that several processes share: a task that writes, one that follows what all write,
//! one that gives signs of life, and a few connections that read. The folder mirrors that of the SQLite store.

mod address;
mod connect;
mod fault;
mod import;
mod notes;
mod partitions;
mod read;
mod readers;
mod tls;

pub use fault::Fault;
pub(crate) use import::Import;

/// How long one span of time is, in milliseconds.
const SPAN_MS: i64 = 10 * 60 * 1_000;

use crate::{Hooks, StoreError};
use address::Address;
use handover_core::limits::{STORE_READERS, STORE_SCANNERS};
use readers::Readers;

/// How a store is opened.
pub struct Options {
    /// Where the database is: `postgres://user:password@host:port/database?schema=…`.
    pub address: String,
    /// How people call this process.
    pub name: String,
    /// Who hears of what happens.
    pub hooks: Hooks,
}

/// The store in a PostgreSQL database.
pub struct PostgresStore {
    short: Readers,
    long: Readers,
}

impl PostgresStore {
    /// Opens the database, and makes or renews what it needs there.
    ///
    /// # Errors
    /// `Away` when the database cannot be reached, `Newer` when a newer version needs it for itself, `Failed` when it
    /// cannot be used.
    pub async fn open(options: Options) -> Result<Self, StoreError> {
        let address = Address::read(&options.address, &options.name)?;
        let short = Readers::new(address.clone(), STORE_READERS);
        let long = Readers::new(address, STORE_SCANNERS);
        Ok(Self { short, long })
    }
}
