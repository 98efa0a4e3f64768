//! The book of the house: what concerns no session is written through the same door.

use crate::{cache::Cell, engine::Engine, finish::finish, shared::Leaf};
use handover_core::{
    decide::{self, Decided},
    event::Event,
    ids::{RandomIds, SessionId},
    ledger::Posting,
    limits::CONFLICT_TRIES_MAX,
    refusal::HandoffError,
    session::Session,
};
use handover_store::{AgentRow, Commit, StoreError};
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
        let (mut leaf, again) = (Some(Leaf { events, agents, postings }), self.is_shared());
        self.write_leaf(|_| Ok(if again { leaf.clone() } else { leaf.take() })).await.map(|_| ())
    }

    /// Writes what follows from the book as it is; nothing where nothing does. Where others write into it as well and were
    /// faster, it is made once more, by their book and with all that they wrote known here. Gives whether anything was written.
    pub(crate) async fn write_leaf(
        &self,
        mut make: impl FnMut(Option<&Session>) -> Result<Option<Leaf>, HandoffError> + Send,
    ) -> Result<bool, HandoffError> {
        let mut tries = if self.is_shared() { CONFLICT_TRIES_MAX } else { 1 };
        loop {
            let cell = self.house().await?;
            self.know_book(cell.session.as_deref()).await?;
            let Some(leaf) = make(cell.session.as_deref())? else { return Ok(false) };
            tries -= 1;
            match self.commit_leaf(cell, leaf).await? {
                Ok(()) => return Ok(true),
                Err(StoreError::Conflict | StoreError::Fenced) if tries > 0 => {}
                Err(StoreError::Refuted(_)) if tries > 0 => drop(self.refresh_ledger().await?),
                Err(error) => return Err(error.into()),
            }
        }
    }

    async fn commit_leaf(
        &self,
        mut cell: OwnedMutexGuard<Cell>,
        leaf: Leaf,
    ) -> Result<Result<(), StoreError>, HandoffError> {
        let Leaf { events, agents, postings } = leaf;
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
        Ok(committed.await.map(|_| ()))
    }

    pub(crate) fn decide_house(&self, before: Option<&Session>, events: Vec<Event>) -> Decided {
        self.with_world(&self.engine_caller(), None, |world| decide::house(before, events, world, &mut RandomIds))
    }

    pub(crate) async fn house(&self) -> Result<OwnedMutexGuard<Cell>, HandoffError> {
        self.fresh(&SessionId::house()).await
    }
}
