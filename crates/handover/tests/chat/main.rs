//! Conversations with teams of models through the real binary, against a scripted model.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(unix)]

mod errors;
mod examples;
mod going_on;
mod killed;
mod place;
mod research;
mod troubles;
