//! The bus, with a real server: that of the run where it may stand, one of its own where it is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod away;
mod bells;
mod events;
mod feed;
mod house;
mod refill;
