//! Agents that pull their work: whoever waits is woken by an offer, and no two try for the same one.

use crate::{engine::Engine, session::Assignment};
use handover_core::{
    access::Right,
    agent::Agent,
    handoff::Handoff,
    ids::{AgentId, HandoffId, SessionId},
    limits::{CLAIM_LOOK_MS, CLAIM_OFFERS, QUEUE_PER_AGENT_MAX},
    refusal::{Code, HandoffError},
};
use handover_store::Offer;
use parking_lot::Mutex;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Notify;

/// What somebody else was faster with: it is taken, goes to somebody else, waits, or is over. And what only a newer node can
/// read: others are not kept waiting for it.
const PASSED_OVER: [Code; 5] =
    [Code::NotOffered, Code::AlreadyRunning, Code::OfferedElsewhere, Code::Closed, Code::StoreNewer];

/// The bells of those who wait for work for one agent in one tenant.
#[derive(Default)]
struct Bells {
    /// One offer is for one of those who see everything.
    one: Notify,
    /// Whoever does not see every session looks at each.
    all: Notify,
}

/// Who waits for work, and who is about to take what.
#[derive(Default)]
pub(crate) struct Claims {
    bells: Mutex<HashMap<AgentId, BTreeMap<String, Arc<Bells>>>>,
    tried: Mutex<HashSet<HandoffId>>,
}

impl Claims {
    fn bells_of(&self, agent: &AgentId, tenant: &str) -> Arc<Bells> {
        let mut bells = self.bells.lock();
        bells.entry(agent.clone()).or_default().entry(tenant.to_owned()).or_default().clone()
    }

    /// Work is on offer to this agent in this tenant.
    pub(crate) fn ring(&self, agent: &AgentId, tenant: &str) {
        if let Some(bells) = self.bells.lock().get(agent).and_then(|tenants| tenants.get(tenant)) {
            bells.one.notify_one();
            bells.all.notify_waiters();
        }
    }

    /// A place may be free: whoever waits for this agent looks again.
    pub(crate) fn ring_all(&self, agent: &AgentId) {
        for bells in self.bells.lock().get(agent).into_iter().flat_map(BTreeMap::values) {
            bells.one.notify_one();
            bells.all.notify_waiters();
        }
    }

    /// Takes the bells down when nobody else waits by them.
    fn leave(&self, agent: &AgentId, tenant: &str, bells: Arc<Bells>) {
        let mut all = self.bells.lock();
        drop(bells);
        let Some(tenants) = all.get_mut(agent) else { return };
        if tenants.get(tenant).is_some_and(|bells| Arc::strong_count(bells) == 1) {
            tenants.remove(tenant);
        }
        if tenants.is_empty() {
            all.remove(agent);
        }
    }
}

/// Somebody who waits. Leaves nothing behind.
struct Waiting<'a> {
    claims: &'a Claims,
    agent: &'a AgentId,
    tenant: &'a str,
    bells: Option<Arc<Bells>>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(bells) = self.bells.take() {
            self.claims.leave(self.agent, self.tenant, bells);
        }
    }
}

/// An offer that somebody is about to take.
struct Tried<'a> {
    claims: &'a Claims,
    id: HandoffId,
}

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        self.claims.tried.lock().remove(&self.id);
    }
}

impl Engine {
    /// Takes what is first in an agent's inbox; nothing when nothing waits, or it works on as much as it may. The same key
    /// gives the same work again, for as long as it is held by the lease that was granted then.
    ///
    /// # Errors
    /// When there is no such agent for this caller.
    pub async fn claim(
        &self,
        agent: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
        key: Option<&str>,
    ) -> Result<Option<Assignment>, HandoffError> {
        self.caller.may(Right::Act)?;
        self.known_agent(agent).await?;
        self.acts_for(agent)?;
        self.seen(agent, "it asks for work").await?;
        if let Some(key) = key
            && let Some(taken) = self.claimed_before(agent, tools, key).await?
        {
            return Ok(Some(taken));
        }
        if self.is_shared() {
            return self.claim_among_others(agent, lease_ms, tools, key).await;
        }
        for limit in [CLAIM_OFFERS, QUEUE_PER_AGENT_MAX] {
            let offers = self.inner.store.offers(agent, limit).await?;
            let more = offers.len() == limit;
            match self.first_of(&offers, agent, lease_ms, tools, key).await? {
                Tell::Taken(taken) => return Ok(Some(*taken)),
                Tell::Full => return Ok(None),
                Tell::None if more => {}
                Tell::None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// The same where other processes look for work as well: what is looked at here is held for this process, and what was
    /// not taken is let go.
    async fn claim_among_others(
        &self,
        agent: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
        key: Option<&str>,
    ) -> Result<Option<Assignment>, HandoffError> {
        if !self.has_place(agent) {
            self.refresh_loads().await?;
            if !self.has_place(agent) {
                return Ok(None);
            }
        }
        let (mut held, mut tell) = (Vec::new(), Ok(Tell::None));
        // Mostly the first one will do; the others are left to others.
        for limit in [1, CLAIM_OFFERS, QUEUE_PER_AGENT_MAX] {
            let offers = self.inner.store.take_offers(agent, limit).await?;
            held.extend(offers.iter().map(|offer| offer.handoff));
            tell = self.first_of(&offers, agent, lease_ms, tools, key).await;
            if offers.len() < limit || !matches!(tell, Ok(Tell::None)) {
                break;
            }
        }
        let taken = match tell {
            Ok(Tell::Taken(taken)) => Ok(Some(*taken)),
            Ok(Tell::Full | Tell::None) => Ok(None),
            Err(error) => Err(error),
        };
        if let Ok(Some(taken)) = &taken {
            held.retain(|id| *id != taken.handoff.id);
        }
        if !held.is_empty() {
            // One that is not let go is held for a while, and then let go by itself.
            let _ = self.inner.store.let_go(&held).await;
        }
        taken
    }

    /// The same, as soon as there is something; nothing when the wait is over first. Whoever goes away while it is being
    /// taken holds it all the same: a wait ends between two looks and never within one.
    ///
    /// # Errors
    /// When there is no such agent for this caller.
    pub async fn claim_until(
        &self,
        agent: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
        key: Option<&str>,
        until: impl Future<Output = ()>,
    ) -> Result<Option<Assignment>, HandoffError> {
        let (claims, tenant) = (&self.inner.claims, self.tenant());
        let waiting = Waiting { claims, agent, tenant, bells: Some(claims.bells_of(agent, tenant)) };
        let bell = waiting.bells.as_ref().map(|bells| if self.sees_all() { &bells.one } else { &bells.all });
        let mut until = std::pin::pin!(until);
        loop {
            // Heard since before it is looked for: no offer is missed.
            let mut rung = std::pin::pin!(bell.map(Notify::notified));
            if let Some(rung) = rung.as_mut().as_pin_mut() {
                rung.enable();
            }
            if let Some(taken) = self.claim(agent, lease_ms, tools, key).await? {
                return Ok(Some(taken));
            }
            self.not_closed()?;
            let Some(rung) = rung.as_mut().as_pin_mut() else { return Ok(None) };
            tokio::select! {
                biased;
                // First: however often the bell rings, a wait has an end.
                () = until.as_mut() => return Ok(None),
                () = rung => {}
                // Work that is there without an offer of this process is found in a while.
                () = tokio::time::sleep(Duration::from_millis(CLAIM_LOOK_MS)) => {}
            }
        }
    }

    async fn claimed_before(
        &self,
        agent: &AgentId,
        tools: Option<&[String]>,
        key: &str,
    ) -> Result<Option<Assignment>, HandoffError> {
        for held in self.held_by(agent).await? {
            if let Some(taken) = self.held_under(&held, agent, tools, key).await? {
                return Ok(Some(taken));
            }
        }
        Ok(None)
    }

    async fn first_of(
        &self,
        offers: &[Offer],
        agent: &AgentId,
        lease_ms: Option<u64>,
        tools: Option<&[String]>,
        key: Option<&str>,
    ) -> Result<Tell, HandoffError> {
        for offer in offers {
            let id = offer.handoff;
            match self.glance(&offer.session).await {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) if error.has(Code::StoreNewer) => continue,
                Err(error) => return Err(error),
            }
            if !self.inner.claims.tried.lock().insert(id) {
                continue;
            }
            let _tried = Tried { claims: &self.inner.claims, id };
            match self.accept_once(id, agent, lease_ms, tools, key).await {
                Ok(taken) => return Ok(Tell::Taken(Box::new(taken))),
                Err(error) if PASSED_OVER.iter().any(|code| error.has(*code)) => {}
                // Taken with this key before, and lost since: it is taken anew, as if there were no key.
                Err(error) if error.has(Code::StaleLease) => match self.accept(id, agent, lease_ms, tools).await {
                    Ok(taken) => return Ok(Tell::Taken(Box::new(taken))),
                    Err(error) if PASSED_OVER.iter().any(|code| error.has(*code)) => {}
                    Err(error) => return Err(error),
                },
                Err(error) if error.has(Code::AtCapacity) => return Ok(Tell::Full),
                Err(error) => return Err(error),
            }
        }
        Ok(Tell::None)
    }

    /// Whether an agent has a place, as far as is known here.
    fn has_place(&self, agent: &AgentId) -> bool {
        self.inner.agents.read().get(agent).is_some_and(Agent::has_room)
    }

    /// Whether a session exists for this caller; by what is remembered where that says so.
    async fn glance(&self, session: &SessionId) -> Result<bool, HandoffError> {
        let cell = self.loaded(session).await?;
        if !self.is_shared() || cell.session.as_ref().is_some_and(|found| self.caller.sees(found)) {
            return Ok(cell.session.as_ref().is_some_and(|found| self.caller.sees(found)));
        }
        drop(cell);
        Ok(self.peek(session).await?.is_some())
    }

    async fn held_by(&self, agent: &AgentId) -> Result<Vec<Handoff>, HandoffError> {
        let query = handover_store::HandoffQuery {
            status: Some(handover_core::handoff::Status::Running),
            to: Some(agent.clone()),
            limit: handover_core::limits::PAGE_MAX,
            ..handover_store::HandoffQuery::default()
        };
        self.handoffs(query).await
    }
}

/// What came of a look at the offers.
enum Tell {
    Taken(Box<Assignment>),
    Full,
    None,
}
