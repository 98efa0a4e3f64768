//! Several processes on one store. What this one remembers is a copy there: it hears of what others write, looks again
//! where a copy may be out of date, and takes over what a process leaves behind that is gone. The store has the last word:
//! a commit that rests on something old is not written.

mod again;
mod book;
mod clock;
mod cover;
mod ear;
mod foreign;
mod health;
mod ledger;
mod loads;
mod rounds;

pub(crate) use again::{Setback, Tried};
pub(crate) use book::Leaf;
pub(crate) use clock::SharedClock;
pub(crate) use cover::run as cover_run;
pub(crate) use ear::Ear;
pub(crate) use ledger::Count;

use crate::engine::Engine;
use handover_core::{
    limits::{SHARED_COPY_MS, SHARED_LOOK_MS, SHARED_REST, SHARED_REST_MS_MAX},
    refusal::HandoffError,
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::{Duration, Instant},
};
use tokio::sync::Notify;

/// What a process keeps beside its copies where others work on the same store.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) book: book::Book,
    pub(crate) ledger: ledger::Copied,
    pub(crate) loads: loads::Loads,
    pub(crate) cover: cover::Cover,
    pub(crate) health: health::Told,
    /// Something was heard: the copies are out of date.
    bell: Notify,
    /// How often others took this process for gone.
    fences: AtomicU64,
    /// Nothing that is remembered is to be trusted.
    distrusted: AtomicBool,
}

impl Shared {
    /// Something changed that is counted over all processes.
    pub(crate) fn ring(&self) {
        self.bell.notify_one();
    }
}

/// Keeps the copies up to date, and looks for work that others did not take.
pub(crate) async fn run(engine: Engine) {
    let Some(shared) = &engine.inner.shared else { return };
    loop {
        let begun = Instant::now();
        // The store tells everybody who asks when it is in trouble; there is nobody here to tell.
        let _ = engine.catch_up().await;
        engine.look_for_offers(false);
        let rest = (begun.elapsed() * SHARED_REST).min(Duration::from_millis(SHARED_REST_MS_MAX));
        tokio::time::sleep(rest.max(Duration::from_millis(SHARED_COPY_MS))).await;
        let look = shared.loads.next_look().min(tokio::time::Instant::now() + Duration::from_millis(SHARED_LOOK_MS));
        tokio::select! {
            () = shared.bell.notified() => {}
            () = tokio::time::sleep_until(look) => {}
        }
    }
}

impl Engine {
    /// Hears of what others wrote to the same store until now: agents, keys, workflows, and what is counted over all
    /// processes. Does nothing where this process has the store for itself. It is done by itself several times a second;
    /// whoever is told by somebody else that something exists, and does not find it, looks again after this.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn catch_up(&self) -> Result<(), HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(()) };
        if shared.distrusted.swap(false, Ordering::SeqCst) {
            let reloaded = self.reload_all().await;
            return reloaded.inspect_err(|_| shared.distrusted.store(true, Ordering::SeqCst));
        }
        self.sync_book().await?;
        self.refresh_ledger().await?;
        self.refresh_loads().await
    }

    /// Reads every copy anew.
    pub(crate) async fn reload_all(&self) -> Result<(), HandoffError> {
        self.reload_book().await?;
        self.reload_ledger().await?;
        self.refresh_loads().await?;
        self.look_at_breakers();
        self.look_for_offers(true);
        Ok(())
    }

    /// How often others took this process for gone: whatever it ran before is not its own any more.
    pub(crate) fn fences(&self) -> u64 {
        self.inner.shared.as_ref().map_or(0, |shared| shared.fences.load(Ordering::SeqCst))
    }

    /// Whether others may write to the same store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.inner.shared.is_some()
    }

    /// Whether a chore that one process does for all is for this one, for so many milliseconds from now. Whoever has it
    /// keeps it by asking again in time. Where this process is alone, everything is.
    ///
    /// # Errors
    /// When the store cannot be asked, or this caller is no administrator of the house.
    pub async fn take_chore(&self, chore: &str, for_ms: u64) -> Result<bool, HandoffError> {
        self.operator()?;
        if self.inner.shared.is_none() {
            return Ok(true);
        }
        Ok(self.inner.store.take_chore(chore, for_ms).await?)
    }

    /// Looks soon for what others wrote: somebody said that there is something.
    pub fn look(&self) {
        self.inner.store.look();
    }
}
