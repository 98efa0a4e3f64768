//! Parts of events: why and among whom an offer went where it went, and the ends of chains.

use crate::{
    access::KeyId,
    budget::Amount,
    digest::Digest,
    handoff::ArmOf,
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    policy::Strategy,
    refusal::Code,
    session::LockType,
    time::Timestamp,
    workflow::End,
};
use serde::{Deserialize, Serialize};

/// Why an offer went to somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RerouteReason {
    /// The agent said no.
    Rejected,
    /// The agent did not answer in time.
    NotAcknowledged,
    /// The agent is at capacity, and somebody else has room.
    AtCapacity,
    /// The agent lost too many leases.
    LeasesLost,
    /// The agent failed too often of late.
    CircuitOpen,
    /// The agent is gone, away, or takes nothing any more.
    Unreachable,
    /// A person decided so.
    ByHand,
}

/// A person stepped in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ByHand {
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
}

/// An agent that was considered as a target, and how it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Candidate {
    /// Who.
    pub agent: AgentId,
    /// From 0 to 1.
    pub score: f64,
    /// Why not, where it was left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub excluded: String,
    /// How its score came about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// How somebody was found: by which strategy, among whom, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Routed {
    /// The strategy that chose.
    pub strategy: Strategy,
    /// What it went by: a capability, a list, or the text of the task.
    pub by: String,
    /// The best, if anybody can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Everybody considered, best first.
    pub candidates: Vec<Candidate>,
    /// The experiment that chose the strategy, and its arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experiment: Option<ArmOf>,
    /// Whom the other strategy of a shadow would have chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shadow: Option<AgentId>,
    /// What else there is to say, such as a strategy that could not be used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// Somebody was not let in, or asked for what is not theirs. Never what they showed or said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeniedAccess {
    /// The key, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<KeyId>,
    /// The tenant of the caller, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// What was asked for.
    pub what: String,
    /// Why not.
    pub why: Code,
    /// Denials since the last record of the same key that were not recorded.
    #[serde(default)]
    pub left_out: u64,
}

/// The end of one session's chain, as a checkpoint seals it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SealedHead {
    /// The session.
    pub session_id: SessionId,
    /// The number of its last record.
    pub seq: u64,
    /// That record's hash.
    pub hash: Digest,
}

/// Where the work went in a workflow, and why.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StateChange {
    /// The state before.
    pub from: String,
    /// The state from now on.
    pub to: String,
    /// The signal that the step before ended with; empty at the start.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signal: String,
    /// The rule that counted; nothing at the start and where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether the rule counts how often its way is gone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counted: bool,
    /// Whose step comes now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The handoff that is the step now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<HandoffId>,
    /// Whether the workflow is over, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
    /// Why it could not go on as its rules say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// The step at which it could not: a person may have it made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck_at: Option<HandoffId>,
}

/// How long a handoff waits now, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Extension {
    /// Which.
    pub id: HandoffId,
    /// Until when.
    pub until: Timestamp,
    /// Why.
    pub why: String,
}

/// When a handoff must be over now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeadlineMove {
    /// Which.
    pub id: HandoffId,
    /// When it must be over now, whatever happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_deadline: Option<Timestamp>,
    /// When its window is over now, or its work must be done.
    pub until: Timestamp,
    /// When the lease ends now, where its holder lives in the engine's own process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Timestamp>,
}

/// What the holder of a handoff asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Asking {
    /// Which.
    pub id: HandoffId,
    /// The lease that is given up.
    pub lease: LeaseId,
    /// What.
    pub question: String,
    /// When it must be answered.
    pub until: Timestamp,
    /// What its holder used, which is charged by this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Amount>,
}

/// The answer to what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answering {
    /// Which.
    pub id: HandoffId,
    /// Who answers.
    pub by: String,
    /// What.
    pub text: String,
}

/// A lock that was taken or renewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LockTaken {
    /// On what.
    pub path: String,
    /// By whom.
    pub by: AgentId,
    /// Whether others may hold it too.
    pub lock_type: LockType,
    /// Until when.
    pub until: Timestamp,
    /// The handoff whose end releases it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_id: Option<HandoffId>,
}
