//! The conversation of a session. Messages are appended once and never copied or changed.

use crate::{digest::Digest, ids::AgentId, time::Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// The person or program that is served.
    User,
    /// An agent.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// A tool that an agent asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// The call's id; the result names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it was called with.
    #[serde(default)]
    pub arguments: Value,
}

/// A message as somebody says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(default)]
    pub content: String,
    /// The agent that speaks, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The tools it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The call that this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// Whether this is thinking rather than saying.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reasoning: bool,
    /// Whether this was said within work that was delegated, and not in the conversation with the user.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
}

impl NewMessage {
    /// A message with a role and a content.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            agent: None,
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            reasoning: false,
            aside: false,
        }
    }
}

/// A message as it is kept: cleaned, numbered, counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(from = "Kept")]
pub struct Message {
    /// Its place in the session, from 1.
    pub n: u64,
    /// When it was said.
    pub at: Timestamp,
    /// What was said, after cleaning.
    #[serde(flatten)]
    pub said: NewMessage,
    /// Its tokens, by a real tokenizer.
    pub tokens: u64,
    /// What was taken out before it was stored: the kind of secret and how often.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub redacted: BTreeMap<String, u64>,
}

/// How a message is read: all fields side by side, which is several times as quick as putting them together later.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Kept {
    n: u64,
    at: Timestamp,
    role: Role,
    #[serde(default)]
    content: String,
    agent: Option<AgentId>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
    tool_call_id: Option<String>,
    tool_name: Option<String>,
    #[serde(default)]
    reasoning: bool,
    #[serde(default)]
    aside: bool,
    tokens: u64,
    #[serde(default)]
    redacted: BTreeMap<String, u64>,
}

impl From<Kept> for Message {
    fn from(kept: Kept) -> Self {
        let Kept {
            n,
            at,
            role,
            content,
            agent,
            tool_calls,
            tool_call_id,
            tool_name,
            reasoning,
            aside,
            tokens,
            redacted,
        } = kept;
        let said = NewMessage { role, content, agent, tool_calls, tool_call_id, tool_name, reasoning, aside };
        Self { n, at, said, tokens, redacted }
    }
}

/// What a message counts as when a view decides whether to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Somebody says something.
    Talk,
    /// Instructions.
    System,
    /// An agent asks for a tool.
    ToolCall,
    /// A tool answers.
    ToolResult,
    /// An agent thinks.
    Reasoning,
    /// Whatever is said within work that was delegated: its result goes back to whoever asked.
    Aside,
}

impl NewMessage {
    /// What it counts as.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.role {
            _ if self.aside => Class::Aside,
            Role::System => Class::System,
            Role::Tool => Class::ToolResult,
            Role::User | Role::Assistant if self.reasoning => Class::Reasoning,
            Role::User | Role::Assistant if !self.tool_calls.is_empty() => Class::ToolCall,
            Role::User | Role::Assistant => Class::Talk,
        }
    }
}

/// How many messages of a class there are, and their tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tally {
    /// Messages.
    pub messages: u64,
    /// Tokens.
    pub tokens: u64,
}

/// A conversation up to a point: how long it is, what it weighs, and a digest that stands for all of it.
/// It costs the same for 20 messages and for 20,000.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// The number of the last message.
    pub messages: u64,
    /// By class.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tallies: BTreeMap<Class, Tally>,
    /// Messages of the user.
    #[serde(default)]
    pub by_user: u64,
    /// The digest of the one before it and the last message, all the way down.
    pub digest: Digest,
}

impl Mark {
    /// The mark after one more message.
    pub fn push(&mut self, said: &NewMessage, tokens: u64) {
        self.messages += 1;
        self.by_user += u64::from(said.role == Role::User);
        let tally = self.tallies.entry(said.class()).or_default();
        tally.messages += 1;
        tally.tokens += tokens;
        self.digest = Digest::of_all([&self.digest.0[..], &Digest::of_json(said).0[..]]);
    }

    /// Tokens of the whole conversation.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tallies.values().map(|tally| tally.tokens).sum()
    }
}
