//! The door. Every change of a session goes through here: one command at a time per session, decided by the core,
//! committed by the store, and only then answered and acted upon.

use crate::{
    access::right_of,
    cache::Cell,
    commands::{alone, begins_work},
    engine::Engine,
    finish::finish,
    keys::{asked, checked_key, first_answer, text},
    picker::Asked,
    shared::{Setback, Tried},
};
use handover_core::{
    command::{Answer, Caller, Command},
    decide::{self, Found, ModelAnswer},
    digest::Digest,
    handoff::Handoff,
    ids::{AgentId, LeaseId, RandomIds, SessionId},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use handover_store::{Commit, KeyRow, Place};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::OwnedMutexGuard;

/// The answer, and the session as the commit left it; nothing where the answer was given before.
pub(crate) type Outcome = (Answer, Option<Arc<Session>>);

/// A command on its way through the door.
#[derive(Clone)]
pub(crate) struct Submitted {
    pub(crate) command: Command,
    /// The key that makes it once, and the digest of what is asked.
    pub(crate) key: Option<(String, Digest)>,
    /// Whether a place was reserved for it before.
    pub(crate) reserved: bool,
    /// What a model said to it, and whether that is paid.
    picked: Option<(ModelAnswer, Arc<AtomicBool>)>,
    /// Only as long as its handoff is held by this lease.
    held: Option<LeaseId>,
}

impl Submitted {
    fn of(command: Command, key: Option<(String, Digest)>) -> Self {
        Self { command, key, reserved: false, picked: None, held: None }
    }
}

impl Engine {
    /// Submits a command. The answer means: it is on disk.
    ///
    /// # Errors
    /// When the command is refused, or the store cannot write. Nothing has changed then.
    pub async fn submit(
        &self,
        session: &SessionId,
        command: Command,
        key: Option<&str>,
    ) -> Result<Answer, HandoffError> {
        self.submit_inner(session, command, key, false).await.map(|(answer, _)| answer)
    }

    /// Submits a command without a key and gives the session as that very commit left it, too.
    pub(crate) async fn submit_whole(
        &self,
        session: &SessionId,
        command: Command,
    ) -> Result<(Answer, Arc<Session>), HandoffError> {
        let (answer, after) = self.submit_inner(session, command, None, true).await?;
        match after {
            Some(after) => Ok((answer, after)),
            None => Ok((answer, self.visible(session).await?)),
        }
    }

    /// A command of the engine itself: timers and restarts. It sees every session.
    pub(crate) async fn submit_as_engine(&self, session: &SessionId, command: Command) -> Result<Answer, HandoffError> {
        let cell = self.loaded(session).await?;
        self.submit_for_session(cell, session, Submitted::of(command, None)).await
    }

    /// The same, as long as its handoff is held by this lease.
    pub(crate) async fn submit_for_lease(
        &self,
        session: &SessionId,
        command: Command,
        lease: LeaseId,
    ) -> Result<Answer, HandoffError> {
        let cell = self.loaded(session).await?;
        let submitted = Submitted { held: Some(lease), ..Submitted::of(command, None) };
        self.submit_for_session(cell, session, submitted).await
    }

    /// An acceptance for which a place was reserved before. Whatever refuses it gives the place back.
    pub(crate) async fn submit_reserved(&self, session: &SessionId, command: Command) -> Result<Answer, HandoffError> {
        match self.loaded(session).await {
            Ok(cell) => {
                let submitted = Submitted { reserved: true, ..Submitted::of(command, None) };
                self.submit_for_session(cell, session, submitted).await
            }
            Err(error) => {
                self.give_place_back(self.take_place(&command, true)?.as_ref());
                Err(error)
            }
        }
    }

    /// In the name of the engine, and of the tenant whose session it is.
    async fn submit_for_session(
        &self,
        cell: OwnedMutexGuard<Cell>,
        session: &SessionId,
        submitted: Submitted,
    ) -> Result<Answer, HandoffError> {
        let mut caller = self.engine_caller();
        if let Some(found) = &cell.session {
            caller.tenant.clone_from(&found.tenant);
        }
        self.decide_and_commit(cell, session, submitted, &caller).await.map(|(answer, _)| answer)
    }

    pub(crate) async fn submit_inner(
        &self,
        session: &SessionId,
        command: Command,
        key: Option<&str>,
        by_engine: bool,
    ) -> Result<Outcome, HandoffError> {
        if session.is_house() {
            return Err(Refusal::new(Code::UnknownSession, format!("there is no session {session}")).into());
        }
        let outcome = self.submit_once(session, command, key, by_engine).await;
        outcome.inspect_err(|error| self.inner.counts.refused(error))
    }

    async fn submit_once(
        &self,
        session: &SessionId,
        command: Command,
        key: Option<&str>,
        by_engine: bool,
    ) -> Result<Outcome, HandoffError> {
        let command = self.admit(command, by_engine)?;
        let key = match key {
            None => None,
            Some(key) => Some((checked_key(key)?.to_owned(), asked(&command))),
        };
        // A model takes its time, and the session must not wait for it.
        let asked = self.ask_model(session, &command, key.as_ref().map(|(key, _)| key.as_str())).await?;
        let Some(Asked { answer, bill }) = asked else {
            return self.submit_asked(session, Submitted::of(command, key)).await;
        };
        let picked = Some((answer, bill.paid.clone()));
        let outcome = self.submit_asked(session, Submitted { picked, ..Submitted::of(command, key) }).await;
        // What the model used is charged also where the command came to nothing, and before that is told.
        bill.pay().await;
        outcome
    }

    async fn submit_asked(&self, session: &SessionId, submitted: Submitted) -> Result<Outcome, HandoffError> {
        let caller = &self.caller;
        let cell = self.loaded(session).await?;
        if let (Some((key, digest)), Some(found)) = (&submitted.key, &cell.session) {
            // A stranger learns nothing from a key either.
            if caller.sees(found)
                && let Some(first) = self.inner.store.answered(session, key).await?
            {
                return first_answer(key, *digest, &first).map(|answer| (answer, None));
            }
        }
        self.decide_and_commit(cell, session, submitted, caller).await
    }

    /// What a caller may ask at all, and may ask now.
    fn admit(&self, command: Command, by_engine: bool) -> Result<Command, HandoffError> {
        self.caller.may(right_of(&command))?;
        if self.is_closing() && begins_work(&command) {
            return Err(Refusal::new(Code::ShuttingDown, "the engine is shutting down and begins nothing new").into());
        }
        match command {
            Command::Tick { .. }
            | Command::Reclaim { .. }
            | Command::Reconsider { .. }
            | Command::ChargePick { .. } => Err(Refusal::new(Code::NotYours, "only the engine itself says so").into()),
            // Whoever comes through this door can go away without the engine: its lease has to run out.
            // What it is shown is for the engine to say, which `accept` does.
            Command::Accept { handoff, by, lease_ms, in_process: _, estimated_completion, manifest } => {
                let manifest = manifest.filter(|_| by_engine);
                Ok(Command::Accept { handoff, by, lease_ms, in_process: false, estimated_completion, manifest })
            }
            other => Ok(other),
        }
    }

    /// The session's slot, locked, and holding what the store has.
    pub(crate) async fn loaded(&self, session: &SessionId) -> Result<OwnedMutexGuard<Cell>, HandoffError> {
        self.cell(session).await.map(|(cell, _)| cell)
    }

    /// The same, and whether it was read just now.
    pub(crate) async fn cell(&self, session: &SessionId) -> Result<(OwnedMutexGuard<Cell>, bool), HandoffError> {
        let mut cell = self.inner.cache.slot(session).lock_owned().await;
        let read = !cell.is_current();
        if read {
            cell.read(&*self.inner.store, session).await?;
        }
        Ok((cell, read))
    }

    /// The same, holding what the store has now, also where others write to it.
    pub(crate) async fn fresh(&self, session: &SessionId) -> Result<OwnedMutexGuard<Cell>, HandoffError> {
        let (mut cell, read) = self.cell(session).await?;
        if self.inner.shared.is_some() && !read && self.inner.store.version(session).await? != cell.version() {
            cell.read(&*self.inner.store, session).await?;
        }
        Ok(cell)
    }

    /// A session as it was last committed, if this caller may see it.
    pub(crate) async fn peek(&self, session: &SessionId) -> Result<Option<Arc<Session>>, HandoffError> {
        let cell = self.fresh(session).await?;
        Ok(cell.session.clone().filter(|found| self.caller.sees(found)))
    }

    async fn decide_and_commit(
        &self,
        cell: OwnedMutexGuard<Cell>,
        id: &SessionId,
        submitted: Submitted,
        caller: &Caller,
    ) -> Result<Outcome, HandoffError> {
        if self.inner.shared.is_some() {
            // It is several tries deep: whoever has the store for itself does not carry that around.
            return Box::pin(self.decide_among_others(cell, id, submitted, caller)).await;
        }
        let tried = self.try_once(cell, id, submitted, caller).await?;
        Ok((tried.answer, tried.after))
    }

    /// Decides by what is in memory, and commits.
    pub(crate) async fn try_once(
        &self,
        mut cell: OwnedMutexGuard<Cell>,
        id: &SessionId,
        submitted: Submitted,
        caller: &Caller,
    ) -> Result<Tried, Setback> {
        let before = cell.session.clone();
        still_held(before.as_deref(), &submitted)?;
        let taken = self.take_place(&submitted.command, submitted.reserved)?;
        let looked = self.look_up(before.as_deref(), &submitted.command).await;
        let (closed, waiting) = looked.inspect_err(|_| self.give_place_back(taken.as_ref()))?;
        let found = Found { closed: closed.as_ref(), waiting: waiting.as_ref() };
        let Submitted { command, key, picked, .. } = submitted;
        let alone = alone(&command, before.as_deref());
        let (answer, paid) = picked.unzip();
        let outcome = self.decide_and_post(caller, before.as_deref(), answer.as_ref(), alone, |world| {
            decide::decide(id, before.as_deref(), found, command, world, &mut RandomIds)
        });
        let (decided, posted) = outcome.inspect_err(|_| self.give_place_back(taken.as_ref()))?;
        if decided.written.is_empty() {
            self.give_place_back(taken.as_ref());
            self.take_back(before.as_deref(), &decided, &posted);
            return Ok(Tried { answer: decided.answer, after: before, written: false });
        }
        let key = key.map(|(key, digest)| KeyRow { key, digest, answer: text(&decided.answer) });
        let mut commit = Commit::of(before.as_deref(), &decided, key, Vec::new());
        commit.place = taken.as_ref().and_then(|agent| self.place_of(agent));
        // Until the store has answered, nobody knows what it has.
        cell.loaded = false;
        if let Some(paid) = &paid {
            paid.store(true, Ordering::SeqCst);
        }
        let engine = self.clone();
        // A caller that goes away must not leave the commit half done.
        let committed = finish(async move {
            let result = engine.inner.store.commit(commit).await;
            let mut decided = decided;
            let mut postings = Vec::new();
            if result.is_ok() {
                postings = std::mem::take(&mut decided.postings);
            } else {
                if let Some(paid) = paid {
                    paid.store(false, Ordering::SeqCst);
                }
                engine.take_back(before.as_deref(), &decided, &posted);
            }
            let concluded = engine.conclude(cell, before.as_deref(), decided, taken.as_ref(), result);
            engine.note_breakers(engine.breakers_moved(&postings, &posted).await).await;
            concluded
        });
        let (answer, after) = committed.await?;
        Ok(Tried { answer, after, written: true })
    }

    /// What the command names and the session no longer holds.
    async fn look_up(
        &self,
        session: Option<&Session>,
        command: &Command,
    ) -> Result<(Option<Handoff>, Option<AgentId>), HandoffError> {
        let mut closed = None;
        let mut waiting = None;
        if let Some(id) = command.handoff()
            && session.is_some_and(|session| !session.open.contains_key(&id))
        {
            closed = self.inner.store.handoff(id).await?;
        }
        if let (Command::Take { of, .. }, Some(session)) = (command, session) {
            let found = self.inner.store.waiting_return(*of).await?;
            waiting = found.filter(|found| found.session == session.id).map(|found| found.to);
        }
        Ok((closed, waiting))
    }

    /// An acceptance takes one of the agent's places before it is decided, so that two never take the last one.
    fn take_place(&self, command: &Command, reserved: bool) -> Result<Option<AgentId>, HandoffError> {
        match command {
            Command::Accept { by, .. } if reserved => Ok(Some(by.clone())),
            Command::Accept { by, .. } if self.reserve(by) => Ok(Some(by.clone())),
            Command::Accept { by, .. } => {
                self.agent(by)?;
                Err(Refusal::new(Code::AtCapacity, format!("{by} works on as much as it may")).into())
            }
            _ => Ok(None),
        }
    }

    /// What the store has to look at where others give places away, too.
    fn place_of(&self, agent: &AgentId) -> Option<Place> {
        self.inner.shared.as_ref()?;
        let most = self.inner.agents.read().get(agent)?.profile.max_concurrent_tasks;
        Some(Place { agent: agent.clone(), most })
    }

    pub(crate) fn give_place_back(&self, taken: Option<&AgentId>) {
        if let Some(agent) = taken {
            self.release(agent);
        }
    }
}

/// Whether a command that is about one lease comes too late.
fn still_held(session: Option<&Session>, submitted: &Submitted) -> Result<(), HandoffError> {
    let (Some(lease), Some(id)) = (submitted.held, submitted.command.handoff()) else { return Ok(()) };
    let handoff = session.and_then(|session| session.open.get(&id));
    if handoff.and_then(|handoff| handoff.lease()) == Some(lease) {
        return Ok(());
    }
    Err(Refusal::new(Code::StaleLease, format!("{id} is not held by this lease any more")).into())
}
