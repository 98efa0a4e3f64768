//! Watching over the whole house: everything that happens in it, whoever it belongs to, and what is counted of it.

use crate::{
    engine::Engine,
    feed::{Filter, Subscription},
};
use handover_core::{
    access::Right,
    ids::HandoffId,
    record::Record,
    refusal::{Code, HandoffError},
};
use handover_store::Totals;
use parking_lot::Mutex;
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

/// What is counted while the engine is open.
#[derive(Default)]
pub(crate) struct Counts {
    commits: AtomicU64,
    refusals: Mutex<BTreeMap<Code, u64>>,
}

impl Counts {
    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused(&self, error: &HandoffError) {
        let mut refusals = self.refusals.lock();
        for refusal in &error.refusals {
            *refusals.entry(refusal.code).or_default() += 1;
        }
    }
}

/// What was counted since the engine was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counted {
    /// Commits that are on disk.
    pub commits: u64,
    /// Batches in which they were written.
    pub batches: u64,
    /// Commands that were refused, by code. One that is wrong in several ways counts for each of them.
    pub refusals: BTreeMap<Code, u64>,
}

impl Engine {
    /// Everything that happens in the house from now on, or after a position of the feed, whoever it belongs to.
    ///
    /// # Errors
    /// When this caller does not run the house.
    pub fn subscribe_all(&self, filter: Filter, after: Option<u64>) -> Result<Subscription, HandoffError> {
        self.runs_house()?;
        Ok(self.inner.feed.subscribe(self.inner.store.clone(), self.caller.clone(), true, filter, after))
    }

    /// The records of a handoff, in order, whoever it belongs to. There are none of one that does not exist.
    ///
    /// # Errors
    /// When this caller does not run the house, or the store cannot be read.
    pub async fn trace_any(&self, id: HandoffId) -> Result<Vec<Record>, HandoffError> {
        self.runs_house()?;
        self.records_of(id).await
    }

    /// Counts over the whole house, as they are stored.
    ///
    /// # Errors
    /// When this caller does not run the house, or the store cannot be read.
    pub async fn totals(&self) -> Result<Totals, HandoffError> {
        self.runs_house()?;
        Ok(self.inner.store.totals().await?)
    }

    /// What was counted since the engine was opened.
    #[must_use]
    pub fn counted(&self) -> Counted {
        Counted {
            commits: self.inner.counts.commits.load(Ordering::Relaxed),
            batches: self.batches(),
            refusals: self.inner.counts.refusals.lock().clone(),
        }
    }

    /// The last position of the feed that is on disk.
    #[must_use]
    pub fn feed_position(&self) -> u64 {
        self.inner.feed.position()
    }

    /// Nobody sees what belongs to others but the program that holds the engine.
    fn runs_house(&self) -> Result<(), HandoffError> {
        self.caller.may_in_house(Right::Look)
    }
}
