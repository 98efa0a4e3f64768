//! Several engines on one store, without a database server: what each remembers is old, and nothing that comes of it is
//! wrong. The same stories are told on PostgreSQL.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod cluster;
mod twin;

mod clock;
mod counted;
mod leaving;
mod seen;
mod sessions;
mod working;
