//! One transfer of a task from one agent to another: as it is asked for, and as it lives.

mod moved;
mod phase;
mod question;
mod request;
mod returned;
mod used;

pub use phase::{Phase, Status};
pub use question::{Exchange, Given};
pub use request::{
    Aggregation, Broadcast, Constraints, Context, Kind, OnTimeout, Priority, Rationale, Request, RequiredCapability,
    ReturnProtocol, Rung, Send, Task, Transfer, Trigger, Validation,
};
pub use returned::{Acceptance, AcceptanceStatus, ContentType, ContextUpdates, Metrics, Outcome, Return, ReturnStatus};

use crate::{
    agent::Risk,
    budget::{Amount, Share},
    context::Manifest,
    digest::Digest,
    ids::{AgentId, GroupId, HandoffId, LeaseId, SessionId},
    ledger::Account,
    limits,
    message::Mark,
    policy::{Approver, OnExpiry},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What one level of an escalation thought before it went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What was set aside for a handoff before it began.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reservation {
    /// How much of each kind; what is left out is not limited.
    pub share: Share,
    /// The handoff of whose share it is a part; nothing when it stands on its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<HandoffId>,
    /// The account of the tenant that it stands in, where that has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<Account>,
    /// The account of the agent that it stands in, where that has a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Account>,
}

/// Attempts that ended without a return: their lease was lost, or their time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Earlier {
    /// What they used. It was charged when they ended.
    #[serde(default, skip_serializing_if = "Amount::is_nothing")]
    pub used: Amount,
    /// Working time of work below it before the attempt that runs now, in milliseconds.
    #[serde(default)]
    pub below_ms: u64,
}

/// A person's approval: asked for, or given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Approval {
    /// The rule that asks for it; empty where the request itself does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rule: String,
    /// The digest of what is to be approved: target, content and rule.
    pub digest: Digest,
    /// Who is asked now; anybody but the source when nobody is named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver: Option<String>,
    /// Who was asked before and may still answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    /// Who is asked next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rest: Vec<Approver>,
    /// What happens when nobody decided in time.
    #[serde(default)]
    pub on_expiry: OnExpiry,
    /// How long whoever is asked now has, in milliseconds.
    #[serde(default)]
    pub within_ms: u64,
    /// Who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<Timestamp>,
}

/// What was changed in a request while it waited for approval.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// To whom it goes instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_agent: Option<AgentId>,
    /// What is to be done instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::Text>"))]
    pub description: Option<String>,
    /// With which data instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<serde_json::Value>,
    /// How urgent it is instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
}

impl Edit {
    /// Whether it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This request, as it was changed.
    pub fn change(&self, request: &mut Request) {
        if let Some(to) = &self.to_agent {
            request.to_agent = Some(to.clone());
        }
        if let Some(description) = &self.description {
            request.task.description.clone_from(description);
        }
        if let Some(payload) = &self.payload {
            request.task.payload.clone_from(payload);
        }
        if let Some(priority) = self.priority {
            request.task.priority = priority;
        }
    }

    /// This one, and where it says nothing, what was changed before.
    #[must_use]
    pub fn over(self, before: Option<&Self>) -> Self {
        let before = before.cloned().unwrap_or_default();
        Self {
            to_agent: self.to_agent.or(before.to_agent),
            description: self.description.or(before.description),
            payload: self.payload.or(before.payload),
            priority: self.priority.or(before.priority),
        }
    }
}

/// The arm of an experiment that a handoff was routed by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArmOf {
    /// The experiment.
    pub experiment: String,
    /// The arm: `a`, `b`, or `agreed` and `differed` of a shadow.
    pub arm: String,
}

/// A handoff as it lives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The digest of what it is about: the task, and the context in which it was handed over.
    #[serde(default)]
    pub content: Digest,
    /// The risk that may be taken on this chain: never more than its source could.
    #[serde(default = "full_authority")]
    pub authority: Risk,
    /// What was set aside for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reservation: Option<Reservation>,
    /// What the work below it used that is over.
    #[serde(default, skip_serializing_if = "Amount::is_nothing")]
    pub spent_below: Amount,
    /// The attempts before the one that runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// The approval that it waits for or was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// What was changed while it waited for approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// The experiment that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<ArmOf>,
    /// Whether it tries if its agent is well again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub probe: bool,
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
    /// Times it waited because its agent could take nothing.
    #[serde(default, skip_serializing_if = "is_none")]
    pub held_up: u32,
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
    /// What its agent asked, and what it was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Exchange>,
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

fn full_authority() -> Risk {
    Risk::High
}

fn is_none(times: &u32) -> bool {
    *times == 0
}

fn no_request() -> Arc<Request> {
    // A handoff is never seen without its request: whoever reads one from a row joins it from its first record.
    Arc::new(Request::blank())
}

impl Handoff {
    /// Joins the request that it was initiated with, as it was changed since.
    #[must_use]
    pub fn with_request(mut self, request: Arc<Request>) -> Self {
        self.request = request;
        if let Some(edit) = &self.edit {
            edit.change(Arc::make_mut(&mut self.request));
        }
        self
    }

    /// Keeps what did not fit but was let pass: each once, at most so many.
    pub fn warn(&mut self, warnings: &[String]) {
        for warning in warnings {
            if self.warnings.len() < limits::WARNINGS_MAX && !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
    }

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

    /// To whom it is on offer now.
    #[must_use]
    pub fn offered_to(&self) -> Option<&AgentId> {
        matches!(self.phase, Phase::Offered { .. }).then_some(&self.to_agent)
    }

    /// What of its share is not used by work below it that is over.
    #[must_use]
    pub fn outstanding(&self) -> Amount {
        let share = self.reservation.as_ref().map(|held| held.share.amount()).unwrap_or_default();
        share.minus(self.spent_below)
    }

    /// The handoff of whose share its own is a part.
    #[must_use]
    pub fn within(&self) -> Option<HandoffId> {
        self.reservation.as_ref().and_then(|held| held.within)
    }

    /// The task's id: its own, or the handoff's.
    #[must_use]
    pub fn task_id(&self) -> String {
        if self.request.task.id.is_empty() { self.id.to_string() } else { self.request.task.id.clone() }
    }
}
