//! Remote agents that speak A2A, through the engine: what is sent to them, how they are followed, and everything that they may
//! do wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, clippy::large_futures)]

mod cancels;
mod cards;
mod common;
mod hostile;
mod musts;
mod peer;
mod pushes;
mod questions;
mod restarts;
mod sends;
