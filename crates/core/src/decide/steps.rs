//! The way from one step of a workflow to the next: the rule that counts, what goes along, and how a workflow ends.

use super::{
    Draft, Verdict, between,
    flow::{Way, listed},
};
use crate::{
    agent::Risk,
    event::{Event, StateChange},
    handoff::{Handoff, Kind, Request, Return, ReturnStatus, Status, Trigger},
    ids::{AgentId, HandoffId},
    limits,
    refusal::{Code, HandoffError, Refusal},
    workflow::{Chosen, End, Ended, Facts, NoRule, Rule, Workflow, Wrong},
};
use serde_json::{Value, json};

/// Where the work goes.
struct Next {
    state: String,
    agent: Option<AgentId>,
    rule: Option<String>,
    counted: bool,
    signal: String,
}

impl Draft<'_> {
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
        let Some(workflow) = self.workflow().cloned() else {
            let (state, why) = (self.state(), "the workflow is not loaded".to_owned());
            return self.end_flow(state, "", None, End::Failed, why.clone(), why);
        };
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
        self.begin_step(workflow, next, request, Way::new(true, 0));
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
        self.begin_step(workflow, next, request, Way::new(rule.retry.is_some(), wait_ms));
    }

    fn step_request(&self, next: &Next, reason: &str, payload: Value) -> Request {
        let owner = self.session.active_agent.clone();
        // A step that nobody took leaves its source the owner; what comes back to it comes from whose step it was.
        let role = self.session.flow.as_ref().and_then(|flow| flow.agent.clone());
        let from = role.filter(|_| next.agent.as_ref() == Some(&owner)).unwrap_or(owner);
        let mut request = Request::new(Kind::Sequential, from, reason);
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

    /// Begins the next step. What passes by makes it wait; what else the guards or the registry refuse stops the
    /// workflow: nobody could mend it here.
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
            ..StateChange::default()
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
        let stuck_at = self.session.flow.as_ref().filter(|_| !trouble.is_empty()).and_then(|flow| flow.step);
        self.emit(Event::StateChanged(Box::new(StateChange {
            from,
            to,
            signal: signal.to_owned(),
            rule,
            ended: Some(ended),
            trouble,
            stuck_at,
            ..StateChange::default()
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
            ended: Some(End::Failed),
            trouble: "the session was ended".into(),
            ..StateChange::default()
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
