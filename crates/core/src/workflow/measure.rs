//! How far a session may go, as a workflow file says it: like any limits, with time written as `7d`.

use super::span;
use crate::policy::SessionLimits;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How far a session may go, in the words of a file.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowLimits"))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Handoffs that agents ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<u32>,
    /// Escalations, counted apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalations: Option<u32>,
    /// Agents that have a part in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(max = crate::limits::WATCH_AGENTS_MAX)))]
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
    /// Time from its opening, in milliseconds; written as `time: 7d`.
    #[serde(rename = "time", skip_serializing_if = "Option::is_none", with = "span::maybe")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::Span"))]
    pub time_ms: Option<u64>,
}

impl From<Limits> for SessionLimits {
    fn from(limits: Limits) -> Self {
        let Limits { handoffs, escalations, agents, chain, tokens, cost, time_ms } = limits;
        Self { handoffs, escalations, agents, chain, tokens, cost, time_ms }
    }
}

impl From<SessionLimits> for Limits {
    fn from(limits: SessionLimits) -> Self {
        let SessionLimits { handoffs, escalations, agents, chain, tokens, cost, time_ms } = limits;
        Self { handoffs, escalations, agents, chain, tokens, cost, time_ms }
    }
}

pub(super) fn serialize<S: Serializer>(limits: &SessionLimits, to: S) -> Result<S::Ok, S::Error> {
    Limits::from(*limits).serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SessionLimits, D::Error> {
    Limits::deserialize(from).map(SessionLimits::from)
}
