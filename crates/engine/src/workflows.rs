//! Workflows: started for a session, waited for. `defining.rs` keeps them.

use crate::{engine::Engine, events::OutsideEvent, feed::Filter};
use handover_core::{
    command::{Command, Open},
    handoff::{Kind, Request},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    refusal::{Code, HandoffError, Refusal},
    session::Session,
    workflow::{Facts, RULE_ROOTS, Workflow},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The key of the first step: whoever starts a session twice starts it once.
const FIRST_STEP: &str = "workflow/start";

/// How a session of a workflow is started.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The workflow, by name.
    pub workflow: String,
    /// In whose name.
    pub by: AgentId,
    /// What is asked for, in words; what the workflow is for when empty.
    pub request: String,
    /// The data of the first step.
    pub input: Value,
    /// The person that is served.
    pub user_id: Option<String>,
}

impl Start {
    /// A session of this workflow in the name of this agent.
    #[must_use]
    pub fn of(workflow: &str, by: AgentId) -> Self {
        Self { workflow: workflow.to_owned(), by, request: String::new(), input: Value::Null, user_id: None }
    }

    /// What is asked for, in words.
    #[must_use]
    pub fn asking(mut self, request: impl Into<String>) -> Self {
        self.request = request.into();
        self
    }

    /// With this data.
    #[must_use]
    pub fn with(mut self, input: Value) -> Self {
        self.input = input;
        self
    }
}

impl Engine {
    /// The workflows that are kept.
    #[must_use]
    pub fn workflows(&self) -> Vec<Arc<Workflow>> {
        self.inner.workflows.read().iter().cloned().collect()
    }

    /// A workflow by name.
    ///
    /// # Errors
    /// When there is none.
    pub fn workflow(&self, name: &str) -> Result<Arc<Workflow>, HandoffError> {
        let known = self.inner.workflows.read();
        if let Some(refusal) = known.why_unreadable(name) {
            return Err(refusal.into());
        }
        known.get(name).cloned().ok_or_else(|| {
            let names = known.iter().map(|known| (known.name.as_str(), &known.name));
            let near = handover_core::nearest::nearest(name, names);
            let hint = near.map(|near| format!("did you mean \"{near}\"?")).unwrap_or_default();
            Refusal::new(Code::UnknownWorkflow, format!("there is no workflow \"{name}\"")).hint(hint).into()
        })
    }

    /// Starts a session of a workflow, or gives the one that was started before: what a program does that may have been
    /// killed.
    ///
    /// # Errors
    /// When the workflow is not known, its first agent cannot take the work, or the session was started with other data.
    pub async fn start(&self, id: &SessionId, start: Start) -> Result<Arc<Session>, HandoffError> {
        let workflow = self.workflow(&start.workflow)?;
        let asked = if start.request.trim().is_empty() { workflow.description.clone() } else { start.request };
        let asked = if asked.trim().is_empty() { workflow.name.clone() } else { asked };
        let mut open = Open::of(start.by.clone()).asking(&asked);
        open.workflow = Some(start.workflow);
        open.user_id = start.user_id;
        let session = self.resume_session(id, open).await?;
        if session.workflow.as_deref() != Some(workflow.name.as_str()) {
            let message = format!("session {id} is there already, and does not follow {}", workflow.name);
            return Err(Refusal::new(Code::SessionExists, message).at("session_id").into());
        }
        if session.flow.as_ref().is_some_and(|flow| flow.agent.is_some() || flow.ended.is_some()) {
            // Begun before: what it was begun with counts, whatever the file says by now.
            let first = self.handoff_history(id, 0, 1).await?;
            if first.first().is_some_and(|first| first.request.task.payload != start.input) {
                let refusal = Refusal::new(Code::KeyConflict, format!("session {id} was started with other data"));
                return Err(refusal.at("input").hint("choose another session, or give the same data").into());
            }
            return Ok(session);
        }
        let mut request = Request::new(Kind::Sequential, start.by, asked);
        request.reason = format!("{} starts", workflow.name);
        request.task.payload = start.input;
        request.completes_segment = true;
        request.to_agent = workflow.states.get(&workflow.start).and_then(|state| state.agent.clone());
        request.idempotency_key = Some(FIRST_STEP.into());
        self.initiate(id, request).await?;
        self.session(id).await
    }

    /// Waits until the session has ended.
    ///
    /// # Errors
    /// When there is no such session, or the engine is closed meanwhile.
    pub async fn ended(&self, id: &SessionId) -> Result<Arc<Session>, HandoffError> {
        // Heard from now on, so that an end between the look and the wait is not missed.
        let filter = Filter { session: Some(id.clone()), ..Filter::default() };
        let mut feed = self.subscribe(filter, None);
        loop {
            let session = self.session(id).await?;
            if session.ended_at.is_some() {
                return Ok(session);
            }
            if feed.next().await?.is_none() {
                return Err(Refusal::new(Code::ShuttingDown, "the engine was closed").into());
            }
        }
    }

    /// Moves the state of a workflow, by whoever works on its present step.
    ///
    /// # Errors
    /// When the state cannot follow, or the handoff is no step.
    pub async fn move_state(&self, id: HandoffId, lease: LeaseId, state: &str) -> Result<(), HandoffError> {
        let session = self.find(id).await?.session_id.clone();
        let command = Command::MoveState { handoff: id, lease, state: state.to_owned() };
        self.submit(&session, command, None).await.map(|_| ())
    }

    /// Starts a session of every workflow that waits for this event. Gives their first steps.
    pub(crate) async fn start_by_event(&self, event: &OutsideEvent) -> Result<Vec<HandoffId>, HandoffError> {
        let mut made = Vec::new();
        for workflow in self.workflows() {
            let waits = workflow.events.iter().any(|trigger| trigger.on == event.kind && holds(trigger, event));
            let first = workflow.states.get(&workflow.start).and_then(|state| state.agent.clone());
            let (Some(by), true) = (first, waits && event.session_id.is_none()) else { continue };
            let by = self.opener(&by);
            let id = self.session_of_event(&event.id, &workflow.name)?;
            let start = Start::of(&workflow.name, by).asking(format!("{} happened", event.kind));
            let session = self.start(&id, start.with(event.data.clone())).await?;
            made.extend(session.flow.as_ref().and_then(|flow| flow.step));
        }
        Ok(made)
    }

    /// In whose name an event starts a workflow: somebody other than the first agent.
    fn opener(&self, first: &AgentId) -> AgentId {
        let others = self.agents().into_iter().map(|agent| agent.profile.id.clone());
        others.filter(|id| id != first).min().unwrap_or_else(|| first.clone())
    }
}

/// Whether a trigger fits an event. One that gives no answer does not.
fn holds(trigger: &handover_core::workflow::EventTrigger, event: &OutsideEvent) -> bool {
    let Some(condition) = &trigger.condition else { return true };
    let Ok(expression) = condition.compiled(&RULE_ROOTS) else { return false };
    let event = json!({"id": event.id, "type": event.kind, "data": event.data});
    expression.holds(&Facts::of_event(event)).unwrap_or(false)
}
