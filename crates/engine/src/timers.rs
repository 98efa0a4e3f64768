//! Timers. What is due is in the store, so a restart forgets none; what comes late decides to nothing.

use crate::engine::Engine;
use handover_core::{command::Command, limits::DUE_BATCH_MAX, refusal::HandoffError, time::Timestamp};
use std::{sync::atomic::Ordering, time::Duration};

/// How long to wait after the store could not be read. It never mends itself, but a shutdown must not hang on it.
const AFTER_TROUBLE: Duration = Duration::from_secs(1);

pub(crate) async fn run(engine: Engine) {
    loop {
        if engine.run_due().await.is_err() {
            tokio::time::sleep(AFTER_TROUBLE).await;
            continue;
        }
        let next = Timestamp(engine.inner.next_due.load(Ordering::SeqCst));
        tokio::select! {
            () = engine.inner.clock.until(next) => {}
            () = engine.inner.timer_bell.notified() => {}
        }
    }
}

impl Engine {
    /// Handles everything that is due by now, and what becomes due by that. Gives how many handoffs it looked at.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub async fn run_due(&self) -> Result<usize, HandoffError> {
        let mut handled = 0;
        loop {
            // Reset first: a commit that happens meanwhile puts its own time in again.
            self.inner.next_due.store(i64::MAX, Ordering::SeqCst);
            let now = self.inner.clock.now();
            let due = self.inner.store.due(now, DUE_BATCH_MAX).await?;
            if due.is_empty() {
                break;
            }
            for entry in due {
                self.submit_as_engine(&entry.session, Command::Tick { handoff: entry.handoff }).await?;
                handled += 1;
            }
        }
        if let Some(next) = self.inner.store.next_due().await? {
            self.note_due(next);
        }
        Ok(handled)
    }
}
