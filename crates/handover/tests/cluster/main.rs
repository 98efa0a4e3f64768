//! Several real nodes on one PostgreSQL, with NATS beside it: what one does the others see, and whatever is killed, paused
//! or cut off, nothing that was acknowledged is lost and nothing is done twice.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod books;
mod fire;
mod load;
mod nodes;
mod together;
