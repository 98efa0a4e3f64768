//! What is counted: of a minute, and of a pair or an agent.

use super::lasted::Lasted;
use handover_core::{budget::Amount, handoff::Status};

/// From this share of successes on it goes well, and below the other it goes badly.
const WELL: f64 = 0.9;
const BADLY: f64 = 0.7;

/// Handoffs that began and ended, how long they took, and what was used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) opened: u64,
    pub(crate) completed: u64,
    /// Failed, or out of time.
    pub(crate) failed: u64,
    /// Taken back, or gone further up.
    pub(crate) other: u64,
    pub(crate) tokens: u64,
    pub(crate) micros: u64,
    pub(crate) lasted: Lasted,
    took_ms: u64,
}

impl Figures {
    pub(crate) fn closed(&mut self, status: Status, ms: u64) {
        match status {
            Status::Completed => self.completed += 1,
            Status::Failed | Status::TimedOut => self.failed += 1,
            Status::Escalated
            | Status::Cancelled
            | Status::AwaitingApproval
            | Status::Offered
            | Status::Deferred
            | Status::Running => self.other += 1,
        }
        self.took_ms = self.took_ms.saturating_add(ms);
        self.lasted.note(ms);
    }

    pub(crate) fn used(&mut self, used: Amount) {
        self.tokens = self.tokens.saturating_add(used.tokens);
        self.micros = self.micros.saturating_add(used.micros);
    }

    pub(crate) fn ended(&self) -> u64 {
        self.completed + self.failed + self.other
    }

    /// The share that succeeded of what was tried to the end; nothing where nothing was.
    pub(crate) fn success(&self) -> Option<f64> {
        let tried = self.completed + self.failed;
        (tried > 0).then(|| real(self.completed) / real(tried))
    }

    /// How well it goes, as a colour says it: `good`, `bad`, or nothing between them.
    pub(crate) fn tone(&self) -> &'static str {
        match self.success() {
            Some(share) if share >= WELL => "good",
            Some(share) if share < BADLY => "bad",
            Some(_) | None => "",
        }
    }

    /// How long it took on average.
    pub(crate) fn mean_ms(&self) -> Option<u64> {
        self.took_ms.checked_div(self.ended())
    }

    pub(crate) fn cost(&self) -> f64 {
        real(self.micros) / 1_000_000.0
    }
}

/// What can be added up.
pub(crate) trait Sum {
    fn sum(&mut self, other: &Self);
}

impl Sum for u64 {
    fn sum(&mut self, other: &Self) {
        *self = self.saturating_add(*other);
    }
}

impl Sum for Figures {
    fn sum(&mut self, other: &Self) {
        self.opened += other.opened;
        self.completed += other.completed;
        self.failed += other.failed;
        self.other += other.other;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.micros = self.micros.saturating_add(other.micros);
        self.took_ms = self.took_ms.saturating_add(other.took_ms);
        self.lasted.add(&other.lasted);
    }
}

/// A count as a number with a point. Counts that lose digits by it are beyond what a page shows.
#[allow(clippy::cast_precision_loss, reason = "figures of a chart are rounded anyway")]
pub(crate) fn real(count: u64) -> f64 {
    count as f64
}
