//! How much agents have to do over all processes, and work for agents of this process that was handed over elsewhere.

use super::rounds::Rounds;
use crate::engine::Engine;
use handover_core::{
    ids::AgentId,
    limits::{OFFER_GRACE_MS, SHARED_LOOK_MS},
    refusal::HandoffError,
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap},
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::time::Instant;

/// What is counted of agents, and when to look for what waits for them.
#[derive(Default)]
pub(crate) struct Loads {
    rounds: Rounds,
    /// Places taken and given back here: a look that was begun before does not know of it.
    moves: AtomicU64,
    /// Agents of this process for whom something waits, and when to look for it.
    offered: Mutex<HashMap<AgentId, Instant>>,
}

impl Loads {
    /// A place was taken or given back.
    pub(crate) fn moved(&self) {
        self.moves.fetch_add(1, Ordering::SeqCst);
    }

    /// When the next look for work is.
    pub(crate) fn next_look(&self) -> Instant {
        let later = Instant::now() + Duration::from_millis(SHARED_LOOK_MS);
        self.offered.lock().values().min().copied().unwrap_or(later)
    }
}

impl Engine {
    /// Takes over how much everybody has to do. Whoever has less than before may have a place for more.
    pub(crate) async fn refresh_loads(&self) -> Result<(), HandoffError> {
        let Some(shared) = &self.inner.shared else { return Ok(()) };
        let moves = shared.loads.moves.load(Ordering::SeqCst);
        let Some(found) = shared.loads.rounds.look(self.inner.store.loads()).await? else { return Ok(()) };
        let loads: BTreeMap<AgentId, (u32, u32)> =
            found.into_iter().map(|load| (load.agent, (load.running, load.waiting))).collect();
        let less = self.inner.agents.write().take_over(&loads);
        for agent in &less {
            self.kick(agent);
            self.inner.claims.ring_all(agent);
        }
        for (agent, _) in loads.iter().filter(|(_, (_, waiting))| *waiting > 0) {
            self.offered_elsewhere(agent);
        }
        if shared.loads.moves.load(Ordering::SeqCst) != moves {
            shared.ring();
        }
        Ok(())
    }

    /// Something waits for an agent. If it lives here, it is looked for after a while: whoever handed it over comes first.
    pub(crate) fn offered_elsewhere(&self, agent: &AgentId) {
        let Some(shared) = &self.inner.shared else { return };
        if self.inner.locals.lock().contains_key(agent) {
            let at = Instant::now() + Duration::from_millis(OFFER_GRACE_MS);
            shared.loads.offered.lock().entry(agent.clone()).or_insert(at);
        }
    }

    /// Looks for what waits for agents of this process: where it is time to, or for all that something is known to wait for.
    pub(crate) fn look_for_offers(&self, all: bool) {
        let Some(shared) = &self.inner.shared else { return };
        let now = Instant::now();
        let mut due = Vec::new();
        shared.loads.offered.lock().retain(|agent, at| {
            let is_due = all || *at <= now;
            if is_due {
                due.push(agent.clone());
            }
            !is_due
        });
        for agent in due {
            self.look_again(&agent);
        }
    }
}
