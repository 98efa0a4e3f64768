//! The guards through the public door: limits, loops, breakers, budgets, autonomy, modes. Each story is told twice, the
//! second time with the engine closed and opened again after every statement.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod approving;
mod attempts;
mod autonomy;
mod breaker;
mod budget;
mod charges;
mod deadlines;
mod forgotten;
mod house;
mod limits;
mod loops;
mod modes;
mod play;
mod races;
mod shares;
mod told;
mod words;

use expect_test::Expect;
use play::Play;

/// Runs a story straight, and with a restart after every statement; both must come to the same, and to this.
fn check(story: &str, expect: &Expect) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let straight = runtime.block_on(Play::tell(story, false));
    expect.assert_eq(&straight);
    let restarted = runtime.block_on(Play::tell(story, true));
    assert_eq!(restarted, straight, "with a restart after every statement");
}
