//! The book of the house: what concerns no session is written through the same door.

use crate::{cache::Cell, engine::Engine, finish::finish};
use handover_core::{
    decide::{self, Decided},
    event::Event,
    ids::{RandomIds, SessionId},
    ledger::Posting,
    refusal::HandoffError,
    session::Session,
};
use handover_store::{AgentRow, Commit};
use tokio::sync::OwnedMutexGuard;

impl Engine {
    /// Writes into the book of the house.
    pub(crate) async fn write_house(&self, events: Vec<Event>, agents: Vec<AgentRow>) -> Result<(), HandoffError> {
        self.write_house_posting(events, agents, Vec::new()).await
    }

    /// Writes into the book of the house, and counts in the same commit.
    pub(crate) async fn write_house_posting(
        &self,
        events: Vec<Event>,
        agents: Vec<AgentRow>,
        postings: Vec<Posting>,
    ) -> Result<(), HandoffError> {
        let mut cell = self.loaded(&SessionId::house()).await?;
        let before = cell.session.clone();
        let mut decided = self.decide_house(before.as_deref(), events);
        let posted = self.post(&postings)?;
        decided.postings = postings;
        let commit = Commit::of(before.as_deref(), &decided, None, agents);
        cell.loaded = false;
        let engine = self.clone();
        let committed = finish(async move {
            let result = engine.inner.store.commit(commit).await;
            if result.is_err() {
                engine.take_back(before.as_deref(), &decided, &posted);
            }
            engine.conclude(cell, before.as_deref(), decided, None, result)
        });
        committed.await.map(|_| ())
    }

    pub(crate) fn decide_house(&self, before: Option<&Session>, events: Vec<Event>) -> Decided {
        self.with_world(&self.engine_caller(), None, |world| decide::house(before, events, world, &mut RandomIds))
    }

    pub(crate) async fn house(&self) -> Result<OwnedMutexGuard<Cell>, HandoffError> {
        self.loaded(&SessionId::house()).await
    }
}
