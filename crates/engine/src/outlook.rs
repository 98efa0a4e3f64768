//! What whoever looks over the house asks for: what is on offer, where sessions stand in their workflows, which experiments there
//! are. Each costs the same for a few sessions and for a million.

use crate::engine::Engine;
use handover_core::{
    glance::Glance,
    handoff::{Handoff, Status},
    ids::{AgentId, HandoffId, SessionId},
    limits::{PAGE_MAX, QUEUE_LOOK_MAX, STATE_COUNT_MAX},
    policy::Experiment,
    refusal::HandoffError,
    time::Timestamp,
};
use handover_store::{FlowRow, HandoffQuery, Offer, StoreError};
use std::collections::{BTreeMap, BTreeSet};

impl Engine {
    /// What is offered to an agent, by level, then age, for whoever only looks.
    ///
    /// # Errors
    /// When there is no such agent, or the store cannot be read.
    pub async fn queue(&self, agent: &AgentId, limit: usize) -> Result<Vec<Handoff>, HandoffError> {
        self.agent(agent)?;
        let mut found = Vec::new();
        for offer in self.queues(std::slice::from_ref(agent)).await?.0.iter().take(limit.min(PAGE_MAX)) {
            found.extend(self.inner.store.handoff(offer.handoff).await?);
        }
        Ok(found)
    }

    /// What is offered to these agents, all together by level, then age, and whether there may be more. Of a queue that tenants
    /// share only so much is looked at that others cannot make this long; behind that come the eldest of this caller's own.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn queues(&self, agents: &[AgentId]) -> Result<(Vec<Offer>, bool), HandoffError> {
        let (mut found, mut more) = (Vec::new(), false);
        let mut known: BTreeMap<SessionId, bool> = BTreeMap::new();
        for agent in agents {
            let offers = self.inner.store.offers(agent, QUEUE_LOOK_MAX).await?;
            let (looked, first) = (offers.len(), found.len());
            for offer in offers {
                let sees = match known.get(&offer.session) {
                    Some(sees) => *sees,
                    None => self.sees(&offer.session).await?,
                };
                known.insert(offer.session.clone(), sees);
                if sees {
                    found.push(offer);
                }
            }
            if looked == QUEUE_LOOK_MAX {
                more = true;
                if found.len() - first < looked {
                    let behind = self.eldest_offers(agent, &found[first..]).await?;
                    found.extend(behind);
                }
            }
        }
        found.sort_by_key(|offer| (offer.level, offer.since));
        Ok((found, more))
    }

    /// The eldest of this caller's own offers to an agent that are not among these.
    async fn eldest_offers(&self, agent: &AgentId, found: &[Offer]) -> Result<Vec<Offer>, HandoffError> {
        let known: BTreeSet<HandoffId> = found.iter().map(|offer| offer.handoff).collect();
        let (to, status) = (Some(agent.clone()), Some(Status::Offered));
        let own = self.handoffs(HandoffQuery { to, status, limit: QUEUE_LOOK_MAX, ..HandoffQuery::default() }).await?;
        let offer = |handoff: Handoff| Offer {
            handoff: handoff.id,
            level: handoff.request.task.priority.level(),
            since: handoff.opened_at,
            session: handoff.session_id,
            to: handoff.to_agent,
        };
        Ok(own.into_iter().filter(|handoff| !known.contains(&handoff.id)).map(offer).collect())
    }

    /// How many sessions stand in each state of a workflow; none is counted beyond `STATE_COUNT_MAX`. Nothing for whoever sees
    /// only some of the sessions.
    ///
    /// # Errors
    /// When there is no such workflow, or the store cannot be read.
    pub async fn workflow_states(&self, name: &str) -> Result<BTreeMap<String, usize>, HandoffError> {
        let workflow = self.workflow(name)?;
        if self.caller.is_restricted() {
            return Ok(BTreeMap::new());
        }
        let states: Vec<String> = workflow.states.keys().cloned().collect();
        let counts = self.inner.store.in_states(&self.caller.tenant, name, &states, STATE_COUNT_MAX).await?;
        Ok(states.into_iter().zip(counts).collect())
    }

    /// The sessions of a workflow in a state, the latest first, at most a page. Nothing for whoever sees only some of the sessions.
    ///
    /// # Errors
    /// When there is no such workflow, or the store cannot be read.
    pub async fn sessions_in_state(
        &self,
        workflow: &str,
        state: &str,
        skip: usize,
        limit: usize,
    ) -> Result<Vec<SessionId>, HandoffError> {
        self.workflow(workflow)?;
        if self.caller.is_restricted() {
            return Ok(Vec::new());
        }
        let flow = FlowRow { workflow: workflow.to_owned(), state: state.to_owned() };
        Ok(self.inner.store.sessions_in_state(&self.caller.tenant, &flow, skip, limit.min(PAGE_MAX)).await?)
    }

    /// These sessions as a list shows them, in the same order. Those that do not exist for this caller are left out; at most a
    /// page is given.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn glances(&self, ids: &[SessionId]) -> Result<Vec<Glance>, HandoffError> {
        let mut seen = Vec::with_capacity(ids.len().min(PAGE_MAX));
        for id in ids.iter().take(PAGE_MAX) {
            // Whoever sees all of a tenant's is asked for no more than the tenant, which each glance says.
            if !id.is_house() && (!self.caller.is_restricted() || self.sees(id).await?) {
                seen.push(id.clone());
            }
        }
        let mut found = match self.inner.store.glances(&seen).await {
            // One that cannot be read must not keep all others from whoever looks.
            Err(StoreError::Damaged(_)) => self.readable(&seen).await,
            found => found?,
        };
        found.retain(|glance| glance.tenant == self.caller.tenant && self.caller.may_open(&glance.id));
        Ok(found)
    }

    async fn readable(&self, ids: &[SessionId]) -> Vec<Glance> {
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            found.extend(self.inner.store.glances(std::slice::from_ref(id)).await.into_iter().flatten());
        }
        found
    }

    /// The experiments of the policy. What they count is of all tenants together: nobody but the house sees them.
    #[must_use]
    pub fn experiments(&self) -> Vec<Experiment> {
        if self.caller.house { self.inner.policy.read().experiments.clone() } else { Vec::new() }
    }

    /// When an agent that pulls its work was last heard of, since this process began.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn last_heard(&self, agent: &AgentId) -> Result<Option<Timestamp>, HandoffError> {
        self.agent(agent)?;
        Ok(self.inner.heard.lock().get(agent).copied())
    }
}
