//! What Handover adds to a message of A2A: the names, and how it is written and read. Where the work comes from, until when
//! it is wanted, what it may use, and where it stands in a trace; and, on the way back, what was used.

use crate::{
    budget::{self, Budget},
    handoff::{Handoff, Metrics},
    ids::{AgentId, LeaseId},
    limits::{PATH_MAX, WAIT_MS_MAX},
    time::Timestamp,
    trace,
};
use serde_json::{Map, Value, json};

/// The extension that says all this. It is the key of what is added to the metadata, too.
pub const LINEAGE: &str = "https://handover.dev/a2a/lineage/v1";
/// The key of the place in a trace, as the header is called.
pub const TRACEPARENT: &str = "traceparent";
/// The tag by which an agent is shown to everybody. Only whoever registers the agent can give it.
pub const PUBLIC: &str = "public";
/// The header in which a push says the token that it was configured with.
pub const PUSH_TOKEN: &str = "x-a2a-notification-token";

/// Where a piece of work comes from, and what goes with it. Everything may be unknown.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lineage {
    /// The session of whoever hands over.
    pub session: Option<String>,
    /// The handoff of whoever hands over.
    pub handoff: Option<String>,
    /// The agents of the chain, from the first to the one that is asked.
    pub path: Vec<AgentId>,
    /// When it must be done, by the clock of whoever hands over.
    pub deadline: Option<Timestamp>,
    /// How long it may take from now on, in milliseconds: clocks differ, and this does not.
    pub remaining_ms: Option<u64>,
    /// What it may use.
    pub budget: Option<Budget>,
    /// Where it stands in a trace.
    pub traceparent: Option<String>,
}

impl Lineage {
    /// What goes with this handoff now, while it is held by this lease and must be done by `deadline`.
    #[must_use]
    pub fn of(handoff: &Handoff, lease: LeaseId, deadline: Option<Timestamp>, now: Timestamp) -> Self {
        Self {
            session: Some(handoff.session_id.to_string()),
            handoff: Some(handoff.id.to_string()),
            path: handoff.path.clone(),
            deadline,
            remaining_ms: deadline.map(|deadline| deadline.since(now)),
            budget: left(handoff),
            traceparent: Some(trace::told(handoff, lease).to_string()),
        }
    }

    /// When it must be done, by our own clock; at most as far away as anything may be.
    #[must_use]
    pub fn due(&self, now: Timestamp) -> Option<Timestamp> {
        let due = self.remaining_ms.map(|ms| now + ms.min(WAIT_MS_MAX)).or(self.deadline)?;
        Some(due.min(now + WAIT_MS_MAX))
    }

    /// Adds it to the metadata of a message or a request.
    pub fn write(&self, metadata: &mut Map<String, Value>) {
        let said = [
            ("sessionId", json!(self.session)),
            ("handoffId", json!(self.handoff)),
            ("path", if self.path.is_empty() { Value::Null } else { json!(self.path) }),
            ("deadline", json!(self.deadline)),
            ("remainingMs", json!(self.remaining_ms)),
            ("budget", self.budget.map_or(Value::Null, written)),
        ];
        let said = said.into_iter().filter(|(_, value)| !value.is_null());
        metadata.insert(LINEAGE.to_owned(), said.map(|(name, value)| (name.to_owned(), value)).collect());
        if let Some(traceparent) = &self.traceparent {
            metadata.insert(TRACEPARENT.to_owned(), json!(traceparent));
        }
    }

    /// Reads it from metadata of somebody else. What cannot be read is left out: it is said by whoever asks, and nothing
    /// may fail by it.
    #[must_use]
    pub fn read<'m>(get: impl Fn(&str) -> Option<&'m Value>) -> Self {
        let said = get(LINEAGE).unwrap_or(&Value::Null);
        let text = |name: &str| said[name].as_str().map(str::to_owned);
        let path = said["path"].as_array().map(Vec::as_slice).unwrap_or_default();
        Self {
            session: text("sessionId").filter(|id| short(id)),
            handoff: text("handoffId").filter(|id| short(id)),
            path: path.iter().take(PATH_MAX).filter_map(|id| AgentId::new(id.as_str()?).ok()).collect(),
            deadline: text("deadline").and_then(|time| time.parse().ok()),
            remaining_ms: said["remainingMs"].as_u64(),
            budget: Some(&said["budget"]).filter(|budget| budget.is_object()).map(budget_of),
            traceparent: get(TRACEPARENT).and_then(Value::as_str).and_then(trace::from_header),
        }
    }
}

/// An id of somebody else is kept when it is as short as ours.
fn short(id: &str) -> bool {
    crate::ids::SessionId::new(id).is_ok()
}

/// What of the share of a handoff is left; nothing where it is not limited.
fn left(handoff: &Handoff) -> Option<Budget> {
    let earlier = handoff.earlier.unwrap_or_default().used;
    let share = handoff.reservation.as_ref()?.share.less(handoff.spent_below).less(earlier);
    let budget = Budget { tokens: share.tokens, cost: share.micros.map(budget::units), time_ms: share.ms };
    (!share.is_free()).then_some(budget)
}

fn written(budget: Budget) -> Value {
    let said = [("tokens", json!(budget.tokens)), ("cost", json!(budget.cost)), ("timeMs", json!(budget.time_ms))];
    said.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

fn budget_of(said: &Value) -> Budget {
    let cost = said["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
    Budget { tokens: said["tokens"].as_u64(), cost, time_ms: said["timeMs"].as_u64() }
}

/// Adds what was used to the metadata of a task. Nothing is said of nothing.
pub fn write_used(used: &Metrics, metadata: &mut Map<String, Value>) {
    if used.tokens == 0 && used.cost == 0.0 && used.iterations == 0 {
        return;
    }
    let usage = json!({"tokens": used.tokens, "cost": used.cost, "iterations": used.iterations});
    let said = metadata.entry(LINEAGE).or_insert_with(|| json!({}));
    if let Value::Object(said) = said {
        said.insert("usage".to_owned(), usage);
    }
}

/// What somebody else says that it used.
#[must_use]
pub fn read_used<'m>(get: impl Fn(&str) -> Option<&'m Value>) -> Metrics {
    let usage = &get(LINEAGE).unwrap_or(&Value::Null)["usage"];
    let cost = usage["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
    Metrics {
        tokens: usage["tokens"].as_u64().unwrap_or(0),
        cost: cost.unwrap_or(0.0),
        iterations: usage["iterations"].as_u64().unwrap_or(0),
        duration_ms: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Lineage {
        Lineage {
            session: Some("s-1".to_owned()),
            handoff: Some("5f0c6e2a-0000-4000-8000-000000000007".to_owned()),
            path: ["anna", "remote"].map(|id| AgentId::new(id).unwrap()).to_vec(),
            deadline: Some(Timestamp(1_700_000_000_000)),
            remaining_ms: Some(60_000),
            budget: Some(Budget { tokens: Some(1_000), cost: Some(0.5), time_ms: None }),
            traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for lineage in [whole(), Lineage::default(), Lineage { budget: None, path: Vec::new(), ..whole() }] {
            let mut metadata = Map::new();
            lineage.write(&mut metadata);
            assert_eq!(Lineage::read(|key| metadata.get(key)), lineage, "{metadata:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let deep = json!({LINEAGE: {"path": ["anna", 7, "", "x".repeat(1_000)], "deadline": "soon", "remainingMs": -1,
            "sessionId": "x".repeat(1_000), "handoffId": [], "budget": {"tokens": "all", "cost": -1.0}}, TRACEPARENT: "no"});
        let read = Lineage::read(|key| deep.get(key));
        let anna = vec![AgentId::new("anna").unwrap()];
        assert_eq!(read, Lineage { path: anna, budget: Some(Budget::default()), ..Lineage::default() });
        for value in [json!(null), json!([]), json!("x"), json!({LINEAGE: 7})] {
            assert_eq!(Lineage::read(|key| value.get(key)), Lineage::default());
            assert_eq!(read_used(|key| value.get(key)), Metrics::default());
        }
    }

    #[test]
    fn the_time_that_is_left_counts_before_a_clock_of_somebody_else() {
        let now = Timestamp(5_000);
        let of = |remaining_ms, deadline| Lineage { remaining_ms, deadline, ..Lineage::default() }.due(now);
        assert_eq!(of(Some(10), Some(Timestamp(1))), Some(Timestamp(5_010)));
        assert_eq!(of(None, Some(Timestamp(1))), Some(Timestamp(1)));
        assert_eq!(of(None, None), None);
        assert_eq!(of(Some(u64::MAX), None), Some(now + WAIT_MS_MAX));
    }

    #[test]
    fn what_was_used_comes_back() {
        let used = Metrics { tokens: 12, cost: 0.25, iterations: 3, duration_ms: 0 };
        let mut metadata = Map::new();
        whole().write(&mut metadata);
        write_used(&used, &mut metadata);
        assert_eq!(read_used(|key| metadata.get(key)), used);
        assert_eq!(Lineage::read(|key| metadata.get(key)), whole());
        let mut nothing = Map::new();
        write_used(&Metrics::default(), &mut nothing);
        assert!(nothing.is_empty());
    }
}
