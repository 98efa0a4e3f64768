//! A handoff as it is asked for.

use crate::{
    agent::Risk,
    budget::Budget,
    context::{Include, TransferMode},
    ids::{AgentId, HandoffId},
    limits,
    policy::Strategy,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How the work moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Constraints {
    /// What it may use: set aside before it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
    /// When it must be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
}

/// What crosses with the work besides the task.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Where it stands in a trace of the caller's, as W3C Trace Context writes it; by default where its parent stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Limits that travel with the work.
    #[serde(default)]
    pub constraints: Constraints,
}

/// A capability that the receiver should have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// How somebody is found, where nobody is named; as the house does it when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
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
    /// The rule of the workflow that asks for it; said by the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The handoff that came to nothing and is tried once more by this one; said by the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<HandoffId>,
}

impl Request {
    pub(super) fn blank() -> Self {
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
            strategy: None,
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
            rule: None,
            retry_of: None,
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

    /// Whether it says who else may take it.
    #[must_use]
    pub fn has_others(&self) -> bool {
        self.capability.is_some() || !self.candidates.is_empty()
    }

    /// The risk that the receiver must be allowed to take.
    #[must_use]
    pub fn risk(&self) -> Risk {
        self.audit.risk_level.max(self.validation.autonomy_budget.unwrap_or(Risk::Low))
    }
}
