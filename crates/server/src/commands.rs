//! Commands of the command line, carried out for callers elsewhere. The server does not know the command line: whoever
//! starts it says who carries them out.

use futures_util::future::BoxFuture;
use handover_engine::Engine;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// What somebody elsewhere typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Errand {
    /// The version of the program that asks: another one may mean something else by the same words.
    pub version: String,
    /// The arguments, without the name of the program.
    #[schemars(length(max = 1000))]
    pub args: Vec<String>,
    /// Who sits at the terminal.
    pub user: String,
    /// What whoever reads can see.
    pub look: ErrandLook,
    /// The files that the arguments name, as text: none is read here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
}

/// What whoever reads the output of a command can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrandLook {
    /// Columns; nothing when lines may be as long as they like.
    #[serde(default)]
    pub width: Option<u16>,
    /// Whether colours are wanted.
    pub colour: bool,
    /// Whether a person looks at a terminal.
    pub terminal: bool,
    /// Whether a line about progress can be wiped away.
    pub progress: bool,
    /// Whether a program reads.
    pub json: bool,
}

/// Carries out commands for callers elsewhere.
pub trait Commands: std::fmt::Debug + Send + Sync {
    /// Carries one out on this engine, which sees and may do what the caller does, and touches nothing else of this
    /// machine. Each text is a whole line of JSON. Dropped when nobody reads any more.
    fn carry_out(&self, engine: Engine, errand: Errand, lines: mpsc::Sender<String>) -> BoxFuture<'static, ()>;
}
