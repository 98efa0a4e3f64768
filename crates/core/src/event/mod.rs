//! What happened. A decision is a list of these; the state of a session is what follows from all of them.

mod parts;
mod words;

pub use parts::{
    Answering, Asking, ByHand, Candidate, DeadlineMove, DeniedAccess, Extension, LockTaken, RerouteReason, Routed,
    SealedHead, StateChange,
};

use crate::{
    agent::{Profile, Risk, Standing},
    budget::Amount,
    context::Manifest,
    digest::Digest,
    guard::{breaker::Breaker, complexity::Complexity},
    handoff::{Aggregation, Approval, Edit, Handoff, Metrics, Request, Reservation, Return, ReturnStatus, Status},
    ids::{AgentId, ArtifactId, GroupId, HandoffId, LeaseId},
    message::Mark,
    policy::{Mode, SessionLimits},
    refusal::HandoffError,
    session::{Artifact, ArtifactStatus, Decision},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// A session began.
    SessionOpened {
        /// To whom it belongs.
        tenant: String,
        /// Its first owner.
        active_agent: AgentId,
        /// The person that is served.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_id: Option<String>,
        /// What the user asked for.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        original_request: String,
        /// Anything else.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        metadata: Value,
        /// How much it asks for, given or derived.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        complexity: Option<Complexity>,
        /// The workflow that it follows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workflow: Option<String>,
        /// The state in which it starts, where the workflow has rules.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
        /// Limits of its own.
        #[serde(default, skip_serializing_if = "SessionLimits::is_empty")]
        limits: SessionLimits,
        /// Whether work is handed over in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<Mode>,
    },
    /// How far a session may go was changed.
    LimitsChanged {
        /// By whom.
        by: String,
        /// Its own limits now.
        limits: SessionLimits,
    },
    /// A handoff could not be; the source carries on alone.
    FellBack {
        /// Who.
        by: AgentId,
        /// To whom it should have gone, where that was said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<AgentId>,
        /// Why not.
        error: HandoffError,
    },
    /// A session's workflow ended.
    SessionEnded {
        /// Who ended it.
        by: AgentId,
        /// Why.
        reason: String,
    },
    /// A session that had ended goes on: a person has the step made again at which its workflow stopped.
    SessionReopened(ByHand),
    /// Messages were appended; they are kept beside the records, and the mark's digest stands for them.
    MessagesAppended {
        /// How many.
        count: u64,
        /// The conversation after them.
        mark: Mark,
    },
    /// Variables were written.
    VariablesSet {
        /// By whom.
        by: AgentId,
        /// Their values and versions.
        set: BTreeMap<String, (Value, u64)>,
    },
    /// An artifact was kept.
    ArtifactKept {
        /// The artifact.
        artifact: Artifact,
    },
    /// The status of an artifact changed.
    ArtifactMarked {
        /// By whom.
        by: AgentId,
        /// Which.
        id: ArtifactId,
        /// To what.
        status: ArtifactStatus,
    },
    /// Something was decided.
    DecisionMade {
        /// What.
        decision: Decision,
    },
    /// A lock was taken or renewed.
    Locked(LockTaken),
    /// A lock was given back.
    Unlocked {
        /// On what.
        path: String,
        /// By whom.
        by: AgentId,
    },
    /// A turn used something that no handoff accounts for.
    Used {
        /// Who.
        by: AgentId,
        /// How much.
        metrics: Metrics,
    },
    /// A model was asked who takes a piece of work.
    ModelAsked {
        /// Whose work.
        by: AgentId,
        /// How much the model used.
        metrics: Metrics,
    },
    /// The workflow of the session moved.
    WorkflowMoved {
        /// To where.
        state: Value,
    },
    /// A step of the workflow ended, and this is where the work went; or its first step began.
    StateChanged(Box<StateChange>),
    /// Whoever works on a step moved the state.
    StateMoved {
        /// The step.
        id: HandoffId,
        /// From which state.
        from: String,
        /// To which.
        to: String,
    },
    /// The active agent completed its part.
    SegmentCompleted {
        /// Who.
        by: AgentId,
    },
    /// A handoff began: what was asked for, checked and routed.
    Initiated {
        /// What was asked for.
        request: Arc<Request>,
        /// As it begins.
        handoff: Box<Handoff>,
        /// How the target was found, where the engine chose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        routing: Option<Box<Routed>>,
        /// Who had the same work begun once more, and why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_hand: Option<Box<ByHand>>,
    },
    /// A broadcast began.
    GroupOpened {
        /// Its id.
        group: GroupId,
        /// Who waits for it.
        from_agent: AgentId,
        /// When it is decided.
        aggregation: Aggregation,
        /// Whether the source waits for a result.
        expects_return: bool,
        /// Its members.
        members: Vec<HandoffId>,
    },
    /// A member of a broadcast was escalated; its successor takes its place.
    GroupMoved {
        /// Its id.
        group: GroupId,
        /// Its members now.
        members: Vec<HandoffId>,
    },
    /// A broadcast is decided, and its source is told.
    GroupDecided {
        /// Its id.
        group: GroupId,
        /// To whom the result goes; nobody when no result was asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        returned_to: Option<AgentId>,
        /// How.
        status: ReturnStatus,
        /// The members that decided it: all successes, or the best one.
        winners: Vec<HandoffId>,
        /// All members, in the order of the request.
        #[serde(default)]
        members: Vec<HandoffId>,
    },
    /// A person is asked whether it may be offered.
    ApprovalRequested {
        /// Which.
        id: HandoffId,
        /// When it expires, or the next one is asked.
        until: Timestamp,
        /// What is to be approved, by whom.
        approval: Box<Approval>,
        /// What went wrong on the way to asking.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// It was changed while it waited for approval.
    Amended {
        /// Which.
        id: HandoffId,
        /// Who.
        by: String,
        /// All that was changed so far.
        edit: Box<Edit>,
        /// To whom it goes now.
        to: AgentId,
        /// The digest of what it is about now.
        content: Digest,
        /// The risk that may be taken on this chain now.
        authority: Risk,
        /// What is set aside for it now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reservation: Option<Box<Reservation>>,
        /// Whether it tries if its agent is well again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        probe: bool,
        /// What does not fit but is let pass.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// A person said no.
    Denied {
        /// Which.
        id: HandoffId,
        /// Who.
        by: String,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        comment: String,
    },
    /// A person said yes.
    Approved {
        /// Which.
        id: HandoffId,
        /// Who.
        by: String,
        /// Why.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        comment: String,
        /// When the offer counts as not acknowledged.
        until: Timestamp,
        /// Whether it tries if its agent is well again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        probe: bool,
    },
    /// It is offered again.
    Offered {
        /// Which.
        id: HandoffId,
        /// When the offer counts as not acknowledged.
        until: Timestamp,
        /// Whether it tries if its agent is well again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        probe: bool,
    },
    /// An agent took it.
    Accepted {
        /// Which.
        id: HandoffId,
        /// Who.
        by: AgentId,
        /// Its lease.
        lease: LeaseId,
        /// When the lease ends.
        lease_until: Timestamp,
        /// How long each renewal lasts, in milliseconds.
        lease_ms: u64,
        /// Whether the holder lives in the engine's own process.
        in_process: bool,
        /// When it must be done.
        deadline: Timestamp,
        /// When it expects to be done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimated_completion: Option<Timestamp>,
        /// What crossed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        manifest: Option<Arc<Manifest>>,
    },
    /// An agent said no.
    Rejected {
        /// Which.
        id: HandoffId,
        /// Who.
        by: AgentId,
        /// Why.
        reason: String,
    },
    /// An agent said later.
    Deferred {
        /// Which.
        id: HandoffId,
        /// Who.
        by: AgentId,
        /// When it is offered again.
        until: Timestamp,
        /// Why.
        reason: String,
    },
    /// Its holder asks something before it goes on, and gives up its lease until there is an answer.
    Asked(Asking),
    /// What its agent asked is answered.
    Answered(Answering),
    /// It is offered to somebody else.
    Rerouted {
        /// Which.
        id: HandoffId,
        /// From whom.
        from: AgentId,
        /// To whom.
        to: AgentId,
        /// Why.
        why: RerouteReason,
        /// Whether nobody else was left and a person is asked.
        #[serde(default)]
        to_human: bool,
        /// What is set aside with the new target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reservation: Option<Box<Reservation>>,
        /// Whether it tries if the new target is well again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        probe: bool,
        /// How the new target was found.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        routing: Option<Box<Routed>>,
        /// Who decided so, and why, where a person did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by_hand: Option<Box<ByHand>>,
        /// When the offer counts as not acknowledged.
        until: Timestamp,
    },
    /// A lease was renewed.
    Heartbeat {
        /// Which.
        id: HandoffId,
        /// When the lease ends now.
        lease_until: Timestamp,
    },
    /// A step of the work was recorded.
    StepRecorded {
        /// Which.
        id: HandoffId,
        /// The step.
        name: String,
        /// Its output.
        output: Value,
    },
    /// The deadline passed; the agent is reminded.
    Reminded {
        /// Which.
        id: HandoffId,
        /// When the timeout policy acts.
        grace_until: Timestamp,
    },
    /// Time ran out; it will be offered to the same agent again.
    Retried {
        /// Which.
        id: HandoffId,
        /// Which attempt comes now.
        attempt: u32,
        /// When.
        until: Timestamp,
        /// What the attempt before used, which is charged by this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Amount>,
    },
    /// The holder did not renew its lease, or its process is gone; it is offered again.
    LeaseLost {
        /// Which.
        id: HandoffId,
        /// The lease that is void now.
        lease: LeaseId,
        /// When the offer counts as not acknowledged.
        until: Timestamp,
        /// What its holder used, which is charged by this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Amount>,
    },
    /// A window was extended, because the engine slept or the agent is busy.
    Extended(Extension),
    /// The agent of a step of a workflow can take nothing now: the step waits, and is tried again.
    HeldUp(Extension),
    /// The time of the session was changed, and the deadline with it.
    DeadlineMoved(DeadlineMove),
    /// A handoff ended.
    Closed {
        /// Which.
        id: HandoffId,
        /// How.
        status: Status,
        /// What came out, for whoever asked.
        result: Arc<Return>,
        /// To whom the result goes; nobody when no result is waited for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        returned_to: Option<AgentId>,
        /// The handoff that goes on with it further up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        successor: Option<HandoffId>,
        /// Locks that its end released.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        released: Vec<String>,
        /// What its last attempt used, which is charged by this.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        used: Option<Amount>,
    },
    /// Work came to nothing, and a person is asked to look at it.
    HumanAsked {
        /// Which.
        id: HandoffId,
        /// Who.
        human: AgentId,
        /// Why.
        why: String,
    },
    /// Whoever waited for a result took it.
    ReturnTaken {
        /// The handoff or the group.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        of: Uuid,
        /// Who.
        by: AgentId,
    },
    /// An agent was registered, or its profile changed. In the book of the house.
    AgentRegistered {
        /// What it says of itself.
        profile: Arc<Profile>,
    },
    /// The standing of an agent changed. In the book of the house.
    AgentStanding {
        /// Who.
        agent: AgentId,
        /// To what.
        standing: Standing,
        /// Why.
        why: String,
    },
    /// The breaker of an agent opened, closed or was reset. In the book of the house.
    BreakerMoved {
        /// Who.
        agent: AgentId,
        /// How it stands now.
        breaker: Breaker,
        /// Why.
        why: String,
    },
    /// Somebody was not let in, or asked for what is not theirs. In the book of the house.
    AccessDenied(DeniedAccess),
    /// An agent was removed. In the book of the house.
    AgentRemoved {
        /// Who.
        agent: AgentId,
    },
    /// A checkpoint: the ends of the chains that were written since the last one. In the book of the house.
    Sealed {
        /// Every record up to this position is sealed.
        through: u64,
        /// The ends of the chains.
        heads: Vec<SealedHead>,
    },
    /// Records that were kept long enough were removed. In the book of the house.
    Pruned {
        /// The last removed record of each session.
        heads: Vec<SealedHead>,
        /// How many records.
        records: u64,
    },
}
