//! The words for what happened: in the audit trail, and on the bus.

use super::Event;
use crate::{handoff::Status, ids::HandoffId};

impl Event {
    /// The word for the audit trail. For a handoff: the event types of the protocol, and a few more.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::SessionOpened { .. } => "session_opened",
            Self::SessionEnded { .. } => "session_ended",
            Self::SessionReopened(_) => "session_reopened",
            Self::LimitsChanged { .. } => "limits_changed",
            Self::FellBack { .. } => "fell_back",
            Self::MessagesAppended { .. } => "messages_appended",
            Self::VariablesSet { .. } => "variables_set",
            Self::ArtifactKept { .. } => "artifact_kept",
            Self::ArtifactMarked { .. } => "artifact_marked",
            Self::DecisionMade { .. } => "decision_made",
            Self::Locked(_) => "locked",
            Self::Unlocked { .. } => "unlocked",
            Self::Used { .. } => "used",
            Self::ModelAsked { .. } => "model_asked",
            Self::WorkflowMoved { .. } => "workflow_moved",
            Self::StateChanged(_) => "state_changed",
            Self::StateMoved { .. } => "state_moved",
            Self::SegmentCompleted { .. } => "segment_completed",
            Self::Initiated { .. } => "initiated",
            Self::GroupOpened { .. } => "group_opened",
            Self::GroupMoved { .. } => "group_moved",
            Self::GroupDecided { .. } => "group_decided",
            Self::ApprovalRequested { .. } => "approval_requested",
            Self::Amended { .. } => "amended",
            Self::Denied { .. } => "denied",
            Self::Approved { .. } => "approved",
            Self::Offered { .. } => "offered",
            Self::Accepted { .. } => "accepted",
            Self::Rejected { .. } => "rejected",
            Self::Deferred { .. } => "deferred",
            Self::Asked(_) => "asked",
            Self::Answered(_) => "answered",
            Self::Rerouted { .. } => "rerouted",
            Self::Heartbeat { .. } => "heartbeat",
            Self::StepRecorded { .. } => "step_recorded",
            Self::Reminded { .. } => "reminded",
            Self::Retried { .. } => "retried",
            Self::LeaseLost { .. } => "lease_lost",
            Self::Extended(_) => "extended",
            Self::HeldUp(_) => "held_up",
            Self::DeadlineMoved(_) => "deadline_moved",
            Self::Closed { status, .. } => match status {
                Status::Completed => "completed",
                Status::Failed => "failed",
                Status::TimedOut => "timeout",
                Status::Escalated => "escalated",
                Status::Cancelled | Status::AwaitingApproval | Status::Offered | Status::Deferred | Status::Running => {
                    "cancelled"
                }
            },
            Self::HumanAsked { .. } => "human_asked",
            Self::ReturnTaken { .. } => "return_taken",
            Self::AgentRegistered { .. } => "agent_registered",
            Self::AgentStanding { .. } => "agent_standing",
            Self::BreakerMoved { .. } => "breaker_moved",
            Self::AccessDenied(_) => "access_denied",
            Self::AgentRemoved { .. } => "agent_removed",
            Self::Sealed { .. } => "sealed",
            Self::Pruned { .. } => "pruned",
        }
    }

    /// The handoff that it is about.
    #[must_use]
    pub fn handoff(&self) -> Option<HandoffId> {
        match self {
            Self::Initiated { handoff, .. } => Some(handoff.id),
            Self::ApprovalRequested { id, .. }
            | Self::Amended { id, .. }
            | Self::Denied { id, .. }
            | Self::Approved { id, .. }
            | Self::Offered { id, .. }
            | Self::Accepted { id, .. }
            | Self::Rejected { id, .. }
            | Self::Deferred { id, .. }
            | Self::Rerouted { id, .. }
            | Self::Heartbeat { id, .. }
            | Self::StepRecorded { id, .. }
            | Self::Reminded { id, .. }
            | Self::Retried { id, .. }
            | Self::LeaseLost { id, .. }
            | Self::HumanAsked { id, .. }
            | Self::StateMoved { id, .. }
            | Self::Closed { id, .. } => Some(*id),
            Self::Extended(extension) | Self::HeldUp(extension) => Some(extension.id),
            Self::DeadlineMoved(moved) => Some(moved.id),
            Self::Asked(asking) => Some(asking.id),
            Self::Answered(answering) => Some(answering.id),
            Self::StateChanged(change) => change.step,
            Self::SessionOpened { .. }
            | Self::SessionEnded { .. }
            | Self::SessionReopened(_)
            | Self::LimitsChanged { .. }
            | Self::FellBack { .. }
            | Self::MessagesAppended { .. }
            | Self::VariablesSet { .. }
            | Self::ArtifactKept { .. }
            | Self::ArtifactMarked { .. }
            | Self::DecisionMade { .. }
            | Self::Locked(_)
            | Self::Unlocked { .. }
            | Self::Used { .. }
            | Self::ModelAsked { .. }
            | Self::WorkflowMoved { .. }
            | Self::SegmentCompleted { .. }
            | Self::GroupOpened { .. }
            | Self::GroupMoved { .. }
            | Self::GroupDecided { .. }
            | Self::ReturnTaken { .. }
            | Self::AgentRegistered { .. }
            | Self::AgentStanding { .. }
            | Self::BreakerMoved { .. }
            | Self::AccessDenied(_)
            | Self::AgentRemoved { .. }
            | Self::Sealed { .. }
            | Self::Pruned { .. } => None,
        }
    }

    /// Its type on the bus.
    #[must_use]
    pub fn bus_type(&self) -> String {
        match self {
            Self::Initiated { .. } => "AGENT_HANDOFF".into(),
            Self::Accepted { .. } => "TASK_STARTED".into(),
            Self::Closed { status: Status::Completed, .. } => "TASK_COMPLETED".into(),
            Self::Closed { status: Status::Failed | Status::TimedOut, .. } => "TASK_FAILED".into(),
            other => other.word().to_uppercase(),
        }
    }
}
