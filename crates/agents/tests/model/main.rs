//! Models of providers: what they are asked, what their answers mean, and what happens when the network is not kind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod ask_again;
mod asked;
mod hooks;
mod pieces;
mod server;
mod settings;
