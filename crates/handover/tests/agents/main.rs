//! Agents of every kind through the real binary: registered by options or by a file, put to work by `keep`, and workers
//! that take their work from the command line.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod guide;
mod kept;
mod place;
mod register;
mod workers;
