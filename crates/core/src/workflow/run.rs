//! How an agent of a workflow is run.

use serde::{Deserialize, Serialize};

/// How an agent is run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowRunner"))]
#[serde(rename_all = "snake_case")]
pub enum Runner {
    /// One that comes with this program, by name.
    Builtin(String),
    /// A program: it reads its work as JSON and writes what came of it as JSON.
    Command(Vec<String>),
    /// A model with tools.
    Llm(LlmRunner),
    /// A service that is called.
    Http(HttpRunner),
}

/// A model with tools, as a member of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowModel"))]
#[serde(default, deny_unknown_fields)]
pub struct LlmRunner {
    /// The model, as its provider names it.
    pub model: String,
    /// Who provides it, by the name that the settings give; the only one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// What it is told before all else.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// The tools that it may call, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// A service that is called, as a member of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowService"))]
#[serde(default, deny_unknown_fields)]
pub struct HttpRunner {
    /// Where it is called.
    pub url: String,
    /// The variable of the environment that holds the secret by which calls are signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
}

impl Runner {
    /// Whether it names nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Builtin(name) => name.trim().is_empty(),
            Self::Command(words) => words.first().is_none_or(|word| word.trim().is_empty()),
            Self::Llm(llm) => llm.model.trim().is_empty(),
            Self::Http(http) => http.url.trim().is_empty(),
        }
    }
}
