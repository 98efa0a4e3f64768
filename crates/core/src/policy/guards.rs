//! Settings of the guards: how far, how often, how much.

use crate::{
    budget::{Budget, Limit, Price},
    guard::complexity::Complexity,
    limits,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Whether work is handed over at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// It is.
    #[default]
    On,
    /// Each agent works alone. Asking somebody above is still possible.
    Independent,
    /// It is, and where it cannot be, the source carries on alone with the error as context.
    Fallback,
}

/// How far one session may go. What is left out is decided by the workflow, the class, or the house.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SessionLimits {
    /// Handoffs that agents ask for. Each member of a broadcast is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<u32>,
    /// Escalations, counted apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalations: Option<u32>,
    /// Agents that have a part in it, the first owner included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = limits::WATCH_AGENTS_MAX)))]
    pub agents: Option<u32>,
    /// Agents in one chain of handoffs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 2)))]
    pub chain: Option<u32>,
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub cost: Option<f64>,
    /// Time from its opening, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = limits::WAIT_MS_MAX)))]
    pub time_ms: Option<u64>,
}

impl SessionLimits {
    /// What holds where nobody says anything else.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            handoffs: Some(limits::HANDOFFS_PER_SESSION),
            escalations: Some(limits::ESCALATIONS_PER_SESSION),
            chain: Some(limits::CHAIN_AGENTS),
            ..Self::default()
        }
    }

    /// Whether nothing is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These, and where they say nothing, those.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            handoffs: self.handoffs.or(other.handoffs),
            escalations: self.escalations.or(other.escalations),
            agents: self.agents.or(other.agents),
            chain: self.chain.or(other.chain),
            tokens: self.tokens.or(other.tokens),
            cost: self.cost.or(other.cost),
            time_ms: self.time_ms.or(other.time_ms),
        }
    }
}

/// What each class of complexity may use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Classes {
    /// One agent does it alone.
    pub simple: SessionLimits,
    /// A few take part.
    pub medium: SessionLimits,
    /// A team works on it.
    pub complex: SessionLimits,
}

impl Default for Classes {
    fn default() -> Self {
        let class = |handoffs, tokens, agents| SessionLimits {
            handoffs: Some(handoffs),
            tokens: Some(tokens),
            agents: Some(agents),
            ..SessionLimits::default()
        };
        Self {
            simple: class(0, limits::SIMPLE_TOKENS, 1),
            medium: class(2, limits::MEDIUM_TOKENS, 3),
            complex: class(5, limits::COMPLEX_TOKENS, 5),
        }
    }
}

impl Classes {
    /// What this class may use. What a setting leaves out stays as it is by default.
    #[must_use]
    pub fn of(&self, class: Complexity) -> SessionLimits {
        let usual = Self::default();
        match class {
            Complexity::Simple => self.simple.or(usual.simple),
            Complexity::Medium => self.medium.or(usual.medium),
            Complexity::Complex => self.complex.or(usual.complex),
        }
    }
}

/// What counts as going in circles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Loops {
    /// Among so many latest handoffs the same source, target and content may not come again; 0 switches it off.
    pub repeats_within: u32,
    /// So often work may come back to somebody with nothing new in the session but other words; 0 switches it off.
    pub idle_rounds: u32,
    /// Handoffs of one agent to another in one session, per minute; 0 switches it off.
    pub pair_per_minute: u32,
}

impl Default for Loops {
    fn default() -> Self {
        Self {
            repeats_within: limits::REPEATS_WITHIN,
            idle_rounds: limits::IDLE_ROUNDS,
            pair_per_minute: limits::PAIR_PER_MINUTE,
        }
    }
}

/// When an agent is left alone, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BreakerPolicy {
    /// Failures in a row that open the breaker; 0 switches it off.
    pub failures: u32,
    /// How long nothing passes then, in milliseconds.
    pub cooldown_ms: u64,
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { failures: limits::BREAKER_FAILURES, cooldown_ms: limits::BREAKER_COOLDOWN_MS }
    }
}

/// What work may use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Budgets {
    /// Every tenant that is not named below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Limit>,
    /// Tenants by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tenants: BTreeMap<String, Limit>,
    /// Every agent whose profile has no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Limit>,
    /// What is set aside for a handoff that asks for nothing itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Budget>,
    /// What models cost, per million tokens.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, Price>,
}

impl Budgets {
    /// Whether anything is limited over all sessions.
    #[must_use]
    pub fn has_limits(&self) -> bool {
        self.tenant.is_some() || !self.tenants.is_empty() || self.agent.is_some()
    }

    /// The limit of a tenant.
    #[must_use]
    pub fn of_tenant(&self, tenant: &str) -> Option<&Limit> {
        self.tenants.get(tenant).or(self.tenant.as_ref())
    }
}
