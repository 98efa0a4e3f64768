//! Workflows are kept in the book of the house. One that sessions still need is not replaced, and nobody takes the place
//! of an agent that another workflow still works with.

use crate::{engine::Engine, shared::Leaf};
use handover_core::{
    event::Event,
    ids::AgentId,
    limits::{SESSIONS_NAMED, WORKFLOWS_MAX},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
    workflow::{Noted, Runner, Workflow, Workflows},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Where the book of the house keeps a workflow.
const PREFIX: &str = "workflow:";

impl Engine {
    /// Keeps a workflow; one with the same name is replaced. It survives a restart. Gives what is worth a second look.
    ///
    /// # Errors
    /// With everything that is wrong with it; when a running session needs something that the new definition lacks; when
    /// another workflow with running sessions has another agent of the same name.
    pub async fn define(&self, workflow: Workflow) -> Result<Vec<Noted>, HandoffError> {
        self.operator()?;
        let notes = workflow.check()?;
        self.sync_book().await?;
        self.check_members(&workflow).await?;
        let known = self.workflows();
        if known.iter().any(|known| **known == workflow) {
            return Ok(notes);
        }
        if known.len() >= WORKFLOWS_MAX && !known.iter().any(|known| known.name == workflow.name) {
            let message = format!("there are {WORKFLOWS_MAX} already (WORKFLOWS_MAX)");
            return Err(Refusal::new(Code::TooLarge, message).at("name").into());
        }
        self.check_needed(&workflow).await?;
        let name = format!("{PREFIX}{}", workflow.name);
        let value = serde_json::to_value(&workflow).unwrap_or(Value::Null);
        self.write_leaf(|book| {
            let version = book.and_then(|book| book.variables.get(&name)).map_or(0, |kept| kept.version);
            let by = book.map(|book| book.active_agent.clone());
            let by = by.map_or_else(|| AgentId::new("handover"), Ok)?;
            let set = BTreeMap::from([(name.clone(), (value.clone(), version + 1))]);
            Ok(Some(Leaf { events: vec![Event::VariablesSet { by, set }], ..Leaf::default() }))
        })
        .await?;
        if !self.is_shared() {
            self.inner.workflows.write().insert(workflow.name.clone(), Arc::new(workflow));
        }
        Ok(notes)
    }

    /// Workflows that are kept and cannot be read, and why. Their sessions wait until they are defined again.
    #[must_use]
    pub fn unreadable_workflows(&self) -> BTreeMap<String, String> {
        self.inner.workflows.read().unreadable().clone()
    }

    /// What the book of the house keeps.
    pub(crate) async fn load_workflows(&self) -> Result<(), HandoffError> {
        let book = self.house().await?.session.clone();
        *self.inner.workflows.write() = workflows_of(book.as_deref());
        Ok(())
    }

    /// Whether every session of this workflow that goes on could go on by the new definition.
    async fn check_needed(&self, workflow: &Workflow) -> Result<(), HandoffError> {
        let before = self.inner.workflows.read().get(&workflow.name).cloned();
        if before.is_none() && !self.unreadable_workflows().contains_key(&workflow.name) {
            return Ok(());
        }
        let mut stranded = Vec::new();
        for session in self.going_on(|name| name == workflow.name).await? {
            let Some(flow) = &session.flow else { continue };
            let step = flow.step.and_then(|step| session.open.get(&step));
            let rule = step.and_then(|step| step.request.rule.as_deref());
            let why = workflow.strands(flow, rule, before.as_deref());
            stranded.extend(why.map(|why| (format!("session {} {why}", session.id), flow.state.clone())));
        }
        if stranded.is_empty() {
            return Ok(());
        }
        let named: Vec<&str> = stranded.iter().take(SESSIONS_NAMED).map(|(what, _)| what.as_str()).collect();
        let more = match stranded.len().saturating_sub(SESSIONS_NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let message = format!("{} is still needed as it is: {}{more}", workflow.name, named.join("; "));
        let states: BTreeSet<&str> = stranded.iter().map(|(_, state)| state.as_str()).collect();
        let refusal = Refusal::new(Code::WorkflowInUse, message).at("name");
        let hint = "let them end, keep what they need, or give the new workflow another name";
        Err(refusal.hint(hint).details(json!({"sessions": stranded.len(), "states": states})).into())
    }

    /// Whether an agent would take the place of another one that a workflow still works with.
    async fn check_members(&self, workflow: &Workflow) -> Result<(), HandoffError> {
        let others: Vec<(Arc<Workflow>, AgentId, String)> =
            self.workflows().iter().flat_map(|o| differing(workflow, o)).collect();
        if others.is_empty() {
            return Ok(());
        }
        let named = |name: &str| others.iter().any(|(other, ..)| other.name == name);
        let mut going: BTreeMap<String, usize> = BTreeMap::new();
        for session in self.going_on(named).await? {
            *going.entry(session.workflow.unwrap_or_default()).or_default() += 1;
        }
        let taken = others.iter().filter_map(|entry| Some((entry, going.get(&entry.0.name)?)));
        let refusals: Vec<Refusal> = taken
            .map(|((other, id, what), count)| {
                let (name, sessions) = (&workflow.name, if *count == 1 { "session goes" } else { "sessions go" });
                let message = format!(
                    "\"{id}\" of \"{name}\" has {what} than \"{id}\" of \"{}\", of which {count} {sessions} on",
                    other.name
                );
                let refusal = Refusal::new(Code::AgentInUse, message).at(format!("agents.{id}"));
                refusal.hint("rename the agent, or use another --db")
            })
            .collect();
        if refusals.is_empty() { Ok(()) } else { Err(HandoffError { refusals, ..nothing() }) }
    }

    /// Sessions of these workflows that go on. Each that goes on has a step.
    async fn going_on(&self, of: impl Fn(&str) -> bool) -> Result<Vec<Session>, HandoffError> {
        let mut found = Vec::new();
        for id in self.inner.store.open_sessions().await? {
            // One that cannot be read goes nowhere, whatever the definition says.
            let Ok(Some(session)) = self.inner.store.session(&id).await else { continue };
            let goes_on = session.flow.as_ref().is_some_and(|flow| flow.ended.is_none());
            if goes_on && session.workflow.as_deref().is_some_and(&of) {
                found.push(session);
            }
        }
        Ok(found)
    }
}

/// The workflows that a book keeps.
pub(crate) fn workflows_of(book: Option<&Session>) -> Workflows {
    let mut workflows = Workflows::new();
    for (name, kept) in book.into_iter().flat_map(|book| book.variables.iter()) {
        follow(&mut workflows, name, &kept.value);
    }
    workflows
}

/// What the book keeps under a name, if it is a workflow.
pub(crate) fn follow(workflows: &mut Workflows, name: &str, value: &Value) {
    let Some(name) = name.strip_prefix(PREFIX) else { return };
    // One that another version wrote, and this one cannot read, must not keep the rest from going on.
    match serde_json::from_value::<Workflow>(value.clone()) {
        Ok(workflow) => workflows.insert(name.to_owned(), Arc::new(workflow)),
        Err(error) => workflows.note_unreadable(name.to_owned(), error.to_string()),
    }
}

fn nothing() -> HandoffError {
    HandoffError { refusals: Vec::new(), agents: String::new(), cause: None }
}

/// Agents of two workflows that have the same name and are run in different ways, and in what they differ.
fn differing(workflow: &Workflow, other: &Arc<Workflow>) -> Vec<(Arc<Workflow>, AgentId, String)> {
    if other.name == workflow.name {
        return Vec::new();
    }
    let differs = |id: &AgentId| {
        let (new, old) = (workflow.agents.get(id)?, other.agents.get(id)?);
        // Whoever is registered elsewhere by both is the same one, whatever each says of it.
        let run = new.run.is_some() || old.run.is_some();
        // Those that come with the program also work by the settings of the whole workflow.
        let builtin = matches!(new.run, Some(Runner::Builtin(_)));
        // What it says of itself and which signals a workflow expects of it do not change how it is run.
        let parts = [
            ("another `run`", new.run != old.run),
            ("another `with`", new.with != old.with),
            ("another `at_once`", new.at_once != old.at_once),
            ("another `max_risk`", new.max_risk != old.max_risk),
            ("another `with` of the workflow", builtin && workflow.with != other.with),
        ];
        let what: Vec<&str> = parts.into_iter().filter(|(_, differs)| run && *differs).map(|(part, _)| part).collect();
        (!what.is_empty()).then(|| what.join(" and "))
    };
    let found = workflow.agents.keys().filter_map(|id| Some((other.clone(), id.clone(), differs(id)?)));
    found.collect()
}
