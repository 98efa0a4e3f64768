//! The command object: where the work goes after a turn, and what changes with it.

use super::{
    duration::duration,
    fields::Fields,
    place::{Limit, Place},
    request,
};
use crate::{
    budget::Usage,
    command::{Goto, NewArtifact, Turn, Update},
    handoff::Metrics,
    limits,
    refusal::{Code, Refusal},
};
use serde_json::Value;

const USAGE: Limit = (limits::USAGE_MAX, "USAGE_MAX");
const ARTIFACTS: Limit = (limits::ARTIFACTS_MAX, "ARTIFACTS_MAX");

pub(super) fn turn(f: &mut Fields<'_>) -> Turn {
    Turn { goto: f.need("goto").and_then(goto).unwrap_or(Goto::End), update: f.part("update", update) }
}

fn goto(place: Place<'_>) -> Option<Goto> {
    match place.value() {
        Value::String(word) if word == "END" || word == "end" => Some(Goto::End),
        Value::String(_) => {
            place.agent().map(|to_agent| Goto::One { to_agent, task: String::new(), reason: String::new() })
        }
        Value::Array(_) => request::sends(place).map(|sends| Goto::Many {
            sends,
            aggregation: Default::default(),
            timeout_ms: limits::EXECUTION_MS,
        }),
        Value::Object(_) => place.object(spelt).flatten(),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            place.wrong_type("\"END\", an agent, a list of sends or an object");
            None
        }
    }
}

/// One of the three long forms.
fn spelt(f: &mut Fields<'_>) -> Option<Goto> {
    match (f.get("one"), f.get("request"), f.get("many")) {
        (Some(place), None, None) => place.object(one),
        (None, Some(place), None) => place.object(whole),
        (None, None, Some(place)) => place.object(many),
        (None, None, None) => {
            f.missing("expected one of `one`, `request` and `many`");
            None
        }
        (first, second, third) => {
            for place in [first, second, third].into_iter().flatten().skip(1) {
                let refusal = Refusal::new(Code::UnknownField, "a turn goes one way");
                place.refuse(refusal.hint("give one of `one`, `request` and `many`"));
            }
            None
        }
    }
}

fn one(f: &mut Fields<'_>) -> Goto {
    Goto::One { to_agent: f.agent("to_agent"), task: f.free_text("task"), reason: f.free_text("reason") }
}

fn whole(f: &mut Fields<'_>) -> Goto {
    let parsed = request::request(f);
    if parsed.history.is_some() {
        let refusal = Refusal::new(Code::UnknownField, "a turn carries no conversation");
        f.wrong(refusal.at(f.at("context.conversation_history")).hint("append the messages before the turn ends"));
    }
    Goto::Request(Box::new(parsed.request))
}

fn many(f: &mut Fields<'_>) -> Goto {
    Goto::Many {
        sends: f.need("sends").and_then(request::sends).unwrap_or_default(),
        aggregation: request::aggregation(f),
        timeout_ms: duration(f, "timeout_ms", "timeout").unwrap_or(limits::EXECUTION_MS),
    }
}

/// What changes in the session; the names of a turn and those of a return mean the same.
pub(super) fn update(f: &mut Fields<'_>) -> Update {
    let kept = |place: Place<'_>| place.list(Some(ARTIFACTS), |item| item.object(artifact));
    Update {
        context: f.either("context", "variables_changed").and_then(Place::variables).unwrap_or_default(),
        artifacts: f.either("artifacts", "artifacts_produced").and_then(kept).unwrap_or_default(),
        workflow_state: f.payload("workflow_state"),
        metrics: f.part("metrics", metrics),
        usage: f.list("usage", Some(USAGE), |item| item.object(usage)),
    }
}

pub(super) fn usage(f: &mut Fields<'_>) -> Usage {
    Usage {
        model: f.free_text("model"),
        input_tokens: f.count("input_tokens"),
        output_tokens: f.count("output_tokens"),
    }
}

fn artifact(f: &mut Fields<'_>) -> NewArtifact {
    NewArtifact {
        kind: f.word("type"),
        path: f.text("path"),
        description: f.free_text("description"),
        status: f.optional_word("status").unwrap_or_default(),
    }
}

fn metrics(f: &mut Fields<'_>) -> Metrics {
    Metrics {
        tokens: f.count("tokens"),
        cost: f.get("cost").and_then(|place| place.number(0.0, f64::MAX)).unwrap_or(0.0),
        iterations: f.count("iterations"),
        duration_ms: f.count("duration_ms"),
    }
}
