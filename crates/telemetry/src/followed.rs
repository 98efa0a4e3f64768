//! What is remembered of a handoff while it goes on: enough for its spans and its metrics, and nothing that anybody said.

use handover_core::{
    handoff::{Kind, Priority, Trigger},
    ids::{AgentId, LeaseId, SessionId},
    time::Timestamp,
    trace::{SpanId, TraceId},
};

/// A handoff that goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// To whom its session belongs.
    pub tenant: String,
    /// The session.
    pub session: SessionId,
    /// Who hands over.
    pub from: AgentId,
    /// Who has it or is asked to take it.
    pub to: AgentId,
    /// How the work moves.
    pub kind: Kind,
    /// Why it moves.
    pub trigger: Trigger,
    /// How urgent it is.
    pub priority: Priority,
    /// Its trace.
    pub trace: TraceId,
    /// The span that it is a part of.
    pub parent: Option<SpanId>,
    /// Whether whoever began the trace wants it kept.
    pub sampled: bool,
    /// When it was initiated.
    pub opened_at: Timestamp,
    /// When it was first accepted.
    pub accepted_at: Option<Timestamp>,
    /// The work on it that goes on.
    pub invocation: Option<Invocation>,
    /// When the lease of that work was lost, where nothing has happened to the handoff since.
    pub lost_at: Option<Timestamp>,
    /// The spans of the work on it, so far.
    pub invocations: Vec<SpanId>,
    /// How often it was taken.
    pub taken: u64,
}

/// An agent's work on a handoff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// Its span.
    pub span: SpanId,
    /// Its lease.
    pub lease: LeaseId,
    /// Who works.
    pub by: AgentId,
    /// Whether it lives in the process of the engine.
    pub in_process: bool,
    /// Since when.
    pub since: Timestamp,
    /// When its last step ended, or it began.
    pub last: Timestamp,
}
