//! How a step of a workflow may end: its signals, where each leads, and what must come along.

use crate::ask::Ask;
use handover_core::{
    handoff::Handoff,
    workflow::{Rule, Workflow},
};

/// The present step of a workflow.
pub(super) struct Step {
    pub(super) state: String,
    pub(super) about: String,
    pub(super) ways: Vec<Way>,
}

/// One way on.
pub(super) struct Way {
    /// The signals that lead there; any when there are none.
    pub(super) signals: Vec<String>,
    pub(super) to: String,
    pub(super) reason: String,
    /// What must come along and was not given.
    pub(super) needs: Vec<String>,
}

impl Step {
    /// All signals, each once.
    pub(super) fn signals(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for signal in self.ways.iter().flat_map(|way| &way.signals) {
            if !all.contains(&signal.as_str()) {
                all.push(signal);
            }
        }
        all
    }

    /// What the result begins with: the fields that some way needs.
    pub(super) fn template(&self) -> String {
        let names: std::collections::BTreeSet<&String> = self.ways.iter().flat_map(|way| &way.needs).collect();
        let fields = names.into_iter().map(|name| (name.clone(), serde_json::Value::String(String::new())));
        let all: serde_json::Map<String, serde_json::Value> = fields.collect();
        if all.is_empty() { String::new() } else { serde_json::to_string_pretty(&all).unwrap_or_default() }
    }
}

/// The step that a handoff is; nothing where it is none.
pub(super) async fn of(ask: &Ask, handoff: &Handoff) -> Option<Step> {
    let session = ask.engine.session(&handoff.session_id).await.ok()?;
    let flow = session.flow.as_ref().filter(|_| session.is_step(handoff.id))?;
    let workflow = ask.engine.workflow(session.workflow.as_deref()?).ok()?;
    let whose = flow.agent.as_ref().unwrap_or(&handoff.to_agent);
    let fires = |rule: &&Rule| rule.from == *whose && Workflow::fires_in(&workflow, rule, &flow.state);
    let ways = workflow.rules.iter().filter(fires).map(|rule| way(rule, handoff)).collect();
    let about = workflow.states.get(&flow.state).map(|state| state.about.clone()).unwrap_or_default();
    Some(Step { state: flow.state.clone(), about, ways })
}

fn way(rule: &Rule, handoff: &Handoff) -> Way {
    let missing = |name: &&String| handoff.request.task.payload.get(name.as_str()).is_none();
    Way {
        signals: rule.trigger_state.clone(),
        to: rule.to.as_ref().map_or_else(|| "the end".to_owned(), ToString::to_string),
        reason: rule.reason.clone(),
        needs: rule.payload.required.iter().filter(missing).cloned().collect(),
    }
}
