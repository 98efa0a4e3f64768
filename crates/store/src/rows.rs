//! What a commit writes, as rows. Made from a decision, outside the writer, so that the writer does nothing but write.

use crate::shared::Place;
use handover_core::{
    agent::{Profile, Standing},
    budget::Amount,
    decide::Decided,
    digest::Digest,
    event::Event,
    handoff::{Handoff, Kind, Phase, ReturnStatus, Status},
    ids::{AgentId, HandoffId, SessionId},
    ledger::{Account, Posting},
    message::Message,
    session::Session,
    time::Timestamp,
};
use serde::Serialize;
use std::sync::Arc;
use uuid::Uuid;

/// A session, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// To whom it belongs.
    pub tenant: String,
    /// Its version before; 0 for a new one.
    pub expected_version: u64,
    /// Its version after.
    pub version: u64,
    /// The number of its last record.
    pub head_seq: u64,
    /// That record's hash.
    pub head_hash: Digest,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When its workflow ended.
    pub ended_at: Option<Timestamp>,
    /// Where it stands in its workflow, where it came into another state by this.
    pub flow: Option<FlowRow>,
    /// All else, as JSON.
    pub state: String,
}

/// Where a session stands in its workflow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRow {
    /// The workflow.
    pub workflow: String,
    /// The state.
    pub state: String,
}

impl FlowRow {
    fn of(session: &Session) -> Option<Self> {
        let (workflow, flow) = session.workflow.as_ref().zip(session.flow.as_ref())?;
        Some(Self { workflow: workflow.clone(), state: flow.state.clone() })
    }
}

/// A record, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordRow {
    /// Its number in the session.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Its event type.
    pub event_type: &'static str,
    /// The handoff.
    pub handoff: Option<HandoffId>,
    /// Its text.
    pub text: String,
    /// Its hash.
    pub hash: Digest,
}

/// A handoff, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffRow {
    /// Its id.
    pub id: HandoffId,
    /// Its number in the session.
    pub n: u64,
    /// The record that initiated it, where this commit does: the row is new.
    pub initiated_seq: Option<u64>,
    /// The record that closed it, where this commit does.
    pub closed_seq: Option<u64>,
    /// Who hands over.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// How the work moves.
    pub kind: Kind,
    /// Where it stands.
    pub status: Status,
    /// Its level in the queue.
    pub level: u8,
    /// Its task.
    pub task_id: String,
    /// Since when it has been on offer, where it is.
    pub offered_since: Option<Timestamp>,
    /// Whether its holder lives in the engine's own process.
    pub in_process: bool,
    /// When something is due; nothing only when it is closed.
    pub due_at: Option<Timestamp>,
    /// When it was initiated.
    pub opened_at: Timestamp,
    /// When it ended.
    pub closed_at: Option<Timestamp>,
    /// All else, as JSON.
    pub state: String,
}

/// A kept part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A variable, by name.
    Variable,
    /// An artifact, by id.
    Artifact,
    /// The locks on a path.
    Lock,
    /// A decision, by number.
    Decision,
}

impl ItemKind {
    /// The number that stands for it in a row.
    #[must_use]
    pub fn number(self) -> i64 {
        match self {
            Self::Variable => 1,
            Self::Artifact => 2,
            Self::Lock => 3,
            Self::Decision => 4,
        }
    }
}

/// A part of a session that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its key.
    pub key: String,
    /// Its JSON; nothing when it is gone.
    pub body: Option<String>,
}

/// A message, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    /// Its number in the session.
    pub n: u64,
    /// When.
    pub at: Timestamp,
    /// Its tokens.
    pub tokens: u64,
    /// All of it, as JSON.
    pub body: String,
}

/// The answer to a request, by its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The key.
    pub key: String,
    /// The digest of what was asked.
    pub digest: Digest,
    /// The answer, as JSON.
    pub answer: String,
}

/// A return that waits for whoever asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnRow {
    /// The handoff or the group.
    pub of: Uuid,
    /// Who waits for it.
    pub to: AgentId,
    /// How it ended.
    pub status: ReturnStatus,
    /// The record that has the result.
    pub seq: u64,
    /// Whether this commit takes it instead of making it.
    pub taken: bool,
}

/// A return that was not taken yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReturn {
    /// The handoff or the group.
    pub of: Uuid,
    /// Who waits for it.
    pub to: AgentId,
    /// The session.
    pub session: SessionId,
    /// The number of the record that has the result.
    pub seq: u64,
}

/// An agent, as a row.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRow {
    /// Its id.
    pub id: AgentId,
    /// Its profile and standing; nothing when it is removed.
    pub entry: Option<(Arc<Profile>, Standing)>,
}

/// What an account has set aside, told twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    /// The account.
    pub account: Account,
    /// As the ledger says.
    pub counted: Amount,
    /// As the handoffs that are open say, added up.
    pub held: Amount,
}

/// Everything that one command changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// The session.
    pub session: SessionRow,
    /// What happened.
    pub records: Vec<RecordRow>,
    /// Handoffs that are new or changed.
    pub handoffs: Vec<HandoffRow>,
    /// Other parts of the session that changed.
    pub items: Vec<Item>,
    /// New messages.
    pub messages: Vec<MessageRow>,
    /// Returns made or taken.
    pub returns: Vec<ReturnRow>,
    /// The answer, where the request had a key.
    pub key: Option<KeyRow>,
    /// Agents that are new or changed.
    pub agents: Vec<AgentRow>,
    /// What changes in the ledger.
    pub postings: Vec<Posting>,
    /// The place that an acceptance takes.
    pub place: Option<Place>,
}

impl Commit {
    /// The rows of a decision.
    #[must_use]
    pub fn of(before: Option<&Session>, decided: &Decided, key: Option<KeyRow>, agents: Vec<AgentRow>) -> Self {
        let session = &decided.session;
        Self {
            session: SessionRow {
                id: session.id.clone(),
                tenant: session.tenant.clone(),
                expected_version: before.map_or(0, |before| before.version),
                version: session.version,
                head_seq: session.head.seq,
                head_hash: session.head.hash,
                opened_at: session.opened_at,
                ended_at: session.ended_at,
                flow: FlowRow::of(session).filter(|now| before.and_then(FlowRow::of).as_ref() != Some(now)),
                state: json(session),
            },
            records: decided.written.iter().map(record_row).collect(),
            handoffs: decided.touched.handoffs.values().map(|handoff| handoff_row(handoff, decided)).collect(),
            items: items(decided),
            messages: decided.messages.iter().map(message_row).collect(),
            returns: decided.written.iter().filter_map(return_row).collect(),
            key,
            agents,
            postings: decided.postings.clone(),
            place: None,
        }
    }

    /// Roughly how many bytes it writes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.session.state.len()
            + self.records.iter().map(|row| row.text.len() + 64).sum::<usize>()
            + self.handoffs.iter().map(|row| row.state.len() + 128).sum::<usize>()
            + self.messages.iter().map(|row| row.body.len() + 32).sum::<usize>()
            + self.items.iter().map(|row| row.body.as_ref().map_or(0, String::len) + 32).sum::<usize>()
    }
}

fn json(value: &impl Serialize) -> String {
    // The types of the core have string keys only and no serializer that fails.
    serde_json::to_string(value).unwrap_or_default()
}

fn record_row(written: &handover_core::decide::Written) -> RecordRow {
    let record = &written.record;
    RecordRow {
        seq: record.seq,
        at: record.timestamp,
        event_type: record.event.word(),
        handoff: record.handoff_id,
        text: written.text.clone(),
        hash: written.hash,
    }
}

fn handoff_row(handoff: &Handoff, decided: &Decided) -> HandoffRow {
    let about = decided.written.iter().map(|w| &w.record).filter(|record| record.handoff_id == Some(handoff.id));
    let (mut initiated_seq, mut closed_seq) = (None, None);
    for record in about {
        match &record.event {
            Event::Initiated { .. } => initiated_seq = Some(record.seq),
            Event::Closed { .. } => closed_seq = Some(record.seq),
            _ => {}
        }
    }
    HandoffRow {
        id: handoff.id,
        n: handoff.n,
        initiated_seq,
        closed_seq,
        from: handoff.request.from_agent.clone(),
        to: handoff.to_agent.clone(),
        kind: handoff.request.kind,
        status: handoff.status(),
        level: handoff.request.task.priority.level(),
        task_id: handoff.task_id(),
        offered_since: match &handoff.phase {
            Phase::Offered { since, .. } => Some(*since),
            Phase::AwaitingApproval { .. } | Phase::Deferred { .. } | Phase::Running { .. } | Phase::Closed { .. } => {
                None
            }
        },
        in_process: matches!(handoff.phase, Phase::Running { in_process: true, .. }),
        due_at: handoff.due(),
        opened_at: handoff.opened_at,
        closed_at: handoff.closed_at,
        state: json(handoff),
    }
}

fn message_row(message: &Message) -> MessageRow {
    MessageRow { n: message.n, at: message.at, tokens: message.tokens, body: json(message) }
}

fn return_row(written: &handover_core::decide::Written) -> Option<ReturnRow> {
    let seq = written.record.seq;
    match &written.record.event {
        Event::Closed { result, returned_to: Some(to), .. } => {
            Some(ReturnRow { of: result.handoff_id.0, to: to.clone(), status: result.status, seq, taken: false })
        }
        Event::GroupDecided { group, returned_to: Some(to), status, .. } => {
            Some(ReturnRow { of: group.0, to: to.clone(), status: *status, seq, taken: false })
        }
        Event::ReturnTaken { of, by } => {
            Some(ReturnRow { of: *of, to: by.clone(), status: ReturnStatus::Success, seq, taken: true })
        }
        _ => None,
    }
}

fn items(decided: &Decided) -> Vec<Item> {
    let session = &decided.session;
    let touched = &decided.touched;
    let mut items = Vec::new();
    for name in &touched.variables {
        items.push(Item { kind: ItemKind::Variable, key: name.clone(), body: session.variables.get(name).map(json) });
    }
    for id in &touched.artifacts {
        items.push(Item { kind: ItemKind::Artifact, key: id.to_string(), body: session.artifacts.get(id).map(json) });
    }
    for path in &touched.locks {
        items.push(Item { kind: ItemKind::Lock, key: path.clone(), body: session.locks.get(path).map(json) });
    }
    if let Some(from) = touched.decisions_from {
        for (i, decision) in session.decisions.iter().enumerate().skip(from) {
            items.push(Item { kind: ItemKind::Decision, key: format!("{i:06}"), body: Some(json(decision)) });
        }
    }
    items
}
