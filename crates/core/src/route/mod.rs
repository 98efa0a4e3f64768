//! Routing: who is given a task that names no agent. Nothing here reads a clock or draws a number: the same question in
//! the same situation gets the same answer, with the reasons beside it.

mod advice;
mod best_match;
pub mod compare;
mod experiment;
mod learned;
mod least_loaded;
mod llm;
mod pool;
mod rank;
mod report;
mod round_robin;
mod semantic;
#[cfg(test)]
mod tests;
pub mod text;

pub use advice::{Recommendation, Suggestion, SuggestionKind};
pub use llm::{Pick, PickCandidate, PickQuestion, PickUsed};
pub use report::{ArmReport, ExperimentReport, report};

pub(crate) use advice::{Looked, recommend, suggest};
pub(crate) use experiment::{Plan, plan};
pub(crate) use llm::question;
pub(crate) use pool::{has, lacks};

use crate::{
    agent::{Agent, Known},
    decide::Picked,
    event::Routed,
    handoff::{ArmOf, Request, RequiredCapability},
    ids::AgentId,
    ledger::Ledger,
    policy::Strategy,
};
use rank::Rated;

/// What somebody is looked for by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Capability,
    List,
    Task,
}

/// What routing looks at.
pub(crate) struct Scene<'a> {
    pub(crate) agents: Known<'a>,
    pub(crate) ledger: &'a Ledger,
    pub(crate) picked: Option<&'a Picked>,
    pub(crate) request: &'a Request,
    /// Who was asked before.
    pub(crate) not: &'a [AgentId],
    /// Why nothing may go to an agent for now: its breaker is open, its budget is spent.
    pub(crate) left_out: &'a dyn Fn(&Agent) -> Option<String>,
}

impl Scene<'_> {
    /// All that is wanted of whoever takes it.
    pub(crate) fn wanted(&self) -> Vec<RequiredCapability> {
        let one = self.request.capability.iter();
        let one = one.map(|id| RequiredCapability { capability_id: id.clone(), min_proficiency: None });
        one.chain(self.request.validation.required_capabilities.iter().cloned()).collect()
    }

    pub(crate) fn by(&self) -> By {
        by(self.request)
    }

    /// The text that profiles are compared with.
    pub(crate) fn text(&self) -> String {
        let task = &self.request.task;
        if task.kind.is_empty() { task.description.clone() } else { format!("{} {}", task.kind, task.description) }
    }

    fn by_words(&self) -> String {
        match self.by() {
            By::List => "a list".into(),
            By::Task => "the task".into(),
            By::Capability => {
                let wanted = self.wanted();
                let names: Vec<&str> = wanted.iter().map(|needed| needed.capability_id.as_str()).collect();
                format!("{} {}", if names.len() == 1 { "capability" } else { "capabilities" }, names.join(", "))
            }
        }
    }
}

/// What a request says of whoever should take it.
pub(crate) fn by(request: &Request) -> By {
    if !request.candidates.is_empty() {
        By::List
    } else if request.capability.is_some() || !request.validation.required_capabilities.is_empty() {
        By::Capability
    } else {
        By::Task
    }
}

/// Finds somebody by a plan: a strategy, and where an experiment runs, its other one beside it.
pub(crate) fn choose(scene: &Scene<'_>, plan: &Plan<'_>) -> Routed {
    let mut routed = by_strategy(scene, plan.strategy);
    if routed.note.is_empty() {
        routed.note.clone_from(&plan.note);
    }
    if let Some((experiment, arm)) = plan.experiment {
        let mut arm = Some(arm).filter(|_| routed.strategy == plan.strategy);
        if let Some(other) = plan.shadow {
            let shadow = by_strategy(scene, other);
            let compared = arm.is_some() && shadow.strategy == other;
            arm = compared.then_some(if shadow.agent == routed.agent { "agreed" } else { "differed" });
            routed.shadow = shadow.agent;
        }
        // Where another strategy had to stand in, the outcome says nothing about the one that was to be tried.
        let name = experiment.name.clone();
        routed.experiment = arm.map(|arm| ArmOf { experiment: name, arm: arm.to_owned() });
    }
    routed
}

fn by_strategy(scene: &Scene<'_>, strategy: Strategy) -> Routed {
    let mut rated = pool::gather(scene, strategy);
    let mut chosen = (strategy, String::new());
    match strategy {
        Strategy::BestMatch => best_match::rate(scene, &mut rated),
        Strategy::LeastLoaded => least_loaded::rate(&mut rated),
        Strategy::RoundRobin => round_robin::rate(&mut rated),
        Strategy::Semantic => semantic::rate(scene, &mut rated),
        Strategy::Learned => learned::rate(scene, &mut rated),
        Strategy::Llm => {
            chosen = llm::rate(scene, &mut rated);
            // Those whom only a model could have picked say nothing once it has not.
            rated.retain(|entry| scene.by() != By::Task || entry.score > 0.0);
        }
    }
    let nobody = strategy == Strategy::Llm && matches!(scene.picked, Some(Picked::Nobody(_)));
    let candidates = rank::in_order(rated);
    let best = candidates.first().filter(|best| best.excluded.is_empty() && !nobody);
    Routed {
        strategy: chosen.0,
        by: scene.by_words(),
        agent: best.map(|best| best.agent.clone()),
        candidates,
        experiment: None,
        shadow: None,
        note: chosen.1,
    }
}

/// One agent alone, as a candidate: how well it fits, and why it cannot be given anything where it cannot.
pub(crate) fn consider(scene: &Scene<'_>, agent: &Agent) -> crate::event::Candidate {
    let mut rated = Rated::of(agent, pool::exclusion(scene, agent));
    if scene.by() == By::Task {
        let score = scene.agents.text().score(&scene.text(), &agent.profile.id);
        rated.score = score;
        rated.why = Box::new(move || semantic::fits(score, &[]));
    } else {
        best_match::rate(scene, std::slice::from_mut(&mut rated));
    }
    rated.into_candidate()
}
