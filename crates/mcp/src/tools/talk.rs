//! The session: its conversation, and what was not shown of it.

use super::work::view;
use crate::{
    ask::{Ask, session_id},
    table::{Hints, Tool},
    views::{HandoffView, MessageView, Told, brief, time},
};
use handover_core::{
    command::{Command, Open},
    context::{recallable, withheld_ranges},
    limits::{MCP_MESSAGES, MCP_ROWS, PAGE_MAX},
    message::{NewMessage, Role},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "recall",
            "Recall withheld messages",
            "Brings messages of the conversation that the brief of your handoff did not show. Without numbers it begins with \
             the first that was withheld.",
            recall,
        )
        .hints(Hints::LOOKS),
        Tool::new(
            "session_history",
            "Look at a session",
            "Tells the conversation of a session, its handoffs, and what it shares: variables, artifacts, locks. Without \
             numbers it shows the latest messages.",
            history,
        )
        .hints(Hints::LOOKS),
        Tool::new(
            "say",
            "Write into the session",
            "Writes into the conversation of the session, for whoever gets it later: findings, what the user said, why you \
             did something. Secrets are taken out before anything is kept.",
            say,
        ),
        Tool::new(
            "open_session",
            "Open a session",
            "Opens a session of its own for a new piece of work. You need it seldom: a handoff opens one by itself. Give its \
             `session_id` with what belongs to it; without, the latest one is meant for as long as you use it.",
            open,
        ),
        Tool::new(
            "end_session",
            "End a session",
            "Ends a session that is yours when its piece of work is done. What is still open in it is cancelled. It can be \
             read afterwards, and nothing more is written into it.",
            end,
        )
        .hints(Hints::ENDS),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recalling {
    /// The handoff. May be left out when you hold exactly one.
    #[serde(default)]
    handoff_id: Option<String>,
    /// The number of the first message.
    #[serde(default)]
    first: Option<u64>,
    /// The number of the last message.
    #[serde(default)]
    last: Option<u64>,
}

/// Messages that were withheld.
#[derive(Debug, Serialize, JsonSchema)]
struct Recalled {
    /// The messages.
    messages: Vec<MessageView>,
    /// The number to go on from, where there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

impl Told for Recalled {
    fn text(&self) -> String {
        let mut parts: Vec<String> = self.messages.iter().map(Told::text).collect();
        if parts.is_empty() {
            parts.push("Nothing was withheld there.".to_owned());
        }
        parts.extend(self.next.map(|next| format!("There is more: `recall` with `first` {next}.")));
        parts.join("\n\n")
    }
}

async fn recall(ask: Ask, form: Recalling) -> Result<Recalled, HandoffError> {
    let handoff = ask.handoff(form.handoff_id.as_deref()).await?;
    let manifest = match &handoff.manifest {
        Some(manifest) => manifest.clone(),
        None => ask.engine.view(handoff.id, None).await?.manifest.into(),
    };
    let ranges = withheld_ranges(&manifest);
    let Some(first) = form.first.or(ranges.first().map(|(first, _)| *first)) else {
        return Ok(Recalled { messages: Vec::new(), next: None });
    };
    let last = form.last.unwrap_or_else(|| first.saturating_add(MCP_MESSAGES as u64 - 1));
    let last = last.min(first.saturating_add(PAGE_MAX as u64 - 1));
    let found = ask.engine.recall(handoff.id, first, last).await?;
    let next = (last + 1..=manifest.watermark).find(|n| recallable(&manifest, *n));
    Ok(Recalled { messages: found.iter().map(MessageView::of).collect(), next })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Reading {
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
    /// The number of the first message; the latest ones when left out.
    #[serde(default)]
    first: Option<u64>,
    /// At most so many messages.
    #[serde(default)]
    limit: Option<u64>,
}

/// An artifact of the session.
#[derive(Debug, Serialize, JsonSchema)]
struct ArtifactView {
    /// Its id.
    artifact_id: String,
    /// Where it is.
    path: String,
    /// What it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// Who made it.
    created_by: String,
}

/// A lock of the session.
#[derive(Debug, Serialize, JsonSchema)]
struct LockView {
    /// On what.
    path: String,
    /// Who holds it.
    owner: String,
    /// Until when.
    until: String,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
struct History {
    /// Its id.
    session_id: String,
    /// Who has it now.
    active_agent: String,
    /// What the user asked for.
    original_request: String,
    /// Whether it has ended.
    ended: bool,
    /// How many messages it has.
    total_messages: u64,
    /// Messages, in order.
    messages: Vec<MessageView>,
    /// Its latest handoffs, in order.
    handoffs: Vec<HandoffView>,
    /// How many handoffs there were before these.
    earlier_handoffs: u64,
    /// What everybody in the session reads, by name.
    variables: Map<String, Value>,
    /// What the work produced.
    artifacts: Vec<ArtifactView>,
    /// How many more artifacts there are.
    more_artifacts: usize,
    /// Files that somebody has locked.
    locks: Vec<LockView>,
}

impl Told for History {
    fn text(&self) -> String {
        let Self { session_id, active_agent, total_messages, .. } = self;
        let mut parts = vec![format!("Session {session_id}: {active_agent} has it; {total_messages} messages.")];
        if !self.original_request.is_empty() {
            parts.push(format!("Asked for: {}", brief(&self.original_request)));
        }
        parts.extend(self.messages.iter().map(Told::text));
        let lists = [
            ("Handoffs", self.handoffs.iter().map(HandoffView::line).collect::<Vec<_>>()),
            ("Variables", self.variables.iter().map(|(name, value)| format!("- {name} = {value}")).collect()),
            (
                "Artifacts",
                self.artifacts.iter().map(|one| format!("- {} {}", one.path, brief(&one.description))).collect(),
            ),
            (
                "Locks",
                self.locks.iter().map(|one| format!("- {} by {} until {}", one.path, one.owner, one.until)).collect(),
            ),
        ];
        for (head, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            parts.push(format!("{head}:\n{}", lines.join("\n")));
        }
        if self.earlier_handoffs > 0 || self.more_artifacts > 0 {
            parts.push(format!(
                "and {} earlier handoffs, {} more artifacts",
                self.earlier_handoffs, self.more_artifacts
            ));
        }
        parts.join("\n\n")
    }
}

async fn history(ask: Ask, form: Reading) -> Result<History, HandoffError> {
    let session = ask.known_session(form.session_id.as_deref()).await?;
    let limit = form.limit.unwrap_or(MCP_MESSAGES as u64).min(PAGE_MAX as u64);
    let total = session.mark.messages;
    let first = form.first.unwrap_or_else(|| total.saturating_sub(limit) + 1).max(1);
    let last = first.saturating_add(limit).saturating_sub(1).min(total);
    let messages = if first <= last { ask.engine.messages(&session.id, first, last).await? } else { Vec::new() };
    let after = session.handoffs.saturating_sub(MCP_ROWS as u64);
    let handoffs = ask.engine.handoff_history(&session.id, after, MCP_ROWS).await?;
    Ok(History {
        session_id: session.id.to_string(),
        active_agent: session.active_agent.to_string(),
        original_request: session.original_request.clone(),
        ended: session.ended_at.is_some(),
        total_messages: total,
        messages: messages.iter().map(MessageView::of).collect(),
        handoffs: handoffs.iter().map(view).collect(),
        earlier_handoffs: after,
        variables: session.variables.iter().map(|(name, one)| (name.clone(), one.value.clone())).collect(),
        artifacts: artifacts(&session),
        more_artifacts: session.artifacts.len().saturating_sub(MCP_ROWS),
        locks: locks(&ask, &session),
    })
}

fn artifacts(session: &Session) -> Vec<ArtifactView> {
    let all = session.artifacts.values().map(|artifact| ArtifactView {
        artifact_id: artifact.id.to_string(),
        path: artifact.path.clone(),
        description: artifact.description.clone(),
        created_by: artifact.created_by.to_string(),
    });
    all.take(MCP_ROWS).collect()
}

fn locks(ask: &Ask, session: &Session) -> Vec<LockView> {
    let now = ask.engine.now();
    let held = session.locks.keys().flat_map(|path| session.valid_locks(path, now).map(move |lock| (path, lock)));
    let all = held.map(|(path, lock)| LockView {
        path: path.clone(),
        owner: lock.owner.to_string(),
        until: time(lock.until),
    });
    all.take(MCP_ROWS).collect()
}

#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speaker {
    #[default]
    Me,
    User,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Line {
    /// What is said.
    text: String,
    /// Who says it: you, or the user.
    #[serde(default)]
    speaker: Speaker,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Saying {
    /// What you say.
    #[serde(default)]
    text: Option<String>,
    /// Several messages in order, where it is more than one, or where the user said it.
    #[serde(default)]
    messages: Vec<Line>,
    /// The session. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

/// What was said.
#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    /// The session.
    session_id: String,
    /// How many messages it has now.
    total_messages: u64,
}

impl Told for Said {
    fn text(&self) -> String {
        format!("Session {} has {} messages now.", self.session_id, self.total_messages)
    }
}

async fn say(ask: Ask, form: Saying) -> Result<Said, HandoffError> {
    let me = ask.me().await?;
    let lines = form.text.into_iter().map(|text| Line { text, speaker: Speaker::Me }).chain(form.messages);
    let messages: Vec<NewMessage> = lines
        .map(|line| match line.speaker {
            Speaker::Me => NewMessage { agent: Some(me.clone()), ..NewMessage::new(Role::Assistant, line.text) },
            Speaker::User => NewMessage::new(Role::User, line.text),
        })
        .collect();
    if messages.is_empty() {
        return Err(Refusal::new(Code::MissingField, "there is nothing to say").at("text").into());
    }
    let session = ask.session(form.session_id.as_deref(), "").await?;
    ask.engine.say_once(&session.id, messages, None, Some(&ask.part("say"))).await?;
    let session = ask.engine.session(&session.id).await?;
    Ok(Said { session_id: session.id.to_string(), total_messages: session.mark.messages })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Opening {
    /// What the user asked for, in their own words.
    #[serde(default)]
    original_request: Option<String>,
    /// A name of your own for it. May be left out.
    #[serde(default)]
    session_id: Option<String>,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
struct Opened {
    /// Its id.
    session_id: String,
    /// Who has it.
    active_agent: String,
}

impl Told for Opened {
    fn text(&self) -> String {
        format!("Session {} is open; {} has it.", self.session_id, self.active_agent)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ending {
    /// Which. It is always said: nothing is ended by a guess.
    session_id: String,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
}

/// A session that is over.
#[derive(Debug, Serialize, JsonSchema)]
struct Ended {
    /// Its id.
    session_id: String,
    /// Handoffs that were open and are cancelled now.
    cancelled: usize,
}

impl Told for Ended {
    fn text(&self) -> String {
        let Self { session_id, cancelled } = self;
        format!("Session {session_id} is over; {cancelled} handoffs that were open in it are cancelled.")
    }
}

async fn end(ask: Ask, form: Ending) -> Result<Ended, HandoffError> {
    let (id, by) = (session_id(&form.session_id)?, ask.me().await?);
    let cancelled = ask.engine.session(&id).await?.open.len();
    let command = Command::End { by, reason: form.reason.unwrap_or_default() };
    ask.submit(&id, command, "end").await?;
    Ok(Ended { session_id: id.to_string(), cancelled })
}

async fn open(ask: Ask, form: Opening) -> Result<Opened, HandoffError> {
    let me = ask.me().await?;
    let id = match form.session_id.as_deref() {
        Some(id) => session_id(id)?,
        None => ask.new_session()?,
    };
    let mut open = Open::of(me).asking(form.original_request.as_deref().unwrap_or_default());
    open.metadata = json!({ "opened_by": "mcp" });
    let key = ask.part("open");
    ask.engine.submit(&id, Command::Open(open), Some(&key)).await?;
    let session = ask.engine.session(&id).await?;
    Ok(Opened { session_id: session.id.to_string(), active_agent: session.active_agent.to_string() })
}
