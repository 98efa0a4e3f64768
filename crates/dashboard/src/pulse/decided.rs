//! Decisions about approvals, as the audit trail has them: the feed does not tell whose key it was.

use handover_core::{
    access::{Caller, Role},
    event::Event,
    ids::{AgentId, HandoffId, SessionId},
    record::Record,
    time::Timestamp,
};
use handover_engine::{BusMessage, Engine, RecordQuery};

/// A decision that was made.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) position: u64,
    pub(crate) at: Timestamp,
    pub(crate) granted: bool,
    pub(crate) by: String,
    /// Whose key it was.
    pub(crate) caller: String,
    pub(crate) comment: String,
    pub(crate) handoff: HandoffId,
    pub(crate) session: SessionId,
    pub(crate) between: Option<(AgentId, AgentId)>,
}

/// The decision that a message tells of; nothing where it tells of something else.
pub(super) async fn read(engine: &Engine, message: &BusMessage) -> Option<Decided> {
    let (granted, handoff, by, comment) = match &message.payload {
        Event::Approved { id, by, comment, .. } => (true, *id, by.clone(), comment.clone()),
        Event::Denied { id, by, comment } => (false, *id, by.clone(), comment.clone()),
        _ => return None,
    };
    Some(Decided {
        position: message.position,
        at: message.timestamp,
        granted,
        by,
        caller: caller_of(engine, message).await.unwrap_or_default(),
        comment,
        handoff,
        session: message.context.session_id.clone(),
        between: message.source_agent.clone().zip(message.target_agent.clone()),
    })
}

async fn caller_of(engine: &Engine, message: &BusMessage) -> Option<String> {
    let engine = engine.for_caller(Caller::new("dashboard", &message.context.tenant).role(Role::Viewer));
    let (after, before) = (message.position.saturating_sub(1), message.position.saturating_add(1));
    let query = RecordQuery { after, before, limit: 1, ..RecordQuery::default() };
    let found = engine.audit(query).await.ok()?;
    let record: Record = serde_json::from_str(&found.first()?.text).ok()?;
    Some(record.caller)
}
