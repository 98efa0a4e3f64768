//! The dashboard over HTTP, in this process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod house;
mod overview;
mod signing_in;
mod team;
