//! What becomes of a result when the door is full.

use super::*;
use crate::clock::ManualClock;
use handover_core::{refusal::Refusal, time::Timestamp};
use std::time::Duration;

/// What a submission comes to that is refused so often before it passes, and how often it was submitted.
async fn persisted(refusals: u32, code: Code) -> (Result<u32, Code>, u32) {
    let clock = ManualClock::at(Timestamp(1_800_000_000_000));
    let mut asked = 0;
    let submit = || {
        asked += 1;
        let n = asked;
        async move { if n > refusals { Ok(n) } else { Err(Refusal::new(code, "a crowd").into()) } }
    };
    let ahead = clock.clone();
    let moves = async {
        loop {
            ahead.advance(Duration::from_secs(1));
            tokio::task::yield_now().await;
        }
    };
    let answer = tokio::select! {
        biased;
        answer = persist(&clock, submit) => answer,
        () = moves => Err(Refusal::new(Code::NotYours, "it never ends").into()),
    };
    (answer.map_err(|error| error.code()), asked)
}

#[tokio::test]
async fn a_result_is_given_again_where_too_much_was_going_on() {
    for (refusals, code, answer, asked) in [
        (0, Code::Overloaded, Ok(1), 1),
        (1, Code::Overloaded, Ok(2), 2),
        (GIVE_BACK_TRIES_MAX - 1, Code::Overloaded, Ok(GIVE_BACK_TRIES_MAX), GIVE_BACK_TRIES_MAX),
        (GIVE_BACK_TRIES_MAX, Code::Overloaded, Err(Code::Overloaded), GIVE_BACK_TRIES_MAX),
        // A database that is away comes back, or somebody else takes the lease.
        (40, Code::StoreAway, Ok(41), 41),
        (1, Code::StoreStopped, Err(Code::StoreStopped), 1),
        (1, Code::StaleLease, Err(Code::StaleLease), 1),
    ] {
        assert_eq!(persisted(refusals, code).await, (answer, asked), "{refusals} times {code:?}");
    }
}
