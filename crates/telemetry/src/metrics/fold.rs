//! What is counted of each thing that happens.

use super::{Metric, Metrics, number};
use crate::{followed::Followed, steps::word};
use handover_core::{budget::Amount, event::Event, handoff::Metrics as Used, ids::AgentId, time::Timestamp};

impl Metrics {
    /// Counts what happened. `about` is what is known of the handoff before it.
    pub fn note(&self, event: &Event, at: Timestamp, about: Option<&Followed>) {
        let registry = self.registry();
        match event {
            Event::SessionOpened { .. } => registry.count(Metric::SessionsOpened, &[]),
            Event::SessionEnded { .. } => registry.count(Metric::SessionsEnded, &[]),
            Event::Initiated { request, .. } => registry.count(Metric::HandoffsStarted, &[&word(&request.kind)]),
            Event::Accepted { .. } => {
                if let Some(open) = about.filter(|open| open.accepted_at.is_none()) {
                    let kind = word(&open.kind);
                    registry.observe(Metric::AcceptSeconds, &[&kind], seconds(at, open.opened_at));
                }
            }
            Event::Closed { status, used, .. } => {
                let Some(open) = about else { return };
                let kind = word(&open.kind);
                registry.count(Metric::Handoffs, &[&kind, status.word()]);
                registry.observe(Metric::HandoffSeconds, &[&kind, status.word()], seconds(at, open.opened_at));
                self.charged(&open.to, *used);
            }
            Event::LeaseLost { used, .. } => {
                registry.count(Metric::LeasesLost, &[]);
                self.charged_for(about, *used);
            }
            Event::Retried { used, .. } => self.charged_for(about, *used),
            Event::Used { by, metrics } | Event::ModelAsked { by, metrics } => self.used(by, metrics),
            Event::Approved { .. } => registry.count(Metric::Approvals, &["approved"]),
            Event::Denied { .. } => registry.count(Metric::Approvals, &["denied"]),
            Event::FellBack { error, .. } => registry.count(Metric::Stops, &[error.code().text()]),
            Event::StateChanged(change) => {
                if let Some(code) = code_of(&change.trouble) {
                    registry.count(Metric::Stops, &[code]);
                }
            }
            _ => {}
        }
    }

    fn charged_for(&self, about: Option<&Followed>, used: Option<Amount>) {
        if let Some(open) = about {
            self.charged(&open.to, used);
        }
    }

    fn charged(&self, by: &AgentId, used: Option<Amount>) {
        let used = used.unwrap_or_default();
        self.spent(by, used.tokens, number(used.micros) / 1_000_000.0);
    }

    fn used(&self, by: &AgentId, used: &Used) {
        self.spent(by, used.tokens, used.cost);
    }

    fn spent(&self, by: &AgentId, tokens: u64, cost: f64) {
        if tokens > 0 {
            self.registry().add(Metric::AgentTokens, &[by.as_str()], number(tokens));
        }
        if cost > 0.0 {
            self.registry().add(Metric::AgentCost, &[by.as_str()], cost);
        }
    }
}

fn seconds(now: Timestamp, since: Timestamp) -> f64 {
    number(now.since(since)) / 1_000.0
}

/// The code that a trouble begins with; its words are not for a label.
fn code_of(trouble: &str) -> Option<&str> {
    let code = trouble.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    let fits = code.len() == 6 && code.starts_with("HO") && code[2..].bytes().all(|byte| byte.is_ascii_digit());
    fits.then_some(code)
}
