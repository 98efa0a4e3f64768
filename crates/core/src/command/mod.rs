//! What can be asked of the engine. Nothing else changes a session or a handoff.

mod answer;
mod goto;

pub use crate::access::Caller;
pub use answer::Answer;
pub use goto::Goto;

use crate::{
    agent::Risk,
    budget::Usage,
    context::Manifest,
    digest::Digest,
    guard::complexity::Complexity,
    handoff::{Edit, Metrics, Outcome, Request, ReturnStatus},
    ids::{AgentId, ArtifactId, HandoffId, LeaseId},
    message::{Message, NewMessage},
    policy::{Mode, SessionLimits},
    route::PickUsed,
    session::{ArtifactStatus, ArtifactType, LockType},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use uuid::Uuid;

/// A message that was cleaned and counted; the session gives it its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Prepared {
    /// What is said, after cleaning.
    pub said: NewMessage,
    /// Its tokens.
    pub tokens: u64,
    /// What was taken out.
    pub redacted: BTreeMap<String, u64>,
}

impl Prepared {
    /// Cleans and counts a message.
    #[must_use]
    pub fn from_new(message: NewMessage) -> Self {
        let (said, redacted) = crate::context::sanitize::clean(message);
        let tokens = crate::context::tokens::of_message(&said);
        Self { said, tokens, redacted }
    }

    pub(crate) fn numbered(self, n: u64, at: Timestamp) -> Message {
        Message { n, at, said: self.said, tokens: self.tokens, redacted: self.redacted }
    }
}

/// Opens a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Open {
    /// Its first owner.
    pub active_agent: AgentId,
    /// The person that is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What the user asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub original_request: String,
    /// Anything else to keep.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// How much it asks for; left out, it is derived where the policy says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// The workflow that it follows, by name: its limits are in the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Limits of its own, before those of the workflow, the class and the house.
    #[serde(default, skip_serializing_if = "SessionLimits::is_empty")]
    pub limits: SessionLimits,
    /// Whether work is handed over in it; as in the house when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
}

/// A write of a variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// Its name. `agent/name` is in the scope of that agent; a name without a slash is shared.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::VariableName"))]
    pub name: String,
    /// Its value.
    pub value: Value,
    /// The version it must have now: 0 for none. Left out, the write does not care.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_version: Option<u64>,
}

/// An artifact to be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewArtifact {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ArtifactType,
    /// Where it is: a path or a URI.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::Text"))]
    pub path: String,
    /// What it is, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::FreeText"))]
    pub description: String,
    /// How finished it is.
    #[serde(default)]
    pub status: ArtifactStatus,
}

/// What a turn or a return changes in the session, in one step with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Update {
    /// Variables to set.
    #[serde(default, alias = "variables_changed", skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Artifacts to keep.
    #[serde(default, alias = "artifacts_produced", skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<NewArtifact>,
    /// Where the workflow stands.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub workflow_state: Value,
    /// What was used.
    #[serde(default)]
    pub metrics: Metrics,
    /// What models reported; tokens and cost are added up from it where `metrics` leaves them at 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<Usage>,
}

/// The command object: what an agent's turn may end in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Turn {
    /// Where the work goes.
    pub goto: Goto,
    /// What changes in the session, in the same step.
    #[serde(default)]
    pub update: Update,
}

/// What an agent gives back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Giving {
    /// How it ended.
    pub status: ReturnStatus,
    /// What came out.
    #[serde(default)]
    pub result: Outcome,
    /// What changes in the session, in the same step.
    #[serde(default)]
    pub updates: Update,
    /// Anything to add.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
    /// How a step of a workflow ended, in the words of its rules, such as `ANALYZING_COMPLETE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
}

/// Everything that can be asked of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Opens the session.
    Open(Open),
    /// Appends to the conversation.
    Say {
        /// The messages.
        messages: Vec<Prepared>,
        /// Only if the conversation has this many messages now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
    },
    /// Writes variables, all or none.
    Set {
        /// Who writes.
        by: AgentId,
        /// What.
        writes: Vec<Write>,
    },
    /// Keeps an artifact.
    Keep {
        /// Who made it.
        by: AgentId,
        /// The artifact.
        artifact: NewArtifact,
    },
    /// Changes the status of an artifact.
    MarkArtifact {
        /// Who does.
        by: AgentId,
        /// Which.
        id: ArtifactId,
        /// To what.
        status: ArtifactStatus,
    },
    /// Records a decision; above the agent's autonomy it becomes an escalation.
    Decide {
        /// Who decides.
        by: AgentId,
        /// What.
        description: String,
        /// At which risk.
        risk: Risk,
    },
    /// Takes or renews a lock.
    Lock {
        /// Who.
        by: AgentId,
        /// On what.
        path: String,
        /// Whether others may hold it too.
        lock_type: LockType,
        /// For how long, in milliseconds.
        lease_ms: u64,
    },
    /// Gives a lock back.
    Unlock {
        /// Who.
        by: AgentId,
        /// On what.
        path: String,
    },
    /// Marks the active agent's part as complete.
    CompleteSegment {
        /// Who.
        by: AgentId,
    },
    /// Ends the session.
    End {
        /// Who.
        by: AgentId,
        /// Why.
        reason: String,
    },
    /// Initiates a handoff, or a broadcast.
    Initiate(Box<Request>),
    /// Ends a turn of an agent that works on no handoff: the first owner.
    Turn {
        /// Who.
        by: AgentId,
        /// What follows.
        turn: Box<Turn>,
    },
    /// Approves a handoff.
    Approve {
        /// Which.
        handoff: HandoffId,
        /// Who approves.
        by: String,
        /// Why.
        comment: String,
        /// The digest of what they saw; another one by now is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
        /// What they change with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edit: Option<Edit>,
    },
    /// Changes a handoff that waits for approval. What was seen before is void.
    Amend {
        /// Which.
        handoff: HandoffId,
        /// Who.
        by: String,
        /// What.
        edit: Edit,
        /// The digest of what they saw; another one by now is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
    },
    /// Changes how far the session may go. For whoever runs the house.
    SetLimits {
        /// Who.
        by: String,
        /// The limits of its own from now on.
        limits: SessionLimits,
    },
    /// An agent's breaker opened: what waits for it goes to somebody else. Said by the engine.
    Reconsider {
        /// Which.
        handoff: HandoffId,
    },
    /// Charges what a model used that was asked about a request which came to nothing. Only the engine says so.
    ChargePick {
        /// Whose request.
        by: AgentId,
        /// What the model used.
        used: PickUsed,
    },
    /// Denies a handoff.
    Deny {
        /// Which.
        handoff: HandoffId,
        /// Who denies.
        by: String,
        /// Why.
        comment: String,
        /// The digest of what they saw; another one by now is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<Digest>,
    },
    /// Takes an offered handoff.
    Accept {
        /// Which.
        handoff: HandoffId,
        /// Who.
        by: AgentId,
        /// How long a lease lasts, in milliseconds.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lease_ms: Option<u64>,
        /// Whether the holder lives in the engine's own process.
        #[serde(default)]
        in_process: bool,
        /// When it expects to be done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        estimated_completion: Option<Timestamp>,
        /// What it is shown; made by the engine.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        manifest: Option<Manifest>,
    },
    /// Will not take an offered handoff.
    Reject {
        /// Which.
        handoff: HandoffId,
        /// Who.
        by: AgentId,
        /// Why.
        reason: String,
    },
    /// Will take an offered handoff later.
    Defer {
        /// Which.
        handoff: HandoffId,
        /// Who.
        by: AgentId,
        /// How much later, in milliseconds.
        for_ms: u64,
        /// Why.
        reason: String,
    },
    /// Keeps a lease alive.
    Heartbeat {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
    },
    /// Says no to a piece of work after a look at it: it goes to the next, as if it had been rejected at once.
    Decline {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// Why.
        reason: String,
    },
    /// Asks something before the work goes on, and gives the lease up until it is answered.
    Ask {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// What.
        question: String,
    },
    /// Answers what was asked: the work is offered to its agent again.
    Answer {
        /// Which.
        handoff: HandoffId,
        /// Who answers.
        by: String,
        /// What.
        text: String,
    },
    /// Records the output of a step of the work, once.
    Record {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// The step's name.
        name: String,
        /// Its output.
        output: Value,
        /// What is said in the conversation together with it.
        messages: Vec<Prepared>,
    },
    /// Moves the state of a workflow, by whoever works on its present step.
    MoveState {
        /// The step.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// To which state.
        state: String,
    },
    /// Gives the result back, and says where the work goes next.
    Return {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// The result.
        giving: Box<Giving>,
        /// Where the work goes next, in the same step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        then: Option<Box<Goto>>,
    },
    /// Hands an escalation or any other work further up.
    Escalate {
        /// Which.
        handoff: HandoffId,
        /// The lease.
        lease: LeaseId,
        /// What this level thinks.
        assessment: String,
    },
    /// Takes a handoff back.
    Cancel {
        /// Which.
        handoff: HandoffId,
        /// Who: an agent, or a person who runs the work.
        by: String,
        /// Why.
        reason: String,
    },
    /// Takes an open handoff from whoever has it and offers it to somebody else. For whoever runs the work.
    Redirect {
        /// Which.
        handoff: HandoffId,
        /// Who decides so.
        by: String,
        /// To whom it goes; to whoever has it now means: once more.
        to: AgentId,
        /// Why.
        reason: String,
    },
    /// Asks for the same work once more: what waits is offered at once, what came to nothing is begun anew. For whoever
    /// runs the work.
    Retry {
        /// Which.
        handoff: HandoffId,
        /// Who decides so.
        by: String,
        /// Why.
        reason: String,
    },
    /// Takes the return of a handoff or a broadcast out of the inbox of whoever waited for it. Once.
    Take {
        /// The handoff or the group.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        of: Uuid,
        /// Who waited for it.
        by: AgentId,
    },
    /// Time has passed; said by the engine's timer. Decides to nothing when nothing is due.
    Tick {
        /// Which.
        handoff: HandoffId,
    },
    /// The process that held the lease is gone; said by the engine when it starts.
    Reclaim {
        /// Which.
        handoff: HandoffId,
    },
}
