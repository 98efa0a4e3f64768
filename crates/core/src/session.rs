//! A session: one conversation or request from start to end, and all that belongs to it.

use crate::{
    agent::Risk,
    digest::Digest,
    guard::{complexity::Complexity, watch::Watch},
    handoff::{Aggregation, Handoff, Kind, Metrics, Request, ReturnStatus},
    ids::{AgentId, ArtifactId, GroupId, HandoffId, SessionId},
    limits::PARTIES_MAX,
    message::Mark,
    policy::{Mode, SessionLimits},
    time::Timestamp,
    workflow::Flow,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// A named value that everybody in the session reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Variable {
    /// The value.
    pub value: Value,
    /// 1 for the first write, one more for each further one.
    pub version: u64,
    /// Who wrote it last.
    pub by: AgentId,
    /// When.
    pub at: Timestamp,
}

/// What an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ArtifactType {
    /// Any file.
    File,
    /// Source code.
    Code,
    /// Something to read.
    Document,
    /// What a test said.
    TestResult,
    /// What a reviewer said.
    ReviewComment,
}

/// How finished an artifact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ArtifactStatus {
    /// In the making.
    #[default]
    Draft,
    /// Done.
    Final,
    /// Replaced by another.
    Superseded,
}

/// Something that the work produced. The reference travels, the content does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Artifact {
    /// Its id.
    pub id: ArtifactId,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ArtifactType,
    /// Where it is: a path or a URI.
    pub path: String,
    /// Who made it.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
    /// What it is, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How finished it is.
    pub status: ArtifactStatus,
}

/// Something that was decided, so that nobody decides it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    /// Its id.
    pub decision_id: String,
    /// What was decided.
    pub description: String,
    /// By whom.
    pub made_by: AgentId,
    /// When.
    pub timestamp: Timestamp,
    /// The risk that was taken.
    pub risk_level: Risk,
    /// The escalation that has to decide it instead, where the risk was above the agent's autonomy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalated_to: Option<HandoffId>,
}

/// Whether others may hold the lock too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LockType {
    /// Nobody else.
    Exclusive,
    /// Others that share.
    Shared,
}

/// A claim on a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Lock {
    /// Who holds it.
    pub owner: AgentId,
    /// Whether others may hold it too.
    pub lock_type: LockType,
    /// When it ends unless it is renewed.
    pub until: Timestamp,
    /// The handoff whose end releases it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff_id: Option<HandoffId>,
}

/// How a member of a broadcast ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemberEnd {
    /// How.
    pub status: ReturnStatus,
    /// How good, by its own judgement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// A broadcast that is not over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Group {
    /// Who waits for it.
    pub from_agent: AgentId,
    /// When it is decided.
    pub aggregation: Aggregation,
    /// Whether the source waits for a result.
    pub expects_return: bool,
    /// Whether it is decided; the rest of its members is being wound up.
    #[serde(default)]
    pub decided: bool,
    /// Its members, in the order of the request, and how they ended.
    pub members: Vec<(HandoffId, Option<MemberEnd>)>,
}

/// Work that came to nothing, and nobody has taken up since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failed {
    /// The handoff.
    pub handoff_id: HandoffId,
    /// When.
    pub at: Timestamp,
    /// The person who is asked to look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human: Option<AgentId>,
}

/// How a session came to its active agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trail {
    /// The last sequential handoff that was accepted.
    pub handoff_id: HandoffId,
    /// The agents of the chain, from the first to the active one.
    pub path: Vec<AgentId>,
    /// The risk that may be taken on this chain.
    #[serde(default = "full_authority")]
    pub authority: Risk,
    /// Where whoever took it stands in a trace that came from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

fn full_authority() -> Risk {
    Risk::High
}

/// The end of the chain of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Head {
    /// The number of the last record, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

/// A session. What grows with use is kept apart and shared until it changes, so that a decision costs little.
///
/// One with a field that is not known here was written by a newer version, and is left alone: whoever wrote it without that
/// field would lose it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// How often it was written.
    pub version: u64,
    /// To whom it belongs.
    pub tenant: String,
    /// The person that is served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What the user asked for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub original_request: String,
    /// Its owner: exactly one at any time.
    pub active_agent: AgentId,
    /// Who owns it again when the escalation that the active agent decides is over; nothing when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lent_by: Option<AgentId>,
    /// How the active agent came to own the session: the sequential handoff, and the path that led here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trail: Option<Trail>,
    /// Everybody who takes part or took part: owners, sources, targets, whoever was asked. Nothing in a session that began
    /// before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parties: Option<Arc<BTreeSet<AgentId>>>,
    /// Whether the active agent has completed its part.
    #[serde(default)]
    pub segment_complete: bool,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When something last happened.
    pub last_at: Timestamp,
    /// When its workflow ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// Anything else that the opener wanted kept.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
    /// Where the workflow stands.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub workflow_state: Value,
    /// How much its request asks for, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub complexity: Option<Complexity>,
    /// The workflow that it follows, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Where it stands in its workflow, where that has rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Limits of its own.
    #[serde(default, skip_serializing_if = "SessionLimits::is_empty")]
    pub limits: SessionLimits,
    /// Whether work is handed over in it, where it differs from the house.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// What its guards remember.
    #[serde(default)]
    pub watch: Watch,
    /// The conversation so far.
    pub mark: Mark,
    /// Handoffs so far.
    pub handoffs: u64,
    /// What all of it used.
    #[serde(default)]
    pub metrics: Metrics,
    /// The end of the chain of records.
    pub head: Head,
    /// SHA-256 of the variables.
    pub variables_digest: Digest,
    /// What came to nothing last, until somebody takes it up: something else is handed over or completed, the user says
    /// something, or the session is over. Nothing in a session that was last written before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
    /// Broadcasts that are not over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<GroupId, Group>,

    /// Handoffs that are not closed.
    #[serde(skip)]
    pub open: BTreeMap<HandoffId, Arc<Handoff>>,
    /// Variables by name.
    #[serde(skip)]
    pub variables: Arc<BTreeMap<String, Variable>>,
    /// Artifacts by id.
    #[serde(skip)]
    pub artifacts: Arc<BTreeMap<ArtifactId, Artifact>>,
    /// Locks by path.
    #[serde(skip)]
    pub locks: Arc<BTreeMap<String, Vec<Lock>>>,
    /// Decisions in order.
    #[serde(skip)]
    pub decisions: Arc<Vec<Decision>>,
}

impl Session {
    /// The handoff that this agent works on in this session. With several, the latest.
    #[must_use]
    pub fn held_by(&self, agent: &AgentId) -> Option<&Arc<Handoff>> {
        let held = |h: &&Arc<Handoff>| h.to_agent == *agent && h.lease().is_some();
        self.open.values().filter(held).max_by_key(|h| h.n)
    }

    /// Whether this agent takes part or took part.
    #[must_use]
    pub fn takes_part(&self, agent: &AgentId) -> bool {
        let noted = self.parties.as_ref().map_or_else(
            || self.watch.agents.contains(agent) || self.lent_by.as_ref() == Some(agent),
            |parties| parties.contains(agent),
        );
        let works = |open: &Arc<Handoff>| open.request.from_agent == *agent || open.to_agent == *agent;
        noted || self.active_agent == *agent || self.serves(agent) || self.open.values().any(works)
    }

    /// Notes that somebody takes part.
    pub(crate) fn note_party(&mut self, agent: &AgentId) {
        if let Some(parties) = &mut self.parties
            && parties.len() < PARTIES_MAX
            && !parties.contains(agent)
        {
            Arc::make_mut(parties).insert(agent.clone());
        }
    }

    /// Whether this is the person whom the session serves.
    #[must_use]
    pub fn serves(&self, agent: &AgentId) -> bool {
        self.user_id.as_deref() == Some(agent.as_str())
    }

    /// Whether this is a question of the person whom the session serves to whoever has it now. The answer comes back
    /// to the person, and the session stays where it is.
    #[must_use]
    pub fn is_asked_by_user(&self, request: &Request) -> bool {
        self.serves(&request.from_agent)
            && request.kind == Kind::Delegation
            && request.to_agent.as_ref() == Some(&self.active_agent)
    }

    /// The open handoff whose return this agent waits for before it goes on.
    #[must_use]
    pub fn blocked_on(&self, agent: &AgentId) -> Option<&Arc<Handoff>> {
        let waits = |h: &Handoff| h.request.blocking && h.request.expects_return();
        self.open.values().find(|h| waits(h) && h.request.from_agent == *agent)
    }

    /// Whether a handoff is the present step of its workflow.
    #[must_use]
    pub fn is_step(&self, id: HandoffId) -> bool {
        self.flow.as_ref().is_some_and(|flow| flow.step == Some(id))
    }

    /// Who owns the session when no escalation is being decided.
    #[must_use]
    pub fn lasting_owner(&self) -> &AgentId {
        self.lent_by.as_ref().unwrap_or(&self.active_agent)
    }

    /// The locks on a path that are still valid.
    pub fn valid_locks(&self, path: &str, now: Timestamp) -> impl Iterator<Item = &Lock> {
        self.locks.get(path).into_iter().flatten().filter(move |lock| lock.until > now)
    }
}
