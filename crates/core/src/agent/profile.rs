//! What an agent says of itself: what it can do, what it may decide, how its work is done.

use crate::{budget::Limit, ids::AgentId};
use serde::{Deserialize, Serialize};

/// How much harm a decision can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// Easily undone.
    #[default]
    Low,
    /// Undone with effort.
    Medium,
    /// Not undone.
    High,
}

/// What kind of agent this is; it decides how work reaches it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// Code in this process.
    #[default]
    Local,
    /// Somebody who claims work, heartbeats and returns.
    Worker,
    /// A person with an inbox.
    Human,
    /// A model with tools.
    Llm,
    /// A program that reads its work and writes what came of it.
    Command,
    /// A service that is called over HTTP.
    Http,
    /// A remote agent that speaks A2A, known by its card.
    A2a,
}

/// One thing an agent can do, and how well.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Capability {
    /// The name that handoffs ask for.
    pub id: String,
    /// From 0 (barely) to 1 (nobody better).
    #[serde(default = "full_proficiency")]
    pub proficiency: f64,
}

fn full_proficiency() -> f64 {
    1.0
}

/// What an agent may decide by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Autonomy {
    /// The highest risk that it may take on.
    pub max_risk: Risk,
}

impl Default for Autonomy {
    fn default() -> Self {
        Self { max_risk: Risk::High }
    }
}

/// What an agent says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its id.
    pub id: AgentId,
    /// Whose it is: of one tenant, or of the house and shared by all tenants when nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its field, in a word or two.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub specialization: String,
    /// What it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<Capability>,
    /// What it does, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Tasks it is good at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Whether it takes handoffs at all.
    #[serde(default = "yes")]
    pub accepts_handoffs: bool,
    /// Tasks it works on at once, at most.
    #[serde(default = "one")]
    pub max_concurrent_tasks: u32,
    /// How long a task may run with it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_execution_ms: Option<u64>,
    /// How long an offer waits for it, in milliseconds; as the policy has it when left out. For whoever looks into its inbox
    /// only now and then: it does not count as gone when it is silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_within_ms: Option<u64>,
    /// What it may decide by itself.
    #[serde(default)]
    pub autonomy_budget: Autonomy,
    /// Whom it asks when it may not decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalates_to: Option<AgentId>,
    /// What kind of agent it is.
    #[serde(default)]
    pub kind: AgentKind,
    /// The version of the agent itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What it may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Limit>,
    /// The model that it works with, as in the price table. Where it reports no usage, its tokens are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A model: who provides it, by the name that the settings give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// A model: what it is told before all else.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// A model: the tools that it may call, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// A program: its name and its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// A program: the folder in which it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// A service: where it is called. A remote agent: where its card is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The variable of the environment that holds a secret. A service: by which calls are signed. A remote agent: the key
    /// that is shown to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_env: Option<String>,
    /// A remote agent: what of this its card says, and not whoever registered it: fields, and `capabilities/ID` and
    /// `tags/TAG`. Another card takes their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub from_card: Vec<String>,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

impl Profile {
    /// A profile with this id and everything else at its default.
    #[must_use]
    pub fn of(id: AgentId) -> Self {
        Self {
            id,
            tenant: None,
            name: String::new(),
            specialization: String::new(),
            capabilities: Vec::new(),
            description: String::new(),
            examples: Vec::new(),
            accepts_handoffs: true,
            max_concurrent_tasks: 1,
            max_execution_ms: None,
            accept_within_ms: None,
            autonomy_budget: Autonomy::default(),
            escalates_to: None,
            kind: AgentKind::Local,
            version: String::new(),
            tags: Vec::new(),
            budget: None,
            model: None,
            provider: None,
            instructions: String::new(),
            tools: Vec::new(),
            command: Vec::new(),
            folder: None,
            url: None,
            secret_env: None,
            from_card: Vec::new(),
        }
    }

    /// How well it can do this; nothing when it cannot.
    #[must_use]
    pub fn proficiency(&self, capability: &str) -> Option<f64> {
        let declared = self.capabilities.iter().find(|c| c.id == capability).map(|c| c.proficiency);
        // A specialist for testing can do "testing", as it says of itself.
        declared.or_else(|| (self.specialization == capability).then_some(1.0))
    }

    /// Whether its silence says nothing: a person, or somebody who looks only now and then.
    #[must_use]
    pub fn is_patient(&self) -> bool {
        self.kind == AgentKind::Human || self.accept_within_ms.is_some()
    }

    /// The name for people: its name, or its id.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.name.is_empty() { self.id.as_str() } else { &self.name }
    }
}
