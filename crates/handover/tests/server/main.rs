//! The real server, and what is asked of it from elsewhere: by the command line, and by programs in Python.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod a2a;
mod chain;
mod files;
mod load;
mod operations;
mod place;
mod python;
mod same;
mod troubles;
