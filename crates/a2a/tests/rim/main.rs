//! The rim from outside: over HTTP in this process, with a real engine on a file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod again;
mod bad;
mod cards;
mod house;
mod methods;
mod musts;
mod older;
mod pushes;
mod receivers;
mod states;
mod streams;
mod turns;
mod walls;
