//! All workflows that an engine knows, and those that it keeps and cannot read.

use super::{Flow, Workflow};
use crate::refusal::{Code, Refusal};
use std::{collections::BTreeMap, sync::Arc};

/// All workflows that an engine knows, by name.
#[derive(Debug, Clone, Default)]
pub struct Workflows {
    known: BTreeMap<String, Arc<Workflow>>,
    /// Why each of these cannot be read.
    unreadable: BTreeMap<String, String>,
}

impl Workflows {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { known: BTreeMap::new(), unreadable: BTreeMap::new() }
    }

    /// A workflow by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Workflow>> {
        self.known.get(name)
    }

    /// Those that can be used, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Workflow>> {
        self.known.values()
    }

    /// Adds one, or replaces the one of this name.
    pub fn insert(&mut self, name: String, workflow: Arc<Workflow>) {
        self.unreadable.remove(&name);
        self.known.insert(name, workflow);
    }

    /// Notes one that is kept and cannot be read, and why.
    pub fn note_unreadable(&mut self, name: String, why: String) {
        self.unreadable.insert(name, why);
    }

    /// Those that are kept and cannot be read, and why.
    #[must_use]
    pub fn unreadable(&self) -> &BTreeMap<String, String> {
        &self.unreadable
    }

    /// What to say of one that is kept and cannot be read.
    #[must_use]
    pub fn why_unreadable(&self, name: &str) -> Option<Refusal> {
        let why = self.unreadable.get(name)?;
        let message = format!("the kept definition of \"{name}\" cannot be read: {why}");
        let refusal = Refusal::new(Code::WorkflowUnreadable, message).at("workflow");
        Some(refusal.hint("define the workflow again from its file, or use the version that kept it"))
    }
}

impl Workflow {
    /// Why a session that stands there could not go on by this definition, where it could by the one before: what it does,
    /// in words that follow its name.
    #[must_use]
    pub fn strands(&self, flow: &Flow, rule: Option<&str>, before: Option<&Self>) -> Option<String> {
        let state = &flow.state;
        if !self.states.contains_key(state) {
            return Some(format!("stands in {state}, which is no state any more"));
        }
        if let Some(agent) = flow.agent.as_ref().filter(|agent| !self.agents.contains_key(*agent)) {
            return Some(format!("stands in {state} with {agent}, who is no agent any more"));
        }
        if let Some(rule) = rule.filter(|id| !self.rules.iter().any(|rule| rule.id == **id)) {
            return Some(format!("came to {state} by rule {rule}, which is gone"));
        }
        let leads_on = |workflow: &Self| {
            let own = |rule: &&super::Rule| flow.agent.as_ref() == Some(&rule.from);
            workflow.rules.iter().filter(own).any(|rule| workflow.fires_in(rule, state))
        };
        (before.is_none_or(leads_on) && !leads_on(self) && self.end_of(state).is_none())
            .then(|| format!("stands in {state}, and no rule leads its agent on from there any more"))
    }
}
