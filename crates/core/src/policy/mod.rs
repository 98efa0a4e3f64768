//! What an installation may set: windows, leases, who is asked last, how far work may go, who must approve it, and how
//! somebody is found for it.

mod approvals;
mod check;
mod guards;
mod routing;

pub(crate) use check::{check_budget, check_limit, check_session_limits};

pub use approvals::{ApprovalRule, Approver, EXPRESSION_ROOTS, OnExpiry, When};
pub use guards::{BreakerPolicy, Budgets, Classes, Loops, Mode, SessionLimits};
pub use routing::{Experiment, Routing, Strategy};

use crate::{agent::Risk, ids::AgentId, limits};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The settings that decisions depend on. The defaults are those of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// How long an offered agent has to acknowledge, in milliseconds.
    pub accept_ms: u64,
    /// How long a person has to acknowledge, in milliseconds.
    pub human_accept_ms: u64,
    /// How long an offer may wait for a busy agent, in milliseconds.
    pub queue_ms: u64,
    /// How long a lease lasts when the agent asks for nothing else, in milliseconds.
    pub lease_ms: u64,
    /// How long a handoff may run when nothing else limits it, in milliseconds.
    pub execution_ms: u64,
    /// How long an approval waits before it expires, in milliseconds.
    pub approval_ms: u64,
    /// Handoffs with this risk or more wait for a person's approval.
    pub approval_from_risk: Option<Risk>,
    /// Who is asked when nobody else is left.
    pub human: Option<AgentId>,
    /// Whether work is handed over at all.
    pub mode: Mode,
    /// How far a session may go.
    pub limits: SessionLimits,
    /// How far a session of each class may go, where its class is known.
    pub classes: Classes,
    /// How far a session of each workflow may go, by the name of the workflow.
    pub workflows: BTreeMap<String, SessionLimits>,
    /// Whether the class of a session is derived from its request where none is given.
    pub classify: bool,
    /// What counts as going in circles.
    pub loops: Loops,
    /// When an agent that fails is left alone.
    pub breaker: BreakerPolicy,
    /// What work may use.
    pub budgets: Budgets,
    /// Which handoffs wait for a person. The first rule that fits decides.
    pub approvals: Vec<ApprovalRule>,
    /// How somebody is found for a task.
    pub routing: Routing,
    /// Strategies that are compared. The first one that fits a session decides.
    pub experiments: Vec<Experiment>,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            accept_ms: limits::ACCEPT_MS,
            human_accept_ms: limits::HUMAN_ACCEPT_MS,
            queue_ms: limits::QUEUE_MS_MAX,
            lease_ms: limits::LEASE_MS,
            execution_ms: limits::EXECUTION_MS,
            approval_ms: limits::APPROVAL_MS,
            approval_from_risk: None,
            human: None,
            mode: Mode::On,
            limits: SessionLimits::usual(),
            classes: Classes::default(),
            workflows: BTreeMap::new(),
            classify: false,
            loops: Loops::default(),
            breaker: BreakerPolicy::default(),
            budgets: Budgets::default(),
            approvals: Vec::new(),
            routing: Routing::default(),
            experiments: Vec::new(),
        }
    }
}

impl Policy {
    /// The same with no limit on how far a session goes and how often anything repeats: for loads that are no work.
    #[must_use]
    pub fn without_guards() -> Self {
        Self {
            limits: SessionLimits {
                handoffs: Some(u32::MAX),
                escalations: Some(u32::MAX),
                chain: Some(u32::MAX),
                ..SessionLimits::default()
            },
            loops: Loops { repeats_within: 0, idle_rounds: 0, pair_per_minute: 0 },
            breaker: BreakerPolicy { failures: 0, cooldown_ms: limits::BREAKER_COOLDOWN_MS },
            ..Self::default()
        }
    }
}
