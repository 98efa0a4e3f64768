//! The command line on a store that several processes share, and on the bus.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bus;
mod migrate;
mod place;
mod stores;
