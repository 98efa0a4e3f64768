//! The MCP server through the protocol itself, in both revisions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod elicit;
mod errors;
mod host;
mod http;
mod messages;
mod musts;
mod reading;
mod roles;
mod sessions;
mod shape;
mod story;
mod streams;
mod table;
mod waiting;
