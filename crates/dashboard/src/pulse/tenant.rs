//! The pulse of one tenant: what of everything that happens is counted, and how it is asked for. Pure: fed with what the feed says.

use super::{
    decided::Decided,
    figures::{Figures, Sum},
    recent::Recent,
};
use handover_core::{
    budget::Amount,
    event::{Event, Routed, StateChange},
    ids::{AgentId, SessionId},
    limits::{CHART_COLUMNS, PULSE_ASKED_MAX, PULSE_DECIDED_MAX, PULSE_MINUTES, PULSE_NAMES_MAX, PULSE_STOPS_MAX},
    refusal::Code,
    time::Timestamp,
};
use handover_engine::BusMessage;
use std::collections::{BTreeMap, VecDeque};

const MINUTE_MS: i64 = 60_000;
/// The word for a target that the request itself named.
pub(crate) const NAMED: &str = "named";

/// A workflow that could not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) session: SessionId,
    pub(crate) at: Timestamp,
    pub(crate) why: String,
}

#[derive(Debug, Default)]
pub(crate) struct Tenant {
    minutes: BTreeMap<i64, Figures>,
    pub(crate) pairs: Recent<(AgentId, AgentId), Figures>,
    pub(crate) agents: Recent<AgentId, Figures>,
    /// By workflow and rule.
    pub(crate) rules: Recent<(String, String), u64>,
    pub(crate) strategies: Recent<String, u64>,
    /// Handoffs that guards stopped, by code.
    pub(crate) guarded: Recent<Code, u64>,
    stops: VecDeque<Stop>,
    /// Where a person was asked to look at what failed, the latest last.
    asked: VecDeque<SessionId>,
    /// The latest decisions about approvals, the latest last.
    decided: VecDeque<Decided>,
    /// The workflow of sessions whose rules are counted. It only saves a look into the store.
    flows: BTreeMap<SessionId, String>,
}

/// A stretch of time, in columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Window {
    /// The beginning of each column, with what is in it.
    pub(crate) columns: Vec<(Timestamp, Figures)>,
    pub(crate) total: Figures,
    /// How long a column is, in minutes.
    pub(crate) step: u64,
}

impl Tenant {
    /// The session whose workflow has to be told first.
    pub(crate) fn lacks(&self, message: &BusMessage) -> Option<SessionId> {
        let Event::StateChanged(change) = &message.payload else { return None };
        let session = &message.context.session_id;
        (change.rule.is_some() && !self.flows.contains_key(session)).then(|| session.clone())
    }

    pub(crate) fn follows(&mut self, session: &SessionId, workflow: &str) {
        if self.flows.len() >= PULSE_NAMES_MAX {
            self.flows.pop_first();
        }
        self.flows.insert(session.clone(), workflow.to_owned());
    }

    pub(crate) fn note(&mut self, message: &BusMessage) {
        let (at, session) = (message.timestamp, &message.context.session_id);
        match &message.payload {
            Event::SessionOpened { workflow: Some(workflow), .. } => self.follows(session, workflow),
            Event::SessionEnded { .. } => {
                self.flows.remove(session);
                self.asked.retain(|asked| asked != session);
            }
            Event::HumanAsked { .. } => self.asked_in(session),
            Event::Initiated { request, handoff, routing, .. } => {
                self.asked.retain(|asked| asked != session);
                self.count(message, at, |figures| figures.opened += 1);
                let pair = (request.from_agent.clone(), handoff.to_agent.clone());
                self.pairs.note(&pair, at, |figures| figures.opened += 1);
                self.routed(routing.as_deref(), at);
            }
            Event::Rerouted { from, to, routing, .. } => {
                self.moved(message, from, to);
                if let Some(routing) = routing {
                    self.routed(Some(routing), at);
                }
            }
            Event::Closed { status, result, used, .. } => {
                let (status, ms) = (*status, result.metrics.duration_ms);
                self.count(message, at, |figures| figures.closed(status, ms));
                if let Some(pair) = message.source_agent.clone().zip(message.target_agent.clone()) {
                    self.pairs.note(&pair, at, |figures| figures.closed(status, ms));
                }
                self.spent(message, at, used.unwrap_or_default());
            }
            Event::LeaseLost { used, .. } | Event::Retried { used, .. } => {
                self.spent(message, at, used.unwrap_or_default());
            }
            Event::Asked(asking) => self.spent(message, at, asking.used.unwrap_or_default()),
            Event::Used { by, metrics } | Event::ModelAsked { by, metrics } => {
                self.spent_by(by, at, Amount::used(metrics, 0));
            }
            Event::FellBack { error, .. } => {
                for refusal in &error.refusals {
                    self.guarded.note(&refusal.code, at, |count| *count += 1);
                }
            }
            Event::StateChanged(change) => self.changed(change, session, at),
            _ => {}
        }
    }

    /// What began with one goes on with another: it counts as begun where it will end.
    fn moved(&mut self, message: &BusMessage, from: &AgentId, to: &AgentId) {
        let at = message.timestamp;
        self.agents.note(from, at, |figures| figures.opened = figures.opened.saturating_sub(1));
        self.agents.note(to, at, |figures| figures.opened += 1);
        let Some(source) = &message.source_agent else { return };
        let pair = |target: &AgentId| (source.clone(), target.clone());
        self.pairs.note(&pair(from), at, |figures| figures.opened = figures.opened.saturating_sub(1));
        self.pairs.note(&pair(to), at, |figures| figures.opened += 1);
    }

    fn routed(&mut self, routing: Option<&Routed>, at: Timestamp) {
        let word = routing.map_or(NAMED, |routed| routed.strategy.word());
        self.strategies.note(&word.to_owned(), at, |count| *count += 1);
    }

    fn changed(&mut self, change: &StateChange, session: &SessionId, at: Timestamp) {
        if let Some((rule, workflow)) = change.rule.as_ref().zip(self.flows.get(session)) {
            self.rules.note(&(workflow.clone(), rule.clone()), at, |count| *count += 1);
        }
        // What is said of a session is what is the matter with it now.
        self.stops.retain(|stop| stop.session != *session);
        if change.trouble.is_empty() {
            return;
        }
        if let Some(code) = Code::ALL.iter().find(|code| change.trouble.contains(code.text())) {
            self.guarded.note(code, at, |count| *count += 1);
        }
        if self.stops.len() == PULSE_STOPS_MAX {
            self.stops.pop_front();
        }
        self.stops.push_back(Stop { session: session.clone(), at, why: change.trouble.clone() });
    }

    fn spent(&mut self, message: &BusMessage, at: Timestamp, used: Amount) {
        if let Some(agent) = &message.target_agent {
            self.spent_by(agent, at, used);
        }
    }

    fn spent_by(&mut self, agent: &AgentId, at: Timestamp, used: Amount) {
        if !used.is_nothing() {
            self.minute(at).used(used);
            self.agents.note(agent, at, |figures| figures.used(used));
        }
    }

    /// Counts in the minute, and for whoever has it.
    fn count(&mut self, message: &BusMessage, at: Timestamp, count: impl Fn(&mut Figures)) {
        count(self.minute(at));
        if let Some(agent) = &message.target_agent {
            self.agents.note(agent, at, count);
        }
    }

    fn minute(&mut self, at: Timestamp) -> &mut Figures {
        let minute = at.0.div_euclid(MINUTE_MS);
        while self.minutes.len() > PULSE_MINUTES {
            self.minutes.pop_first();
        }
        self.minutes.entry(minute).or_default()
    }

    /// The last minutes up to now, in at most `CHART_COLUMNS` columns.
    pub(crate) fn window(&self, now: Timestamp, minutes: usize) -> Window {
        let step = minutes.div_ceil(CHART_COLUMNS).max(1);
        let (step, columns) = (i64::try_from(step).unwrap_or(1), i64::try_from(minutes / step).unwrap_or(1));
        // The last column is the one that goes on now; all begin at the same minutes whenever one looks.
        let last = now.0.div_euclid(MINUTE_MS * step);
        let mut window = Window { step: step.unsigned_abs(), ..Window::default() };
        for column in last - columns + 1..=last {
            let mut sum = Figures::default();
            for (_, figures) in self.minutes.range(column * step..(column + 1) * step) {
                sum.sum(figures);
            }
            window.total.sum(&sum);
            window.columns.push((Timestamp(column * step * MINUTE_MS), sum));
        }
        window
    }

    pub(crate) fn decided(&mut self, decided: Decided) {
        if self.decided.len() == PULSE_DECIDED_MAX {
            self.decided.pop_front();
        }
        self.decided.push_back(decided);
    }

    /// The latest decisions, the latest first.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = &Decided> {
        self.decided.iter().rev()
    }

    fn asked_in(&mut self, session: &SessionId) {
        self.asked.retain(|asked| asked != session);
        if self.asked.len() == PULSE_ASKED_MAX {
            self.asked.pop_front();
        }
        self.asked.push_back(session.clone());
    }

    /// Sessions in which a person was asked to look and nothing was handed over since, the latest first; at most
    /// `PULSE_ASKED_MAX`.
    pub(crate) fn asked(&self) -> Vec<SessionId> {
        self.asked.iter().rev().cloned().collect()
    }

    /// Workflows that stopped, the latest first; at most `PULSE_STOPS_MAX`.
    pub(crate) fn stops(&self) -> Vec<Stop> {
        self.stops.iter().rev().cloned().collect()
    }
}
