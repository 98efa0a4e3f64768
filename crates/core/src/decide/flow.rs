//! The state machine of a workflow: a step that ends leads to the next one, in the same commit.

use super::{Draft, Verdict, between};
use crate::{
    agent::Risk,
    command::{Giving, Goto},
    event::{Event, StateChange},
    handoff::{Handoff, Kind, Request, Return, ReturnStatus, Status, Trigger},
    ids::{AgentId, HandoffId, LeaseId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
    workflow::{Chosen, End, Ended, Facts, NoRule, Rule, Workflow, Wrong},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// A way that is being gone.
pub(super) struct Way {
    /// Whether it may be gone only so often.
    pub(super) bounded: bool,
    /// How long it waits before it is offered, in milliseconds.
    pub(super) wait_ms: u64,
}

/// Where the work goes.
struct Next {
    state: String,
    agent: Option<AgentId>,
    rule: Option<String>,
    counted: bool,
    signal: String,
}

impl Draft<'_> {
    fn workflow(&self) -> Option<&Arc<Workflow>> {
        self.session.workflow.as_ref().and_then(|name| self.world.workflows.get(name))
    }

    fn state(&self) -> String {
        self.session.flow.as_ref().map(|flow| flow.state.clone()).unwrap_or_default()
    }

    /// When the present state must be over, where it has a time and this is its step.
    pub(super) fn end_of_state(&self, handoff: &Handoff) -> Option<Timestamp> {
        let flow = self.session.flow.as_ref().filter(|flow| flow.step == Some(handoff.id))?;
        let ms = self.workflow()?.states.get(&flow.state)?.timeout_ms?;
        Some(flow.since + ms)
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

    fn unknown_workflow(&self) -> HandoffError {
        let name = self.session.workflow.clone().unwrap_or_default();
        Refusal::new(Code::UnknownWorkflow, format!("the workflow \"{name}\" is not loaded")).into()
    }

    /// The first step has begun.
    pub(super) fn note_start(&mut self, starts: bool, made: &[HandoffId]) {
        let Some(id) = made.first().copied().filter(|_| starts) else { return };
        let agent = self.session.open.get(&id).map(|step| step.to_agent.clone());
        let state = self.state();
        self.emit(Event::StateChanged(Box::new(StateChange {
            from: state.clone(),
            to: state,
            signal: String::new(),
            rule: None,
            counted: false,
            agent,
            step: Some(id),
            ended: None,
            trouble: String::new(),
        })));
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
            self.emit(Event::DeadlineMoved { id, hard_deadline: handoff.hard_deadline, until, lease_until });
        }
    }

    /// A step gave its result: the rules say where the work goes. What its agent can mend is refused.
    pub(super) fn follow_rules(&mut self, id: HandoffId) -> Verdict {
        let Some(step) = self.touched.handoffs.get(&id).cloned() else { return Ok(()) };
        let Some(workflow) = self.workflow().cloned() else { return Err(self.unknown_workflow()) };
        let Some(result) = step.result.clone() else { return Ok(()) };
        let how = match result.status {
            ReturnStatus::Success | ReturnStatus::Partial => Ended::Well,
            ReturnStatus::Failed => Ended::Badly,
            ReturnStatus::Timeout => Ended::Late,
        };
        let signal = result.signal.clone().unwrap_or_else(|| workflow.usual_signal(&self.state(), how));
        let (session, agent) = (self.session.clone(), self.role(&step));
        let facts = facts(&session, &step, (&signal, how), &result);
        match workflow.choose(&agent, &signal, &facts) {
            Ok(chosen) => {
                let payload =
                    chosen.rule.payload.make(&facts).map_err(|wrong| self.lacking(chosen.rule, &wrong, &step))?;
                self.go(&workflow, &chosen, &signal, payload);
                Ok(())
            }
            // A step in a state that ends has nowhere to go: the workflow is over.
            Err(_)
                if workflow
                    .end_of(&session.flow.as_ref().map(|flow| flow.state.clone()).unwrap_or_default())
                    .is_some() =>
            {
                self.finish_flow(&workflow, &signal, None);
                Ok(())
            }
            // A failure without a word of the workflow goes the way of errors.
            Err(none) if how != Ended::Well && result.signal.is_none() => {
                self.go_wrong(&workflow, &step, &signal, &result.notes, &none);
                Ok(())
            }
            Err(none) => Err(self.no_rule(&signal, &none, &step)),
        }
    }

    /// A step ended without a result: nobody took it, time ran out, somebody said no.
    pub(super) fn step_came_to_nothing(&mut self, step: &Handoff, status: Status, notes: &str) {
        if !self.session.is_step(step.id) || self.session.ended_at.is_some() {
            return;
        }
        let Some(workflow) = self.workflow().cloned() else { return };
        let how = if status == Status::TimedOut { Ended::Late } else { Ended::Badly };
        let signal = workflow.usual_signal(&self.state(), how);
        let (session, agent) = (self.session.clone(), self.role(step));
        let closed = self.touched.handoffs.get(&step.id).cloned();
        let step = closed.as_deref().unwrap_or(step);
        let data =
            json!({"error_message": notes, "error_type": word(how), "failed_agent": step.to_agent, "signal": signal});
        let facts = Facts::of_step(&session, step, (&signal, how), &data, notes);
        match workflow.choose(&agent, &signal, &facts) {
            Ok(chosen) => match chosen.rule.payload.make(&facts) {
                Ok(payload) => self.go(&workflow, &chosen, &signal, payload),
                Err(wrong) => {
                    let why = self.lacking(chosen.rule, &wrong, step).to_string();
                    self.stop_flow(&workflow, &signal, &why);
                }
            },
            Err(none) => self.go_wrong(&workflow, step, &signal, notes, &none),
        }
    }

    /// Whose step it was by the workflow, whoever held it.
    fn role(&self, step: &Handoff) -> AgentId {
        let by_flow = self.session.flow.as_ref().and_then(|flow| flow.agent.clone());
        by_flow.unwrap_or_else(|| step.to_agent.clone())
    }

    /// The way of errors: to whoever looks at them, or to the end.
    fn go_wrong(&mut self, workflow: &Workflow, step: &Handoff, signal: &str, notes: &str, none: &NoRule) {
        let route = workflow.on_error.clone();
        let to = route.as_ref().and_then(|route| route.to.clone()).filter(|to| *to != self.role(step));
        let Some(to) = to else {
            let lacks = if none.lacks.is_empty() { "no rule speaks of it".to_owned() } else { none.lacks.join("; ") };
            let why = format!("{signal}: {}; {lacks}", if notes.is_empty() { "it came to nothing" } else { notes });
            return self.stop_flow(workflow, signal, &why);
        };
        let state = route.and_then(|route| route.next_state).unwrap_or_else(|| self.state());
        let payload = json!({
            "session_id": self.session.id, "request_id": self.session.id, "error_type": "step_failed",
            "error_message": notes, "signal": signal, "state": self.state(), "failed_agent": step.to_agent,
            "retryable": false, "payload": step.request.task.payload,
        });
        let next = Next { state, agent: Some(to), rule: None, counted: false, signal: signal.to_owned() };
        let reason = format!("{} failed, and no rule says how to go on", step.to_agent);
        let request = self.step_request(&next, &reason, payload);
        self.begin_step(workflow, next, request, Way { bounded: true, wait_ms: 0 });
    }

    /// Goes where a rule says.
    fn go(&mut self, workflow: &Workflow, chosen: &Chosen<'_>, signal: &str, payload: Value) {
        let rule = chosen.rule;
        let next = Next {
            state: rule.next_state.clone().unwrap_or_else(|| self.state()),
            agent: rule.to.clone(),
            rule: Some(rule.id.clone()),
            counted: rule.retry.is_some(),
            signal: signal.to_owned(),
        };
        if next.agent.is_none() {
            return self.finish_flow(workflow, signal, Some(rule));
        }
        let mut request = self.step_request(&next, &rule.reason, payload);
        request.task.priority = rule.priority;
        request.task.kind.clone_from(&rule.task);
        request.audit.risk_level = rule.risk.unwrap_or(Risk::Low);
        request.needs_approval = rule.needs_approval;
        let wait_ms = rule.retry.map_or(0, |retry| retry.wait_ms(chosen.before));
        self.begin_step(workflow, next, request, Way { bounded: rule.retry.is_some(), wait_ms });
    }

    fn step_request(&self, next: &Next, reason: &str, payload: Value) -> Request {
        let mut request = Request::new(Kind::Sequential, self.session.active_agent.clone(), reason);
        request.to_agent.clone_from(&next.agent);
        request.rule.clone_from(&next.rule);
        request.completes_segment = true;
        request.trigger = Trigger::TaskCompletion;
        if !self.session.original_request.trim().is_empty() {
            request.original_request.clone_from(&self.session.original_request);
            request.user_intent.clone_from(&self.session.original_request);
        }
        request.task.payload = payload;
        request
    }

    /// Begins the next step. What the guards or the registry refuse stops the workflow: nobody could mend it here.
    fn begin_step(&mut self, workflow: &Workflow, next: Next, request: Request, way: Way) {
        self.way = Some(way);
        let begun = self.initiate(request);
        self.way = None;
        let made = match begun {
            Ok(made) => made,
            Err(error) => return self.stop_flow(workflow, &next.signal, &error.to_string()),
        };
        let from = self.state();
        let step = made.first().copied();
        self.emit(Event::StateChanged(Box::new(StateChange {
            from,
            to: next.state,
            signal: next.signal,
            rule: next.rule,
            counted: next.counted,
            agent: next.agent,
            step,
            ended: None,
            trouble: String::new(),
        })));
    }

    /// The workflow is over, by a rule or because its state ends it.
    fn finish_flow(&mut self, workflow: &Workflow, signal: &str, rule: Option<&Rule>) {
        let state = rule.and_then(|rule| rule.next_state.clone()).unwrap_or_else(|| self.state());
        let ended = workflow.end_of(&state).unwrap_or(End::Completed);
        let reason = rule.map(|rule| rule.reason.clone()).unwrap_or_else(|| format!("{signal} in {state}"));
        self.end_flow(state, signal, rule.map(|rule| rule.id.clone()), ended, String::new(), reason);
    }

    /// The workflow cannot go on: it ends in the state for that, where it has one.
    fn stop_flow(&mut self, workflow: &Workflow, signal: &str, why: &str) {
        let state = workflow.failed_state().map_or_else(|| self.state(), str::to_owned);
        let why: String = why.chars().take(limits::QUOTE_CHARS_MAX * 8).collect();
        self.end_flow(state, signal, None, End::Failed, why.clone(), why);
    }

    fn end_flow(
        &mut self,
        to: String,
        signal: &str,
        rule: Option<String>,
        ended: End,
        trouble: String,
        reason: String,
    ) {
        let (from, by) = (self.state(), self.session.active_agent.clone());
        self.emit(Event::StateChanged(Box::new(StateChange {
            from,
            to,
            signal: signal.to_owned(),
            rule,
            counted: false,
            agent: None,
            step: None,
            ended: Some(ended),
            trouble,
        })));
        let open: Vec<_> = self.session.open.keys().copied().collect();
        for id in open {
            self.close(id, Status::Cancelled, "the workflow is over");
        }
        self.emit(Event::SessionEnded { by, reason });
    }

    /// Somebody ends the session in the middle of its workflow: no rule goes on.
    pub(super) fn leave_flow(&mut self) {
        let Some(flow) = self.session.flow.clone().filter(|flow| flow.ended.is_none()) else { return };
        self.emit(Event::StateChanged(Box::new(StateChange {
            from: flow.state.clone(),
            to: flow.state,
            signal: String::new(),
            rule: None,
            counted: false,
            agent: None,
            step: None,
            ended: Some(End::Failed),
            trouble: "the session was ended".into(),
        })));
    }

    fn no_rule(&self, signal: &str, none: &NoRule, step: &Handoff) -> HandoffError {
        let state = self.state();
        let message = format!("{} ended {state} with {signal}, and no rule fits: {}", step.to_agent, none.words());
        let refusal = Refusal::new(Code::NoRule, message).at("signal");
        let near = crate::nearest::nearest(signal, none.signals.iter().map(|name| (name.as_str(), name)));
        let hint = match near {
            Some(near) if near != signal => format!("did you mean \"{near}\"?"),
            _ => format!("signals that lead on: {}", listed(&none.signals)),
        };
        let details = json!({"state": state, "signals": none.signals, "rules": none.lacks});
        between(refusal.hint(hint).details(details), step)
    }

    fn lacking(&self, rule: &Rule, wrong: &[Wrong], step: &Handoff) -> HandoffError {
        let refusal = |wrong: &Wrong| {
            let message = format!(
                "rule {} hands over to {}: {}",
                rule.id,
                rule.to.as_ref().map_or("nobody", AgentId::as_str),
                wrong.message
            );
            Refusal::new(Code::PayloadWrong, message).at(format!("result.body.{}", wrong.field))
        };
        HandoffError {
            refusals: wrong.iter().map(refusal).collect(),
            ..HandoffError::one(Refusal::new(Code::PayloadWrong, ""))
        }
        .between(&step.to_agent, rule.to.as_ref())
    }
}

fn facts<'a>(
    session: &'a crate::session::Session,
    step: &'a Handoff,
    ended: (&str, Ended),
    result: &Return,
) -> Facts<'a> {
    Facts::of_step(session, step, ended, &result.result.body, &result.notes)
}

fn word(how: Ended) -> &'static str {
    match how {
        Ended::Well => "none",
        Ended::Badly => "step_failed",
        Ended::Late => "timeout",
    }
}

/// Names for a sentence.
fn listed<T: AsRef<str>>(names: &[T]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ") }
}
