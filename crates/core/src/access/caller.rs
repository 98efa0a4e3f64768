//! A caller: who asks, for whom it may speak, and what exists for it.

use super::{Right, Role};
use crate::{
    ids::{AgentId, SessionId},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use serde::Deserialize;
use std::{collections::BTreeSet, sync::Arc};

/// Who asks: decides what they see and for whom they may speak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// A name for the record.
    pub name: String,
    /// Whose sessions it sees.
    pub tenant: String,
    /// For which agents it may speak; everybody when nothing is said.
    pub acts_as: Option<Vec<AgentId>>,
    /// What it may do.
    pub role: Role,
    /// The sessions that exist for it; all of its tenant when nothing is said.
    pub sessions: Option<BTreeSet<SessionId>>,
    /// Whether it is of the house: it sees the agents of all tenants, and changes what all of them share.
    pub house: bool,
}

/// To whom a session belongs and who takes part in it: what decides whether it exists for a caller.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Whose {
    /// Its id.
    pub id: SessionId,
    /// To whom it belongs.
    pub tenant: String,
    /// Its owner.
    pub active_agent: AgentId,
    /// The person that is served.
    #[serde(default)]
    pub user_id: Option<String>,
    /// Everybody who takes part or took part; nothing where that was not kept.
    #[serde(default)]
    pub parties: Option<Arc<BTreeSet<AgentId>>>,
}

impl Whose {
    /// Whether this agent takes part or took part; nothing where only the whole session can say.
    fn takes_part(&self, agent: &AgentId) -> Option<bool> {
        let known = self.active_agent == *agent || self.user_id.as_deref() == Some(agent.as_str());
        if known {
            return Some(true);
        }
        let parties = self.parties.as_ref()?;
        // Beyond the bound nobody is noted any more.
        let full = parties.len() >= crate::limits::PARTIES_MAX;
        parties.contains(agent).then_some(true).or((!full).then_some(false))
    }
}

impl Caller {
    /// The program that embeds the engine.
    #[must_use]
    pub fn local() -> Self {
        Self::new("local", "default").of_house()
    }

    /// An administrator of a tenant who is not of the house: it sees all of the tenant's sessions and speaks for everybody.
    #[must_use]
    pub fn new(name: impl Into<String>, tenant: impl Into<String>) -> Self {
        let (name, tenant) = (name.into(), tenant.into());
        Self { name, tenant, acts_as: None, role: Role::Admin, sessions: None, house: false }
    }

    /// An agent that speaks for itself, in the sessions in which it takes part.
    #[must_use]
    pub fn of_agent(agent: AgentId, tenant: impl Into<String>) -> Self {
        Self::new(agent.as_str(), tenant).role(Role::Agent).acting_as([agent])
    }

    /// The same in another role.
    #[must_use]
    pub fn role(mut self, role: Role) -> Self {
        self.role = role;
        self
    }

    /// The same, speaking for these agents alone.
    #[must_use]
    pub fn acting_as(mut self, agents: impl IntoIterator<Item = AgentId>) -> Self {
        self.acts_as = Some(agents.into_iter().collect());
        self
    }

    /// The same, for whom these sessions alone exist.
    #[must_use]
    pub fn within(mut self, sessions: impl IntoIterator<Item = SessionId>) -> Self {
        self.sessions = Some(sessions.into_iter().collect());
        self
    }

    /// The same, as one of the house.
    #[must_use]
    pub fn of_house(mut self) -> Self {
        self.house = true;
        self
    }

    /// Whether it may speak for this agent. An agent's caller that names nobody speaks for nobody.
    #[must_use]
    pub fn may_act_as(&self, agent: &AgentId) -> bool {
        match &self.acts_as {
            Some(agents) => agents.contains(agent),
            None => self.role != Role::Agent,
        }
    }

    /// Whether its role has this right.
    ///
    /// # Errors
    /// When it has not, with the least role that has.
    pub fn may(&self, right: Right) -> Result<(), HandoffError> {
        if self.role.may(right) {
            return Ok(());
        }
        let message = format!("{} has the role {}; this needs {}", self.name, self.role, right.least_role());
        Err(Refusal::new(Code::NotAllowed, message).into())
    }

    /// Whether it may change what all tenants share.
    ///
    /// # Errors
    /// When it may not.
    pub fn may_in_house(&self, right: Right) -> Result<(), HandoffError> {
        self.may(right)?;
        if self.house {
            return Ok(());
        }
        let message = format!("{} is of tenant \"{}\"; this belongs to the house", self.name, self.tenant);
        Err(Refusal::new(Code::NotAllowed, message).into())
    }

    /// Whether an agent of this tenant, or of nobody, exists for it.
    #[must_use]
    pub fn knows_agents_of(&self, tenant: Option<&str>) -> bool {
        self.house || tenant.is_none_or(|tenant| tenant == self.tenant)
    }

    /// Whether not all sessions of its tenant exist for it.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        self.sessions.is_some() || self.role == Role::Agent || (is_house(&self.tenant) && !self.house)
    }

    /// Whether this session exists for it.
    #[must_use]
    pub fn sees(&self, session: &Session) -> bool {
        self.may_open(&session.id) && session.tenant == self.tenant && self.has_part(|agent| session.takes_part(agent))
    }

    /// The same by what is known of the session without all of it; nothing where only the whole session can say.
    #[must_use]
    pub fn sees_of(&self, whose: &Whose) -> Option<bool> {
        if !self.may_open(&whose.id) || whose.tenant != self.tenant {
            return Some(false);
        }
        let mut unsure = false;
        let sees = self.has_part(|agent| {
            whose.takes_part(agent).unwrap_or_else(|| {
                unsure = true;
                false
            })
        });
        if sees || !unsure { Some(sees) } else { None }
    }

    /// Whether a session of this id could exist for it.
    #[must_use]
    pub fn may_open(&self, id: &SessionId) -> bool {
        (self.house || !is_house(&self.tenant)) && self.sessions.as_ref().is_none_or(|sessions| sessions.contains(id))
    }

    /// An agent's caller sees the sessions in which one of its agents takes part; others all.
    fn has_part(&self, takes_part: impl FnMut(&AgentId) -> bool) -> bool {
        self.role != Role::Agent || self.acts_as.iter().flatten().any(takes_part)
    }
}

fn is_house(tenant: &str) -> bool {
    tenant == crate::ids::HOUSE
}
