//! Who else works on the store, and what a process leaves behind that is gone.

use crate::engine::Engine;
use handover_core::{
    command::Command,
    ids::{HandoffId, LeaseId, SessionId},
    limits::{ABANDONED_MAX, NODE_LEASE_MS},
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{Node, StoreError};
use parking_lot::RwLock;
use std::{collections::HashSet, time::Duration};

/// Who was there when somebody last looked.
#[derive(Default)]
pub(crate) struct Cover {
    nodes: RwLock<Vec<Node>>,
}

impl Cover {
    /// How many there are, this one included.
    pub(crate) fn count(&self) -> usize {
        self.nodes.read().len().max(1)
    }

    /// How many of them answer requests.
    pub(crate) fn serving(&self) -> usize {
        self.nodes.read().iter().filter(|node| node.serves).count().max(1)
    }

    /// Since when any of the others has been there.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        self.nodes.read().iter().filter(|node| !node.this).map(|node| node.since).min()
    }
}

/// Looks again and again, as long as the engine lives.
pub(crate) async fn run(engine: Engine) {
    loop {
        tokio::time::sleep(Duration::from_millis(NODE_LEASE_MS / 4)).await;
        // The store tells everybody who asks when it is in trouble; the next look finds the same.
        let _ = engine.cover().await;
    }
}

impl Engine {
    /// The processes that work on the store, by their names; only this one, and nothing is said, where it has the store
    /// for itself.
    ///
    /// # Errors
    /// When the store cannot be read, or this caller is no administrator of the house.
    pub async fn nodes(&self) -> Result<Vec<Node>, HandoffError> {
        self.operator()?;
        Ok(self.inner.store.nodes().await?)
    }

    /// How many processes work on the store, as of a moment ago.
    #[must_use]
    pub fn live_nodes(&self) -> usize {
        self.inner.shared.as_ref().map_or(1, |shared| shared.cover.count())
    }

    /// How many of them answer requests, as of a moment ago. What is limited for all of them together, each may grant its
    /// share of.
    #[must_use]
    pub fn serving_nodes(&self) -> usize {
        self.inner.shared.as_ref().map_or(1, |shared| shared.cover.serving())
    }

    /// How far the clock of this process is ahead of the database's, in milliseconds, as of a moment ago.
    #[must_use]
    pub fn clock_apart_ms(&self) -> i64 {
        self.inner.store.clock_apart_ms()
    }

    /// Says that this process answers requests from now on, and looks who else does.
    ///
    /// # Errors
    /// When the store cannot be reached, or this caller is no administrator of the house.
    pub async fn serve(&self) -> Result<(), HandoffError> {
        self.operator()?;
        self.inner.store.serve().await?;
        self.cover().await.map(drop)
    }

    /// Takes over what a process held that is gone. Gives how many pieces of work.
    ///
    /// # Errors
    /// When the store cannot be read, or this caller is no administrator of the house.
    pub async fn cover(&self) -> Result<usize, HandoffError> {
        self.operator()?;
        let Some(shared) = &self.inner.shared else { return Ok(0) };
        // Who is there comes first: shares of what is limited for all go by it, and taking over may take a while.
        let nodes = self.inner.store.nodes().await?;
        let fewer = nodes.len() < shared.cover.nodes.read().len();
        *shared.cover.nodes.write() = nodes;
        let mut covered = 0;
        loop {
            let (found, taken) = self.reclaim_abandoned().await?;
            covered += taken;
            // A page of which nothing can be taken over is looked at again next time.
            if found < ABANDONED_MAX || taken == 0 {
                break;
            }
        }
        if fewer || covered > 0 {
            // What it was about to do for agents that are left alone, and what waited for its agents.
            self.look_at_breakers();
            self.note_due(self.inner.clock.now());
            shared.ring();
        }
        Ok(covered)
    }

    /// Takes over a page of it. Gives how many pieces were found, and how many of them were taken over.
    async fn reclaim_abandoned(&self) -> Result<(usize, usize), HandoffError> {
        let mut held: Vec<(SessionId, HandoffId, LeaseId)> = Vec::new();
        let abandoned = self.inner.store.abandoned().await?;
        let found = abandoned.len();
        for running in abandoned {
            let handoff = match self.inner.store.handoff(running.handoff).await {
                // A newer node takes it over.
                Err(StoreError::Newer(_)) => continue,
                handoff => handoff?,
            };
            let lease = handoff.and_then(|handoff| handoff.lease());
            held.extend(lease.map(|lease| (running.session, running.handoff, lease)));
        }
        if held.is_empty() {
            return Ok((found, 0));
        }
        // Somebody else may have taken it over, and given it away, before the lease was read. What is still left behind is so
        // under this very lease, or under a later one, and then this one is refused.
        let still: HashSet<HandoffId> =
            self.inner.store.abandoned().await?.into_iter().map(|running| running.handoff).collect();
        let mut covered = 0;
        for (session, handoff, lease) in held.into_iter().filter(|(_, handoff, _)| still.contains(handoff)) {
            // Refused means that somebody else was faster. One session that cannot be read must not keep the others waiting.
            let reclaimed = self.submit_for_lease(&session, Command::Reclaim { handoff }, lease).await;
            covered += usize::from(reclaimed.is_ok());
        }
        Ok((found, covered))
    }
}
