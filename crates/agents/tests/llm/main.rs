//! Agents that are models, through the engine: conversations, handoffs by tool, and what survives a kill.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, clippy::large_futures)]

mod common;
mod conversation;
mod ends;
mod killed;
mod people;
mod sees;
mod steps;
mod tools;
