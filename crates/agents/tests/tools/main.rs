//! Tools from outside, with programs and servers that do what they should, and with such that do not.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says so")]
#![allow(clippy::needless_pass_by_value, reason = "a row of a table is made where it is used")]

mod command;
mod common;
mod http;
mod program;
mod settings;
mod stdio;
mod toolbox;
