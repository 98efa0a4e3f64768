//! What is shown of things: their public side, without what only the engine needs.

use handover_core::{
    agent::{Agent, Profile, Standing},
    context::View,
    handoff::{Approval, Exchange, Handoff, Kind, Metrics, Request, Return, Status},
    ids::{AgentId, GroupId, HandoffId, LeaseId, SessionId},
    policy::{Mode, SessionLimits},
    session::{Artifact, Decision, Lock, Session, Variable},
    time::Timestamp,
    workflow::Flow,
};
use handover_engine::{Assignment, BreakerView, GroupReturn};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// A handoff.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Handoff")]
pub struct HandoffView {
    /// Its id.
    pub id: HandoffId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Its number in the session, from 1.
    pub n: u64,
    /// Where it stands.
    pub status: Status,
    /// When something must happen to it; nothing when it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// How the work moves.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Who handed over.
    pub from_agent: AgentId,
    /// Who has it or is asked to take it now.
    pub to_agent: AgentId,
    /// What was asked for.
    pub request: Arc<Request>,
    /// The handoff that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<HandoffId>,
    /// The broadcast that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broadcast_group_id: Option<GroupId>,
    /// The agents of the chain, from the first to this one.
    pub path: Vec<AgentId>,
    /// 1, and one more for each retry.
    pub attempt: u32,
    /// Who was asked before and will not be asked again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<AgentId>,
    /// The approval that it waits for or was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// When it was initiated.
    pub opened_at: Timestamp,
    /// When it was last accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted_at: Option<Timestamp>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<Timestamp>,
    /// When it must be over, whatever happens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hard_deadline: Option<Timestamp>,
    /// What its agent asked, and what it was told.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Exchange>,
    /// What did not fit but was let pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Arc<Return>>,
    /// What it used.
    pub metrics: Metrics,
}

impl HandoffView {
    /// Without the lease: that is for its holder alone.
    pub(crate) fn of(handoff: &Handoff) -> Self {
        Self {
            id: handoff.id,
            session_id: handoff.session_id.clone(),
            n: handoff.n,
            status: handoff.status(),
            due_at: handoff.due(),
            kind: handoff.request.kind,
            from_agent: handoff.request.from_agent.clone(),
            to_agent: handoff.to_agent.clone(),
            request: handoff.request.clone(),
            parent_id: handoff.parent_id,
            broadcast_group_id: handoff.broadcast_group_id,
            path: handoff.path.clone(),
            attempt: handoff.attempt,
            tried: handoff.tried.clone(),
            approval: handoff.approval.clone(),
            opened_at: handoff.opened_at,
            accepted_at: handoff.accepted_at,
            closed_at: handoff.closed_at,
            hard_deadline: handoff.hard_deadline,
            questions: handoff.questions.clone(),
            warnings: handoff.warnings.clone(),
            result: handoff.result.clone(),
            metrics: handoff.metrics,
        }
    }
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
pub struct SessionView {
    /// Its id.
    pub id: SessionId,
    /// How often it was written.
    pub version: u64,
    /// To whom it belongs.
    pub tenant: String,
    /// The person that is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What the user asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub original_request: String,
    /// Its owner.
    pub active_agent: AgentId,
    /// Whether the owner has completed its part.
    pub segment_complete: bool,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When something last happened.
    pub last_at: Timestamp,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Anything else that the opener wanted kept.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// The workflow that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Where it stands in its workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// What agents said of where the workflow stands.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub workflow_state: Value,
    /// Limits of its own.
    pub limits: SessionLimits,
    /// Whether work is handed over in it, where it differs from the house.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Messages so far.
    pub messages: u64,
    /// Handoffs so far.
    pub handoffs: u64,
    /// Handoffs that are not closed.
    pub open_handoffs: Vec<HandoffId>,
    /// What all of it used.
    pub metrics: Metrics,
    /// Decisions, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
}

impl SessionView {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            id: session.id.clone(),
            version: session.version,
            tenant: session.tenant.clone(),
            user_id: session.user_id.clone(),
            original_request: session.original_request.clone(),
            active_agent: session.active_agent.clone(),
            segment_complete: session.segment_complete,
            opened_at: session.opened_at,
            last_at: session.last_at,
            ended_at: session.ended_at,
            metadata: session.metadata.clone(),
            workflow: session.workflow.clone(),
            flow: session.flow.clone(),
            workflow_state: session.workflow_state.clone(),
            limits: session.limits,
            mode: session.mode,
            messages: session.mark.messages,
            handoffs: session.handoffs,
            open_handoffs: session.open.keys().copied().collect(),
            metrics: session.metrics,
            decisions: session.decisions.to_vec(),
        }
    }
}

/// An agent.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Agent")]
pub struct AgentView {
    /// What it says of itself.
    pub profile: Arc<Profile>,
    /// Whether it can be reached.
    pub standing: Standing,
    /// Tasks it works on now.
    pub load: u32,
    /// Offers that wait for it.
    pub waiting: u32,
    /// Whether work passes to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<BreakerView>,
}

impl AgentView {
    pub(crate) fn of(agent: Agent, breaker: Option<BreakerView>) -> Self {
        Self { profile: agent.profile, standing: agent.standing, load: agent.load, waiting: agent.waiting, breaker }
    }
}

/// Work that was taken: all that whoever took it needs.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Assignment")]
pub struct AssignmentView {
    /// The lease: every later step names it.
    pub lease: LeaseId,
    /// When the lease ends unless it is renewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Timestamp>,
    /// The handoff.
    pub handoff: HandoffView,
    /// What it should know, as text.
    pub brief: String,
    /// What is shown of the conversation.
    pub view: View,
    /// The work as one document, as programs and services are given it.
    pub assignment: Value,
}

impl AssignmentView {
    pub(crate) fn of(taken: Assignment, session: &Session) -> Self {
        let brief = taken.brief();
        let assignment = handover_agents::assignment::document(&taken.handoff, session, &brief, &Value::Null);
        let lease_until = match &taken.handoff.phase {
            handover_core::handoff::Phase::Running { lease_until, .. } => Some(*lease_until),
            _ => None,
        };
        let handoff = HandoffView::of(&taken.handoff);
        Self { lease: taken.lease, lease_until, handoff, brief, view: taken.view, assignment }
    }
}

/// How a broadcast was decided.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Broadcasted")]
pub struct GroupView {
    /// The group.
    pub group: GroupId,
    /// How it ended.
    pub status: handover_core::handoff::ReturnStatus,
    /// The results that decided it, in the order of the request.
    pub winners: Vec<Return>,
    /// How the others ended.
    pub others: Vec<Return>,
}

impl From<GroupReturn> for GroupView {
    fn from(found: GroupReturn) -> Self {
        Self { group: found.group, status: found.status, winners: found.winners, others: found.others }
    }
}

/// The variables of a session.
pub type Variables = BTreeMap<String, Variable>;

/// The locks of a session, by path.
pub type Locks = BTreeMap<String, Vec<Lock>>;

/// A page of something. `next` is the cursor of the page after it; nothing on the last one.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// What was found.
    pub items: Vec<T>,
    /// The cursor of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// All artifacts of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Artifacts {
    /// In the order of their ids.
    pub items: Vec<Artifact>,
}
