//! The agents that exist for one tenant: those of the house, and its own.

use super::{Agent, Agents, Profile};
use crate::{ids::AgentId, nearest::nearest, route::text};

/// The directory as one tenant sees it. Whoever belongs to another tenant is not registered, for all that it can tell.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    all: &'a Agents,
    /// Nothing where there is nobody to leave out.
    tenant: Option<&'a str>,
}

impl Profile {
    /// Whether it can be given work of this tenant.
    #[must_use]
    pub fn serves_tenant(&self, tenant: &str) -> bool {
        self.tenant.as_deref().is_none_or(|own| own == tenant)
    }
}

impl<'a> Known<'a> {
    /// What this tenant sees.
    #[must_use]
    pub fn to(all: &'a Agents, tenant: &'a str) -> Self {
        Self { all, tenant: all.has_owned().then_some(tenant) }
    }

    /// What whoever is of the house sees: everybody.
    #[must_use]
    pub fn all(all: &'a Agents) -> Self {
        Self { all, tenant: None }
    }

    fn sees(self, agent: &Agent) -> bool {
        self.tenant.is_none_or(|tenant| agent.profile.serves_tenant(tenant))
    }

    fn sees_id(self, id: &AgentId) -> bool {
        self.tenant.is_none() || self.get(id).is_some()
    }

    /// The agent with this id.
    #[must_use]
    pub fn get(self, id: &AgentId) -> Option<&'a Agent> {
        self.all.get(id).filter(|agent| self.sees(agent))
    }

    /// All of them, in the order of their ids.
    pub fn iter(self) -> impl Iterator<Item = &'a Agent> {
        self.all.iter().filter(move |agent| self.sees(agent))
    }

    /// Everybody who can do this: the most proficient first, among equals whoever waited longest for a turn.
    pub fn who_can(self, capability: &str) -> impl Iterator<Item = &'a Agent> + use<'a> {
        self.all.who_can(capability).filter(move |agent| self.sees(agent))
    }

    /// The capability that is most like this one, for a hint.
    #[must_use]
    pub fn nearest_capability(self, capability: &str) -> Option<&'a str> {
        let somebody = |name: &&'a str| self.tenant.is_none() || self.who_can(name).next().is_some();
        nearest(capability, self.all.capabilities().filter(somebody).map(|name| (name, name)))
    }

    /// The registered id that is most like this one, for a hint.
    #[must_use]
    pub fn nearest(self, id: &str) -> Option<&'a AgentId> {
        nearest(id, self.iter().map(|agent| (agent.profile.id.as_str(), &agent.profile.id)))
    }

    /// The best so many by their words.
    #[must_use]
    pub fn rank(self, text: &str, most: usize) -> Vec<text::Found> {
        self.all.text().rank_among(text, most, |id| self.sees_id(id))
    }

    /// Everybody by what they say of themselves. It has agents of all tenants: ask it about those that are known.
    pub(crate) fn text(self) -> &'a text::TextIndex {
        self.all.text()
    }
}
