//! The workflows that ship with Handover, each run from its folder on a database of its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod dojo;
mod house;
mod research;
mod specialists;
