//! Resources: what there is to read, as JSON. What does not exist for the caller does not exist.

use crate::{
    ask::{Ask, agent_id, handoff_id, session_id},
    call::Fault,
    tools, uri,
    views::{MessageView, time},
};
use handover_core::{
    agent::Agent,
    limits::{MCP_MESSAGES, MCP_ROWS, MCP_SESSIONS_PASSED_MAX, PAGE_MAX},
    refusal::{Family, HandoffError},
    session::Session,
};
use handover_engine::RecordQuery;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A resource or a template: its address, its name, its name for people, what it is.
pub type Row = (&'static str, &'static str, &'static str, &'static str);

/// Those that are always there.
pub const RESOURCES: [Row; 3] = [
    ("handover://sessions", "sessions", "Sessions", "The latest sessions that exist for you."),
    ("handover://agents", "agents", "Agents", "The agents and people that exist for you."),
    ("handover://inbox", "inbox", "Your inbox", "What waits for you, as `check_inbox` tells it."),
];

/// Those that are named by an id.
pub const TEMPLATES: [Row; 5] = [
    ("handover://sessions/{session_id}", "session", "A session", "Who has it, what it shares, its latest handoffs."),
    (
        "handover://sessions/{session_id}/messages{?first,last}",
        "messages",
        "The conversation of a session",
        "Its latest messages, or those from `first` to `last`.",
    ),
    ("handover://handoffs/{handoff_id}", "handoff", "A handoff", "Where it stands, and how it ended."),
    ("handover://agents/{agent_id}", "agent", "An agent", "What it can do, and how busy it is."),
    (
        "handover://audit/{session_id}{?after}",
        "audit",
        "The audit trail of a session",
        "Its records in order, a page at a time, each with its hash.",
    ),
];

/// A resource in the list.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) says: String,
}

/// What is always there, and the latest sessions.
pub(crate) async fn list(ask: &Ask) -> Result<Vec<Listed>, HandoffError> {
    let fixed = RESOURCES.iter().map(|(uri, name, title, says)| Listed {
        uri: (*uri).to_owned(),
        name: (*name).to_owned(),
        title: (*title).to_owned(),
        says: (*says).to_owned(),
    });
    let mut all: Vec<Listed> = fixed.collect();
    for id in ask.engine.sessions_nearby(MCP_ROWS, MCP_SESSIONS_PASSED_MAX).await? {
        let says = "A session: who has it, what it shares, its latest handoffs.".to_owned();
        let (uri, name) = (uri::of("sessions", id.as_str()), id.to_string());
        all.push(Listed { uri, title: format!("Session {name}"), name, says });
    }
    Ok(all)
}

/// A resource, read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Read {
    pub(crate) uri: String,
    pub(crate) text: String,
}

pub(crate) async fn read(ask: &Ask, uri: &str) -> Result<Read, Fault> {
    let unknown = || Fault::Unknown(format!("there is no resource {uri}"));
    let place = uri::read(uri).ok_or_else(unknown)?;
    let value = content(ask, place).await.map_err(|error| match error.code().family() {
        // Whether it is not there or not theirs is not told.
        Family::Missing | Family::Invalid => unknown(),
        _ => Fault::Refused(error),
    })?;
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    Ok(Read { uri: uri.to_owned(), text })
}

async fn content(ask: &Ask, place: uri::Place) -> Result<Value, HandoffError> {
    match place {
        uri::Place::Sessions => sessions(ask).await,
        uri::Place::Session(id) => session(ask, &id).await,
        uri::Place::Messages { session, first, last } => messages(ask, &session, first, last).await,
        uri::Place::Handoff(id) => {
            let handoff = ask.engine.handoff(handoff_id(&id)?).await?;
            Ok(json!(tools::view(&handoff)))
        }
        uri::Place::Agents => Ok(json!(ask.engine.agents().iter().take(PAGE_MAX).map(agent).collect::<Vec<_>>())),
        uri::Place::Inbox => tools::inbox(ask).await,
        uri::Place::Agent(id) => Ok(agent(&ask.engine.agent(&agent_id(&id, "agent_id")?)?)),
        uri::Place::Audit { session, after } => audit(ask, &session, after).await,
    }
}

async fn sessions(ask: &Ask) -> Result<Value, HandoffError> {
    let mut all = Vec::new();
    for id in ask.engine.sessions_nearby(MCP_ROWS, MCP_SESSIONS_PASSED_MAX).await? {
        if let Ok(session) = ask.engine.session(&id).await {
            all.push(in_short(&session));
        }
    }
    Ok(json!(all))
}

fn in_short(session: &Session) -> Value {
    json!({
        "session_id": session.id,
        "uri": uri::of("sessions", session.id.as_str()),
        "active_agent": session.active_agent,
        "original_request": session.original_request,
        "messages": session.mark.messages,
        "handoffs": session.handoffs,
        "opened_at": time(session.opened_at),
        "last_at": time(session.last_at),
        "ended": session.ended_at.is_some(),
    })
}

async fn session(ask: &Ask, id: &str) -> Result<Value, HandoffError> {
    let session = ask.engine.session(&session_id(id)?).await?;
    let after = session.handoffs.saturating_sub(MCP_ROWS as u64);
    let handoffs = ask.engine.handoff_history(&session.id, after, MCP_ROWS).await?;
    let mut told = in_short(&session);
    told["variables"] = json!(*session.variables);
    told["artifacts"] = json!(session.artifacts.values().take(MCP_ROWS).collect::<Vec<_>>());
    told["handoffs"] = json!(handoffs.iter().map(tools::view).collect::<Vec<_>>());
    Ok(told)
}

async fn messages(ask: &Ask, id: &str, first: Option<u64>, last: Option<u64>) -> Result<Value, HandoffError> {
    let session = ask.engine.session(&session_id(id)?).await?;
    let total = session.mark.messages;
    let first = first.unwrap_or_else(|| total.saturating_sub(MCP_MESSAGES as u64) + 1).max(1);
    let last = last.unwrap_or(total).min(total).min(first.saturating_add(PAGE_MAX as u64 - 1));
    let read = if first <= last { ask.engine.messages(&session.id, first, last).await? } else { Vec::new() };
    let told: Vec<MessageView> = read.iter().map(MessageView::of).collect();
    Ok(json!({ "session_id": session.id, "total": total, "messages": told }))
}

fn agent(agent: &Agent) -> Value {
    let profile = &agent.profile;
    json!({
        "agent_id": profile.id,
        "uri": uri::of("agents", profile.id.as_str()),
        "name": profile.title(),
        "specialization": profile.specialization,
        "description": profile.description,
        "capabilities": profile.capabilities,
        "kind": profile.kind,
        "standing": agent.standing,
        "works_on": agent.load,
        "waits_for_it": agent.waiting,
        "max_concurrent_tasks": profile.max_concurrent_tasks,
    })
}

async fn audit(ask: &Ask, id: &str, after: Option<u64>) -> Result<Value, HandoffError> {
    let session = ask.engine.session(&session_id(id)?).await?;
    let query = RecordQuery {
        session: Some(session.id.clone()),
        after: after.unwrap_or(0),
        limit: MCP_ROWS,
        ..RecordQuery::default()
    };
    let page = ask.engine.audit(query).await?;
    let next = page.last().filter(|_| page.len() == MCP_ROWS).map(|last| last.position);
    let records: Vec<Value> = page
        .iter()
        .map(|stored| {
            let record: Value = serde_json::from_str(&stored.text).unwrap_or_default();
            json!({ "position": stored.position, "hash": stored.hash, "record": record })
        })
        .collect();
    let next = next.map(|position| format!("{}?after={position}", uri::of("audit", session.id.as_str())));
    Ok(json!({ "session_id": session.id, "records": records, "next": next }))
}
