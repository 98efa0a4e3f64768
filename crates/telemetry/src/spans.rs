//! From what happened to spans: a handoff, each agent's work on it, and the models and tools that were asked in the course
//! of it. Pure: events and what is known of agents go in, spans that have ended come out.

use crate::{
    followed::{Followed, Invocation},
    span::{Attributes, Link, Span, SpanKind},
    steps,
};
use handover_core::{
    event::Event,
    handoff::{Handoff, Priority, Request, Return, Status},
    ids::{AgentId, HandoffId, LeaseId, SessionId},
    limits::{SPAN_LINKS_MAX, TELEMETRY_OPEN_MAX, TELEMETRY_RECENT_MAX},
    time::Timestamp,
    trace::{self, SAMPLED, SpanId},
};
use std::collections::{HashMap, VecDeque};

/// Something that happened, and where.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// To whom the session belongs.
    pub tenant: &'a str,
    /// The session.
    pub session: &'a SessionId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: &'a Event,
}

/// What is known of the model of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOf {
    /// The model that it asks.
    pub model: Option<String>,
    /// Who provides it.
    pub provider: Option<String>,
}

/// Looks up the model of an agent.
pub type Models<'a> = &'a dyn Fn(&AgentId) -> ModelOf;

/// The handoffs that go on, and what is known of them.
#[derive(Debug, Default)]
pub struct Spans {
    open: HashMap<HandoffId, Followed>,
    /// In the order in which they were taken up, so that the oldest are forgotten first.
    order: VecDeque<HandoffId>,
    /// The last invocations of handoffs that are over.
    recent: HashMap<HandoffId, SpanId>,
    recent_order: VecDeque<HandoffId>,
}

impl Spans {
    /// Whether this cannot be understood without what happened to its handoff before.
    #[must_use]
    pub fn lacks(&self, event: &Event) -> Option<HandoffId> {
        let needs = match event {
            Event::Amended { .. } | Event::Accepted { .. } | Event::StepRecorded { .. } | Event::Closed { .. } => true,
            other => ends(other).is_some(),
        };
        event.handoff().filter(|id| needs && !self.open.contains_key(id))
    }

    /// What is known of a handoff that goes on.
    #[must_use]
    pub fn followed(&self, id: HandoffId) -> Option<&Followed> {
        self.open.get(&id)
    }

    /// How many handoffs are followed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is followed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Takes up what happened, and gives the spans that ended with it.
    pub fn fold(&mut self, seen: Seen<'_>, models: Models<'_>) -> Vec<Span> {
        let mut ended: Vec<Span> = self.settle_lost(seen).into_iter().collect();
        match seen.event {
            Event::LeaseLost { id, .. } => {
                if let Some(open) = self.open.get_mut(id) {
                    open.lost_at = Some(seen.at);
                }
            }
            Event::Initiated { request, handoff, .. } => self.begin(seen, request, handoff),
            Event::Amended { id, to, edit, .. } => {
                if let Some(open) = self.open.get_mut(id) {
                    open.to = to.clone();
                    open.priority = edit.priority.unwrap_or(open.priority);
                }
            }
            Event::Accepted { id, by, lease, in_process, .. } => {
                ended.extend(self.end_invocation(*id, seen.at, "replaced", None));
                self.accept(*id, by, *lease, *in_process, seen.at);
            }
            Event::StepRecorded { id, name, output, .. } => {
                if let Some(open) = self.open.get_mut(id) {
                    ended.extend(steps::span(open, *id, (name, output), seen.at, models));
                }
            }
            Event::Rerouted { id, to, .. } => {
                ended.extend(self.end_invocation(*id, seen.at, "rerouted", None));
                if let Some(open) = self.open.get_mut(id) {
                    open.to = to.clone();
                }
            }
            Event::Closed { id, status, result, .. } => ended.extend(self.close(*id, *status, result, seen.at)),
            other => {
                if let (Some((outcome, error)), Some(id)) = (ends(other), other.handoff()) {
                    ended.extend(self.end_invocation(id, seen.at, outcome, error));
                }
            }
        }
        ended
    }

    /// Whoever declines loses its lease first: only what comes next says which of both it was.
    fn settle_lost(&mut self, seen: Seen<'_>) -> Option<Span> {
        let id = seen.event.handoff()?;
        let lost_at = self.open.get_mut(&id)?.lost_at.take()?;
        let declined = matches!(seen.event, Event::Rejected { .. }) && seen.at == lost_at;
        let (outcome, error) = if declined { ("declined", None) } else { ("lease_lost", Some("lease_lost")) };
        self.end_invocation(id, lost_at, outcome, error)
    }

    fn begin(&mut self, seen: Seen<'_>, request: &Request, handoff: &Handoff) {
        let given = request.context.traceparent.as_deref().and_then(|text| text.parse::<trace::TraceParent>().ok());
        let parent = match (&given, handoff.parent_id) {
            (Some(given), _) => Some(given.span),
            (None, Some(parent)) => Some(self.latest(parent)),
            (None, None) => None,
        };
        let followed = Followed {
            tenant: seen.tenant.to_owned(),
            session: seen.session.clone(),
            from: request.from_agent.clone(),
            to: handoff.to_agent.clone(),
            kind: request.kind,
            trigger: request.trigger,
            priority: request.task.priority,
            trace: given.map_or_else(|| trace::of_session(seen.session), |given| given.trace),
            parent,
            sampled: given.is_none_or(|given| given.flags & SAMPLED != 0),
            opened_at: seen.at,
            accepted_at: None,
            invocation: None,
            lost_at: None,
            invocations: Vec::new(),
            taken: 0,
        };
        if self.open.insert(handoff.id, followed).is_none() {
            self.order.push_back(handoff.id);
        }
        while self.open.len() > TELEMETRY_OPEN_MAX {
            let Some(oldest) = self.order.pop_front() else { break };
            self.open.remove(&oldest);
        }
        // Most that are in order are over long ago.
        if self.order.len() > 2 * TELEMETRY_OPEN_MAX {
            self.order.retain(|id| self.open.contains_key(id));
        }
    }

    /// The span below which work belongs that goes on with this handoff.
    fn latest(&self, id: HandoffId) -> SpanId {
        let open = self.open.get(&id).and_then(|open| open.invocations.last().copied());
        open.or_else(|| self.recent.get(&id).copied()).unwrap_or_else(|| trace::handoff_span(id))
    }

    fn accept(&mut self, id: HandoffId, by: &AgentId, lease: LeaseId, in_process: bool, at: Timestamp) {
        let Some(open) = self.open.get_mut(&id) else { return };
        let span = trace::invocation_span(id, lease);
        open.to = by.clone();
        open.accepted_at.get_or_insert(at);
        open.taken += 1;
        if open.invocations.len() < SPAN_LINKS_MAX {
            open.invocations.push(span);
        } else if let Some(last) = open.invocations.last_mut() {
            *last = span;
        }
        open.invocation = Some(Invocation { span, lease, by: by.clone(), in_process, since: at, last: at });
    }

    fn end_invocation(
        &mut self,
        id: HandoffId,
        at: Timestamp,
        outcome: &'static str,
        error: Option<&'static str>,
    ) -> Option<Span> {
        let open = self.open.get_mut(&id)?;
        let invocation = open.invocation.take()?;
        let kind = if invocation.in_process { SpanKind::Internal } else { SpanKind::Consumer };
        let attributes = open
            .common(id)
            .with("gen_ai.operation.name", "invoke_agent")
            .with("gen_ai.agent.name", invocation.by.as_str())
            .with("gen_ai.agent.id", invocation.by.as_str())
            .with("handover.outcome", outcome)
            .with_some("error.type", error);
        let handoff = trace::handoff_span(id);
        open.sampled.then(|| Span {
            trace: open.trace,
            id: invocation.span,
            parent: Some(handoff),
            name: format!("invoke_agent {}", invocation.by),
            kind,
            start: invocation.since,
            end: at,
            attributes,
            links: vec![Link { trace: open.trace, span: handoff, relation: "handoff" }],
            error,
        })
    }

    fn close(&mut self, id: HandoffId, status: Status, result: &Return, at: Timestamp) -> Vec<Span> {
        let error = matches!(status, Status::Failed | Status::TimedOut).then(|| status.word());
        let mut ended: Vec<Span> = self.end_invocation(id, at, status.word(), error).into_iter().collect();
        let Some(open) = self.open.remove(&id) else { return ended };
        self.remember(id, &open);
        if open.sampled {
            ended.push(handoff_span(id, &open, (status, error), result, at));
        }
        ended
    }

    fn remember(&mut self, id: HandoffId, open: &Followed) {
        let Some(last) = open.invocations.last() else { return };
        self.recent.insert(id, *last);
        self.recent_order.push_back(id);
        while self.recent_order.len() > TELEMETRY_RECENT_MAX {
            if let Some(oldest) = self.recent_order.pop_front() {
                self.recent.remove(&oldest);
            }
        }
    }
}

fn handoff_span(
    id: HandoffId,
    open: &Followed,
    (status, error): (Status, Option<&'static str>),
    result: &Return,
    at: Timestamp,
) -> Span {
    let link = |span: &SpanId| Link { trace: open.trace, span: *span, relation: "invocation" };
    let attributes = open
        .common(id)
        .with("handover.type", steps::word(&open.kind))
        .with("handover.trigger", steps::word(&open.trigger))
        .with("handover.from", open.from.as_str())
        .with("handover.to", open.to.as_str())
        .with("handover.status", status.word())
        .with("handover.priority", priority(open.priority))
        .with("handover.invocations", open.taken)
        .with("handover.tokens", result.metrics.tokens)
        .with("handover.cost", result.metrics.cost)
        .with_some("error.type", error);
    Span {
        trace: open.trace,
        id: trace::handoff_span(id),
        parent: open.parent,
        name: format!("handoff {} -> {}", open.from, open.to),
        kind: SpanKind::Producer,
        start: open.opened_at,
        end: at,
        attributes,
        links: open.invocations.iter().map(link).collect(),
        error,
    }
}

impl Followed {
    /// What every span of a handoff says.
    pub(crate) fn common(&self, id: HandoffId) -> Attributes {
        Attributes::default()
            .with("handover.tenant", self.tenant.as_str())
            .with("handover.session_id", self.session.as_str())
            .with("handover.handoff_id", id.to_string())
            .with("gen_ai.conversation.id", self.session.as_str())
    }
}

fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Urgent => "urgent",
        Priority::High => "high",
        Priority::Normal => "normal",
        Priority::Low => "low",
    }
}

/// How an agent's work on a handoff ended with this, and whether that is an error; nothing when it goes on.
fn ends(event: &Event) -> Option<(&'static str, Option<&'static str>)> {
    match event {
        Event::LeaseLost { .. } => Some(("lease_lost", Some("lease_lost"))),
        Event::Retried { .. } => Some(("timed_out", Some("timed_out"))),
        Event::Rejected { .. } => Some(("declined", None)),
        Event::Deferred { .. } => Some(("deferred", None)),
        Event::Asked(_) => Some(("asked", None)),
        Event::Rerouted { .. } => Some(("rerouted", None)),
        Event::Offered { .. } => Some(("offered_again", None)),
        _ => None,
    }
}
