//! Workflows: a team that works by rules. States with whoever is responsible, rules that say where the work goes when a
//! step ends, and what it takes along. Read from a file, checked as a whole, run by `decide`.

mod check;
mod choose;
mod dear;
mod facts;
mod flow;
mod kept;
mod measure;
mod named;
mod numbers;
mod overlap;
mod paths;
mod payload;
mod run;
mod shadow;
pub mod span;
mod walk;

#[cfg(test)]
mod tests;

pub use check::Noted;
pub use choose::{Chosen, NoRule};
pub use facts::{Ended, Facts, RULE_ROOTS};
pub use flow::{Flow, Stuck};
pub use kept::Workflows;
pub use measure::Limits;
pub use payload::{Payload, Wrong};
pub use run::{HttpRunner, LlmRunner, Runner};

use crate::{agent::Risk, expression::Condition, handoff::Priority, ids::AgentId, policy::SessionLimits};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{SeqAccess, Visitor},
};
use std::{collections::BTreeMap, fmt};

/// A workflow, as its file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Workflow {
    /// Its name.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::FileName"))]
    pub name: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Everybody who works in it.
    pub agents: BTreeMap<AgentId, Member>,
    /// The state in which it starts.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::FileName"))]
    pub start: String,
    /// The states.
    #[cfg_attr(feature = "schema", schemars(extend("propertyNames" = crate::described::file_name())))]
    pub states: BTreeMap<String, State>,
    /// Which states may follow which, besides those that rules lead to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub transitions: BTreeMap<String, Vec<String>>,
    /// Where the work goes when a step ends. The first that fits counts.
    pub rules: Vec<Rule>,
    /// Where the work goes when a step fails and no rule says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<ErrorRoute>,
    /// What comes from outside and starts a session of this workflow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventTrigger>,
    /// How far a session may go.
    #[serde(default, skip_serializing_if = "SessionLimits::is_empty", with = "measure")]
    #[cfg_attr(feature = "schema", schemars(with = "measure::Limits"))]
    pub limits: SessionLimits,
    /// Settings for whoever runs its agents: services, folders.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub with: serde_json::Value,
}

/// Somebody who works in a workflow.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowMember"))]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// What it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// What it can do, for routing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// How it is run; nothing when it is registered elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Runner>,
    /// How much it works on at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub at_once: Option<u32>,
    /// The highest risk that it may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_risk: Option<Risk>,
    /// The signals that its steps may end with; any when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::described::StateName>"))]
    pub signals: Vec<String>,
    /// Settings of its own, for whoever runs it.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub with: serde_json::Value,
}

/// Where the work stands, and who is responsible.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowState"))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Who is responsible; nobody in a state that ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// What it means.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Whether the workflow is over, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
    /// How long it may last, in milliseconds; written as `timeout: 24h`.
    #[serde(default, rename = "timeout", skip_serializing_if = "Option::is_none", with = "span::maybe")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::Span"))]
    pub timeout_ms: Option<u64>,
    /// The signal when it lasted too long; `<STATE>_TIMEOUT` when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::StateName>"))]
    pub on_timeout: Option<String>,
}

/// How a workflow ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// As it should.
    Completed,
    /// It came to nothing.
    Failed,
}

/// One rule: when this agent ends a step so, the work goes there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowRule"))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Its name, such as `1.1`.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::StateName"))]
    pub id: String,
    /// Whose step ended.
    pub from: AgentId,
    /// Who goes on; nobody when the workflow ends there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
    /// The signals that the step may have ended with; any when left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
    #[cfg_attr(feature = "schema", schemars(with = "OneOrMany"))]
    pub trigger_state: Vec<String>,
    /// What must hold besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::Cel>"))]
    pub condition: Option<Condition>,
    /// Why the work goes there, in words.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::Text"))]
    pub reason: String,
    /// How urgent it is.
    #[serde(default)]
    pub priority: Priority,
    /// The state from then on; the same when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::StateName>"))]
    pub next_state: Option<String>,
    /// What the next one is given.
    #[serde(default, skip_serializing_if = "Payload::is_empty")]
    pub payload: Payload,
    /// The kind of the task.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub task: String,
    /// How often this way may be gone, and how long it waits before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// The risk of what comes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risk>,
    /// Whether a person has to approve it first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_approval: bool,
}

/// A way that may be gone again, but not for ever.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowRetry"))]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// How often.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::RULE_TRIES_MAX)))]
    pub max: u32,
    /// How long the first waits, in milliseconds, written as `backoff: 2s`; 0 for not at all.
    #[serde(default, rename = "backoff", skip_serializing_if = "nothing", with = "span::always")]
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::Span"))]
    pub backoff_ms: u64,
    /// By how much longer each further one waits.
    #[serde(default = "twice")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = crate::limits::RETRY_FACTOR_MAX)))]
    pub factor: u32,
}

fn twice() -> u32 {
    2
}

fn nothing(ms: &u64) -> bool {
    *ms == 0
}

impl Retry {
    /// How long the next one waits, after so many.
    #[must_use]
    pub fn wait_ms(&self, before: u32) -> u64 {
        let times = u64::from(self.factor.max(1)).saturating_pow(before);
        self.backoff_ms.saturating_mul(times).min(crate::limits::WAIT_MS_MAX)
    }
}

/// Where work goes that failed in a way that no rule speaks of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowErrorRoute"))]
#[serde(deny_unknown_fields)]
pub struct ErrorRoute {
    /// Who looks at it; nobody when the workflow ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<AgentId>,
    /// The state from then on; the same when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::StateName>"))]
    pub next_state: Option<String>,
}

/// Something from outside that starts a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "WorkflowEventTrigger"))]
#[serde(deny_unknown_fields)]
pub struct EventTrigger {
    /// The type of the event.
    #[cfg_attr(feature = "schema", schemars(with = "crate::described::StateName"))]
    pub on: String,
    /// What must hold of it: `event` is what came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::described::Cel>"))]
    pub condition: Option<Condition>,
}

/// What `one_or_many` reads.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(untagged, rename = "WorkflowSignals")]
#[expect(dead_code, reason = "it describes what is read by hand")]
enum OneOrMany {
    One(crate::described::StateName),
    Many(Vec<crate::described::StateName>),
}

/// A name, or a list of names.
fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a name or a list of names")
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Vec<String>, E> {
            Ok(vec![name.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<String>, A::Error> {
            let mut names = Vec::new();
            while let Some(name) = entries.next_element()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    from.deserialize_any(Names)
}
