//! A request for a handoff, field by field in the order of the specification.

use super::{
    Parsed,
    duration::duration,
    fields::Fields,
    place::{Limit, Place},
    talk,
};
use crate::{
    agent::Risk,
    budget::Budget,
    context::Include,
    handoff::{
        Aggregation, Broadcast, Constraints, Context, Priority, Rationale, Request, RequiredCapability, ReturnProtocol,
        Rung, Send, Task, Transfer, Validation,
    },
    ids::HandoffId,
    limits,
    message::NewMessage,
    refusal::{Code, Refusal},
};
use serde_json::{Map, Value};

const KEY: Limit = (limits::KEY_CHARS_MAX, "KEY_CHARS_MAX");
const CANDIDATES: Limit = (limits::CANDIDATES_MAX, "CANDIDATES_MAX");
const ARTIFACTS: Limit = (limits::ARTIFACTS_MAX, "ARTIFACTS_MAX");
const CAPABILITIES: Limit = (limits::CAPABILITIES_MAX, "CAPABILITIES_MAX");
const TARGETS: Limit = (limits::BROADCAST_TARGETS_MAX, "BROADCAST_TARGETS_MAX");

pub(super) fn request(f: &mut Fields<'_>) -> Parsed {
    let mut history = None;
    let request = Request {
        idempotency_key: f.get("idempotency_key").and_then(|place| place.short_text(KEY)),
        trace_id: f.optional_text("trace_id"),
        parent_id: f.get("parent_id").and_then(Place::uuid).map(HandoffId),
        from_agent: f.agent("from_agent"),
        to_agent: f.optional_agent("to_agent"),
        capability: f.optional_text("capability"),
        candidates: f.list("candidates", Some(CANDIDATES), Place::agent),
        strategy: f.optional_word("strategy"),
        kind: f.word("type"),
        trigger: f.optional_word("trigger").unwrap_or_default(),
        reason: f.text("reason"),
        user_intent: f.text("user_intent"),
        original_request: f.text("original_request"),
        task: f.need("task").and_then(|place| place.object(task)).unwrap_or_else(no_task),
        context: f.part("context", |f| context(f, &mut history)),
        validation: f.part("validation", validation),
        return_protocol: f.part("return_protocol", return_protocol),
        audit: f.part("audit", rationale),
        blocking: f.boolean("blocking", false),
        completes_segment: f.boolean("completes_segment", false),
        broadcast: f.get("broadcast").and_then(|place| place.object(broadcast)),
        // How high a ladder may be is decided with the escalation.
        ladder: f.list("ladder", None, |item| item.object(rung)),
        needs_approval: f.boolean("needs_approval", false),
        rule: None,
        retry_of: None,
    };
    Parsed { request, history }
}

fn task(f: &mut Fields<'_>) -> Task {
    Task {
        id: f.free_text("id"),
        kind: f.free_text("type"),
        description: f.text("description"),
        payload: f.payload("payload"),
        priority: f.optional_word("priority").unwrap_or_default(),
    }
}

/// Takes the place of a task that cannot be read.
fn no_task() -> Task {
    Task {
        id: String::new(),
        kind: String::new(),
        description: String::new(),
        payload: Value::Null,
        priority: Priority::Normal,
    }
}

fn context(f: &mut Fields<'_>, history: &mut Option<Vec<NewMessage>>) -> Context {
    *history = f.get("conversation_history").and_then(talk::history);
    Context {
        transfer: f.part("transfer", transfer),
        variables: variables(f, "variables"),
        artifacts: f.texts("artifacts", ARTIFACTS),
        completed_work: f.payload("completed_work"),
        metadata: f.payload("metadata"),
        user_id: f.optional_text("user_id"),
        correlation_id: f.optional_text("correlation_id"),
        traceparent: f.optional_text("traceparent"),
        constraints: f.part("constraints", |f| Constraints {
            budget: f.get("budget").and_then(budget),
            deadline: f.get("deadline").and_then(Place::time),
        }),
    }
}

/// What it may use; a number is money.
fn budget(place: Place<'_>) -> Option<Budget> {
    if place.is_number() {
        return place.number(0.0, f64::MAX).map(|cost| Budget { cost: Some(cost), ..Budget::default() });
    }
    if !place.is_object() {
        place.wrong_type("a number or an object");
        return None;
    }
    place.object(|f| Budget {
        tokens: f.get("tokens").and_then(|place| place.whole(0, u64::MAX)),
        cost: f.get("cost").and_then(|place| place.number(0.0, f64::MAX)),
        time_ms: f.get("time_ms").and_then(|place| place.whole(1, limits::WAIT_MS_MAX)),
    })
}

fn variables(f: &mut Fields<'_>, name: &'static str) -> Map<String, Value> {
    f.get(name).and_then(Place::variables).unwrap_or_default()
}

fn transfer(f: &mut Fields<'_>) -> Transfer {
    let most = |place: Place<'_>| place.whole(1, u64::MAX).map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    Transfer {
        mode: f.either("mode", "transfer_mode").and_then(Place::word),
        max_messages: f.get("max_messages").and_then(most),
        include: f.part("include", include),
    }
}

fn include(f: &mut Fields<'_>) -> Include {
    let usual = Include::default();
    Include {
        system_messages: f.boolean("system_messages", usual.system_messages),
        tool_calls: f.boolean("tool_calls", usual.tool_calls),
        tool_results: f.boolean("tool_results", usual.tool_results),
        agent_reasoning: f.boolean("agent_reasoning", usual.agent_reasoning),
        asides: f.boolean("asides", usual.asides),
    }
}

fn validation(f: &mut Fields<'_>) -> Validation {
    Validation {
        required_capabilities: f.list("required_capabilities", Some(CAPABILITIES), required),
        autonomy_budget: f.get("autonomy_budget").and_then(autonomy),
    }
}

/// A capability by its name, or with how well it must be mastered.
fn required(place: Place<'_>) -> Option<RequiredCapability> {
    let named = |place: Place<'_>| {
        place.text().map(|capability_id| RequiredCapability { capability_id, min_proficiency: None })
    };
    place.text_or_object(named, |f| RequiredCapability {
        capability_id: f.text("capability_id"),
        min_proficiency: f.get("min_proficiency").and_then(|place| place.number(0.0, 1.0)),
    })
}

/// A risk as a word, or as `{"max_risk": …}`.
pub(super) fn autonomy(place: Place<'_>) -> Option<Risk> {
    place.text_or_object(Place::word, |f| f.word("max_risk"))
}

fn return_protocol(f: &mut Fields<'_>) -> ReturnProtocol {
    ReturnProtocol {
        expected: f.get("expected").and_then(Place::boolean),
        timeout_ms: duration(f, "timeout_ms", "timeout"),
        on_timeout: f.optional_word("on_timeout").unwrap_or_default(),
    }
}

fn rationale(f: &mut Fields<'_>) -> Rationale {
    Rationale {
        decision_rationale: f.free_text("decision_rationale"),
        risk_level: f.optional_word("risk_level").unwrap_or_default(),
    }
}

fn rung(f: &mut Fields<'_>) -> Rung {
    Rung { agent: f.agent("agent"), timeout_ms: duration(f, "timeout_ms", "timeout").unwrap_or(limits::RUNG_MS) }
}

fn broadcast(f: &mut Fields<'_>) -> Broadcast {
    Broadcast { targets: f.need("targets").and_then(sends).unwrap_or_default(), aggregation: aggregation(f) }
}

/// The targets of a broadcast.
pub(super) fn sends(place: Place<'_>) -> Option<Vec<Send>> {
    place.list(Some(TARGETS), send)
}

/// A target by its name, or with a task of its own.
fn send(place: Place<'_>) -> Option<Send> {
    let named = |place: Place<'_>| place.agent().map(|to_agent| Send { to_agent, task: None });
    let own = |f: &mut Fields<'_>| f.get("task").and_then(|place| place.object(task));
    place.text_or_object(named, |f| Send { to_agent: f.agent("to_agent"), task: own(f) })
}

/// When a broadcast is decided: a word, or `{"quorum": k}`.
pub(super) fn aggregation(f: &mut Fields<'_>) -> Aggregation {
    f.get("aggregation").and_then(contract).unwrap_or_default()
}

fn contract(place: Place<'_>) -> Option<Aggregation> {
    match place.value() {
        Value::Object(_) => place.object(quorum),
        Value::String(word) => match word.as_str() {
            "all" => Some(Aggregation::All),
            "any" => Some(Aggregation::Any),
            "majority" => Some(Aggregation::Majority),
            "best_of" => Some(Aggregation::BestOf),
            "quorum" => {
                let refusal = Refusal::new(Code::UnknownValue, "a quorum says how many");
                place.refuse(refusal.hint("write it as {\"quorum\": 2}"));
                None
            }
            other => {
                place.unknown_value(other, &["all", "any", "majority", "best_of", "{\"quorum\": k}"]);
                None
            }
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            place.wrong_type("a word or {\"quorum\": k}");
            None
        }
    }
}

fn quorum(f: &mut Fields<'_>) -> Aggregation {
    // Whether there are so many targets is decided with the broadcast.
    let least = f.need("quorum").and_then(|place| place.whole(1, limits::BROADCAST_TARGETS_MAX as u64));
    Aggregation::Quorum(least.and_then(|least| u32::try_from(least).ok()).unwrap_or(1))
}
