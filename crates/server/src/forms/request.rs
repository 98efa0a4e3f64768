//! A request for a handoff.

use super::{
    AggregationForm, HistoryMessage, SendForm, TaskForm, TransferForm, VariablesForm,
    build::{self, Form, amount, autonomy, list, schema, share},
};
use handover_core::{
    agent::Risk,
    context::TransferMode,
    described::{KeyText, Text},
    handoff::{Kind, OnTimeout, Priority, Trigger},
    ids::{AgentId, HandoffId},
    limits::{
        ARTIFACTS_MAX, BROADCAST_TARGETS_MAX, BUDGET_COST_MAX, BUDGET_TOKENS_MAX, CANDIDATES_MAX, CAPABILITIES_MAX,
        ESCALATION_DEPTH_MAX, WAIT_MS_MAX,
    },
    policy::Strategy,
    time::Timestamp,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// With the conversation that may come with it.
pub(super) fn whole(generator: &mut SchemaGenerator) -> Schema {
    request(generator, true)
}

/// At the end of a turn.
pub(super) fn next(generator: &mut SchemaGenerator) -> Schema {
    request(generator, false)
}

fn request(generator: &mut SchemaGenerator, conversation: bool) -> Schema {
    let context = context(generator, conversation);
    let (ladder, broadcast) = (rung(generator), broadcast(generator));
    let (validation, returns) = (validation(generator), return_protocol(generator));
    let audit = rationale(generator);
    let mut form = Form::new(generator, "A request for a handoff. Null is the same as leaving out.");
    let agent = form.of::<AgentId>();
    form.takes_a::<KeyText>("idempotency_key", "The same key with the same request gives the first answer.")
        .text("trace_id", "The trace that it belongs to.")
        .takes_a::<HandoffId>("parent_id", "The handoff that it belongs to.")
        .needs_a::<AgentId>("from_agent", "Who hands over.")
        .agent("to_agent", "To whom; left out, somebody is found.")
        .text("capability", "A capability to find somebody by.")
        .takes("candidates", "Whom to choose from, at most CANDIDATES_MAX.", list(&agent, CANDIDATES_MAX))
        .takes_a::<Strategy>("strategy", "How somebody is found.")
        .needs_a::<Kind>("type", "How the work moves.")
        .takes_a::<Trigger>("trigger", "What made it due.")
        .needs_a::<Text>("reason", "Why.")
        .needs_a::<Text>("user_intent", "What the user wants.")
        .needs_a::<Text>("original_request", "What the user said.")
        .needs_a::<TaskForm>("task", "What is to be done.")
        .takes("context", "What goes along.", context)
        .takes("validation", "What the receiver must have.", validation)
        .takes("return_protocol", "What comes back, and when.", returns)
        .takes("audit", "For the record.", audit)
        .flag("blocking", "Whether the source waits for the result before it does anything else.")
        .flag("completes_segment", "Whether the source's part is complete with it.")
        .takes("broadcast", "To several at once.", broadcast)
        .takes("ladder", "Whom an escalation asks, one after the other.", list(&ladder, ESCALATION_DEPTH_MAX as usize))
        .flag("needs_approval", "Whether a person has to approve it first.")
        .done()
}

/// What is to be done.
pub(super) fn task(generator: &mut SchemaGenerator) -> Schema {
    let mut form = Form::new(generator, "What is to be done.");
    let priority = json!({ "anyOf": [form.of::<Priority>(), { "const": "critical" }] });
    form.free_text("id", "Its id.")
        .free_text("type", "Its kind.")
        .needs_a::<Text>("description", "What is to be done, in words.")
        .anything("payload", "Its data, at most PAYLOAD_BYTES_MAX bytes of JSON.")
        .takes("priority", "How urgent it is; `critical` is another word for `urgent`.", priority)
        .done()
}

fn context(generator: &mut SchemaGenerator, conversation: bool) -> Value {
    let constraints = constraints(generator);
    let mut form = Form::new(generator, "What goes along.");
    let (text, message) = (form.of::<Text>(), form.of::<HistoryMessage>());
    let form = form
        .takes_a::<TransferForm>("transfer", "How much of the conversation the receiver is shown.")
        .takes_a::<VariablesForm>("variables", "Variables to set.")
        .takes("artifacts", "Artifacts that go along, at most ARTIFACTS_MAX.", list(&text, ARTIFACTS_MAX))
        .anything("completed_work", "What is done already.")
        .anything("metadata", "Anything else.")
        .text("user_id", "The person that is served.")
        .text("correlation_id", "An id of the caller's own.")
        .takes("constraints", "What the work may use.", constraints);
    let history = json!({ "type": "array", "items": message });
    let says = "The conversation as it is stored, and what is new.";
    if conversation { form.takes("conversation_history", says, history).value() } else { form.value() }
}

fn constraints(generator: &mut SchemaGenerator) -> Value {
    let cost = json!({ "type": "number", "minimum": 0, "maximum": BUDGET_COST_MAX });
    let budget = Form::new(generator, "At most.")
        .takes("tokens", "Tokens, at most BUDGET_TOKENS_MAX.", build::whole(0, BUDGET_TOKENS_MAX))
        .takes("cost", "Money, at most BUDGET_COST_MAX.", cost.clone())
        .takes("time_ms", "Milliseconds, at most WAIT_MS_MAX.", build::whole(1, WAIT_MS_MAX))
        .value();
    Form::new(generator, "What the work may use.")
        .takes("budget", "What it may use; a number is money.", json!({ "anyOf": [cost, budget] }))
        .takes_a::<Timestamp>("deadline", "When it must be over: in the future, and no further than WAIT_MS_MAX.")
        .value()
}

/// How much of the conversation the receiver is shown.
pub(super) fn transfer(generator: &mut SchemaGenerator) -> Schema {
    let mut include = Form::new(generator, "Which messages.");
    for name in ["system_messages", "tool_calls", "tool_results", "agent_reasoning", "asides"] {
        include = include.flag(name, "Whether these are shown.");
    }
    let include = include.value();
    Form::new(generator, "How much of the conversation the receiver is shown.")
        .takes_a::<TransferMode>("mode", "How much.")
        .takes_a::<TransferMode>("transfer_mode", "Another name for `mode`.")
        .one_of("mode", "transfer_mode")
        .takes("max_messages", "At most so many messages.", build::whole(1, u64::MAX))
        .takes("include", "Which messages.", include)
        .done()
}

fn validation(generator: &mut SchemaGenerator) -> Value {
    let required = Form::new(generator, "A capability, and how well it must be mastered.")
        .needs_a::<Text>("capability_id", "The capability.")
        .takes("min_proficiency", "How well, from 0 to 1.", share())
        .value();
    let mut form = Form::new(generator, "What the receiver must have.");
    let either = json!({ "anyOf": [form.of::<Text>(), required] });
    let risk = autonomy(&mut form);
    form.takes("required_capabilities", "At most CAPABILITIES_MAX.", list(&either, CAPABILITIES_MAX))
        .takes("autonomy_budget", "The risk that it must be allowed to take.", risk)
        .value()
}

fn return_protocol(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "What comes back, and when.")
        .flag("expected", "Whether a result is expected.")
        .time("timeout_ms", "timeout", "How long it may take, in milliseconds, at most WAIT_MS_MAX.")
        .takes_a::<OnTimeout>("on_timeout", "What happens when it takes longer.")
        .value()
}

fn rationale(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "For the record.")
        .free_text("decision_rationale", "Why the source decided so.")
        .takes_a::<Risk>("risk_level", "The risk of the task.")
        .value()
}

fn rung(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "A rung of a ladder.")
        .needs_a::<AgentId>("agent", "Who is asked.")
        .time("timeout_ms", "timeout", "How long it has, in milliseconds, at most WAIT_MS_MAX.")
        .value()
}

fn broadcast(generator: &mut SchemaGenerator) -> Value {
    let mut form = Form::new(generator, "To several at once.");
    let sends = sends(&mut form);
    form.needs("targets", "To whom, at most BROADCAST_TARGETS_MAX, each once.", sends)
        .takes_a::<AggregationForm>("aggregation", "When it is decided.")
        .value()
}

/// A list of targets.
pub(super) fn sends(form: &mut Form<'_>) -> Value {
    let mut all = list(&form.of::<SendForm>(), BROADCAST_TARGETS_MAX);
    all["minItems"] = json!(1);
    all
}

/// A target by its name, or with a task of its own.
pub(super) fn send(generator: &mut SchemaGenerator) -> Schema {
    let agent = AgentId::json_schema(generator).to_value();
    let long = Form::new(generator, "A target with a task of its own.")
        .needs_a::<AgentId>("to_agent", "To whom.")
        .takes_a::<TaskForm>("task", "Its task; that of the request when left out.")
        .value();
    schema(json!({ "anyOf": [agent, long], "description": "A target by its name, or with a task of its own." }))
}

/// When a broadcast is decided.
pub(super) fn aggregation(_: &mut SchemaGenerator) -> Schema {
    let quorum = json!({
        "type": "object", "required": ["quorum"], "additionalProperties": false,
        "properties": { "quorum": build::whole(1, BROADCAST_TARGETS_MAX as u64) },
    });
    let words = json!({ "type": "string", "enum": ["all", "any", "majority", "best_of"] });
    schema(json!({ "anyOf": [words, quorum], "description": "When a broadcast is decided." }))
}

/// What models used, for whoever reports it.
pub(super) fn usage(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "What a model used.")
        .free_text("model", "The model.")
        .count("input_tokens", "Tokens that it read.")
        .count("output_tokens", "Tokens that it wrote.")
        .value()
}

/// What was used in all.
pub(super) fn metrics(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "What was used.")
        .count("tokens", "Tokens.")
        .takes("cost", "Money.", amount())
        .count("iterations", "Rounds.")
        .count("duration_ms", "Milliseconds.")
        .value()
}
