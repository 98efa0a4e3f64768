//! What an installation may set: windows, leases, who is asked last, what needs a person's approval.

use crate::{
    agent::Risk,
    ids::AgentId,
    limits,
    refusal::{Code, HandoffError, Refusal},
};
use serde::{Deserialize, Serialize};

/// The settings that decisions depend on. The defaults are those of the specification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        }
    }
}

impl Policy {
    /// Checks that every time is one that can be waited for.
    ///
    /// # Errors
    /// With every setting that is out of range.
    pub fn check(&self) -> Result<(), HandoffError> {
        let times = [
            ("accept_ms", self.accept_ms),
            ("human_accept_ms", self.human_accept_ms),
            ("queue_ms", self.queue_ms),
            ("lease_ms", self.lease_ms),
            ("execution_ms", self.execution_ms),
            ("approval_ms", self.approval_ms),
        ];
        let bad = times.iter().filter(|(_, ms)| !(1..=limits::WAIT_MS_MAX).contains(ms));
        let refusals: Vec<Refusal> = bad
            .map(|(name, ms)| {
                let message = format!("{ms} ms is not between 1 and {} (WAIT_MS_MAX)", limits::WAIT_MS_MAX);
                Refusal::new(Code::OutOfRange, message).at(format!("policy.{name}"))
            })
            .collect();
        if refusals.is_empty() {
            return Ok(());
        }
        Err(HandoffError { refusals, agents: String::new(), cause: None })
    }
}
