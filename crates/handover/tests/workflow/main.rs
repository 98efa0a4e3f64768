//! Workflow files: what is read, what is refused and how it is shown.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod carets;
mod form;
mod good;
mod guide;
mod hostile;
mod names;
mod parts;
mod paths;
mod safe_names;

use expect_test::Expect;
use handover::workflow;

/// A workflow that uses every field there is.
const EVERYTHING: &str = include_str!("everything.yaml");

/// A small one, to which each test adds its own mistake.
const SMALL: &str = "name: letters
agents: {writer: {}, reviewer: {}}
start: WRITING
states:
  WRITING: {agent: writer}
  REVIEWING: {agent: reviewer}
  DONE: {end: completed}
rules:
  - {id: review, from: writer, to: reviewer, reason: A draft, next_state: REVIEWING}
  - {id: again, from: reviewer, to: writer, trigger_state: REJECTED, reason: Not yet, next_state: WRITING}
  - {id: done, from: reviewer, reason: Approved, next_state: DONE}
";

/// The small one with a piece of it replaced.
fn small(piece: &str, other: &str) -> String {
    assert!(SMALL.contains(piece), "{piece}");
    SMALL.replacen(piece, other, 1)
}

/// Compares everything that is printed about a bad file.
fn refused(text: &str, expect: &Expect) {
    let error = workflow::parse("flow.yaml", text).expect_err("the file is refused");
    expect.assert_eq(&error.to_string());
}

/// Line, column, code and message of every mistake.
fn brief(text: &str) -> String {
    let Err(error) = workflow::parse("flow.yaml", text) else { return "good\n".to_owned() };
    let line = |m: &workflow::Mistake| format!("{}:{} {} {}: {}\n", m.line, m.column, m.code, m.field, m.message);
    error.mistakes.iter().map(line).collect()
}
