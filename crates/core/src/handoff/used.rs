//! What work on a handoff used: whose time, until when, and whether it was too much.

use super::{Handoff, Phase};
use crate::{budget::Amount, limits, time::Timestamp};

impl Handoff {
    /// How long whoever works on it has worked itself by this time, in milliseconds: since it took the work, less what
    /// was worked below it since then, where that counts.
    #[must_use]
    pub fn worked(&self, at: Timestamp, below_ms: u64) -> u64 {
        let worked = match (&self.phase, self.accepted_at) {
            (Phase::Running { .. }, Some(taken)) => at.since(taken),
            _ => 0,
        };
        let before = self.earlier.map_or(0, |earlier| earlier.below_ms);
        worked.saturating_sub(below_ms.saturating_sub(before))
    }

    /// When the attempt that runs ends or ended, where its holder does not end it: with its lease or its time, however
    /// much later that is noticed. The engine may have slept.
    #[must_use]
    pub fn attempt_end(&self, now: Timestamp) -> Timestamp {
        let Phase::Running { deadline, .. } = self.phase else { return now };
        let last = deadline + self.grace_ms();
        self.due().map_or(last, |due| due.min(last)).min(now)
    }

    /// How long whoever is reminded has, in milliseconds: a part of the time that it had.
    #[must_use]
    pub fn grace_ms(&self) -> u64 {
        let given = match (&self.phase, self.accepted_at) {
            (Phase::Running { deadline, .. }, Some(taken)) => deadline.since(taken),
            _ => 0,
        };
        (given / 10).clamp(limits::REMINDER_GRACE_MS_MIN, limits::REMINDER_GRACE_MS_MAX)
    }

    /// Says so, where more was used than was set aside: by the last attempt and those before it together.
    #[must_use]
    pub fn overspent(&self, used: Amount) -> Option<String> {
        let held = self.reservation.as_ref()?;
        let used = used.plus(self.earlier.unwrap_or_default().used);
        let lack = held.share.less(self.spent_below).lacks(&used)?;
        Some(format!("it used more than was set aside: {}", lack.words_after()))
    }
}
