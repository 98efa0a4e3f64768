//! A session at a glance: what a list shows of it, without all that belongs to it.

use crate::{
    handoff::{Handoff, Status},
    ids::{AgentId, SessionId},
    session::{Failed, Session},
    time::Timestamp,
    workflow::Flow,
};
use serde::{Deserialize, de::IgnoredAny};
use std::collections::BTreeSet;

/// A session as a list shows it. It is read from the text of a session, and its open handoffs are added.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Glance {
    /// Its id.
    pub id: SessionId,
    /// To whom it belongs.
    pub tenant: String,
    /// Its owner.
    pub active_agent: AgentId,
    /// What the user asked for.
    #[serde(default)]
    pub original_request: String,
    /// The workflow that it follows, by name.
    #[serde(default)]
    pub workflow: Option<String>,
    /// Where it stands in its workflow.
    #[serde(default)]
    pub flow: Option<Flow>,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When something last happened.
    pub last_at: Timestamp,
    /// When its workflow ended.
    #[serde(default)]
    pub ended_at: Option<Timestamp>,
    /// What came to nothing last, and nobody has taken up since.
    #[serde(default)]
    pub failed: Option<Failed>,
    /// How its open handoffs stand. Those that stand alike are one.
    #[serde(skip)]
    pub open: BTreeSet<Stands>,
}

/// How an open handoff stands, and between whom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stands {
    /// Its status.
    pub status: Status,
    /// Who handed over.
    pub from_agent: AgentId,
    /// To whom.
    pub to_agent: AgentId,
    /// Whether its agent asked something that nobody has answered.
    pub asks: bool,
}

impl Stands {
    /// How this one stands.
    #[must_use]
    pub fn of(handoff: &Handoff) -> Self {
        Self {
            status: handoff.status(),
            from_agent: handoff.request.from_agent.clone(),
            to_agent: handoff.to_agent.clone(),
            asks: handoff.status() == Status::Deferred && handoff.open_question().is_some(),
        }
    }
}

/// Whether the text of a handoff has a question that nobody has answered; no text has none.
///
/// # Errors
/// When it is not the text of a handoff.
pub fn asks(text: &str) -> serde_json::Result<bool> {
    #[derive(Deserialize)]
    struct Asking {
        #[serde(default)]
        questions: Vec<Asked>,
    }
    #[derive(Deserialize)]
    struct Asked {
        #[serde(default)]
        answer: Option<IgnoredAny>,
    }
    if text.is_empty() {
        return Ok(false);
    }
    let asking: Asking = serde_json::from_str(text)?;
    Ok(asking.questions.last().is_some_and(|last| last.answer.is_none()))
}

impl Glance {
    /// What failed, where nothing else goes on: the session stands still because of it.
    #[must_use]
    pub fn stands_failed(&self) -> Option<&Failed> {
        self.failed.as_ref().filter(|_| self.open.is_empty() && self.ended_at.is_none())
    }

    /// What a list shows of this session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        Self {
            id: session.id.clone(),
            tenant: session.tenant.clone(),
            active_agent: session.active_agent.clone(),
            original_request: session.original_request.clone(),
            workflow: session.workflow.clone(),
            flow: session.flow.clone(),
            opened_at: session.opened_at,
            last_at: session.last_at,
            ended_at: session.ended_at,
            failed: session.failed.clone(),
            open: session.open.values().map(|handoff| Stands::of(handoff)).collect(),
        }
    }
}
