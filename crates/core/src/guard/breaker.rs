//! The circuit breaker of an agent: closed, open after failures in a row, half open after a cool-down, when one handoff
//! at a time tries whether it is well again.

use crate::{ids::HandoffId, time::Timestamp};
use serde::{Deserialize, Serialize};

/// Where a breaker stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// Work passes.
    Closed,
    /// No work passes until the cool-down is over.
    Open,
    /// One handoff passes, to try.
    HalfOpen,
}

impl BreakerState {
    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half open",
        }
    }
}

/// The breaker of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Breaker {
    /// Failures in a row.
    #[serde(default)]
    pub failures: u32,
    /// Until when nothing passes; after that one may try. Nothing when it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_until: Option<Timestamp>,
    /// The handoff that tries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<HandoffId>,
    /// How often it has opened since it was last closed.
    #[serde(default)]
    pub trips: u32,
}

impl Breaker {
    /// Whether there is nothing to remember.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        *self == Self::default()
    }

    /// Where it stands at this time.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> BreakerState {
        match self.open_until {
            None => BreakerState::Closed,
            Some(until) if now < until => BreakerState::Open,
            Some(_) => BreakerState::HalfOpen,
        }
    }

    /// Whether one more handoff may go to the agent.
    #[must_use]
    pub fn admits(&self, now: Timestamp) -> bool {
        match self.state(now) {
            BreakerState::Closed => true,
            BreakerState::Open => false,
            BreakerState::HalfOpen => self.probe.is_none(),
        }
    }

    /// The agent failed.
    pub fn failed(&mut self, at: Timestamp, after: u32, cooldown_ms: u64) {
        self.failures = self.failures.saturating_add(1);
        let opens = match self.state(at) {
            BreakerState::Closed => self.failures >= after,
            // What was going on before it opened says nothing new.
            BreakerState::Open => false,
            BreakerState::HalfOpen => true,
        };
        if opens {
            self.open_until = Some(at + cooldown_ms);
            self.probe = None;
            self.trips = self.trips.saturating_add(1);
        }
    }

    /// The agent did well.
    pub fn well(&mut self, at: Timestamp) {
        match self.state(at) {
            BreakerState::Open => {}
            BreakerState::Closed | BreakerState::HalfOpen => *self = Self::default(),
        }
    }

    /// The handoff that tried came to nothing.
    pub fn probe_over(&mut self, handoff: HandoffId) {
        if self.probe == Some(handoff) {
            self.probe = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBE: HandoffId = HandoffId(uuid::Uuid::from_u128(7));

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1_000)
    }

    #[test]
    fn opens_after_three_cools_down_and_tries_once() {
        let mut breaker = Breaker::default();
        for second in 1..=2 {
            breaker.failed(at(second), 3, 30_000);
            assert_eq!(breaker.state(at(second)), BreakerState::Closed);
        }
        breaker.failed(at(3), 3, 30_000);
        assert_eq!(breaker.state(at(32)), BreakerState::Open);
        assert!(!breaker.admits(at(32)));
        assert_eq!(breaker.state(at(33)), BreakerState::HalfOpen);
        assert!(breaker.admits(at(33)));
        breaker.probe = Some(PROBE);
        assert!(!breaker.admits(at(33)), "one at a time");
        breaker.failed(at(34), 3, 30_000);
        assert_eq!(breaker.state(at(63)), BreakerState::Open);
        breaker.probe = Some(PROBE);
        breaker.well(at(65));
        assert!(breaker.is_quiet());
    }

    #[test]
    fn a_success_in_between_begins_the_count_anew() {
        let mut breaker = Breaker::default();
        breaker.failed(at(1), 3, 30_000);
        breaker.failed(at(2), 3, 30_000);
        breaker.well(at(3));
        breaker.failed(at(4), 3, 30_000);
        breaker.failed(at(5), 3, 30_000);
        assert_eq!(breaker.state(at(6)), BreakerState::Closed);
    }

    #[test]
    fn what_was_going_on_before_it_opened_says_nothing_new() {
        let mut breaker = Breaker::default();
        (1..=3).for_each(|second| breaker.failed(at(second), 3, 30_000));
        breaker.failed(at(20), 3, 30_000);
        breaker.well(at(21));
        assert_eq!(breaker.state(at(32)), BreakerState::Open);
        assert_eq!(breaker.state(at(33)), BreakerState::HalfOpen);
    }

    #[test]
    fn a_probe_that_came_to_nothing_leaves_room_for_another() {
        let mut breaker = Breaker::default();
        (1..=3).for_each(|second| breaker.failed(at(second), 3, 1_000));
        breaker.probe = Some(PROBE);
        breaker.probe_over(HandoffId(uuid::Uuid::from_u128(8)));
        assert!(!breaker.admits(at(10)));
        breaker.probe_over(PROBE);
        assert!(breaker.admits(at(10)));
    }
}
