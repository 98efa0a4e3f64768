//! One line of the audit trail: what happened, in the context of its moment, chained to the line before by its hash.

use crate::{
    agent::Risk,
    digest::Digest,
    event::Event,
    handoff::{Handoff, Kind, ReturnStatus, Status},
    ids::{AgentId, HandoffId, SessionId},
    session::Session,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

/// What the work looked like when it happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// The task.
    pub task_id: String,
    /// Where the task stood: `pending`, `in_progress`, `blocked`, `complete` or `failed`.
    pub task_status: String,
    /// SHA-256 of the serialized variables.
    pub context_variables_hash: Digest,
    /// How many artifacts the session had.
    pub artifact_count: usize,
}

/// A record of the audit trail. Its JSON text is what is stored, hashed and exported, to the letter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// The session.
    pub session_id: SessionId,
    /// To whom the session belongs.
    pub tenant: String,
    /// Its number in the session, from 1.
    pub seq: u64,
    /// The hash of the record before it; zeros for the first.
    pub prev: Digest,
    /// When.
    pub timestamp: Timestamp,
    /// What happened, in a word.
    pub event_type: String,
    /// Who asked for it.
    pub caller: String,
    /// The handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_id: Option<HandoffId>,
    /// Who hands over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_agent: Option<AgentId>,
    /// To whom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_agent: Option<AgentId>,
    /// How the work moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_type: Option<Kind>,
    /// Why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What the work looked like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_snapshot: Option<Snapshot>,
    /// Why the source decided so.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub decision_rationale: String,
    /// The risk of the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk_level: Option<Risk>,
    /// Milliseconds from initiation to resolution, at the end of a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Tokens that the work used, at the end of a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_consumed: Option<u64>,
    /// How it ended, at the end of a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ReturnStatus>,
    /// What happened, in full: enough to rebuild the session.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::EventBody"))]
    pub event: Event,
}

impl Record {
    /// The next record of a session, for an event that has just been applied to it. `about` is the handoff as it is now.
    #[must_use]
    pub fn of(session: &Session, caller: &str, at: Timestamp, event: Event, about: Option<&Handoff>) -> Self {
        let ending = match &event {
            Event::Closed { result, .. } => Some(result.clone()),
            _ => None,
        };
        Self {
            session_id: session.id.clone(),
            tenant: session.tenant.clone(),
            seq: session.head.seq + 1,
            prev: session.head.hash,
            timestamp: at,
            event_type: event.word().to_owned(),
            caller: caller.to_owned(),
            handoff_id: event.handoff(),
            from_agent: about.map(|h| h.request.from_agent.clone()),
            to_agent: about.map(|h| h.to_agent.clone()),
            handoff_type: about.map(|h| h.request.kind),
            reason: reason_of(&event, about),
            context_snapshot: about.map(|h| snapshot(session, h)),
            decision_rationale: about.map(|h| h.request.audit.decision_rationale.clone()).unwrap_or_default(),
            risk_level: about.map(|h| h.request.audit.risk_level),
            duration_ms: ending.as_ref().map(|r| r.metrics.duration_ms),
            tokens_consumed: ending.as_ref().map(|r| r.metrics.tokens),
            outcome: ending.map(|r| r.status),
            event,
        }
    }

    /// The text that is stored and hashed.
    #[must_use]
    pub fn text(&self) -> String {
        // A record has string keys only and no custom serializer that fails.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The hash of a record: SHA-256 over its text, which has the hash of the one before it inside.
#[must_use]
pub fn hash(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

fn reason_of(event: &Event, about: Option<&Handoff>) -> String {
    match event {
        Event::Rejected { reason, .. } | Event::Deferred { reason, .. } | Event::SessionEnded { reason, .. } => {
            reason.clone()
        }
        Event::SessionReopened(by_hand) => by_hand.reason.clone(),
        Event::Initiated { by_hand: Some(by_hand), .. } | Event::Rerouted { by_hand: Some(by_hand), .. } => {
            by_hand.reason.clone()
        }
        Event::Asked(asking) => asking.question.clone(),
        Event::Extended(extension) | Event::HeldUp(extension) => extension.why.clone(),
        Event::AgentStanding { why, .. } | Event::HumanAsked { why, .. } => why.clone(),
        Event::Approved { comment, .. } | Event::Denied { comment, .. } => comment.clone(),
        Event::Closed { result, .. } if !result.notes.is_empty() => result.notes.clone(),
        _ => about.map(|h| h.request.reason.clone()).unwrap_or_default(),
    }
}

fn snapshot(session: &Session, handoff: &Handoff) -> Snapshot {
    Snapshot {
        task_id: handoff.task_id(),
        task_status: task_status(handoff.status()).to_owned(),
        context_variables_hash: session.variables_digest,
        artifact_count: session.artifacts.len(),
    }
}

/// The status of a task, by the status of the handoff that carries it.
#[must_use]
pub fn task_status(status: Status) -> &'static str {
    match status {
        Status::AwaitingApproval | Status::Escalated => "blocked",
        Status::Offered | Status::Deferred => "pending",
        Status::Running => "in_progress",
        Status::Completed => "complete",
        Status::Failed | Status::TimedOut | Status::Cancelled => "failed",
    }
}
