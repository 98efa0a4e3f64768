//! Settings by file: what is read, what is refused and how it is shown, and what applying it does.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod apply;
mod check;
mod form;
mod hostile;
mod people;
mod staff;
mod syntax;
mod telemetry;
mod types;

use expect_test::Expect;
use handover::settings;

/// The file that people are shown first.
const EXAMPLE: &str = include_str!("../../../../examples/handover.yaml");

/// Compares everything that is printed about a bad file.
fn refused(text: &str, expect: &Expect) {
    let error = settings::parse("handover.yaml", text).expect_err("the file is refused");
    expect.assert_eq(&without_long_lists(&error.to_string()));
}

/// Agents and policies get new fields now and then; a list of all of them is no part of what is tested.
fn without_long_lists(shown: &str) -> String {
    let short = |line: &str| match line.split_once("the fields are ") {
        Some((before, fields)) if fields.split(", ").count() > 6 => format!("{before}the fields are …\n"),
        Some(_) | None => format!("{line}\n"),
    };
    shown.lines().map(short).collect()
}
