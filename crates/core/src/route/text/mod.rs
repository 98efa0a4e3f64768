//! Which agents fit a task text best, by what they say of themselves: no network, no model, the same answer every time.
//!
//! How a score comes about, for whoever asks "why this agent":
//! 1. Text becomes words. Identifiers come apart (`refundRequest`, `code_review`), endings go ("billing" is "bill"),
//!    words that say nothing ("please") are left out, and words that say little ("update") count a third.
//! 2. A profile counts its words by field: specialization and capabilities most, then tags and examples, then its name
//!    and description. A word that is said again counts less each time, and a long profile does not win by its length.
//! 3. Every word stands for its groups in the thesaurus too: "invoice" is found by "charged twice". A group counts most
//!    for the agents whose profile is mainly about it. A word of many groups says little for each of them.
//! 4. A word of the task that nobody knows may be a slip of one that somebody uses, two words in one, or another form
//!    with the same beginning. Such a match counts about half.
//! 5. A word counts by how rare it is among the agents. What most of them say decides nothing.
//! 6. The score is the sum of what matched, as a share of what the whole task could give: from 0 to 1. Words that nobody
//!    knows are in that whole, so a task that is about something else has low scores everywhere.
//!
//! `Found::because` names the words of the task that gave most to the sum.

mod index;
mod query;
mod slips;
mod stem;
#[cfg(test)]
mod tests;
mod thesaurus;
mod words;

use crate::{agent::Profile, ids::AgentId, limits};
use index::Index;
use query::{Place, Plan};

/// Agents by what they say of themselves, so that a task text finds them.
#[derive(Debug, Clone, Default)]
pub struct TextIndex {
    index: Index,
}

/// An agent that a task text found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Who it is.
    pub agent: AgentId,
    /// How well it fits, from 0 to 1; comparable between the agents of one query.
    pub score: f64,
    /// The words that decided, as they stand in the task text, weightiest first; at most `ROUTE_REASONS_MAX`.
    pub because: Vec<String>,
}

impl TextIndex {
    /// Puts an agent in; what its id had before is forgotten.
    pub fn put(&mut self, profile: &Profile) {
        self.index.put(profile);
    }

    /// Takes an agent out.
    pub fn remove(&mut self, id: &AgentId) {
        self.index.remove(id);
    }

    /// How many agents are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether nobody is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The best `limit` agents for this text, best first, ties by id. Only those are named whose words have some bearing
    /// on it.
    #[must_use]
    pub fn rank(&self, text: &str, limit: usize) -> Vec<Found> {
        self.rank_among(text, limit, |_| true)
    }

    /// The same among some of them alone.
    #[must_use]
    pub fn rank_among(&self, text: &str, limit: usize, counts: impl Fn(&AgentId) -> bool) -> Vec<Found> {
        let plan = Plan::of(text, &self.index);
        let mut scores = vec![0.0; self.index.slots()];
        let mut touched = Vec::new();
        for part in &plan.parts {
            for entry in self.index.entries(part.term) {
                let score: &mut f64 = &mut scores[entry.document as usize];
                if *score == 0.0 {
                    touched.push(entry.document);
                }
                *score += part.weight * f64::from(entry.weight);
            }
        }
        touched.retain(|document| counts(self.index.agent(*document)));
        let best = self.best(&scores, touched, limit);
        best.into_iter().map(|document| self.found(text, &plan, document, scores[document as usize])).collect()
    }

    /// The score of one agent for this text, on the scale of `rank`; 0 when it has no bearing or is not known.
    #[must_use]
    pub fn score(&self, text: &str, id: &AgentId) -> f64 {
        self.scores(text, std::slice::from_ref(id)).pop().unwrap_or_default()
    }

    /// The scores of several agents for this text, in their order, on the scale of `rank`.
    #[must_use]
    pub fn scores(&self, text: &str, ids: &[AgentId]) -> Vec<f64> {
        let plan = Plan::of(text, &self.index);
        let score = |document: u32| {
            let weights = plan.parts.iter().map(|part| part.weight * self.index.weight(document, part.term));
            weights.fold(0.0, |sum, weight| sum + weight) / plan.ceiling
        };
        ids.iter().map(|id| self.index.document(id).map_or(0.0, score)).collect()
    }

    /// The documents with the highest scores, in order. Only these are sorted.
    fn best(&self, scores: &[f64], mut touched: Vec<u32>, limit: usize) -> Vec<u32> {
        let order = |a: &u32, b: &u32| {
            let by_score = scores[*b as usize].total_cmp(&scores[*a as usize]);
            by_score.then_with(|| self.index.agent(*a).cmp(self.index.agent(*b)))
        };
        if limit == 0 {
            return Vec::new();
        }
        if touched.len() > limit {
            touched.select_nth_unstable_by(limit - 1, order);
            touched.truncate(limit);
        }
        touched.sort_unstable_by(order);
        touched
    }

    fn found(&self, text: &str, plan: &Plan, document: u32, sum: f64) -> Found {
        let agent = self.index.agent(document).clone();
        let because =
            self.reasons(plan, document).into_iter().map(|(start, end)| text[start..end].to_owned()).collect();
        Found { agent, score: sum / plan.ceiling, because }
    }

    /// The places in the text that gave this document most. A phrase stands for its words.
    fn reasons(&self, plan: &Plan, document: u32) -> Vec<Place> {
        let mut gains = vec![0.0; plan.places.len()];
        for part in &plan.parts {
            let gain = part.weight * self.index.weight(document, part.term) / part.places.len() as f64;
            part.places.iter().for_each(|place| gains[*place] += gain);
        }
        let mut order: Vec<usize> = (0..gains.len()).filter(|i| gains[*i] > 0.0).collect();
        order.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]));
        let mut reasons: Vec<Place> = Vec::new();
        for (start, end) in order.into_iter().map(|i| plan.places[i]) {
            let apart = reasons.iter().all(|(other_start, other_end)| end <= *other_start || *other_end <= start);
            if apart && reasons.len() < limits::ROUTE_REASONS_MAX {
                reasons.push((start, end));
            }
        }
        reasons
    }
}
