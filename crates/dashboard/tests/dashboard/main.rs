//! The dashboard over HTTP, in this process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod approvals;
mod audit;
mod desk;
mod experiments;
mod house;
mod inbox;
mod lists;
mod once;
mod overview;
mod past;
mod places;
mod session;
mod signing_in;
mod team;
mod waiting;
mod words;
mod workflows;
