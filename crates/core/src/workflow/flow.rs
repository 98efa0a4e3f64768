//! Where a session stands in its workflow.

use super::{End, Workflow};
use crate::{
    ids::{AgentId, HandoffId},
    time::Timestamp,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a session stands in its workflow. Small: it is written with every step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flow {
    /// The state.
    pub state: String,
    /// Since when.
    pub since: Timestamp,
    /// Whose step it is, by the workflow; whoever holds it may be a stand-in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The handoff that is the present step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<HandoffId>,
    /// How often each way with a limit was gone, by rule.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tries: BTreeMap<String, u32>,
    /// Whether it is over, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
    /// Why it cannot go on, where it cannot.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub trouble: String,
    /// Where it could not go on: a person may have that step made again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Stuck>,
}

/// The step at which a workflow could not go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stuck {
    /// The state.
    pub state: String,
    /// Whose step it was, by the workflow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// The handoff that was the step.
    pub step: HandoffId,
}

impl Flow {
    /// At the start.
    #[must_use]
    pub fn at_start(state: String, at: Timestamp) -> Self {
        let tries = BTreeMap::new();
        Self { state, since: at, agent: None, step: None, tries, ended: None, trouble: String::new(), stuck: None }
    }
}

impl Flow {
    /// Comes into a state.
    pub(crate) fn enter(&mut self, state: &str, at: Timestamp) {
        state.clone_into(&mut self.state);
        self.since = at;
    }

    /// Goes back to where it could not go on.
    pub(crate) fn reopen(&mut self, at: Timestamp) {
        let Some(stuck) = self.stuck.take() else { return };
        self.enter(&stuck.state, at);
        self.agent = stuck.agent;
        self.ended = None;
        self.trouble.clear();
    }
}

impl Workflow {
    /// The states that may follow a state: those that rules of its agent lead to, and those that are listed.
    #[must_use]
    pub fn allowed(&self, state: &str) -> Vec<&str> {
        let listed = self.transitions.get(state).into_iter().flatten().map(String::as_str);
        let by_rules =
            self.rules.iter().filter(|rule| self.fires_in(rule, state)).filter_map(|r| r.next_state.as_deref());
        let error = self.on_error.iter().filter_map(|route| route.next_state.as_deref());
        let mut all: Vec<&str> = listed.chain(by_rules).chain(error).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a rule may fire in a state: its agent is responsible there, or is nowhere responsible by itself.
    #[must_use]
    pub fn fires_in(&self, rule: &super::Rule, state: &str) -> bool {
        let responsible = |state: &super::State| state.agent.as_ref() == Some(&rule.from);
        let here = self.states.get(state).is_some_and(responsible);
        here || !self.states.values().any(responsible)
    }

    /// Whether a state ends the workflow, and how.
    #[must_use]
    pub fn end_of(&self, state: &str) -> Option<End> {
        self.states.get(state).and_then(|state| state.end)
    }

    /// The state in which it came to nothing, where there is one.
    #[must_use]
    pub fn failed_state(&self) -> Option<&str> {
        let failed = self.states.iter().find(|(_, state)| state.end == Some(End::Failed));
        failed.map(|(name, _)| name.as_str())
    }

    /// The signal of a step that ended without one.
    #[must_use]
    pub fn usual_signal(&self, state: &str, how: super::Ended) -> String {
        let known = self.states.get(state).and_then(|state| state.on_timeout.clone());
        match how {
            super::Ended::Well => format!("{state}_COMPLETE"),
            super::Ended::Badly => format!("{state}_FAILED"),
            super::Ended::Late => known.unwrap_or_else(|| format!("{state}_TIMEOUT")),
        }
    }
}
