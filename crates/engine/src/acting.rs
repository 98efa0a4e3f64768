//! What follows from a commit: bells, places, timers. Never before it.

use crate::{cache::Cell, engine::Engine, submit::Outcome};
use handover_core::{
    agent::Standing,
    decide::Decided,
    event::Event,
    handoff::{Handoff, Phase},
    ids::AgentId,
    session::Session,
    time::Timestamp,
};
use handover_store::StoreError;
use std::sync::{Arc, atomic::Ordering};
use tokio::sync::OwnedMutexGuard;

impl Engine {
    pub(crate) fn conclude(
        &self,
        mut cell: OwnedMutexGuard<Cell>,
        before: Option<&Session>,
        decided: Decided,
        taken: Option<&AgentId>,
        result: Result<Vec<u64>, StoreError>,
    ) -> Result<Outcome, StoreError> {
        if let Err(error) = result {
            self.give_place_back(taken);
            if matches!(error, StoreError::Stopped(_)) {
                self.inner.waiters.wake_all();
            }
            return Err(error);
        }
        if decided.session.id.is_house() {
            self.follow_own(&decided.written);
        }
        self.inner.counts.committed();
        let answer = decided.answer.clone();
        let after = Arc::new(decided.session);
        cell.session = Some(after.clone());
        cell.loaded = true;
        // Before the next command of this session: what it does must not be overtaken.
        self.act(&after.tenant, before, decided.touched.handoffs.into_values(), taken);
        drop(cell);
        for written in &decided.written {
            if let Event::GroupDecided { group, .. } = &written.record.event {
                self.inner.waiters.wake(group.0);
            }
        }
        for (agent, standing, why) in decided.standings {
            self.note_standing(agent, standing, why);
        }
        Ok((answer, Some(after)))
    }

    /// What follows from a commit: bells, places, timers. Never before it.
    fn act(
        &self,
        tenant: &str,
        before: Option<&Session>,
        touched: impl Iterator<Item = Arc<Handoff>>,
        taken: Option<&AgentId>,
    ) {
        for handoff in touched {
            self.inner.cache.note(&handoff);
            let earlier = before.and_then(|before| before.open.get(&handoff.id));
            let held_before = earlier.filter(|earlier| earlier.lease().is_some());
            if let Some(earlier) = held_before
                && earlier.lease() != handoff.lease()
            {
                self.stop_local(handoff.id);
                self.release(&earlier.to_agent);
            }
            match &handoff.phase {
                // One that is only given more time is in its queue already.
                Phase::Offered { since, .. } if !on_offer(earlier, &handoff.to_agent, *since) => {
                    self.offer(&handoff, *since);
                    self.inner.claims.ring(&handoff.to_agent, tenant);
                }
                Phase::Offered { .. } => {}
                Phase::Running { .. } => {
                    if let Some(agent) = taken {
                        self.came_back(agent, "it accepted a handoff");
                    }
                    self.inner.waiters.wake(handoff.id.0);
                }
                Phase::Closed { .. } => self.inner.waiters.wake(handoff.id.0),
                Phase::AwaitingApproval { .. } | Phase::Deferred { .. } => {}
            }
            if let Some(due) = handoff.due() {
                self.note_due(due);
            }
        }
    }

    /// Whoever takes work or gives it back is alive. One that never asks for work is told of it in another way: it is
    /// not judged by its silence, and this does not begin to.
    pub(crate) fn came_back(&self, agent: &AgentId, why: &str) {
        if let Some(heard) = self.inner.heard.lock().get_mut(agent) {
            *heard = self.inner.clock.now();
        }
        let away = self.inner.agents.read().get(agent).is_some_and(|entry| entry.standing == Standing::Unavailable);
        if away {
            self.note_standing(agent.clone(), Standing::Available, why.to_owned());
        }
    }

    fn note_standing(&self, agent: AgentId, standing: Standing, why: String) {
        let engine = self.clone();
        tokio::spawn(async move {
            // The store says so itself when it cannot write; there is nobody here to tell.
            let _ = engine.set_standing(&agent, standing, &why).await;
        });
    }

    pub(crate) fn note_due(&self, due: Timestamp) {
        if self.inner.next_due.fetch_min(due.0, Ordering::SeqCst) > due.0 {
            self.inner.timer_bell.notify_one();
        }
    }
}

/// Whether a handoff was on offer to this agent since this time before.
fn on_offer(earlier: Option<&Arc<Handoff>>, to: &AgentId, at: Timestamp) -> bool {
    earlier.is_some_and(|earlier| {
        earlier.to_agent == *to && matches!(earlier.phase, Phase::Offered { since, .. } if since == at)
    })
}
