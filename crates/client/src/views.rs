//! What a server is told and what it tells, as far as a client needs it. What a newer server adds is passed over.

use handover_core::{
    agent::Profile,
    command::{Giving, Open, Update},
    digest::Digest,
    handoff::{ContentType, Edit, Exchange, Kind, Outcome, Request, Return, ReturnStatus, Status},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    refusal::HandoffError,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session to be opened.
#[derive(Debug, Clone, Serialize)]
pub struct Opening {
    /// Its id; a new one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SessionId>,
    /// Its first owner.
    pub active_agent: AgentId,
    /// The person that is served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// What the user asked for.
    pub original_request: String,
    /// Anything else to keep.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
}

impl Opening {
    /// A session that this agent owns at first.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn by(agent: &str) -> Result<Self, HandoffError> {
        let Open { active_agent, user_id, original_request, metadata, .. } = Open::by(agent)?;
        Ok(Self { id: None, active_agent, user_id, original_request, metadata })
    }

    /// With this id.
    ///
    /// # Errors
    /// When the text is not a name.
    pub fn named(mut self, id: &str) -> Result<Self, HandoffError> {
        self.id = Some(SessionId::new(id)?);
        Ok(self)
    }

    /// What the user asked for.
    #[must_use]
    pub fn asking(mut self, request: &str) -> Self {
        request.clone_into(&mut self.original_request);
        self
    }
}

/// A session.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// How often it was written.
    pub version: u64,
    /// Its owner.
    pub active_agent: AgentId,
    /// What the user asked for.
    #[serde(default)]
    pub original_request: String,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it ended.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// Messages so far.
    pub messages: u64,
    /// Handoffs so far.
    pub handoffs: u64,
    /// Handoffs that are not closed.
    pub open_handoffs: Vec<HandoffId>,
}

/// A handoff.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Where it stands.
    pub status: Status,
    /// How the work moves.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Who handed over.
    pub from_agent: AgentId,
    /// Who has it or is asked to take it now.
    pub to_agent: AgentId,
    /// What was asked for.
    pub request: Request,
    /// 1, and one more for each retry.
    pub attempt: u32,
    /// What its agent asked, and what it was told.
    #[serde(default)]
    pub questions: Vec<Exchange>,
    /// How it ended.
    #[serde(default)]
    pub result: Option<Return>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Agent {
    /// What it says of itself.
    pub profile: Profile,
    /// Tasks it works on now.
    pub load: u32,
    /// Offers that wait for it.
    pub waiting: u32,
}

/// Who the caller is to the server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Me {
    /// Its name, as the record has it.
    pub name: String,
    /// Whose sessions it sees.
    pub tenant: String,
}

/// Work that was taken: all that whoever took it needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Assignment {
    /// The lease: every later step names it.
    pub lease: LeaseId,
    /// When the lease ends unless it is renewed.
    #[serde(default)]
    pub lease_until: Option<Timestamp>,
    /// The handoff.
    pub handoff: Handoff,
    /// What it should know, as text.
    pub brief: String,
    /// What is shown of the conversation.
    pub view: Value,
    /// The work as one document, as programs and services are given it.
    pub assignment: Value,
}

impl Assignment {
    /// The data of the task.
    #[must_use]
    pub fn payload(&self) -> &Value {
        &self.handoff.request.task.payload
    }

    /// What is to be done, in words.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.handoff.request.task.description
    }
}

/// Work that went well, and what came out as JSON.
#[must_use]
pub fn done(body: Value) -> Giving {
    let result = Outcome { content_type: ContentType::Json, body, score: None };
    Giving { status: ReturnStatus::Success, result, updates: Update::default(), notes: String::new(), signal: None }
}

/// Work that failed, and why.
#[must_use]
pub fn failed(why: impl Into<String>) -> Giving {
    let (result, updates) = (Outcome::default(), Update::default());
    Giving { status: ReturnStatus::Failed, result, updates, notes: why.into(), signal: None }
}

/// How work is claimed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Claiming {
    /// How long to wait for work, in milliseconds; 0 looks once. At most `CLAIM_WAIT_MS_MAX`.
    pub wait_ms: u64,
    /// How long the lease lasts, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease_ms: Option<u64>,
    /// The tools that the agent has; calls of others are told in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
}

/// A yes.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Approving {
    /// Who says so; the name of the key when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    pub comment: String,
    /// The digest of what they saw: refused when it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// What they change with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
}

/// A no.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Denying {
    /// Who says so; the name of the key when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why.
    pub comment: String,
    /// The digest of what they saw: refused when it has changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}
