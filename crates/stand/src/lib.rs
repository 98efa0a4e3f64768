//! A stand for tests: a PostgreSQL and a nats-server that live in temporary folders on free ports, can be stopped, killed,
//! paused and started again, and end with whoever started them; and a way to them that can break.
//!
//! Nothing here waits asynchronously: a test that does so calls it as it is, because a server is up in about a second.

mod keeper;
mod nats;
mod place;
mod postgres;
mod process;
mod proxy;
mod told;

pub use nats::Nats;
pub use place::{free_port, postgres_program};
pub use postgres::{GUARDED, Postgres, SECRET};
pub use proxy::{Moment, Proxy};
pub use told::{NATS, POSTGRES, told_nats, told_postgres};

/// Why something of the stand cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub(crate) String);

impl Fault {
    pub(crate) fn of(what: &str, why: impl std::fmt::Display) -> Self {
        Self(format!("{what}: {why}"))
    }
}
