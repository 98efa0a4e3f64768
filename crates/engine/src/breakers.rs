//! Breakers as whoever runs the house sees them: who is left alone, until when, and how to end that.

use crate::{engine::Engine, shared::Leaf};
use handover_core::{
    access::Right,
    event::Event,
    guard::breaker::{Breaker, BreakerState},
    ids::{AgentId, HandoffId},
    ledger::{Account, Change, Posting},
    refusal::HandoffError,
    time::Timestamp,
};
use serde::Serialize;

/// The breaker of an agent, as it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BreakerView {
    /// Whether work passes.
    pub state: BreakerState,
    /// Failures in a row.
    pub failures: u32,
    /// Until when nothing passes; after that one handoff may try.
    pub open_until: Option<Timestamp>,
    /// The handoff that tries.
    pub probe: Option<HandoffId>,
}

impl BreakerView {
    fn of(breaker: &Breaker, now: Timestamp) -> Self {
        Self {
            state: breaker.state(now),
            failures: breaker.failures,
            open_until: breaker.open_until,
            probe: breaker.probe,
        }
    }
}

impl Engine {
    /// The breaker of an agent.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn breaker(&self, agent: &AgentId) -> Result<BreakerView, HandoffError> {
        self.agent(agent)?;
        let breaker = self.inner.ledger.read().breaker(agent);
        Ok(BreakerView::of(&breaker, self.inner.clock.now()))
    }

    /// The breakers that remember a failure, by agent.
    #[must_use]
    pub fn breakers(&self) -> Vec<(AgentId, BreakerView)> {
        let now = self.inner.clock.now();
        let ledger = self.inner.ledger.read();
        let loud = ledger.iter().filter(|(_, entry)| !entry.breaker.is_quiet());
        let mut found: Vec<(AgentId, BreakerView)> = loud
            .filter_map(|(account, entry)| Some((account.agent_id()?, BreakerView::of(&entry.breaker, now))))
            .collect();
        drop(ledger);
        found.retain(|(agent, _)| self.caller.house || self.agent(agent).is_ok());
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        found
    }

    /// Closes the breaker of an agent, and forgets its failures.
    ///
    /// # Errors
    /// When there is no such agent, this caller is bound to certain agents, is no operator, or the agent is of the house.
    pub async fn reset_breaker(&self, agent: &AgentId) -> Result<(), HandoffError> {
        self.reset_breaker_because(agent, "reset").await
    }

    /// The same with a reason, which the book of the house keeps with the name of whoever asked.
    ///
    /// # Errors
    /// As [`Engine::reset_breaker`], and when the reason is no short text.
    pub async fn reset_breaker_because(&self, agent: &AgentId, reason: &str) -> Result<(), HandoffError> {
        self.unbound()?;
        self.caller.may(Right::Operate)?;
        self.may_change(&self.known_agent(agent).await?.profile)?;
        let why = self.by_hand(reason)?;
        self.refresh_ledger().await?;
        if self.inner.ledger.read().breaker(agent).is_quiet() {
            return Ok(());
        }
        let postings = vec![Posting { account: Account::of_agent(agent), change: Change::Reset }];
        let event = Event::BreakerMoved { agent: agent.clone(), breaker: Breaker::default(), why };
        self.write_house_posting(vec![event], Vec::new(), postings).await?;
        self.is_back(agent);
        Ok(())
    }

    /// Says in the book of the house that breakers moved, and lets the timer give away what waits for whoever is left
    /// alone now. A process that dies before this loses the note alone: the breaker itself was committed with the
    /// session, and the next start looks again at what waits.
    pub(crate) async fn note_breakers(&self, moved: Vec<(AgentId, Breaker)>) {
        for (agent, breaker) in moved {
            let opened = breaker.open_until.is_some();
            let why = match breaker.failures {
                _ if !opened => "it did well".to_owned(),
                1 => "it failed".to_owned(),
                failures => format!("it failed {failures} times in a row"),
            };
            let event = Event::BreakerMoved { agent: agent.clone(), breaker, why };
            // The store says so itself when it cannot write; there is nobody here to tell.
            let _ = self.write_leaf(|_| Ok(self.untold(&event))).await;
            if opened {
                self.inner.left_alone.lock().insert(agent);
                self.note_due(self.inner.clock.now());
            }
        }
    }

    /// What to tell the book of the house of a breaker; nothing where another process did meanwhile.
    fn untold(&self, event: &Event) -> Option<Leaf> {
        if let (Some(shared), Event::BreakerMoved { agent, breaker, .. }) = (&self.inner.shared, event)
            && shared.ledger.is_noted(agent, breaker)
        {
            return None;
        }
        Some(Leaf { events: vec![event.clone()], ..Leaf::default() })
    }

    /// What waits for an agent that is left alone is looked at again after a start.
    pub(crate) fn look_at_breakers(&self) {
        let now = self.inner.clock.now();
        let ledger = self.inner.ledger.read();
        let open = ledger.iter().filter(|(_, entry)| entry.breaker.state(now) == BreakerState::Open);
        self.inner.left_alone.lock().extend(open.filter_map(|(account, _)| account.agent_id()));
    }
}
