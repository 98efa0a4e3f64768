//! Crash tests. A child process works under concurrent load and dies: by SIGKILL at random moments, by an abort at each
//! place of the store, by a disk that fails. What it said on its pipe before it died counts as acknowledged; the parent
//! checks all of it against the file.
//!
//! `HANDOVER_CRASH_ROUNDS` sets the number of kills (200), `HANDOVER_CRASH_SEED` repeats a run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "these are tests")]

mod agents;
mod check;
mod child;
mod client;
mod disk;
mod failpoints;
mod kill;
mod log;
mod process;

/// Not a test of its own: the process that is killed. The tests start this executable again with `--exact child`.
#[test]
fn child() {
    if let Some(plan) = process::Plan::from_environment() {
        child::run(&plan);
    }
}
