//! How a handoff is asked for: `initiate h1 a->b delegation timeout=60s on=retry …`.

use super::{
    Play, name,
    words::{Words, known, span},
};
use handover_core::{
    budget::Budget,
    handoff::{Aggregation, Broadcast, Kind, Request, RequiredCapability, Rung, Send},
    ids::HandoffId,
};
use serde_json::{Value, json};
use uuid::Uuid;

impl Play {
    /// The request of an `initiate`.
    pub fn request(&self, w: &Words<'_>) -> Request {
        let (from, to) = w.nth(2).split_once("->").expect("from->to");
        let kind: Kind = known(w.nth(3));
        let from = if from == "owner" { self.owner() } else { name(from) };
        let mut request = Request::new(kind, from, "work");
        match kind {
            Kind::Broadcast => request.broadcast = Some(broadcast(w, to)),
            Kind::Sequential | Kind::Delegation | Kind::Escalation => {
                request.to_agent = (to != "?").then(|| name(to));
            }
        }
        if kind == Kind::Escalation {
            request.audit.decision_rationale = "unsure".into();
        }
        self.protocol(w, &mut request);
        self.texts_of(w, &mut request);
        request
    }

    fn owner(&self) -> handover_core::ids::AgentId {
        self.session.as_ref().map_or_else(|| name("a"), |session| session.active_agent.clone())
    }

    fn protocol(&self, w: &Words<'_>, request: &mut Request) {
        request.return_protocol.timeout_ms = w.get("timeout").map(span);
        request.return_protocol.on_timeout = w.get("on").map_or_else(Default::default, known);
        request.return_protocol.expected = w.has("nobody-waits").then_some(false);
        request.blocking = w.has("blocking");
        request.completes_segment = w.has("complete");
        request.needs_approval = w.has("approval");
        request.task.priority = w.get("priority").map_or_else(Default::default, known);
        request.audit.risk_level = w.get("risk").map_or_else(Default::default, known);
        request.capability = w.get("cap").map(str::to_owned);
        request.strategy = w.get("strategy").map(known);
        request.candidates = words(w, "among").map(name).collect();
        let budget = Budget {
            tokens: w.get("tokens").map(|n| n.parse().expect("a number")),
            cost: w.get("cost").map(|n| n.parse().expect("a number")),
            time_ms: w.get("time").map(span),
        };
        request.context.constraints.budget = Some(budget).filter(|budget| *budget != Budget::default());
        request.context.constraints.deadline = w.get("deadline").map(|text| self.now + span(text));
        request.validation.required_capabilities = words(w, "need")
            .map(|text| {
                let (id, min) = text.split_once(':').map_or((text, None), |(id, min)| (id, min.parse().ok()));
                RequiredCapability { capability_id: id.to_owned(), min_proficiency: min }
            })
            .collect();
        request.ladder = words(w, "ladder")
            .map(|text| {
                let (agent, time) = text.split_once(':').unwrap_or((text, "10m"));
                Rung { agent: name(agent), timeout_ms: span(time) }
            })
            .collect();
    }

    fn texts_of(&self, w: &Words<'_>, request: &mut Request) {
        for (key, field) in [
            ("reason", &mut request.reason),
            ("intent", &mut request.user_intent),
            ("original", &mut request.original_request),
            ("task", &mut request.task.description),
            ("why", &mut request.audit.decision_rationale),
        ] {
            if let Some(text) = w.get(key) {
                text.clone_into(field);
            }
        }
        if let Some(depth) = w.get("deep") {
            let depth: usize = depth.parse().expect("a number");
            request.task.payload = (0..depth).fold(Value::Null, |inner, _| json!([inner]));
        }
        if let Some(payload) = w.get("payload") {
            request.task.payload = serde_json::from_str(payload).expect("JSON without spaces");
        }
        let number = |key: &str| w.get(key).and_then(|n| n.parse::<f64>().ok());
        let tokens = w.get("tokens").and_then(|n| n.parse().ok());
        if tokens.is_some() || w.get("cost").is_some() {
            request.context.constraints.budget = Some(Budget { tokens, cost: number("cost"), time_ms: None });
        }
        if let Some(bytes) = w.get("big") {
            request.task.payload = json!("x".repeat(bytes.parse().expect("a number")));
        }
        for pair in words(w, "set") {
            let (name, value) = pair.split_once(':').expect("set=name:value");
            request.context.variables.insert(name.to_owned(), json!(value));
        }
        if w.has("bell") {
            request.reason = "\u{7}".into();
        }
        if let Some(parent) = w.get("parent") {
            request.parent_id = Some(self.handoffs.get(parent).copied().unwrap_or(HandoffId(Uuid::nil())));
        }
        if w.has("shows-nothing") {
            request.context.transfer.max_messages = Some(0);
        }
    }
}

fn words<'a>(w: &Words<'a>, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
    w.get(key).into_iter().flat_map(|text| text.split(','))
}

fn broadcast(w: &Words<'_>, to: &str) -> Broadcast {
    let targets = to.split(',').filter(|to| *to != "?").map(|to| Send { to_agent: name(to), task: None }).collect();
    let aggregation = match w.nth(4) {
        "any" => Aggregation::Any,
        "majority" => Aggregation::Majority,
        "best_of" => Aggregation::BestOf,
        other => other.strip_prefix("quorum:").map_or(Aggregation::All, |k| Aggregation::Quorum(k.parse().expect("k"))),
    };
    Broadcast { targets, aggregation }
}
