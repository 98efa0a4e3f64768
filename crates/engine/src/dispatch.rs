//! Work for agents of this process: a queue for each, by level, then age; never more at once than the agent may have.

use crate::{
    agent::{Agent, Done, Failure, Reply, Work},
    engine::Engine,
};
use handover_core::{
    command::{Command, Giving, Goto, Update},
    context::View,
    handoff::{Handoff, Outcome, ReturnStatus},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits::QUEUE_PER_AGENT_MAX,
    refusal::{Code, HandoffError},
    time::Timestamp,
};
use handover_store::Offer;
use serde_json::Value;
use parking_lot::Mutex;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::Notify;

type Entry = Reverse<(u8, Timestamp, HandoffId, SessionId)>;

/// An agent of this process, and what waits for it.
pub(crate) struct Local {
    id: AgentId,
    agent: Arc<dyn Agent>,
    queue: Mutex<BinaryHeap<Entry>>,
    /// More waits in the store than the queue holds.
    more: AtomicBool,
    bell: Notify,
}

impl Local {
    pub(crate) fn agent(&self) -> &Arc<dyn Agent> {
        &self.agent
    }

    fn push(&self, entry: Entry) {
        let mut queue = self.queue.lock();
        if queue.len() >= QUEUE_PER_AGENT_MAX {
            // It stays in the store and is read again when there is room.
            self.more.store(true, Ordering::SeqCst);
        } else {
            queue.push(entry);
        }
    }
}

impl Engine {
    /// Connects code with a registered agent, and gives it what waits for it.
    pub(crate) async fn attach(&self, id: AgentId, agent: Arc<dyn Agent>) -> Result<(), HandoffError> {
        let local = Arc::new(Local {
            id: id.clone(),
            agent,
            queue: Mutex::default(),
            more: AtomicBool::new(true),
            bell: Notify::new(),
        });
        let before = self.inner.locals.lock().insert(id, local.clone());
        if let Some(before) = before {
            before.bell.notify_one(); // It sees that it was replaced, and ends.
        }
        tokio::spawn(pump(self.clone(), local));
        Ok(())
    }

    /// A handoff is on offer: if its agent lives here, it is queued.
    pub(crate) fn offer(&self, handoff: &Handoff, since: Timestamp) {
        let local = self.inner.locals.lock().get(&handoff.to_agent).cloned();
        if let Some(local) = local {
            let level = handoff.request.task.priority.level();
            local.push(Reverse((level, since, handoff.id, handoff.session_id.clone())));
            local.bell.notify_one();
        }
    }

    /// Takes the code of an agent away; what it works on goes on.
    pub(crate) fn detach(&self, agent: &AgentId) {
        let before = self.inner.locals.lock().remove(agent);
        if let Some(before) = before {
            before.bell.notify_one();
        }
    }

    /// Takes the code of all agents away.
    pub(crate) fn detach_all(&self) {
        for (_, before) in self.inner.locals.lock().drain() {
            before.bell.notify_one();
        }
    }

    /// A place may be free.
    pub(crate) fn kick(&self, agent: &AgentId) {
        if let Some(local) = self.inner.locals.lock().get(agent) {
            local.bell.notify_one();
        }
    }

    /// The lease of a piece of work is gone: whoever works on it here stops.
    pub(crate) fn stop_local(&self, handoff: HandoffId) {
        if let Some(stop) = self.inner.running.lock().get(&handoff) {
            stop.notify_one();
        }
    }

    fn is_current(&self, local: &Arc<Local>) -> bool {
        self.inner.locals.lock().get(&local.id).is_some_and(|current| Arc::ptr_eq(current, local))
    }
}

/// Gives an agent its work, as long as it is attached.
async fn pump(engine: Engine, local: Arc<Local>) {
    loop {
        if !engine.is_current(&local) || engine.is_closing() {
            return;
        }
        refill(&engine, &local).await;
        while !engine.is_closing() && !local.queue.lock().is_empty() && engine.reserve(&local.id) {
            let next = local.queue.lock().pop();
            match next {
                Some(Reverse((_, _, handoff, session))) => {
                    tokio::spawn(run_one(engine.clone(), local.clone(), handoff, session));
                }
                None => engine.release(&local.id),
            }
        }
        local.bell.notified().await;
    }
}

/// Reads what waits in the store, when the queue is empty and there may be more.
async fn refill(engine: &Engine, local: &Local) {
    if !local.queue.lock().is_empty() || !local.more.swap(false, Ordering::SeqCst) {
        return;
    }
    let offers: Vec<Offer> = match engine.inner.store.offers(&local.id, QUEUE_PER_AGENT_MAX).await {
        Ok(offers) => offers,
        Err(_) => {
            // The store is in trouble and says so to everybody; the next bell tries again.
            local.more.store(true, Ordering::SeqCst);
            return;
        }
    };
    if offers.len() >= QUEUE_PER_AGENT_MAX {
        local.more.store(true, Ordering::SeqCst);
    }
    for offer in offers {
        local.push(Reverse((offer.level, offer.since, offer.handoff, offer.session)));
    }
}

/// One piece of work, from the offer to its end. A place is reserved for it.
async fn run_one(engine: Engine, local: Arc<Local>, id: HandoffId, session: SessionId) {
    let Some(handoff) = engine.offered(&session, id, &local.id).await else {
        engine.release(&local.id); // Somebody else has it by now.
        return;
    };
    let reply = local.agent.consider(&handoff).await;
    let by = local.id.clone();
    let answer = match reply {
        Reply::Accept => {
            if let Some((work, stop)) = accept(&engine, &handoff, &local.id).await {
                carry_out(&engine, &local, work, &stop).await;
            }
            return;
        }
        Reply::Reject(reason) => Command::Reject { handoff: id, by, reason },
        Reply::Defer(for_ms, reason) => Command::Defer { handoff: id, by, for_ms, reason },
    };
    engine.release(&local.id);
    // Refused means that it is not on offer to this agent any more, or that the answer lacks a reason: the window ends it.
    let _ = engine.submit_as_engine(&session, answer).await;
}

impl Engine {
    async fn offered(&self, session: &SessionId, id: HandoffId, to: &AgentId) -> Option<Arc<Handoff>> {
        let cell = self.inner.cache.slot(session).lock_owned().await;
        let cached = cell.session.as_ref().filter(|_| cell.loaded).map(|session| session.open.get(&id).cloned());
        drop(cell);
        let handoff = match cached {
            Some(found) => found?,
            None => Arc::new(self.inner.store.handoff(id).await.ok()??),
        };
        let on_offer = handoff.status() == handover_core::handoff::Status::Offered;
        (on_offer && handoff.to_agent == *to).then_some(handoff)
    }
}

async fn accept(engine: &Engine, handoff: &Arc<Handoff>, by: &AgentId) -> Option<(Work, Arc<Notify>)> {
    let stop = Arc::new(Notify::new());
    engine.inner.running.lock().insert(handoff.id, stop.clone());
    let taken = take(engine, handoff, by).await;
    if taken.is_none() {
        forget(engine, handoff.id);
    }
    taken.map(|work| (work, stop))
}

async fn take(engine: &Engine, handoff: &Arc<Handoff>, by: &AgentId) -> Option<Work> {
    // Everything is read before the work is taken: nobody may hold what nobody carries out.
    let Ok((view, steps)) = look_at(engine, handoff).await else {
        engine.release(by); // The store cannot be read; the offer stays.
        return None;
    };
    let command = Command::Accept {
        handoff: handoff.id,
        by: by.clone(),
        lease_ms: None,
        in_process: true,
        estimated_completion: None,
        manifest: Some(view.manifest.clone()),
    };
    // A refusal gives the place back by itself.
    let answer = engine.submit_reserved(&handoff.session_id, command).await.ok()?;
    Some(Work::new(engine.clone(), handoff.clone(), answer.lease?, view, steps))
}

/// What the agent is shown, and what was recorded when it or another worked on it before.
async fn look_at(engine: &Engine, handoff: &Handoff) -> Result<(View, BTreeMap<String, Value>), HandoffError> {
    let again = handoff.losses > 0 || handoff.attempt > 1 || handoff.reroutes > 0;
    let steps = if again { engine.steps(handoff.id).await? } else { BTreeMap::new() };
    Ok((engine.view_of(handoff, None).await?, steps))
}

fn forget(engine: &Engine, id: HandoffId) {
    engine.inner.running.lock().remove(&id);
    engine.inner.idle_bell.notify_waiters();
}

/// Runs the agent and gives back what it ended in. Nothing ends silently: a panic or an error is a failed return.
async fn carry_out(engine: &Engine, local: &Arc<Local>, work: Work, stop: &Notify) {
    let (id, session, lease) = (work.handoff().id, work.handoff().session_id.clone(), work.lease());
    let agent = local.agent.clone();
    let mut task = tokio::spawn(async move { agent.run(work).await });
    let ended = tokio::select! {
        ended = &mut task => Some(ended),
        () = stop.notified() => None,
    };
    match ended {
        None => task.abort(),
        Some(Ok(result)) => give_back(engine, &session, id, lease, result).await,
        Some(Err(error)) => {
            let why: Failure = format!("the agent stopped: {error}").into();
            give_back(engine, &session, id, lease, Err(why)).await;
        }
    }
    forget(engine, id);
}

async fn give_back(engine: &Engine, session: &SessionId, id: HandoffId, lease: LeaseId, result: Result<Done, Failure>) {
    if result.is_err() && engine.is_closing() {
        return; // Most likely for that very reason: the next start goes on after its last recorded step.
    }
    let done = result.unwrap_or_else(|error| Done::failed(error.to_string()));
    let first = engine.submit_as_engine(session, returning(id, lease, done.giving, done.then)).await;
    let Err(error) = first else { return };
    let gone = [Code::StaleLease, Code::Closed, Code::NotRunning, Code::UnknownHandoff, Code::SessionEnded];
    if gone.iter().any(|code| error.has(*code)) || error.code().family() == handover_core::refusal::Family::Trouble {
        return; // The work is somebody else's by now, or the store has stopped and said so.
    }
    // What it ended in cannot be; the source is told so instead of waiting.
    let notes: String =
        format!("its result was refused: {error}").chars().filter(|c| !c.is_control()).take(4_000).collect();
    let giving = Giving { status: ReturnStatus::Failed, result: Outcome::default(), updates: Update::default(), notes };
    let _ = engine.submit_as_engine(session, returning(id, lease, giving, None)).await;
}

fn returning(handoff: HandoffId, lease: LeaseId, giving: Giving, then: Option<Goto>) -> Command {
    Command::Return { handoff, lease, giving: Box::new(giving), then: then.map(Box::new) }
}
