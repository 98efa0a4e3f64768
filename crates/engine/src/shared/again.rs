//! Deciding again, where what was decided by turned out to be old. Whatever is refused is refused by what the store has, and
//! not by what this process remembers.

use crate::{
    cache::Cell,
    engine::Engine,
    keys::first_answer,
    submit::{Outcome, Submitted},
};
use handover_core::{
    command::{Answer, Caller, Command},
    handoff::Handoff,
    ids::SessionId,
    limits::CONFLICT_TRIES_MAX,
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use handover_store::StoreError;
use std::sync::Arc;
use tokio::sync::OwnedMutexGuard;

/// What came of a decision that was not refused.
pub(crate) struct Tried {
    pub(crate) answer: Answer,
    pub(crate) after: Option<Arc<Session>>,
    /// Whether there was anything to write.
    pub(crate) written: bool,
}

/// Why nothing came of it.
pub(crate) enum Setback {
    /// It was refused.
    Refused(HandoffError),
    /// It was not written.
    Unwritten(StoreError),
}

impl From<HandoffError> for Setback {
    fn from(error: HandoffError) -> Self {
        Self::Refused(error)
    }
}

impl From<StoreError> for Setback {
    fn from(error: StoreError) -> Self {
        Self::Unwritten(error)
    }
}

impl From<Setback> for HandoffError {
    fn from(setback: Setback) -> Self {
        match setback {
            Setback::Refused(error) => error,
            Setback::Unwritten(error) => error.into(),
        }
    }
}

/// A command that is tried until its answer rests on nothing old.
struct Trying<'a> {
    engine: &'a Engine,
    id: &'a SessionId,
    caller: &'a Caller,
    submitted: Submitted,
    /// Whether agents, accounts and loads were looked at since it began.
    looked: bool,
    /// How far agents and accounts were known when it was tried last.
    known: (u64, u64),
    /// Whether an account was found to be another one before.
    refuted: bool,
}

/// What came of a try; nothing where it is to be tried again.
type Then = Option<Result<Outcome, HandoffError>>;

impl Engine {
    /// Decides and commits where others write as well.
    pub(crate) async fn decide_among_others(
        &self,
        mut cell: OwnedMutexGuard<Cell>,
        id: &SessionId,
        submitted: Submitted,
        caller: &Caller,
    ) -> Result<Outcome, HandoffError> {
        let mut trying = Trying { engine: self, id, caller, submitted, looked: false, known: (0, 0), refuted: false };
        let mut read = false;
        for _ in 0..CONFLICT_TRIES_MAX {
            let before = cell.session.clone();
            trying.known = self.known_so_far();
            let tried = self.try_once(cell, id, trying.submitted.clone(), caller).await;
            // A place that was reserved before is given back by then.
            trying.submitted.reserved = false;
            if let Some(answer) = trying.after(tried, before.as_deref(), read).await? {
                return answer;
            }
            (cell, read) = self.cell(id).await?;
            if let Some(answer) = trying.answered(cell.session.as_deref()).await? {
                return answer.map(|answer| (answer, None));
            }
            trying.still_the_same(before.as_deref(), cell.session.as_deref())?;
        }
        let message = format!("session {id} was changed by others {CONFLICT_TRIES_MAX} times (CONFLICT_TRIES_MAX)");
        Err(Refusal::new(Code::Overloaded, message).hint("try again").into())
    }
}

impl Engine {
    /// How far agents and accounts are known.
    fn known_so_far(&self) -> (u64, u64) {
        self.inner.shared.as_ref().map_or((0, 0), |shared| (shared.book.seq(), shared.ledger.news()))
    }
}

impl Trying<'_> {
    async fn after(
        &mut self,
        tried: Result<Tried, Setback>,
        before: Option<&Session>,
        read: bool,
    ) -> Result<Then, HandoffError> {
        match tried {
            Ok(tried) if tried.written => Ok(Some(Ok((tried.answer, tried.after)))),
            Ok(_) if !read && self.is_old(before).await? => Ok(None),
            Ok(tried) => Ok(Some(Ok((tried.answer, tried.after)))),
            Err(Setback::Refused(_)) if !read && self.is_old(before).await? => Ok(None),
            Err(Setback::Refused(error)) => {
                let again = !std::mem::replace(&mut self.looked, true) && self.knows_more(&error).await?;
                Ok((!again).then_some(Err(error)))
            }
            Err(Setback::Unwritten(StoreError::Conflict | StoreError::Fenced)) => Ok(None),
            Err(Setback::Unwritten(StoreError::Refuted(_))) => {
                // What changed first; where that does not explain it, everything.
                if std::mem::replace(&mut self.refuted, true) {
                    self.engine.reload_ledger().await?;
                } else {
                    self.engine.refresh_ledger().await?;
                }
                Ok(None)
            }
            Err(Setback::Unwritten(error)) => {
                if matches!(error, StoreError::Full(_)) {
                    self.engine.refresh_loads().await?;
                }
                Ok(Some(Err(error.into())))
            }
        }
    }

    /// Whether the store has another version than it was decided by.
    async fn is_old(&self, before: Option<&Session>) -> Result<bool, HandoffError> {
        let known = before.map_or(0, |session| session.version);
        let old = self.engine.inner.store.version(self.id).await? != known;
        if old {
            self.engine.inner.cache.slot(self.id).lock().await.loaded = false;
        }
        Ok(old)
    }

    /// Whether there is news of what a refusal may rest on besides the session.
    async fn knows_more(&self, error: &HandoffError) -> Result<bool, HandoffError> {
        self.engine.sync_book().await?;
        self.engine.refresh_ledger().await?;
        // Also where somebody else heard of it since it was decided.
        let mut more = self.engine.known_so_far() != self.known;
        if error.has(Code::AtCapacity) {
            self.engine.refresh_loads().await?;
            more = true;
        }
        Ok(more)
    }

    /// The first answer to the same key: another process may have given it meanwhile.
    async fn answered(&self, found: Option<&Session>) -> Result<Option<Result<Answer, HandoffError>>, HandoffError> {
        let (Some((key, digest)), Some(found)) = (&self.submitted.key, found) else { return Ok(None) };
        if !self.caller.sees(found) {
            return Ok(None);
        }
        let first = self.engine.inner.store.answered(self.id, key).await?;
        Ok(first.map(|first| first_answer(key, *digest, &first)))
    }

    /// Whoever takes work was shown what it was; one that is another by now is not taken unseen.
    fn still_the_same(&self, before: Option<&Session>, now: Option<&Session>) -> Result<(), HandoffError> {
        let Command::Accept { handoff, .. } = &self.submitted.command else { return Ok(()) };
        let of = |session: Option<&Session>| session.and_then(|session| session.open.get(handoff)).cloned();
        let (Some(before), Some(now)) = (of(before), of(now)) else { return Ok(()) };
        let offered = |handoff: &Handoff| handoff.offered_to().is_some();
        if offered(&before) && offered(&now) && before != now {
            return Err(Refusal::new(Code::NotOffered, "it changed while it was being taken").into());
        }
        Ok(())
    }
}
