//! `llm`: a model picks a name, or nobody. The answer is a value that was asked for before; where there is none that can
//! be used, the text of the task decides, and the note says why.

use super::{
    Scene, pool,
    rank::{Rated, Tier},
    semantic,
};
use crate::{
    agent::Known,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PickQuestion {
    /// The task.
    pub task: String,
    /// Whom it may pick.
    pub candidates: Vec<PickCandidate>,
}

/// Somebody whom a model may pick.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What models report to have used to pick somebody.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PickUsed {
    /// Tokens by model, of calls that said nothing of what they cost: the price table does.
    #[serde(default)]
    pub usage: Vec<Usage>,
    /// Tokens of calls that said what they cost.
    #[serde(default)]
    pub told_tokens: u64,
    /// What those cost.
    #[serde(default)]
    pub told_cost: f64,
}

impl PickUsed {
    /// Whether nothing was used, as far as anybody said.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.usage.iter().all(|used| sum(used) == 0) && self.told_tokens == 0 && self.told_cost <= 0.0
    }

    /// Adds what one more call used. A sum that does not fit stays at the top, and a cost that is none was not told.
    pub fn add(&mut self, usage: Usage, cost: f64) {
        if cost > 0.0 {
            self.told_tokens = self.told_tokens.saturating_add(sum(&usage));
            self.told_cost = (self.told_cost + cost).min(f64::MAX);
            return;
        }
        let full = self.usage.len() >= limits::USAGE_MAX;
        let known = self.usage.iter().position(|known| known.model == usage.model);
        // One model too many is counted with the last one: better at another price than at none.
        let place = known.or_else(|| full.then(|| self.usage.len() - 1));
        let Some(known) = place.and_then(|place| self.usage.get_mut(place)) else { return self.usage.push(usage) };
        known.input_tokens = known.input_tokens.saturating_add(usage.input_tokens);
        known.output_tokens = known.output_tokens.saturating_add(usage.output_tokens);
    }

    /// What was added since it was this much.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        let rest = self.usage.iter().map(|used| {
            let known = before.usage.iter().find(|known| known.model == used.model).cloned().unwrap_or_default();
            Usage {
                model: used.model.clone(),
                input_tokens: used.input_tokens.saturating_sub(known.input_tokens),
                output_tokens: used.output_tokens.saturating_sub(known.output_tokens),
            }
        });
        Self {
            usage: rest.filter(|used| sum(used) > 0).collect(),
            told_tokens: self.told_tokens.saturating_sub(before.told_tokens),
            told_cost: (self.told_cost - before.told_cost).max(0.0),
        }
    }

    /// The sums: what was told, and the rest by these prices.
    #[must_use]
    pub fn metrics(&self, prices: &BTreeMap<String, Price>) -> Metrics {
        let tokens = self.usage.iter().fold(self.told_tokens, |all, used| all.saturating_add(sum(used)));
        let cost = (self.told_cost + budget::cost(&self.usage, prices)).min(f64::MAX);
        Metrics { tokens, cost, ..Metrics::default() }
    }
}

fn sum(usage: &Usage) -> u64 {
    usage.input_tokens.saturating_add(usage.output_tokens)
}

impl Pick {
    /// The answer as far as it can be used. A name with one slip is taken for the one candidate that it can be.
    #[must_use]
    pub fn checked(self, question: &PickQuestion, agents: Known<'_>) -> Picked {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(model: &str, input_tokens: u64, output_tokens: u64) -> Usage {
        Usage { model: model.into(), input_tokens, output_tokens }
    }

    #[test]
    fn each_call_is_priced_by_its_own_model() {
        let price = |input, output| Price { input, output };
        let prices = BTreeMap::from([("big".to_owned(), price(30.0, 60.0)), ("small".to_owned(), price(1.0, 2.0))]);
        let big = (usage("big", 1_000_000, 0), 0.0);
        let small = (usage("small", 0, 1_000_000), 0.0);
        let told = (usage("big", 5, 5), 0.25);
        for (calls, tokens, cost) in [
            (vec![], 0, 0.0),
            (vec![big.clone(), small.clone()], 2_000_000, 32.0),
            (vec![small.clone(), big.clone()], 2_000_000, 32.0),
            (vec![big.clone(), big.clone()], 2_000_000, 60.0),
            (vec![told.clone()], 10, 0.25),
            (vec![told.clone(), small.clone(), told], 1_000_020, 2.5),
            (vec![(usage("unknown", 7, 0), 0.0), (usage("small", 0, 0), f64::NAN)], 7, 0.0),
        ] {
            let mut used = PickUsed::default();
            for (usage, cost) in calls.clone() {
                used.add(usage, cost);
            }
            let metrics = used.metrics(&prices);
            assert_eq!(metrics.tokens, tokens, "{calls:?}");
            assert!((metrics.cost - cost).abs() < 1e-9, "{calls:?} cost {}", metrics.cost);
            assert_eq!(used.is_nothing(), tokens == 0);
            assert!(used.since(&used.clone()).is_nothing());
        }
    }

    #[test]
    fn models_are_bounded_and_no_token_is_lost() {
        let mut used = PickUsed::default();
        for n in 0..limits::USAGE_MAX + 5 {
            used.add(usage(&format!("m{n}"), 1, 0), 0.0);
        }
        let before = used.clone();
        assert_eq!(used.usage.len(), limits::USAGE_MAX);
        assert_eq!(used.metrics(&BTreeMap::new()).tokens, limits::USAGE_MAX as u64 + 5);
        used.add(usage("m0", 2, 3), 0.0);
        used.add(usage("new", 1, 0), 0.0);
        used.add(usage("m0", 1, 0), 0.5);
        let more = used.since(&before).metrics(&BTreeMap::new());
        assert_eq!((more.tokens, more.cost.to_string().as_str()), (7, "0.5"));
    }
}
