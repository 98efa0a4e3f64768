//! Several engines on one PostgreSQL database: the stories of several nodes, told on the real thing.
//! `cargo xtask with-servers cargo test -p handover-engine --test postgres` runs them with a server of their own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod cluster;
mod newer;

#[path = "../shared/counted.rs"]
mod counted;
#[path = "../shared/leaving.rs"]
mod leaving;
#[path = "../shared/seen.rs"]
mod seen;
#[path = "../shared/sessions.rs"]
mod sessions;
#[path = "../shared/working.rs"]
mod working;
