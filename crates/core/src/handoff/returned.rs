//! What an agent answers to an offer, and what it gives back.

use crate::{
    ids::{AgentId, ArtifactId, HandoffId},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What an agent said when it was offered the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What the work changed in the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ContextUpdates {
    /// Variables that were written, with their values.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub variables_changed: Map<String, Value>,
    /// Artifacts that were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts_produced: Vec<ArtifactId>,
}

/// How a handoff ended, for whoever waits for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// What it changed in the session with its end.
    #[serde(default)]
    pub context_updates: ContextUpdates,
    /// When.
    pub completion_time: Timestamp,
    /// What it used.
    #[serde(default)]
    pub metrics: Metrics,
    /// Anything to add: the reason of a failure, the notes of the receiver.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// How a step of a workflow ended, in the words of its rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}
