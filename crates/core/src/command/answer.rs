//! Which handoff a command is about, and the answer to it.

use super::Command;
use crate::{
    ids::{ArtifactId, GroupId, HandoffId, LeaseId, SessionId},
    refusal::HandoffError,
};
use serde::{Deserialize, Serialize};

impl Command {
    /// The handoff that it is about.
    #[must_use]
    pub fn handoff(&self) -> Option<HandoffId> {
        match self {
            Self::Approve { handoff, .. }
            | Self::Deny { handoff, .. }
            | Self::Amend { handoff, .. }
            | Self::Reconsider { handoff }
            | Self::Accept { handoff, .. }
            | Self::Reject { handoff, .. }
            | Self::Defer { handoff, .. }
            | Self::Heartbeat { handoff, .. }
            | Self::Record { handoff, .. }
            | Self::Decline { handoff, .. }
            | Self::Ask { handoff, .. }
            | Self::Answer { handoff, .. }
            | Self::MoveState { handoff, .. }
            | Self::Return { handoff, .. }
            | Self::Escalate { handoff, .. }
            | Self::Cancel { handoff, .. }
            | Self::Redirect { handoff, .. }
            | Self::Retry { handoff, .. }
            | Self::Tick { handoff }
            | Self::Reclaim { handoff } => Some(*handoff),
            Self::Open(_)
            | Self::Say { .. }
            | Self::Set { .. }
            | Self::SetLimits { .. }
            | Self::ChargePick { .. }
            | Self::Keep { .. }
            | Self::MarkArtifact { .. }
            | Self::Decide { .. }
            | Self::Lock { .. }
            | Self::Unlock { .. }
            | Self::CompleteSegment { .. }
            | Self::End { .. }
            | Self::Initiate(_)
            | Self::Turn { .. }
            | Self::Take { .. } => None,
        }
    }

    /// Whether it moves work on: from one agent to another, or to its end.
    #[must_use]
    pub fn moves_work(&self) -> bool {
        match self {
            Self::Initiate(_)
            | Self::Turn { .. }
            | Self::CompleteSegment { .. }
            | Self::Approve { .. }
            | Self::Deny { .. }
            | Self::Amend { .. }
            | Self::Accept { .. }
            | Self::Reject { .. }
            | Self::Decline { .. }
            | Self::Ask { .. }
            | Self::Answer { .. }
            | Self::Defer { .. }
            | Self::MoveState { .. }
            | Self::Return { .. }
            | Self::Escalate { .. }
            | Self::Cancel { .. }
            | Self::Redirect { .. }
            | Self::Retry { .. } => true,
            Self::Open(_)
            | Self::Say { .. }
            | Self::Set { .. }
            | Self::SetLimits { .. }
            | Self::ChargePick { .. }
            | Self::Keep { .. }
            | Self::MarkArtifact { .. }
            | Self::Decide { .. }
            | Self::Lock { .. }
            | Self::Unlock { .. }
            | Self::End { .. }
            | Self::Heartbeat { .. }
            | Self::Record { .. }
            | Self::Reconsider { .. }
            | Self::Take { .. }
            | Self::Tick { .. }
            | Self::Reclaim { .. } => false,
        }
    }
}

/// The answer to a command: the names of what it made. The same key gives the same answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// The session.
    pub session_id: SessionId,
    /// Its version after the command.
    pub version: u64,
    /// The handoffs that it made, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<HandoffId>,
    /// The group of a broadcast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// The lease of an acceptance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease: Option<LeaseId>,
    /// The artifact that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactId>,
    /// What did not fit but was let pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Why nothing was handed over and the source carries on alone, in a session that falls back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<HandoffError>,
}

impl Answer {
    /// An answer that names nothing new yet.
    pub(crate) fn of(session_id: SessionId, version: u64) -> Self {
        Self {
            session_id,
            version,
            handoffs: Vec::new(),
            group: None,
            lease: None,
            artifact: None,
            warnings: Vec::new(),
            fallback: None,
        }
    }
}
