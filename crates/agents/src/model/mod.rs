//! What a model is asked and what it answers, whoever provides it.
//!
//! A turn of an agent is made of [`Ask`]s and [`Reply`]s. They are plain data: a reply that was recorded is as good as one
//! that was just heard.
//!
//! - [`openai`], [`anthropic`]: questions and answers as providers write them; [`sse`] reads answers in pieces, [`troubles`]
//!   what went wrong. None of them touches the network.
//! - [`provider`], [`client`]: a provider as it is set, and asking it.
//! - [`picker`], [`summary`]: models that pick an agent and that summarise, for the engine.

pub mod anthropic;
pub mod client;
mod growing;
pub mod openai;
pub mod picker;
pub mod provider;
pub mod sse;
pub mod summary;
pub mod troubles;

pub use client::Client;
pub use picker::ModelPicker;
pub use provider::{Api, Provider};
pub use summary::ModelSummarizer;

use async_trait::async_trait;
use handover_core::budget::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, at most 64 of them.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// A JSON Schema of its arguments, an object.
    pub parameters: Value,
}

/// A tool that a model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The call's id; its result names it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub arguments: Arguments,
}

/// What a tool is called with, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// As they should be: an object.
    Read(Value),
    /// What the model wrote is no JSON object. The model is told, and can mend it.
    Broken {
        /// What it wrote.
        text: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What came of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallResult {
    /// The call that this is the result of.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it says.
    pub content: String,
    /// Whether it went wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// One line of the conversation with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The user says something, or the model is told something.
    User(String),
    /// The model said something and asked for tools.
    Model {
        /// What it said.
        text: String,
        /// What it asked for.
        calls: Vec<Call>,
    },
    /// What came of all tools of the line before.
    Results(Vec<CallResult>),
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ask {
    /// The model, as its provider names it.
    pub model: String,
    /// What it is told before all else.
    pub system: String,
    /// The conversation so far.
    pub lines: Vec<Line>,
    /// The tools that it may ask for.
    pub tools: Vec<ToolSpec>,
    /// The longest answer, in tokens; as the provider does it when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u64>,
    /// How free the answer is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Where the question stands in a trace; said beside the question, and no part of it.
    #[serde(skip)]
    pub traceparent: Option<String>,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It has said what it has to say.
    Done,
    /// It waits for tools.
    Tools,
    /// Its answer was cut at the longest that is allowed.
    Length,
    /// It or its provider declined.
    Refused,
}

/// Tokens of one question and its answer, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokensUsed {
    /// Tokens of the question.
    pub input: u64,
    /// Of these, tokens that the provider had kept from before.
    #[serde(default)]
    pub cached: u64,
    /// Tokens of the answer.
    pub output: u64,
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What it says.
    pub text: String,
    /// The tools it asks for.
    pub calls: Vec<Call>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What it used; nothing when the provider does not say.
    pub used: Option<TokensUsed>,
    /// The model that answered, as the provider says.
    pub model: String,
}

/// What went wrong with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// The key is missing, wrong, or may not do this.
    Key,
    /// The question is not as the provider wants it.
    Question,
    /// There is no such model or address.
    NotFound,
    /// Too much was asked in too short a time, or a quota is used up.
    RateLimit,
    /// The provider has a problem of its own.
    Provider,
    /// The provider cannot be reached, or the connection broke.
    Connection,
    /// It took too long.
    Time,
    /// The answer cannot be read.
    Answer,
}

/// Why a model did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ModelError {
    /// What went wrong.
    pub trouble: Trouble,
    /// In words, with what the provider said.
    pub message: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl ModelError {
    /// An error with these words.
    #[must_use]
    pub fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), retry_after_ms: None }
    }

    /// Whether the same question may go well later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self.trouble, Trouble::RateLimit | Trouble::Provider | Trouble::Connection | Trouble::Time)
    }
}

/// A piece of an answer, as it is heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Some more text.
    Text(String),
    /// A tool is asked for; its arguments follow.
    Tool(String),
    /// The answer broke off and is asked for again: what was heard of it does not count.
    Again,
}

/// Whoever hears an answer piece by piece.
pub type Listener<'a> = &'a (dyn Fn(Piece) + Send + Sync);

/// Somebody who answers questions.
#[async_trait]
pub trait Model: Send + Sync + 'static {
    /// Asks. The pieces of the answer are heard as they come; the whole of it is the result.
    async fn ask(&self, ask: &Ask, heard: Listener<'_>) -> Result<Reply, ModelError>;
}

/// For whoever does not listen.
pub fn unheard(_: Piece) {}

/// Data of others, told to a model so that it can be told apart from what the model is told to do: nothing in it can close
/// the mark around it.
pub(crate) fn data(value: &Value) -> String {
    format!("<data>\n{}\n</data>", format!("{value:#}").replace('<', "\\u003c"))
}

/// What an answer used, by the name of the model in the price table: the one that was asked for, not the dated one that
/// answered.
pub(crate) fn usage(model: &str, reply: &Reply) -> Usage {
    let used = reply.used.unwrap_or_default();
    Usage { model: model.to_owned(), input_tokens: used.input, output_tokens: used.output }
}
