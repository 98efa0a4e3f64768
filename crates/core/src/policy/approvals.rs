//! Settings of approvals: which handoffs wait for a person, who is asked, and what happens when nobody answers.

use super::Policy;
use crate::{agent::Risk, expression::Condition, handoff::Kind, ids::AgentId};
use serde::{Deserialize, Serialize};

/// The names that an expression of a rule can use.
pub const EXPRESSION_ROOTS: [&str; 3] = ["handoff", "session", "target"];

/// What happens when nobody decided in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnExpiry {
    /// It is denied.
    #[default]
    Deny,
    /// It is approved.
    Approve,
}

/// Somebody who is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approver {
    /// Who.
    pub who: String,
    /// How long it waits for them before the next one is asked, in milliseconds; the policy's `approval_ms` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
}

/// Which handoffs wait for a person. All that is given must fit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// With this risk or more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// To one of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<AgentId>,
    /// From one of these agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<AgentId>,
    /// Of one of these types.
    #[serde(rename = "type", skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<Kind>,
    /// For which more than this much money is set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_above: Option<f64>,
    /// For which more than so many tokens are set aside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_above: Option<u64>,
    /// For which this expression holds: a text in CEL, over `handoff`, `session` and `target`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<Condition>,
}

/// A rule: which handoffs wait, who is asked in which order, what happens at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApprovalRule {
    /// Its name, for the record.
    pub name: String,
    /// Which handoffs.
    #[serde(default)]
    pub when: When,
    /// Who is asked, one after the other; anybody but the source when nobody is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Approver>,
    /// What happens when nobody decided in time.
    #[serde(default)]
    pub on_expiry: OnExpiry,
}

impl Policy {
    /// The rule with this name.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&ApprovalRule> {
        self.approvals.iter().find(|rule| rule.name == name)
    }
}
