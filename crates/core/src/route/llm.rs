//! `llm`: a model picks a name, or nobody. The answer is a value that was asked for before; where there is none that can
//! be used, the text of the task decides, and the note says why.

use super::{
    Scene, pool,
    rank::{Rated, Tier},
    semantic,
};
use crate::{
    agent::Agents,
    budget::{self, Price, Usage},
    decide::Picked,
    handoff::Metrics,
    ids::AgentId,
    limits, nearest,
    policy::Strategy,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PickQuestion {
    /// The task.
    pub task: String,
    /// Whom it may pick.
    pub candidates: Vec<PickCandidate>,
}

/// Somebody whom a model may pick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PickCandidate {
    /// Its id: what the model answers with.
    pub id: AgentId,
    /// Its field.
    pub specialization: String,
    /// What it does.
    pub description: String,
    /// What it can do.
    pub capabilities: Vec<String>,
}

/// What a model answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// This agent.
    Agent {
        /// Its id, as the model writes it.
        name: String,
        /// Why.
        why: String,
    },
    /// Nobody fits.
    Nobody {
        /// Why.
        why: String,
    },
}

/// What a model reports to have used to pick somebody.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PickUsed {
    /// The model and its tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Money, where the model says so itself; by the price of the model otherwise.
    #[serde(default)]
    pub cost: f64,
}

impl PickUsed {
    /// Whether nothing was used, as far as anybody said.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.usage.input_tokens == 0 && self.usage.output_tokens == 0 && self.cost <= 0.0
    }

    /// Adds what one more call used. A sum that does not fit stays at the top, and a cost that is none counts nothing.
    pub fn add(&mut self, usage: Usage, cost: f64) {
        self.usage.input_tokens = self.usage.input_tokens.saturating_add(usage.input_tokens);
        self.usage.output_tokens = self.usage.output_tokens.saturating_add(usage.output_tokens);
        self.usage.model = usage.model;
        if cost > 0.0 {
            self.cost = (self.cost + cost).min(f64::MAX);
        }
    }

    /// The sums, priced by these prices.
    #[must_use]
    pub fn metrics(&self, prices: &BTreeMap<String, Price>) -> Metrics {
        let tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        let told = Some(self.cost).filter(|cost| *cost > 0.0);
        let cost = told.unwrap_or_else(|| budget::cost(std::slice::from_ref(&self.usage), prices));
        Metrics { tokens, cost, ..Metrics::default() }
    }
}

impl Pick {
    /// The answer as far as it can be used. A name with one slip is taken for the one candidate that it can be.
    #[must_use]
    pub fn checked(self, question: &PickQuestion, agents: &Agents) -> Picked {
        let (name, why) = match self {
            Self::Nobody { why } => return Picked::Nobody(cleaned(&why, limits::PICK_WHY_CHARS_MAX)),
            Self::Agent { name, why } => (name, cleaned(&why, limits::PICK_WHY_CHARS_MAX)),
        };
        let name = name.trim();
        let known = AgentId::new(name).ok().filter(|id| agents.get(id).is_some());
        let candidates = question.candidates.iter().map(|candidate| (candidate.id.as_str(), &candidate.id));
        let short = name.len() <= limits::SLIP_BYTES_MAX;
        let found = known.or_else(|| nearest::unmistakable(name, candidates).filter(|_| short).cloned());
        match found {
            Some(id) => Picked::Agent(id, why),
            None => {
                let name = cleaned(name, limits::QUOTE_CHARS_MAX);
                Picked::NoAnswer(format!("the model named \"{name}\", which is not registered"))
            }
        }
    }
}

/// What a model wrote, fit to be kept in a record.
fn cleaned(text: &str, most: usize) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect()
}

/// The question to a model: the best candidates by their words, and only those that could take it.
pub(crate) fn question(scene: &Scene<'_>) -> PickQuestion {
    let mut rated = pool::gather(scene, Strategy::Llm);
    rated.retain(Rated::can);
    if rated.len() > limits::PICK_CANDIDATES_MAX {
        semantic::rate(scene, &mut rated);
        rated.sort_by(|a, b| b.score.total_cmp(&a.score));
        rated.truncate(limits::PICK_CANDIDATES_MAX);
    }
    let candidates = rated.iter().map(candidate).collect();
    let mut task = scene.text();
    // The request is not checked yet; what is too long is refused before a model reads it.
    task.truncate(task.floor_char_boundary(limits::TEXT_BYTES_MAX));
    PickQuestion { task, candidates }
}

fn candidate(entry: &Rated<'_>) -> PickCandidate {
    let profile = &entry.agent.profile;
    PickCandidate {
        id: profile.id.clone(),
        specialization: profile.specialization.clone(),
        description: profile.description.clone(),
        capabilities: profile.capabilities.iter().map(|capability| capability.id.clone()).collect(),
    }
}

/// Gives the strategy that chose in the end, and what is to be said about it.
pub(super) fn rate<'a>(scene: &Scene<'a>, rated: &mut [Rated<'a>]) -> (Strategy, String) {
    let fall_back = |why: String| (Strategy::Semantic, format!("llm could not be used: {why}"));
    let (chosen, said) = match scene.picked {
        None => (None, fall_back("no model was asked this time".into())),
        Some(Picked::NoAnswer(why)) => (None, fall_back(why.clone())),
        Some(Picked::NotAsked(error)) => (None, fall_back(format!("the request cannot pass: {error}"))),
        Some(Picked::Nobody(why)) => (None, (Strategy::Llm, format!("the model says that nobody fits: {why}"))),
        Some(Picked::Agent(id, why)) => {
            match rated.iter().position(|entry| entry.agent.profile.id == *id && entry.can()) {
                None => (None, fall_back(format!("the model picked {id}, but {}", not_a_candidate(scene, id)))),
                Some(i) => (Some((i, why)), (Strategy::Llm, String::new())),
            }
        }
    };
    semantic::rate(scene, rated);
    if let Some((i, why)) = chosen {
        let entry = &mut rated[i];
        entry.excluded.clear();
        entry.tier = Tier::Picked;
        entry.score = 1.0;
        entry.why = Box::new(move || format!("the model: {why}"));
    }
    said
}

fn not_a_candidate(scene: &Scene<'_>, id: &AgentId) -> String {
    let known = scene.agents.get(id).and_then(|agent| pool::exclusion(scene, agent));
    known.unwrap_or_else(|| "it is no candidate".to_owned())
}
