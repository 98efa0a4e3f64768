//! What is peculiar to the store in a SQLite file: the file itself, crashes, a disk that fails.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "shared with the contract suite, which needs more of it")]
#[path = "../contract/house.rs"]
mod house;

mod batches;
mod child;
mod crashes;
mod disk;
mod files;
mod view;
