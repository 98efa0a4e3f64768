//! The state machine of a workflow: a step that ends leads to the next one, in the same commit.

use super::{Draft, Verdict, between};
use crate::{
    command::{Command, Giving, Goto},
    event::{DeadlineMove, Event, Extension, StateChange},
    handoff::{Handoff, Kind, Request},
    ids::{HandoffId, LeaseId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
    workflow::{Ended, Workflow},
};
use serde_json::json;
use std::sync::Arc;

/// A way that is being gone.
pub(super) struct Way {
    /// Whether it may be gone only so often.
    pub(super) bounded: bool,
    /// How long it waits before it is offered, in milliseconds.
    pub(super) wait_ms: u64,
    /// Why its agent can take nothing now, where it cannot.
    pub(super) held_up: Option<String>,
}

impl Way {
    pub(super) fn new(bounded: bool, wait_ms: u64) -> Self {
        Self { bounded, wait_ms, held_up: None }
    }
}

impl Draft<'_> {
    pub(super) fn workflow(&self) -> Option<&Arc<Workflow>> {
        self.session.workflow.as_ref().and_then(|name| self.world.workflows.get(name))
    }

    pub(super) fn state(&self) -> String {
        self.session.flow.as_ref().map(|flow| flow.state.clone()).unwrap_or_default()
    }

    /// When the present state must be over, where it has a time and this is its step.
    pub(super) fn end_of_state(&self, handoff: &Handoff) -> Option<Timestamp> {
        let flow = self.session.flow.as_ref().filter(|flow| flow.step == Some(handoff.id))?;
        let ms = self.workflow()?.states.get(&flow.state)?.timeout_ms?;
        // A step that nobody has taken yet waits for a person or for its turn, which is not its time.
        let since = if handoff.accepted_at.is_none() { self.now } else { flow.since };
        Some(since + ms)
    }

    /// Whether the time of the present state is over, and the workflow has a word for that. It is how this state may end,
    /// and no failure of whoever waited in it. Whoever vanished meanwhile has lost its lease, which counts by itself.
    pub(super) fn is_waited_out(&self, handoff: &Handoff) -> bool {
        let Some(workflow) = self.workflow().filter(|_| self.end_of_state(handoff).is_some_and(|end| end <= self.now))
        else {
            return false;
        };
        let state = self.state();
        let named = workflow.states.get(&state).is_some_and(|state| state.on_timeout.is_some());
        let signal = workflow.usual_signal(&state, Ended::Late);
        named || workflow.rules.iter().any(|rule| rule.trigger_state.contains(&signal))
    }

    /// Whether a request is the first step of the workflow.
    pub(super) fn starts_flow(&self, request: &Request) -> bool {
        let flow = self.session.flow.as_ref();
        request.kind == Kind::Sequential && flow.is_some_and(|flow| flow.agent.is_none() && flow.ended.is_none())
    }

    /// In a session with a workflow, agents give the session away by its rules alone. The first step goes to whoever is
    /// responsible for the start.
    pub(super) fn check_way(&self, request: &mut Request) -> Verdict {
        if self.session.flow.is_none() || request.kind != Kind::Sequential {
            return Ok(());
        }
        let Some(workflow) = self.workflow() else { return Err(self.unknown_workflow()) };
        if !self.starts_flow(request) {
            return Err(self.not_by_rule(workflow));
        }
        let first = workflow.states.get(&workflow.start).and_then(|state| state.agent.clone());
        match (&request.to_agent, first) {
            (Some(to), Some(first)) if *to != first => {
                let message = format!("{} starts with {first}, not with {to}", workflow.name);
                Err(Refusal::new(Code::BadTransition, message).at("to_agent").into())
            }
            (_, first) => {
                request.to_agent = first;
                request.completes_segment = true;
                request.return_protocol.timeout_ms = None;
                Ok(())
            }
        }
    }

    fn not_by_rule(&self, workflow: &Workflow) -> HandoffError {
        let state = self.state();
        let message = format!("in {state} the rules of {} say where the work goes", workflow.name);
        let refusal = Refusal::new(Code::BadTransition, message).at("type");
        let allowed = workflow.allowed(&state);
        let hint = format!("end the step with a signal; allowed next: {}", listed(&allowed));
        refusal.hint(hint).details(json!({"state": state, "allowed": allowed})).into()
    }

    pub(super) fn unknown_workflow(&self) -> HandoffError {
        let name = self.session.workflow.clone().unwrap_or_default();
        if let Some(refusal) = self.world.workflows.why_unreadable(&name) {
            return refusal.into();
        }
        Refusal::new(Code::UnknownWorkflow, format!("the workflow \"{name}\" is not loaded")).into()
    }

    /// Whether the session goes on by a workflow that is not there, or cannot be read.
    pub(super) fn lacks_workflow(&self) -> bool {
        self.session.flow.as_ref().is_some_and(|flow| flow.ended.is_none()) && self.workflow().is_none()
    }

    /// Nothing that moves the work is done as long as nobody can say where it goes.
    pub(super) fn check_workflow(&self, command: &Command) -> Verdict {
        let about_it = command.handoff().is_none_or(|id| self.session.is_step(id));
        if about_it && command.moves_work() && self.lacks_workflow() { Err(self.unknown_workflow()) } else { Ok(()) }
    }

    /// The time of a step is not used up as long as nobody can say where it goes.
    pub(super) fn wait_for_workflow(&mut self, handoff: &Handoff) {
        let (id, until) = (handoff.id, self.now + limits::DEFINITION_WAIT_MS);
        let why = self.unknown_workflow().to_string();
        self.emit(Event::Extended(Extension { id, until, why }));
        let hard_deadline = handoff.hard_deadline.map(|hard| hard.max(until));
        let running = handoff.lease().is_some();
        if running || hard_deadline != handoff.hard_deadline {
            let lease_until = running.then(|| until + limits::LEASE_MS_MAX);
            self.emit(Event::DeadlineMoved(DeadlineMove { id, hard_deadline, until, lease_until }));
        }
    }

    /// The first step has begun.
    pub(super) fn note_start(&mut self, starts: bool, made: &[HandoffId]) {
        let Some(id) = made.first().copied().filter(|_| starts) else { return };
        let agent = self.session.open.get(&id).map(|step| step.to_agent.clone());
        let from = self.state();
        // The definition may be another than when the session was opened.
        let to = self.workflow().map_or_else(|| from.clone(), |workflow| workflow.start.clone());
        let change = StateChange { from, to, agent, step: Some(id), ..StateChange::default() };
        self.emit(Event::StateChanged(Box::new(change)));
    }

    /// Whether a step may be ended so: a signal belongs to a workflow, and the rules say where the work goes.
    pub(super) fn check_signal(&self, handoff: &Handoff, giving: &Giving, then: Option<&Goto>) -> Verdict {
        let step = self.session.is_step(handoff.id);
        if let Some(signal) = &giving.signal {
            let mut checks = super::validate::Checks::default();
            checks.text("signal", signal);
            checks.count("signal", signal.chars().count(), limits::STATE_CHARS_MAX, "STATE_CHARS_MAX");
            checks.done()?;
            if !step {
                let message = format!("handoff {} is no step of a workflow, and ends without a signal", handoff.id);
                return Err(between(Refusal::new(Code::NotAStep, message).at("signal"), handoff));
            }
        }
        match (then, self.workflow()) {
            (Some(_), Some(workflow)) if step => Err(self.not_by_rule(workflow)),
            (_, None) if step => Err(self.unknown_workflow()),
            _ => Ok(()),
        }
    }

    /// Moves the state while a step goes on.
    pub(super) fn move_state(&mut self, id: HandoffId, lease: LeaseId, to: &str) -> Verdict {
        let handoff = self.held(id, lease)?;
        if !self.session.is_step(id) {
            let message = format!("handoff {id} is not the present step of the session's workflow");
            return Err(between(Refusal::new(Code::NotAStep, message), &handoff));
        }
        let Some(workflow) = self.workflow().cloned() else { return Err(self.unknown_workflow()) };
        let from = self.state();
        if from == to {
            return Ok(());
        }
        let allowed: Vec<&str> = workflow.transitions.get(&from).into_iter().flatten().map(String::as_str).collect();
        if !allowed.contains(&to) || workflow.end_of(to).is_some() {
            let message = format!("{from} is not followed by {to}");
            let refusal = Refusal::new(Code::BadTransition, message).at("state");
            let hint = format!("allowed while the step goes on: {}", listed(&allowed));
            return Err(between(refusal.hint(hint).details(json!({"state": from, "allowed": allowed})), &handoff));
        }
        self.emit(Event::StateMoved { id, from, to: to.to_owned() });
        self.restart_deadline(id);
        Ok(())
    }

    /// The new state has a time of its own.
    fn restart_deadline(&mut self, id: HandoffId) {
        let Some(handoff) = self.session.open.get(&id).cloned() else { return };
        let until = self.deadline(&handoff, self.now);
        let crate::handoff::Phase::Running { lease_until, in_process, deadline, .. } = &handoff.phase else { return };
        let lease_until = in_process.then(|| (*lease_until).max(until + limits::LEASE_MS_MAX));
        if *deadline != until {
            let hard_deadline = handoff.hard_deadline;
            self.emit(Event::DeadlineMoved(DeadlineMove { id, hard_deadline, until, lease_until }));
        }
    }
}

/// Names for a sentence.
pub(super) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ") }
}
