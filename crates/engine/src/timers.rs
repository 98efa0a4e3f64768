//! Timers. What is due is in the store, so a restart forgets none; what comes late decides to nothing.

use crate::engine::Engine;
use handover_core::{
    command::Command,
    limits::{DUE_BATCH_MAX, HOLD_MS, SHARED_LOOK_MS},
    refusal::{Code, HandoffError},
    time::Timestamp,
};
use std::{sync::atomic::Ordering, time::Duration};

/// How long to wait after the store could not be read. It never mends itself, but a shutdown must not hang on it.
const AFTER_TROUBLE: Duration = Duration::from_secs(1);

pub(crate) async fn run(engine: Engine) {
    loop {
        if let Err(error) = engine.run_due().await {
            // What only a newer node can read is held for this one: it has to come free.
            let newer = error.has(Code::StoreNewer);
            let rest = if newer { Duration::from_millis(2 * HOLD_MS) } else { AFTER_TROUBLE };
            tokio::time::sleep(rest).await;
            continue;
        }
        let next = Timestamp(engine.inner.next_due.load(Ordering::SeqCst));
        tokio::select! {
            () = engine.inner.clock.until(next) => {}
            () = engine.inner.timer_bell.notified() => {}
            // What others made due is looked for, too.
            () = tokio::time::sleep(Duration::from_millis(SHARED_LOOK_MS)), if engine.is_shared() => {}
        }
    }
}

impl Engine {
    /// Handles everything that is due by now, and what becomes due by that. Gives how many handoffs it looked at.
    ///
    /// # Errors
    /// When the store cannot be read or written, or this caller is no administrator of the house.
    pub async fn run_due(&self) -> Result<usize, HandoffError> {
        self.operator()?;
        let mut handled = 0;
        self.give_away().await;
        loop {
            // Reset first: a commit that happens meanwhile puts its own time in again.
            self.inner.next_due.store(i64::MAX, Ordering::SeqCst);
            let now = self.inner.clock.now();
            let due = self.inner.store.take_due(now, DUE_BATCH_MAX).await?;
            if due.is_empty() {
                break;
            }
            let (mut done, mut failed) = (0, None);
            for entry in due {
                // One session that cannot be read must not hold up the timers of all others.
                match self.submit_as_engine(&entry.session, Command::Tick { handoff: entry.handoff }).await {
                    Ok(_) => done += 1,
                    // What only a newer node can read is told first.
                    Err(error) => {
                        failed = failed.filter(|error: &HandoffError| error.has(Code::StoreNewer)).or(Some(error));
                    }
                }
            }
            handled += done;
            if let Some(error) = failed.filter(|error: &HandoffError| done == 0 || error.has(Code::StoreNewer)) {
                return Err(error);
            }
        }
        if let Some(next) = self.inner.store.next_due().await? {
            // What is due already is in the hands of another process.
            let next = if self.is_shared() { next.max(self.inner.clock.now() + SHARED_LOOK_MS) } else { next };
            // No bell: whoever waits for this time reads it next, and a bell of its own would wake it for nothing.
            self.inner.next_due.fetch_min(next.0, Ordering::SeqCst);
        }
        Ok(handled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, clock::ManualClock};
    use handover_core::{
        agent::{AgentKind, Profile},
        command::Open,
        handoff::Request,
        ids::SessionId,
    };
    use std::sync::Arc;

    #[tokio::test]
    async fn the_timer_rests_until_something_is_due() {
        let folder = tempfile::tempdir().unwrap();
        let clock = ManualClock::at(Timestamp(1_800_000_000_000));
        let options = Options { clock: Some(Arc::new(clock.clone())), background: false, ..Options::default() };
        let engine = Engine::open_with(folder.path().join("t.db"), options).await.unwrap();
        for name in ["a", "b"] {
            engine.register_profile(Profile::named(name).unwrap().kind(AgentKind::Worker)).await.unwrap();
        }
        let session = SessionId::new("s").unwrap();
        engine.open_session(&session, Open::by("a").unwrap()).await.unwrap();
        let request = Request::delegation("a", "b", "wait", Duration::from_secs(60)).unwrap();
        engine.initiate(&session, request).await.unwrap();
        while engine.inner.timer_bell.notified().now_or_never().is_some() {}
        engine.run_due().await.unwrap();
        // Nothing is due for 30 seconds: the bell is silent, and the time to wait for is known.
        assert!(engine.inner.timer_bell.notified().now_or_never().is_none(), "the timer wakes itself");
        let next = Timestamp(engine.inner.next_due.load(Ordering::SeqCst));
        assert_eq!(next, clock.now() + 30_000);
    }

    use crate::clock::Clock as _;

    /// Whether a future is ready at once.
    trait NowOrNever: Future + Sized {
        fn now_or_never(self) -> Option<Self::Output> {
            let mut future = std::pin::pin!(self);
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            match future.as_mut().poll(&mut context) {
                std::task::Poll::Ready(value) => Some(value),
                std::task::Poll::Pending => None,
            }
        }
    }
    impl<F: Future> NowOrNever for F {}
}
