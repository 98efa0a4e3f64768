//! Settings of routing: by which strategy somebody is found, and experiments that compare two.

use serde::{Deserialize, Serialize};

/// How somebody is found for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// The highest proficiency; among equals the least loaded.
    #[default]
    BestMatch,
    /// The one with the most room.
    LeastLoaded,
    /// One after the other.
    RoundRobin,
    /// The one whose profile fits the text of the task best.
    Semantic,
    /// A model picks a name, or nobody.
    Llm,
    /// The one with the best record, with room for those who have none yet.
    Learned,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::BestMatch, Self::LeastLoaded, Self::RoundRobin, Self::Semantic, Self::Llm, Self::Learned];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::BestMatch => "best_match",
            Self::LeastLoaded => "least_loaded",
            Self::RoundRobin => "round_robin",
            Self::Semantic => "semantic",
            Self::Llm => "llm",
            Self::Learned => "learned",
        }
    }
}

/// How the house finds somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Routing {
    /// Where neither the request nor an experiment says otherwise.
    pub strategy: Strategy,
}

/// Two strategies side by side, split by a hash of the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// The first strategy.
    pub a: Strategy,
    /// The second one.
    pub b: Strategy,
    /// The share of sessions that go by the second one, from 0 to 1.
    #[serde(default = "half")]
    pub share: f64,
    /// The second one only says whom it would have chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

fn half() -> f64 {
    0.5
}
