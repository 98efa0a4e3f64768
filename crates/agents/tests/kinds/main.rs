//! Agents of the other kinds, through the engine: programs that read their work and write what came of it, and services
//! that it is posted to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, clippy::large_futures)]

mod callbacks;
mod common;
#[cfg(unix)]
mod programs;
mod service;
mod services;
