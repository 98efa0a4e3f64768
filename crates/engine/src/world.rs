//! What a decision depends on, as this engine sees it, and what a decision changes at once for the next.

use crate::{commands::Alone, engine::Engine, shared::Count};
use handover_core::{
    agent::Known,
    command::{Caller, Command},
    decide::{Decided, ModelAnswer, World},
    handoff::Status,
    ids::AgentId,
    ledger::{Ledger, Posting},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
    time::Timestamp,
};
use handover_store::HandoffQuery;
use parking_lot::RwLockUpgradableReadGuard;
use std::ops::{Deref, DerefMut};

impl Engine {
    /// Shows the world as it is now.
    pub(crate) fn with_world<T>(
        &self,
        caller: &Caller,
        picked: Option<&ModelAnswer>,
        look: impl FnOnce(&World<'_>) -> T,
    ) -> T {
        self.with_ledger(caller, picked, || self.inner.ledger.read(), look).0
    }

    /// Shows the world by a ledger that is held in this way, and hands on how it is held. Locks are taken in one order
    /// everywhere, agents, policy, ledger, workflows, so that nobody waits in a circle.
    fn with_ledger<G: Deref<Target = Ledger>, T>(
        &self,
        caller: &Caller,
        picked: Option<&ModelAnswer>,
        hold: impl FnOnce() -> G,
        look: impl FnOnce(&World<'_>) -> T,
    ) -> (T, G) {
        let agents = self.inner.agents.read();
        let policy = self.inner.policy.read();
        let ledger = hold();
        let workflows = self.inner.workflows.read();
        // The time first: asking for it is what notices that the machine slept.
        let now = self.inner.clock.now();
        let awake_since = self.awake_since();
        let seen = look(&World {
            agents: Known::to(&agents, &caller.tenant),
            policy: &policy,
            ledger: &ledger,
            workflows: &workflows,
            picked,
            caller,
            awake_since,
            now,
        });
        (seen, ledger)
    }

    /// Decides, and counts what was decided before anybody else decides by it.
    pub(crate) fn decide_and_post(
        &self,
        caller: &Caller,
        before: Option<&Session>,
        picked: Option<&ModelAnswer>,
        alone: Alone,
        decide: impl FnOnce(&World<'_>) -> Result<Decided, HandoffError>,
    ) -> Result<(Decided, Count), HandoffError> {
        let waits = match alone {
            Alone::Never => false,
            Alone::WhereLimited => self.is_limited(),
            Alone::Always => true,
        };
        let alone = waits.then(|| self.inner.deciding.lock());
        let (decided, posted) = if waits {
            // Whoever need not wait may count meanwhile, but not between this decision and what it counts.
            let hold = || self.inner.ledger.upgradable_read();
            let (decided, ledger) = self.with_ledger(caller, picked, hold, decide);
            let decided = decided?;
            let posted = self.count(&decided.postings, || RwLockUpgradableReadGuard::upgrade(ledger))?;
            (decided, posted)
        } else {
            let decided = self.with_world(caller, picked, decide)?;
            let posted = self.post(&decided.postings)?;
            (decided, posted)
        };
        let offers = decided.offers_moved(before);
        if !offers.0.is_empty() || !offers.1.is_empty() {
            self.inner.agents.write().follow(&offers);
        }
        drop(alone);
        Ok((decided, posted))
    }

    /// Whether something is limited over all sessions.
    fn is_limited(&self) -> bool {
        self.inner.policy.read().budgets.has_limits()
            || self.inner.agents.read().has_budgets()
            || self.inner.ledger.read().is_tripped()
    }

    pub(crate) fn post(&self, postings: &[Posting]) -> Result<Count, HandoffError> {
        self.count(postings, || self.inner.ledger.write())
    }

    /// Counts in the ledger, which is taken only where there is something to count.
    fn count<G: DerefMut<Target = Ledger>>(
        &self,
        postings: &[Posting],
        ledger: impl FnOnce() -> G,
    ) -> Result<Count, HandoffError> {
        if postings.is_empty() {
            return Ok(Count::default());
        }
        let mut ledger = ledger();
        let posted = ledger.post(postings).map_err(|account| {
            let message = format!("the account \"{account}\" changed meanwhile");
            HandoffError::from(Refusal::new(Code::Overloaded, message).hint("try again"))
        })?;
        Ok(Count::of(posted, self.inner.shared.as_ref()))
    }

    /// Since when time has run without a break: for this process, or for any of those that work on the same store.
    fn awake_since(&self) -> Timestamp {
        let here = self.inner.clock.awake_since();
        let there = self.inner.shared.as_ref().and_then(|shared| shared.cover.since());
        there.map_or(here, |there| there.min(here))
    }

    /// Gives away what waits for agents that are left alone, where somebody else can take it.
    pub(crate) async fn give_away(&self) {
        loop {
            let Some(agent) = self.inner.left_alone.lock().pop_first() else { break };
            self.reconsider_offers(&agent).await;
        }
        loop {
            let Some(agent) = self.inner.back.lock().pop_first() else { break };
            self.reconsider_held_up(&agent).await;
        }
    }

    /// An agent can take work again: the timer looks at what was held up for it.
    pub(crate) fn is_back(&self, agent: &AgentId) {
        self.inner.back.lock().insert(agent.clone());
        self.note_due(self.inner.clock.now());
    }

    /// What is not among these is tried by itself when its wait is over.
    async fn reconsider_held_up(&self, agent: &AgentId) {
        let limit = handover_core::limits::PAGE_MAX;
        let query =
            HandoffQuery { status: Some(Status::Deferred), to: Some(agent.clone()), limit, ..HandoffQuery::default() };
        let Ok(found) = self.inner.store.handoffs(&query).await else { return };
        for handoff in found.into_iter().filter(|handoff| handoff.held_up > 0) {
            // Refused means that it is over.
            let command = Command::Reconsider { handoff: handoff.id };
            let _ = self.submit_as_engine(&handoff.session_id, command).await;
        }
    }

    async fn reconsider_offers(&self, agent: &AgentId) {
        let Ok(offers) = self.inner.store.offers(agent, handover_core::limits::PAGE_MAX).await else { return };
        for offer in offers {
            // Refused means that it is not on offer any more.
            let command = Command::Reconsider { handoff: offer.handoff };
            let _ = self.submit_as_engine(&offer.session, command).await;
        }
    }
}

#[cfg(test)]
mod tests;
