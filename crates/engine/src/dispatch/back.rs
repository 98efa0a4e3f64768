//! What an agent of this process ended in is given back, also where the door is full or the database away.

use crate::{
    agent::{Done, Failure},
    clock::Clock,
    engine::Engine,
};
use handover_core::{
    command::{Command, Giving, Goto, Update},
    handoff::{Outcome, ReturnStatus},
    ids::{HandoffId, LeaseId, SessionId},
    limits::{GIVE_BACK_TRIES_MAX, GIVE_BACK_WAIT_MS},
    refusal::{Code, HandoffError},
};

/// Gives back what an agent ended in; nothing is lost because too much is going on.
pub(super) async fn give_back(
    engine: &Engine,
    session: &SessionId,
    id: HandoffId,
    lease: LeaseId,
    result: Result<Done, Failure>,
) {
    if result.is_err() && engine.is_closing() {
        return; // Most likely for that very reason: the next start goes on after its last recorded step.
    }
    let done = result.unwrap_or_else(|error| Done::failed(error.to_string()));
    let first = persist(&*engine.inner.clock, || {
        let done = done.clone();
        engine.submit_as_engine(session, returning(id, lease, done.giving, done.then))
    });
    let Err(error) = first.await else { return };
    let gone = [Code::StaleLease, Code::Closed, Code::NotRunning, Code::UnknownHandoff, Code::SessionEnded];
    if gone.iter().any(|code| error.has(*code)) || error.code().family() == handover_core::refusal::Family::Trouble {
        return; // The work is somebody else's by now, or the store has stopped and said so.
    }
    if error.has(Code::Waiting) {
        engine.give_up_waiting(session, id).await;
    }
    // What it ended in cannot be; the source is told so instead of waiting. What came out is kept, unless it is that
    // which cannot be.
    let notes: String =
        format!("its result was refused: {error}").chars().filter(|c| !c.is_control()).take(4_000).collect();
    let kept = Outcome { score: done.giving.result.score.filter(|score| score.is_finite()), ..done.giving.result };
    for result in [kept, Outcome::default()] {
        let giving = Giving {
            status: ReturnStatus::Failed,
            result,
            updates: Update::default(),
            notes: notes.clone(),
            signal: None,
        };
        let submit = || engine.submit_as_engine(session, returning(id, lease, giving.clone(), None));
        if persist(&*engine.inner.clock, submit).await.is_ok() {
            return;
        }
    }
}

/// Submits, and again where too much was going on, or the database is away: others take the lease back where that takes too
/// long. What an agent of this process did is in nobody else's hands: given up at the first crowd it would be lost, and
/// the agent would seem to work until its deadline.
pub(crate) async fn persist<T, F>(clock: &dyn Clock, mut submit: impl FnMut() -> F) -> Result<T, HandoffError>
where
    F: Future<Output = Result<T, HandoffError>>,
{
    let (mut wait_ms, mut tries) = (GIVE_BACK_WAIT_MS, 1);
    loop {
        match submit().await {
            Err(error) if error.has(Code::Overloaded) && tries < GIVE_BACK_TRIES_MAX => {
                clock.until(clock.now() + wait_ms).await;
                tries += 1;
                wait_ms *= 2;
            }
            Err(error) if error.has(Code::StoreAway) => clock.until(clock.now() + GIVE_BACK_WAIT_MS).await,
            answered => return answered,
        }
    }
}

impl Engine {
    /// An agent ended while it waits for others: nobody waits for them any more.
    async fn give_up_waiting(&self, session: &SessionId, id: HandoffId) {
        let Ok(Some(found)) = self.inner.store.session(session).await else { return };
        let Some(held) = found.open.get(&id) else { return };
        let by = held.to_agent.clone();
        let asked = found.open.values().filter(|open| open.request.blocking && open.request.from_agent == by);
        for open in asked {
            let reason = format!("{by} ended without waiting for it");
            let cancel = Command::Cancel { handoff: open.id, by: by.to_string(), reason };
            // Refused means that it is over already.
            let _ = self.submit_as_engine(session, cancel).await;
        }
    }
}

fn returning(handoff: HandoffId, lease: LeaseId, giving: Giving, then: Option<Goto>) -> Command {
    Command::Return { handoff, lease, giving: Box::new(giving), then: then.map(Box::new) }
}

#[cfg(test)]
mod tests;
