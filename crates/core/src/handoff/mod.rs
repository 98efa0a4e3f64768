//! One transfer of a task from one agent to another: as it is asked for, and as it lives.

mod phase;
mod request;
mod returned;

pub use phase::{Phase, Status};
pub use request::{
    Aggregation, Broadcast, Constraints, Context, Kind, OnTimeout, Priority, Rationale, Request, RequiredCapability,
    ReturnProtocol, Rung, Send, Task, Transfer, Trigger, Validation,
};
pub use returned::{Acceptance, AcceptanceStatus, ContentType, ContextUpdates, Metrics, Outcome, Return, ReturnStatus};

use crate::{
    context::Manifest,
    ids::{AgentId, GroupId, HandoffId, LeaseId, SessionId},
    message::Mark,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What one level of an escalation thought before it went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assessment {
    /// Who.
    pub by: AgentId,
    /// When.
    pub at: Timestamp,
    /// What it thinks.
    pub text: String,
}

/// How far up a handoff has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Climb {
    /// 1 for the first rung.
    pub depth: u32,
    /// How long this rung has, in milliseconds.
    pub rung_ms: u64,
    /// Rungs above this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<Rung>,
    /// What the levels below thought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessments: Vec<Assessment>,
    /// Who owns the session again when it is decided.
    pub back_to: AgentId,
}

/// A handoff as it lives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Its number in the session, from 1.
    pub n: u64,
    /// What was asked for. Kept once, in the record that initiated it.
    #[serde(skip, default = "no_request")]
    pub request: Arc<Request>,
    /// Who has it or is asked to take it now.
    pub to_agent: AgentId,
    /// The handoff that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<HandoffId>,
    /// The broadcast that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broadcast_group_id: Option<GroupId>,
    /// The handoff that the source waits for: itself, or the one that was escalated to this.
    pub returns_for: HandoffId,
    /// The agents of the chain, from the first to this one.
    pub path: Vec<AgentId>,
    /// The conversation when it was initiated.
    pub mark: Mark,
    /// Where it stands.
    pub phase: Phase,
    /// 1, and one more for each retry.
    pub attempt: u32,
    /// Offers to further candidates.
    #[serde(default)]
    pub reroutes: u32,
    /// Leases lost.
    #[serde(default)]
    pub losses: u32,
    /// Times it was put off.
    #[serde(default)]
    pub deferrals: u32,
    /// Who was asked before and will not be asked again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<AgentId>,
    /// When it was initiated.
    pub opened_at: Timestamp,
    /// When it was last accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// When it must be over, whatever happens: its own deadline or that of the work it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_deadline: Option<Timestamp>,
    /// How far up it has come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub climb: Option<Climb>,
    /// What the agent answered to the offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Acceptance>,
    /// What crossed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Arc<Manifest>>,
    /// What did not fit but was let pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How it ended. Kept once, in the record that closed it.
    #[serde(skip)]
    pub result: Option<Arc<Return>>,
    /// What it used.
    #[serde(default)]
    pub metrics: Metrics,
}

fn no_request() -> Arc<Request> {
    // A handoff is never seen without its request: whoever reads one from a row joins it from its first record.
    Arc::new(Request::blank())
}

impl Handoff {
    /// Where it stands, in a word.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.phase {
            Phase::AwaitingApproval { .. } => Status::AwaitingApproval,
            Phase::Offered { .. } => Status::Offered,
            Phase::Deferred { .. } => Status::Deferred,
            Phase::Running { .. } => Status::Running,
            Phase::Closed { status } => *status,
        }
    }

    /// When something must happen to it; nothing only when it is closed.
    #[must_use]
    pub fn due(&self) -> Option<Timestamp> {
        match &self.phase {
            Phase::AwaitingApproval { until } | Phase::Offered { until, .. } | Phase::Deferred { until } => {
                Some(*until)
            }
            Phase::Running { lease_until, deadline, grace_until, .. } => {
                Some((*lease_until).min(grace_until.unwrap_or(*deadline)))
            }
            Phase::Closed { .. } => None,
        }
    }

    /// This time, or the one at which it must be over whatever happens, where that comes first.
    #[must_use]
    pub fn at_most(&self, time: Timestamp) -> Timestamp {
        self.hard_deadline.map_or(time, |deadline| deadline.min(time))
    }

    /// The lease of whoever works on it.
    #[must_use]
    pub fn lease(&self) -> Option<LeaseId> {
        match &self.phase {
            Phase::Running { lease, .. } => Some(*lease),
            Phase::AwaitingApproval { .. } | Phase::Offered { .. } | Phase::Deferred { .. } | Phase::Closed { .. } => {
                None
            }
        }
    }

    /// The task's id: its own, or the handoff's.
    #[must_use]
    pub fn task_id(&self) -> String {
        if self.request.task.id.is_empty() { self.id.to_string() } else { self.request.task.id.clone() }
    }
}
