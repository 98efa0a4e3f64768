//! One transfer of a task from one agent to another: as it is asked for, and as it lives.

use crate::{
    agent::Risk,
    context::{Include, Manifest, TransferMode},
    ids::{AgentId, GroupId, HandoffId, LeaseId, SessionId},
    limits,
    message::Mark,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// How the work moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A → B: B owns the session from its acceptance on.
    Sequential,
    /// A → B → A: the result comes back.
    Delegation,
    /// A → B, C, D: one member of a group.
    Broadcast,
    /// Up the ladder, until somebody decides.
    Escalation,
}

/// Why the work moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// The source has finished its part.
    TaskCompletion,
    /// The source lacks a capability.
    CapabilityMismatch,
    /// A risk above what the source may decide.
    Escalation,
    /// Time ran out.
    Timeout,
    /// Somebody asked for it.
    #[default]
    ExplicitRequest,
    /// Something happened outside.
    Event,
}

/// How urgent a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before everything else.
    #[serde(alias = "critical")]
    Urgent,
    /// Before the usual.
    High,
    /// The usual.
    #[default]
    Normal,
    /// When there is time.
    Low,
}

impl Priority {
    /// The level in the queue: lower goes first.
    #[must_use]
    pub fn level(self) -> u8 {
        match self {
            Self::Urgent => 1,
            Self::High => 2,
            Self::Normal => 5,
            Self::Low => 10,
        }
    }
}

/// The piece of work that a handoff carries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its id, chosen by whoever made it; the handoff's own id when left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What sort of work it is.
    #[serde(rename = "type", default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What is to be done.
    pub description: String,
    /// Its data.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub payload: Value,
    /// How urgent it is.
    #[serde(default)]
    pub priority: Priority,
}

/// Which part of the conversation the receiver is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// All, a summary, or what bears on the task; by default what suits the type of handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<TransferMode>,
    /// At most so many messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_messages: Option<usize>,
    /// Which classes of messages.
    #[serde(default)]
    pub include: Include,
}

/// Limits that travel with the work.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraints {
    /// What it may cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// When it must be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// What crosses with the work besides the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Context {
    /// Which part of the conversation.
    #[serde(default)]
    pub transfer: Transfer,
    /// Variables to set in the session together with the handoff.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables: Map<String, Value>,
    /// Ids or paths of artifacts that matter for the task.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// What has been done so far.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub completed_work: Value,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// The person that is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The caller's own id for tracing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Limits that travel with the work.
    #[serde(default)]
    pub constraints: Constraints,
}

/// A capability that the receiver should have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RequiredCapability {
    /// Its name.
    pub capability_id: String,
    /// How well, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_proficiency: Option<f64>,
}

/// What is checked of the receiver.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validation {
    /// What it should be able to do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_capabilities: Vec<RequiredCapability>,
    /// The risk that the receiver must be allowed to take, when it is above the task's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autonomy_budget: Option<Risk>,
}

/// What to do when time runs out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTimeout {
    /// Offer it to the same agent again.
    Retry,
    /// Hand it up the chain.
    Escalate,
    /// Close it and tell the source.
    #[default]
    Fail,
}

/// How the result comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReturnProtocol {
    /// Whether the source waits for a result; by default what suits the type of handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<bool>,
    /// How long it may take from its acceptance, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What to do then.
    #[serde(default)]
    pub on_timeout: OnTimeout,
}

/// Why the source decided so.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rationale {
    /// In words; mandatory for an escalation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision_rationale: String,
    /// The risk of the task.
    #[serde(default)]
    pub risk_level: Risk,
}

/// One step of an escalation ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// Who decides here.
    pub agent: AgentId,
    /// How long it has before the next rung is asked, in milliseconds.
    #[serde(default = "rung_ms")]
    pub timeout_ms: u64,
}

fn rung_ms() -> u64 {
    limits::RUNG_MS
}

/// When a broadcast is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    /// Everybody must succeed.
    #[default]
    All,
    /// The first success decides; the rest is cancelled.
    Any,
    /// More than half must succeed.
    Majority,
    /// So many must succeed.
    Quorum(u32),
    /// Everybody is heard; the success with the highest score wins.
    BestOf,
}

/// One target of a broadcast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// To whom.
    pub to_agent: AgentId,
    /// Its own task; the request's task when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Task>,
}

/// To whom a broadcast goes, and when it is decided.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Broadcast {
    /// The targets.
    pub targets: Vec<Send>,
    /// When it is decided.
    #[serde(default)]
    pub aggregation: Aggregation,
}

/// A handoff as it is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The same key with the same content gives the first answer; with other content it is a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// The caller's trace (`traceparent` or any id).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The handoff that this one belongs to; by default the one that the source works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<HandoffId>,
    /// Who hands over.
    pub from_agent: AgentId,
    /// To whom; left out, the engine finds somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_agent: Option<AgentId>,
    /// A capability to find somebody by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Who else may take it, in order of preference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<AgentId>,
    /// How the work moves.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Why the work moves.
    #[serde(default)]
    pub trigger: Trigger,
    /// Why, in words.
    pub reason: String,
    /// What the user is after.
    pub user_intent: String,
    /// What the user asked for, as they said it.
    pub original_request: String,
    /// The work.
    pub task: Task,
    /// What crosses with it.
    #[serde(default)]
    pub context: Context,
    /// What is checked of the receiver.
    #[serde(default)]
    pub validation: Validation,
    /// How the result comes back.
    #[serde(default)]
    pub return_protocol: ReturnProtocol,
    /// Why the source decided so.
    #[serde(default)]
    pub audit: Rationale,
    /// Delegation: whether the source waits instead of going on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blocking: bool,
    /// Sequential: marks the source's part as complete in the same step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub completes_segment: bool,
    /// Broadcast: the targets and the contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broadcast: Option<Broadcast>,
    /// Escalation: who decides, in order; by default the chain of `escalates_to`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<Rung>,
    /// Asks for a person's approval before the handoff is offered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_approval: bool,
}

/// Where a handoff stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A person has to say yes.
    AwaitingApproval,
    /// Somebody is asked to take it.
    Offered,
    /// It will be offered again later: the agent put it off, or a retry waits.
    Deferred,
    /// Somebody works on it.
    Running,
    /// Done, wholly or in part.
    Completed,
    /// Tried, and failed.
    Failed,
    /// Time ran out.
    TimedOut,
    /// It went up the chain as a new handoff.
    Escalated,
    /// Denied, expired, taken back or no longer needed.
    Cancelled,
}

impl Status {
    /// All of them, in the order of the lifecycle.
    pub const ALL: [Self; 9] = [
        Self::AwaitingApproval,
        Self::Offered,
        Self::Deferred,
        Self::Running,
        Self::Completed,
        Self::Failed,
        Self::TimedOut,
        Self::Escalated,
        Self::Cancelled,
    ];

    /// Its word, as it is stored and shown.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::AwaitingApproval => "awaiting_approval",
            Self::Offered => "offered",
            Self::Deferred => "deferred",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Escalated => "escalated",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more can happen to it.
    #[must_use]
    pub fn is_closed(self) -> bool {
        match self {
            Self::AwaitingApproval | Self::Offered | Self::Deferred | Self::Running => false,
            Self::Completed | Self::Failed | Self::TimedOut | Self::Escalated | Self::Cancelled => true,
        }
    }
}

/// Where a handoff stands, with what matters there. Every open phase has a time at which something must happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// A person has to say yes before `until`.
    AwaitingApproval {
        /// When it expires.
        until: Timestamp,
    },
    /// `to_agent` is asked to take it before `until`.
    Offered {
        /// Since when.
        since: Timestamp,
        /// When it counts as not acknowledged.
        until: Timestamp,
    },
    /// It will be offered again at `until`.
    Deferred {
        /// When.
        until: Timestamp,
    },
    /// Somebody works on it.
    Running {
        /// The lease that fences its writes.
        lease: LeaseId,
        /// When the lease ends unless it is renewed.
        lease_until: Timestamp,
        /// How long each renewal lasts, in milliseconds.
        lease_ms: u64,
        /// Whether the holder lives in the engine's own process and dies with it.
        in_process: bool,
        /// When it must be done.
        deadline: Timestamp,
        /// After the reminder: when the timeout policy acts.
        grace_until: Option<Timestamp>,
    },
    /// Nothing more can happen to it.
    Closed {
        /// How it ended.
        status: Status,
    },
}

/// What an agent said when it was offered the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Accepted, rejected or deferred.
    pub status: AcceptanceStatus,
    /// Why, where it is not accepted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When it expects to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_completion: Option<Timestamp>,
    /// When it answered.
    pub acknowledged_at: Timestamp,
    /// Who answered.
    pub by: AgentId,
}

/// The three answers to an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AcceptanceStatus {
    /// It works on it.
    Accepted,
    /// It will not.
    Rejected,
    /// Not now.
    Deferred,
}

/// How the work ended, in the words of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnStatus {
    /// Done.
    Success,
    /// Done in part.
    Partial,
    /// Not done.
    Failed,
    /// Time ran out; said by the engine alone.
    Timeout,
}

/// What the body of a result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    /// Words.
    Text,
    /// Data.
    #[default]
    Json,
    /// The id or path of an artifact.
    ArtifactRef,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// What the body is.
    #[serde(default)]
    pub content_type: ContentType,
    /// The result itself.
    #[serde(default)]
    pub body: Value,
    /// How good it is by the receiver's own judgement; decides a `best_of`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// What the work used.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metrics {
    /// Tokens.
    #[serde(default)]
    pub tokens: u64,
    /// Money.
    #[serde(default)]
    pub cost: f64,
    /// Turns of the loop.
    #[serde(default)]
    pub iterations: u64,
    /// Milliseconds from initiation to the end; kept by the engine.
    #[serde(default)]
    pub duration_ms: u64,
}

/// How a handoff ended, for whoever waits for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Return {
    /// The handoff that the source asked for, or the group of a broadcast.
    pub handoff_id: HandoffId,
    /// Who did the work, or last had it.
    pub from_agent: AgentId,
    /// To whom the result goes.
    pub to_agent: AgentId,
    /// How it ended.
    pub status: ReturnStatus,
    /// What came out.
    #[serde(default)]
    pub result: Outcome,
    /// When.
    pub completion_time: Timestamp,
    /// What it used.
    #[serde(default)]
    pub metrics: Metrics,
    /// Anything to add: the reason of a failure, the notes of the receiver.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

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
    #[serde(flatten)]
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

impl Request {
    fn blank() -> Self {
        let nobody = AgentId::new("nobody");
        #[expect(clippy::expect_used, reason = "the text is a constant that is a valid name")]
        let from_agent = nobody.expect("a valid name");
        Self::new(Kind::Sequential, from_agent, String::new())
    }

    /// A request with this kind, source and task description, and everything else at its default.
    #[must_use]
    pub fn new(kind: Kind, from_agent: AgentId, description: impl Into<String>) -> Self {
        let description = description.into();
        Self {
            idempotency_key: None,
            trace_id: None,
            parent_id: None,
            from_agent,
            to_agent: None,
            capability: None,
            candidates: Vec::new(),
            kind,
            trigger: match kind {
                Kind::Sequential => Trigger::TaskCompletion,
                Kind::Escalation => Trigger::Escalation,
                Kind::Delegation | Kind::Broadcast => Trigger::ExplicitRequest,
            },
            reason: description.clone(),
            user_intent: description.clone(),
            original_request: description.clone(),
            task: Task {
                id: String::new(),
                kind: String::new(),
                description,
                payload: Value::Null,
                priority: Priority::Normal,
            },
            context: Context::default(),
            validation: Validation::default(),
            return_protocol: ReturnProtocol::default(),
            audit: Rationale::default(),
            blocking: false,
            completes_segment: false,
            broadcast: None,
            ladder: Vec::new(),
            needs_approval: false,
        }
    }

    /// Whether the source waits for a result.
    #[must_use]
    pub fn expects_return(&self) -> bool {
        match self.kind {
            Kind::Sequential => false,
            Kind::Delegation | Kind::Escalation => true,
            Kind::Broadcast => self.return_protocol.expected.unwrap_or(true),
        }
    }

    /// The mode of transfer: as asked for, or what suits the type.
    #[must_use]
    pub fn transfer_mode(&self) -> TransferMode {
        self.context.transfer.mode.unwrap_or(match self.kind {
            Kind::Sequential => TransferMode::RelevantOnly,
            Kind::Delegation | Kind::Broadcast => TransferMode::Summary,
            Kind::Escalation => TransferMode::Full,
        })
    }

    /// The risk that the receiver must be allowed to take.
    #[must_use]
    pub fn risk(&self) -> Risk {
        self.audit.risk_level.max(self.validation.autonomy_budget.unwrap_or(Risk::Low))
    }
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
