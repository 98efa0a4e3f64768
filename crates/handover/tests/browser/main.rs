//! The dashboard in a real Chromium, used as a person uses it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod approving;
mod axe;
mod browser;
mod cut_off;
mod day;
mod depth;
mod driver;
mod figures;
mod house;
mod lines;
mod paper;
mod papers;
mod people;
mod pictures;
#[path = "../server/place.rs"]
#[allow(dead_code, reason = "the tests of the server use all of it")]
mod place;
mod records;
mod safety;
mod signing_in;
mod standing;
mod stepping_in;
mod texts;
mod watching;
