//! A script as data: who answers what, and what goes wrong.

use super::{mistake::ScriptError, pattern::Pattern, read, template::Template};
use serde_json::Value;
use std::{path::Path, time::Duration};

/// What a scripted model answers. The first entry whose conditions hold answers.
#[derive(Debug, Clone)]
pub struct Script {
    /// The key that has to be given; any or none will do when the script asks for none.
    pub(super) key: Option<String>,
    /// The models there are; any name will do when the script names none.
    pub(super) models: Vec<String>,
    pub(super) entries: Vec<Entry>,
}

impl Script {
    /// Reads a script from a file, with all its mistakes at once.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => read::script(&name, &text),
            Err(error) => Err(read::unreadable(&name, &error)),
        }
    }

    /// Reads a script from a text, with all its mistakes at once.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        read::script("script", text)
    }
}

/// One answer and when it is given.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The line of the script that it begins in.
    pub(super) line: usize,
    pub(super) when: When,
    /// How often it answers, for one server; without an end when nothing is said.
    pub(super) times: Option<u64>,
    pub(super) outcome: Outcome,
    /// The wait before each piece.
    pub(super) slow: Duration,
}

/// What has to hold for an entry to answer. Nothing always holds.
#[derive(Debug, Clone, Default)]
pub(super) struct When {
    pub(super) agent: Option<Pattern>,
    pub(super) system: Option<Pattern>,
    pub(super) model: Option<Pattern>,
    pub(super) user: Option<Pattern>,
    pub(super) turn: Option<u64>,
    pub(super) after_tool: Option<Pattern>,
    pub(super) result: Option<Pattern>,
    pub(super) has_tool: Option<Pattern>,
}

#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Answer(Box<Answer>),
    Fail(Fail),
}

/// A status instead of an answer.
#[derive(Debug, Clone)]
pub(super) struct Fail {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) message: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) say: Template,
    /// How often the text is said.
    pub(super) repeat: usize,
    pub(super) calls: Vec<(String, Given)>,
    pub(super) usage: Option<Usage>,
    pub(super) stop: Option<Stop>,
    pub(super) broken: Option<Broken>,
}

/// What a tool is called with.
#[derive(Debug, Clone)]
pub(super) enum Given {
    /// An object; every text in it is a template.
    Object(Value),
    /// A text that is sent as it is, whether it is JSON or not.
    Raw(String),
}

/// Tokens that the script says were used.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Usage {
    pub(super) input: Option<u64>,
    pub(super) cached: u64,
    pub(super) output: Option<u64>,
}

/// Why the answer ends, where it is not because all is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Length,
    Refused,
}

/// An answer that does not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The connection breaks after so many pieces.
    Cut(usize),
    /// Nothing more comes after so many pieces, and the connection stays.
    Stall(usize),
}
