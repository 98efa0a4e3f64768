//! The time. Decisions are told it; only this file asks for it.

use handover_core::{limits::CLOCK_JUMP_MS, time::Timestamp};
use parking_lot::Mutex;
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};
use tokio::sync::watch;

/// Where the time comes from: the machine, or a test.
pub trait Clock: Send + Sync + 'static {
    /// The time. It never goes back.
    fn now(&self) -> Timestamp;
    /// Since when time has run without a break.
    fn awake_since(&self) -> Timestamp;
    /// Done when this time has come.
    fn until(&self, time: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The machine's clock, made steady: a step back is not followed, a step forward counts as sleep.
#[derive(Debug)]
pub struct SystemClock {
    state: Mutex<SystemState>,
}

#[derive(Debug)]
struct SystemState {
    base: Timestamp,
    started: Instant,
    awake_since: Timestamp,
}

/// Longest single wait, so that a step of the clock is noticed soon.
const NAP: Duration = Duration::from_secs(1);

/// Done when this clock says so, however it is set meanwhile.
pub(crate) async fn nap_until(clock: &impl Clock, time: Timestamp) {
    loop {
        let left = time.since(clock.now());
        if left == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(left).min(NAP)).await;
    }
}

impl SystemClock {
    /// A clock that begins not before this time: what is stored is never younger than now.
    #[must_use]
    pub fn starting_at_least(floor: Timestamp) -> Self {
        let base = wall().max(floor);
        Self { state: Mutex::new(SystemState { base, started: Instant::now(), awake_since: base }) }
    }
}

fn wall() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let mut state = self.state.lock();
        let steady = state.base + millis(state.started.elapsed());
        let wall = wall();
        if wall.since(steady) > CLOCK_JUMP_MS {
            // The machine slept or its clock was set forward. Deadlines are promises in wall time, so time follows;
            // windows that nobody could use while asleep start anew.
            *state = SystemState { base: wall, started: Instant::now(), awake_since: wall };
            return wall;
        }
        steady
    }

    fn awake_since(&self) -> Timestamp {
        self.state.lock().awake_since
    }

    fn until(&self, time: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(nap_until(self, time))
    }
}

/// A clock that a test moves by hand.
#[derive(Debug, Clone)]
pub struct ManualClock {
    now: Arc<watch::Sender<Timestamp>>,
    awake_since: Arc<Mutex<Timestamp>>,
}

impl ManualClock {
    /// A clock that stands at this time.
    #[must_use]
    pub fn at(time: Timestamp) -> Self {
        Self { now: Arc::new(watch::Sender::new(time)), awake_since: Arc::new(Mutex::new(time)) }
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.now.send_modify(|now| *now = *now + millis(by));
    }

    /// Moves it to any time, back too; the engine must bear it.
    pub fn set(&self, time: Timestamp) {
        self.now.send_replace(time);
    }

    /// Moves it forward as if the machine had slept.
    pub fn jump(&self, by: Duration) {
        self.advance(by);
        *self.awake_since.lock() = *self.now.borrow();
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.now.borrow()
    }

    fn awake_since(&self) -> Timestamp {
        *self.awake_since.lock()
    }

    fn until(&self, time: Timestamp) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        let mut now = self.now.subscribe();
        Box::pin(async move {
            // The sender lives as long as the clock, so this ends only when the time has come.
            let _ = now.wait_for(|now| *now >= time).await;
        })
    }
}
