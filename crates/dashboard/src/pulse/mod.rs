//! What happened lately, per tenant, in bounded memory: for charts, tiles and pictures. It is made from the feed, so that it counts
//! what is on record and nothing else; a restart reads the latest part of the feed again.

mod decided;
mod figures;
mod lasted;
mod recent;
mod tenant;
#[cfg(test)]
mod tests;

pub(crate) use decided::Decided;
pub(crate) use figures::{Figures, real};
pub(crate) use tenant::{NAMED, Tenant, Window};

use handover_core::{
    access::{Caller, Role},
    event::Event,
    ids::AgentId,
    limits::{PULSE_BEHIND_MS, PULSE_NEAR_RECORDS, PULSE_RECORDS, PULSE_TENANTS_MAX, PULSE_WAIT_MS},
    refusal::HandoffError,
    time::Timestamp,
};
use handover_engine::{BusMessage, Engine, Filter, Notice, Subscription};
use parking_lot::Mutex;
use recent::Recent;
use std::{collections::BTreeMap, sync::Arc};
use tokio::{sync::watch, task::JoinHandle};

/// What was counted, of all tenants.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    tenants: BTreeMap<String, Tenant>,
    /// How often the breaker of an agent opened.
    pub(crate) breakers: Recent<AgentId, u64>,
    /// The first that was counted.
    since: Option<Timestamp>,
}

impl Counted {
    fn tenant(&mut self, name: &str) -> Option<&mut Tenant> {
        if !self.tenants.contains_key(name) && self.tenants.len() < PULSE_TENANTS_MAX {
            self.tenants.insert(name.to_owned(), Tenant::default());
        }
        self.tenants.get_mut(name)
    }

    fn note(&mut self, message: &BusMessage) {
        self.since.get_or_insert(message.timestamp);
        if let Event::BreakerMoved { agent, breaker, .. } = &message.payload
            && breaker.open_until.is_some()
        {
            self.breakers.note(agent, message.timestamp, |count| *count += 1);
        }
        if let Some(tenant) = self.tenant(&message.context.tenant) {
            tenant.note(message);
        }
    }
}

/// The pulse, as long as it is followed.
pub(crate) struct Pulse {
    counted: Arc<Mutex<Counted>>,
    seen: watch::Receiver<u64>,
    follower: JoinHandle<()>,
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.follower.abort();
    }
}

impl Pulse {
    /// Follows the engine of the house, from some way back.
    pub(crate) fn start(engine: &Engine) -> Result<Self, HandoffError> {
        let back = u64::try_from(PULSE_RECORDS).unwrap_or(u64::MAX);
        let after = engine.feed_position().saturating_sub(back);
        let feed = engine.subscribe_all(Filter::default(), Some(after))?;
        let counted = Arc::new(Mutex::new(Counted::default()));
        let (say, seen) = watch::channel(after);
        let follower = Follower { engine: engine.clone(), counted: counted.clone(), say };
        Ok(Self { counted, seen, follower: tokio::spawn(follower.run(feed)) })
    }

    /// Looks at what was counted for a tenant, since when, and at what was counted of all.
    pub(crate) fn look<T>(&self, tenant: &str, look: impl FnOnce(&Tenant, Option<Timestamp>, &Counted) -> T) -> T {
        let counted = self.counted.lock();
        let nothing = Tenant::default();
        look(counted.tenants.get(tenant).unwrap_or(&nothing), counted.since, &counted)
    }

    /// Waits until everything up to this position was counted.
    pub(crate) async fn reaches(&self, position: u64) {
        // An error says that nobody counts any more.
        let _ = self.seen.clone().wait_for(|seen| *seen >= position).await;
    }

    /// The same, for as long as a page can wait: what is read at a start may be much.
    pub(crate) async fn nears(&self, engine: &Engine, position: u64) {
        if position.saturating_sub(*self.seen.borrow()) > PULSE_NEAR_RECORDS {
            return;
        }
        tokio::select! {
            () = self.reaches(position) => {}
            () = engine.wait(PULSE_BEHIND_MS) => {}
        }
    }
}

struct Follower {
    engine: Engine,
    counted: Arc<Mutex<Counted>>,
    say: watch::Sender<u64>,
}

impl Follower {
    async fn run(self, mut feed: Subscription) {
        loop {
            match feed.next().await {
                Ok(Some(Notice::Event(message))) => self.take(&message).await,
                // It was too slow, or the store could not be read: everything is on disk, and it goes on where it was.
                Ok(Some(Notice::Dropped { .. })) => {
                    let Some(again) = self.again(&feed) else { return };
                    feed = again;
                }
                Err(_) => {
                    self.engine.wait(PULSE_WAIT_MS).await;
                    let Some(again) = self.again(&feed) else { return };
                    feed = again;
                }
                Ok(None) => return,
            }
            self.say.send_replace(feed.position());
        }
    }

    fn again(&self, feed: &Subscription) -> Option<Subscription> {
        self.engine.subscribe_all(Filter::default(), Some(feed.position())).ok()
    }

    async fn take(&self, message: &BusMessage) {
        let name = &message.context.tenant;
        if let Some(decided) = decided::read(&self.engine, message).await
            && let Some(tenant) = self.counted.lock().tenant(name)
        {
            tenant.decided(decided);
        }
        let lacks = self.counted.lock().tenants.get(name).and_then(|tenant| tenant.lacks(message));
        if let Some(session) = lacks {
            let engine = self.engine.for_caller(Caller::new("dashboard", name).role(Role::Viewer));
            let found = engine.session(&session).await.ok().and_then(|session| session.workflow.clone());
            if let (Some(workflow), Some(tenant)) = (found, self.counted.lock().tenant(name)) {
                tenant.follows(&session, &workflow);
            }
        }
        self.counted.lock().note(message);
    }
}
