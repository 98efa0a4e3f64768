//! The time where several processes share a store: that of the store. A machine whose own clock is off, or was set, ends
//! nobody's lease; and no process keeps being ahead because it was once.

use crate::clock::{Clock, millis, nap_until};
use handover_core::{limits::CLOCK_JUMP_MS, time::Timestamp};
use handover_store::{Reading, Store};
use parking_lot::Mutex;
use std::{future::Future, pin::Pin, sync::Arc, time::Instant};

/// The store's clock, as far as it was heard, made steady.
pub(crate) struct SharedClock {
    store: Arc<dyn Store>,
    state: Mutex<State>,
}

/// How time goes on from the last reading.
#[derive(Debug)]
struct State {
    /// Which reading this is by.
    heard: Instant,
    base: Timestamp,
    started: Instant,
    /// How far this is ahead of the store: it goes at half the speed until it is not.
    ahead_ms: u64,
    awake_since: Timestamp,
}

impl SharedClock {
    /// A clock that begins not before this time: what is stored is never younger than now.
    pub(crate) fn new(store: Arc<dyn Store>, reading: Reading, floor: Timestamp) -> Self {
        Self { store, state: Mutex::new(State::begin(reading, floor, Instant::now())) }
    }
}

impl State {
    fn begin(reading: Reading, floor: Timestamp, now: Instant) -> Self {
        let (earliest, latest) = stands(reading, now);
        let base = earliest.max(floor);
        Self { heard: reading.taken, base, started: now, ahead_ms: base.since(latest), awake_since: base }
    }

    fn at(&self, now: Instant) -> Timestamp {
        let gone = millis(now.saturating_duration_since(self.started));
        self.base + (gone / 2).max(gone.saturating_sub(self.ahead_ms))
    }

    /// Follows a new reading. It never goes back; what it is ahead it makes up for.
    fn follow(&mut self, reading: Reading, now: Instant) {
        if reading.taken <= self.heard {
            return;
        }
        let (mine, (earliest, latest)) = (self.at(now), stands(reading, now));
        if earliest.since(mine) > CLOCK_JUMP_MS {
            // This machine slept, or the store's clock was set forward: windows that nobody could use start anew.
            self.awake_since = earliest;
        }
        self.base = mine.max(earliest);
        self.ahead_ms = self.base.since(latest);
        self.started = now;
        self.heard = reading.taken;
    }
}

/// Between which times the store's clock stands now, by a reading.
fn stands(reading: Reading, now: Instant) -> (Timestamp, Timestamp) {
    let since = millis(now.saturating_duration_since(reading.taken));
    (reading.earliest + since, reading.latest + since)
}

impl Clock for SharedClock {
    fn now(&self) -> Timestamp {
        let reading = self.store.reading();
        let mut state = self.state.lock();
        let now = Instant::now();
        if let Some(reading) = reading {
            state.follow(reading, now);
        }
        state.at(now)
    }

    fn awake_since(&self) -> Timestamp {
        self.state.lock().awake_since
    }

    fn until(&self, time: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(nap_until(self, time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    /// What the store's clock said at a moment, heard at once.
    fn said(taken: Instant, time: i64) -> Reading {
        Reading { taken, earliest: Timestamp(time), latest: Timestamp(time) }
    }

    #[test]
    fn it_goes_by_the_store_and_not_by_the_machine() {
        let start = Instant::now();
        let mut state = State::begin(said(start, 1_000_000), Timestamp(0), start);
        assert_eq!(state.at(start + 3 * SECOND), Timestamp(1_003_000));
        // A little late by the store's clock: it follows, and nobody slept.
        state.follow(said(start + 3 * SECOND, 1_003_500), start + 3 * SECOND);
        assert_eq!(state.at(start + 4 * SECOND), Timestamp(1_004_500));
        assert_eq!(state.awake_since, Timestamp(1_000_000));
    }

    #[test]
    fn what_the_way_explains_changes_nothing() {
        let start = Instant::now();
        let mut state = State::begin(said(start, 1_000_000), Timestamp(0), start);
        let (taken, earliest, latest) = (start + 2 * SECOND, Timestamp(1_000_900), Timestamp(1_002_900));
        state.follow(Reading { taken, earliest, latest }, taken);
        assert_eq!((state.at(taken), state.ahead_ms), (Timestamp(1_002_000), 0));
    }

    #[test]
    fn who_is_ahead_goes_slower_until_it_is_not_and_never_back() {
        let start = Instant::now();
        // Somebody wrote something that is a minute ahead.
        let mut state = State::begin(said(start, 1_000_000), Timestamp(1_060_000), start);
        let mut before = Timestamp(0);
        for second in 0..200_u32 {
            let now = start + second * SECOND;
            state.follow(said(now, 1_000_000 + i64::from(second) * 1_000), now);
            let time = state.at(now);
            assert!(time >= before, "{second}: {time:?} after {before:?}");
            before = time;
            let apart = time.since(Timestamp(1_000_000 + i64::from(second) * 1_000));
            assert_eq!(apart, 60_000_u64.saturating_sub(u64::from(second) * 500), "{second}");
        }
        assert_eq!(state.awake_since, Timestamp(1_060_000));
    }

    #[test]
    fn a_jump_forward_counts_as_sleep_and_an_old_reading_as_none() {
        let start = Instant::now();
        let mut state = State::begin(said(start, 1_000_000), Timestamp(0), start);
        let woken = start + SECOND;
        state.follow(said(woken, 9_000_000), woken);
        assert_eq!((state.at(woken), state.awake_since), (Timestamp(9_000_000), Timestamp(9_000_000)));
        state.follow(said(start, 99_000_000), woken);
        assert_eq!(state.at(woken), Timestamp(9_000_000));
    }
}
