//! Work for agents of this process: a queue for each, by level, then age; never more at once than the agent may have.

mod back;

pub(crate) use back::persist;

use crate::{
    agent::{Agent, Failure, Recorded, Reply, Work},
    engine::Engine,
};
use back::give_back;
use handover_core::{
    command::{Caller, Command},
    context::View,
    handoff::Handoff,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits::QUEUE_PER_AGENT_MAX,
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{Offer, StoreError};
use parking_lot::Mutex;
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
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
    /// The code here falls over, and another process may have the same agent.
    unwell: AtomicBool,
    bell: Notify,
}

impl Local {
    pub(crate) fn agent(&self) -> &Arc<dyn Agent> {
        &self.agent
    }

    /// Whether something waits that it can be given.
    fn has_next(&self) -> bool {
        !self.unwell.load(Ordering::SeqCst) && !self.queue.lock().is_empty()
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
            unwell: AtomicBool::new(false),
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

    /// Work may wait in the store that no queue here knows of.
    pub(crate) fn look_again(&self, agent: &AgentId) {
        if let Some(local) = self.inner.locals.lock().get(agent) {
            local.more.store(true, Ordering::SeqCst);
            local.bell.notify_one();
        }
    }

    /// Whether the code of an agent is well here: where it is not, another process takes the work.
    pub(crate) fn set_well(&self, agent: &AgentId, well: bool) {
        if let Some(local) = self.inner.locals.lock().get(agent) {
            local.unwell.store(!well, Ordering::SeqCst);
            local.bell.notify_one();
        }
    }

    /// The lease of a piece of work is gone: whoever works on it here stops.
    pub(crate) fn stop_local(&self, handoff: HandoffId) {
        for stop in self.inner.running.lock().get(&handoff).into_iter().flatten() {
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
        while !engine.is_closing() && local.has_next() && engine.reserve(&local.id) {
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
    let most = engine.most_to_take(local);
    let offers: Vec<Offer> = match engine.offers_for(&local.id, most).await {
        Ok(offers) => offers,
        Err(_) => {
            // The store is in trouble and says so to everybody; the next bell tries again.
            local.more.store(true, Ordering::SeqCst);
            return;
        }
    };
    if offers.len() >= most {
        local.more.store(true, Ordering::SeqCst);
    }
    for offer in offers {
        local.push(Reverse((offer.level, offer.since, offer.handoff, offer.session)));
    }
}

/// A place that is reserved for a piece of work, given back when nothing comes of it.
struct Place {
    engine: Engine,
    agent: Option<AgentId>,
}

impl Place {
    /// The acceptance has it now, and gives it back itself.
    fn handed_on(mut self) {
        self.agent = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(agent) = &self.agent {
            self.engine.release(agent);
        }
    }
}

/// One piece of work, from the offer to its end. A place is reserved for it.
async fn run_one(engine: Engine, local: Arc<Local>, id: HandoffId, session: SessionId) {
    let place = Place { engine: engine.clone(), agent: Some(local.id.clone()) };
    // Somebody else may have it by now.
    let Some(handoff) = engine.offered(&session, id, &local.id).await else { return };
    let by = local.id.clone();
    let answer = match considered(&engine, &local, &handoff).await {
        Some(Reply::Accept) => {
            if let Some((work, stop)) = accept(&engine, &handoff, place).await {
                carry_out(&engine, &local, work, &stop).await;
                forget(&engine, id, &stop);
            } else {
                engine.not_taken(&local, id).await;
            }
            return;
        }
        Some(Reply::Reject(reason)) => Command::Reject { handoff: id, by, reason },
        Some(Reply::Defer(for_ms, reason)) => Command::Defer { handoff: id, by, for_ms, reason },
        // It fell over or took too long: as good as no answer, and the window ends it.
        None => return,
    };
    drop(place);
    // Refused means that it is not on offer to this agent any more, or that the answer lacks a reason: the window ends it.
    let _ = engine.submit_as_engine(&session, answer).await;
}

/// What the agent says to the offer, within the time that it has to acknowledge.
async fn considered(engine: &Engine, local: &Arc<Local>, handoff: &Arc<Handoff>) -> Option<Reply> {
    let (agent, offer) = (local.agent.clone(), handoff.clone());
    let mut asked = tokio::spawn(async move { agent.consider(&offer).await });
    let window = engine.inner.clock.now() + engine.inner.policy.read().accept_ms;
    tokio::select! {
        answered = &mut asked => answered.ok(),
        () = engine.inner.clock.until(window) => {
            asked.abort();
            None
        }
    }
}

impl Engine {
    /// How many offers are taken from the store at once. What others could take meanwhile is left to them.
    fn most_to_take(&self, local: &Local) -> usize {
        if !self.is_shared() {
            return QUEUE_PER_AGENT_MAX;
        }
        let agents = self.inner.agents.read();
        let known = agents.get(&local.id).filter(|_| !local.unwell.load(Ordering::SeqCst));
        let room = known.map_or(0, |known| known.profile.max_concurrent_tasks.saturating_sub(known.load));
        usize::try_from(room).unwrap_or(QUEUE_PER_AGENT_MAX).min(QUEUE_PER_AGENT_MAX)
    }

    async fn offers_for(&self, agent: &AgentId, most: usize) -> Result<Vec<Offer>, StoreError> {
        if most == 0 { Ok(Vec::new()) } else { self.inner.store.take_offers(agent, most).await }
    }

    /// An offer could not be taken. Where others take places and write as well, it may be on offer still: whoever has room
    /// next takes it, here or elsewhere.
    async fn not_taken(&self, local: &Local, id: HandoffId) {
        if !self.is_shared() {
            return;
        }
        // One that is not let go is held for a while, and then let go by itself.
        let _ = self.inner.store.let_go(&[id]).await;
        local.more.store(true, Ordering::SeqCst);
        self.offered_elsewhere(&local.id);
    }

    async fn offered(&self, session: &SessionId, id: HandoffId, to: &AgentId) -> Option<Arc<Handoff>> {
        let on_offer = |handoff: &Arc<Handoff>| handoff.offered_to() == Some(to);
        let found = self.open_handoff(session, id).await.filter(on_offer);
        if found.is_some() || !self.is_shared() {
            return found;
        }
        // What is remembered may be old; the acceptance itself looks once more.
        self.stored_handoff(session, id).await.filter(on_offer)
    }

    /// An open handoff as the store has it now.
    async fn stored_handoff(&self, session: &SessionId, id: HandoffId) -> Option<Arc<Handoff>> {
        self.fresh(session).await.ok()?.session.as_ref()?.open.get(&id).cloned()
    }

    async fn open_handoff(&self, session: &SessionId, id: HandoffId) -> Option<Arc<Handoff>> {
        let cell = self.inner.cache.slot(session).lock_owned().await;
        let cached = cell.session.as_ref().filter(|_| cell.is_current()).map(|session| session.open.get(&id).cloned());
        drop(cell);
        match cached {
            Some(found) => found,
            None => Some(Arc::new(self.inner.store.handoff(id).await.ok()??)),
        }
    }
}

/// Takes the work. Nothing when somebody else has it, here or elsewhere.
async fn accept(engine: &Engine, handoff: &Arc<Handoff>, place: Place) -> Option<(Work, Arc<Notify>)> {
    let stop = Arc::new(Notify::new());
    {
        let mut running = engine.inner.running.lock();
        if engine.is_closing() {
            return None;
        }
        // One that gave the work away may be at it still, and must not keep the next one from it. Of two that come with
        // the same offer, the second one's acceptance is refused.
        running.entry(handoff.id).or_default().push(stop.clone());
    }
    let taken = take(engine, handoff, place).await;
    if taken.is_none() {
        forget(engine, handoff.id, &stop);
    }
    taken.map(|work| (work, stop))
}

async fn take(engine: &Engine, handoff: &Arc<Handoff>, place: Place) -> Option<Work> {
    let by = place.agent.clone()?;
    // Everything is read before the work is taken: nobody may hold what nobody carries out.
    let (view, recorded) = look_at(engine, handoff).await.ok()?;
    let tenant = engine.inner.store.tenant(&handoff.session_id).await.ok()??;
    let command = Command::Accept {
        handoff: handoff.id,
        by: by.clone(),
        lease_ms: None,
        in_process: true,
        estimated_completion: None,
        manifest: Some(view.manifest.clone()),
    };
    place.handed_on();
    // A refusal gives the place back by itself.
    let answer = engine.submit_reserved(&handoff.session_id, command).await.ok()?;
    // The agent acts for itself, in the session that it works in.
    Some(Work::new(engine.for_caller(Caller::of_agent(by, tenant)), handoff.clone(), answer.lease?, view, recorded))
}

/// What the agent is shown, and what it recorded when it worked on it before.
async fn look_at(engine: &Engine, handoff: &Handoff) -> Result<(View, Recorded), HandoffError> {
    let again = !handoff.questions.is_empty() || handoff.losses > 0 || handoff.attempt > 1 || handoff.reroutes > 0;
    let recorded = if again { engine.recorded(handoff.id, &handoff.to_agent).await? } else { Recorded::default() };
    Ok((engine.view_to_take(handoff, None).await?, recorded))
}

fn forget(engine: &Engine, id: HandoffId, stop: &Arc<Notify>) {
    let mut running = engine.inner.running.lock();
    if let Some(stops) = running.get_mut(&id) {
        stops.retain(|other| !Arc::ptr_eq(other, stop));
        if stops.is_empty() {
            running.remove(&id);
        }
    }
    drop(running);
    engine.inner.idle_bell.notify_waiters();
}

/// Runs the agent and gives back what it ended in. Nothing ends silently: a panic or an error is a failed return.
async fn carry_out(engine: &Engine, local: &Arc<Local>, work: Work, stop: &Notify) {
    // From the acceptance on: one that had to begin anew for it is this process as it is now.
    let fences = engine.fences();
    let (id, session, lease) = (work.handoff().id, work.handoff().session_id.clone(), work.lease());
    let agent = local.agent.clone();
    let mut task = tokio::spawn(async move { agent.run(work).await });
    let ended = tokio::select! {
        ended = &mut task => Some(ended),
        () = stopped(engine, &session, id, lease, stop, fences) => None,
    };
    match ended {
        None => task.abort(),
        Some(Ok(result)) => give_back(engine, &session, id, lease, result).await,
        Some(Err(error)) => {
            let why: Failure = format!("the agent stopped: {error}").into();
            give_back(engine, &session, id, lease, Err(why)).await;
        }
    }
}

/// Waits until whoever has this lease is to stop. The bell may have rung for one who had the work before.
async fn stopped(engine: &Engine, session: &SessionId, id: HandoffId, lease: LeaseId, stop: &Notify, fences: u64) {
    loop {
        stop.notified().await;
        // Others took this process for gone: the work is theirs to give away, whoever the lease names.
        if engine.fences() != fences {
            return;
        }
        let handoff = if engine.is_shared() {
            engine.stored_handoff(session, id).await
        } else {
            engine.open_handoff(session, id).await
        };
        if handoff.and_then(|handoff| handoff.lease()) != Some(lease) || engine.is_closing() {
            return;
        }
    }
}
