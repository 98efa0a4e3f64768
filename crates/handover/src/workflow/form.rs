//! The form of a workflow file, as a table: every field with its type and its meaning. The reference page and the JSON
//! Schema for editors are made from it, and a test holds it against the types that are read.

use handover_core::limits::{RETRY_FACTOR_MAX, RULE_TRIES_MAX, WATCH_AGENTS_MAX, WORKFLOW_RULES_MAX};

/// A part of the file: an object with fields.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Its name, which is that of the type in code.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Whether it has exactly one of its fields.
    pub one_of: bool,
    /// Its fields, in the order in which people write them.
    pub fields: &'static [Field],
}

/// A field of a part.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What may stand there.
    pub kind: Kind,
    /// Whether it must be there.
    pub needed: bool,
    /// What it means.
    pub about: &'static str,
}

/// What may stand in a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A text.
    Text,
    /// A text that may look like a number, such as `1.1`.
    Id,
    /// A condition in CEL.
    Condition,
    /// Texts in order.
    Texts,
    /// A text, or several in order.
    OneOrMore,
    /// Lists of texts by name.
    TextsByName,
    /// A whole number between these two.
    Whole(u64, u64),
    /// A number that is not negative.
    Number,
    /// True or false.
    Truth,
    /// A length of time with its unit.
    Time,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Another part.
    Part(&'static str),
    /// Other parts in order, at most so many.
    Parts(&'static str, usize),
    /// Other parts by name; one without fields may be left empty.
    PartsByName(&'static str),
    /// Anything.
    Anything,
    /// Anything by name.
    AnythingByName,
    /// A JSON Schema.
    Schema,
}

const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, needed: true, about }
}

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, needed: false, about }
}

const RISK: Kind = Kind::Word(&["low", "medium", "high"]);
const COUNT: Kind = Kind::Whole(0, u32::MAX as u64);

const WORKFLOW: [Field; 11] = [
    needed("name", Kind::Text, "Its name. Sessions are started by it."),
    field("description", Kind::Text, "What it is for. It is the request of a session that is started without one."),
    needed("agents", Kind::PartsByName("Member"), "Everybody who works in it, by name."),
    needed("start", Kind::Text, "The state in which it starts. It has an agent."),
    needed("states", Kind::PartsByName("State"), "The states, by name."),
    field(
        "transitions",
        Kind::TextsByName,
        "States that an agent may move to while its step goes on, by the state in which it is.",
    ),
    needed(
        "rules",
        Kind::Parts("Rule", WORKFLOW_RULES_MAX),
        "Where the work goes when a step ends. The first that fits counts.",
    ),
    field("on_error", Kind::Part("ErrorRoute"), "Where the work goes when a step fails and no rule fits."),
    field(
        "events",
        Kind::Parts("EventTrigger", handover_core::limits::WORKFLOW_EVENTS_MAX),
        "What comes from outside and starts a session.",
    ),
    field("limits", Kind::Part("Limits"), "How far a session may go. What is left out is decided by the policy."),
    field("with", Kind::Anything, "Settings for whoever runs its agents: services, folders."),
];

const MEMBER: [Field; 7] = [
    field("about", Kind::Text, "What it does, in words."),
    field("capabilities", Kind::Texts, "What it can do, for routing."),
    field("run", Kind::Part("Runner"), "How it is run. Left out when it is registered elsewhere."),
    field("at_once", Kind::Whole(1, u32::MAX as u64), "How much it works on at once."),
    field("max_risk", RISK, "The highest risk that it may take."),
    field("signals", Kind::Texts, "The signals that its steps end with. When given, every rule and signal is checked."),
    field("with", Kind::Anything, "Settings of its own, for whoever runs it."),
];

const RUNNER: [Field; 4] = [
    field("builtin", Kind::Text, "One that comes with the program, by name."),
    field("command", Kind::Texts, "A program and its arguments. It reads its work and writes its result as JSON."),
    field("llm", Kind::Part("LlmRunner"), "A model with tools."),
    field("http", Kind::Part("HttpRunner"), "A service that is called."),
];

const LLM_RUNNER: [Field; 4] = [
    field("model", Kind::Text, "The model, as its provider names it."),
    field(
        "provider",
        Kind::Text,
        "Who provides it, by the name that `handover.yaml` gives; the only one when left out.",
    ),
    field("instructions", Kind::Text, "What it is told before all else."),
    field("tools", Kind::Texts, "The tools that it may call, by name. `handoff` stands for all tools that hand over."),
];

const HTTP_RUNNER: [Field; 2] = [
    field("url", Kind::Text, "Where it is called."),
    field("secret_env", Kind::Text, "The variable of the environment that holds the secret by which calls are signed."),
];

const STATE: [Field; 5] = [
    field("agent", Kind::Text, "Who is responsible. Every state has one, unless it ends the workflow."),
    field("about", Kind::Text, "What it means, in words."),
    field("end", Kind::Word(&["completed", "failed"]), "Whether the workflow is over here, and how."),
    field("timeout", Kind::Time, "How long it may last."),
    field("on_timeout", Kind::Text, "The signal when it lasted too long; `<STATE>_TIMEOUT` when left out."),
];

const RULE: [Field; 13] = [
    needed("id", Kind::Id, "Its name, such as `1.1`. No two rules have the same."),
    needed("from", Kind::Text, "Whose step ended."),
    field("to", Kind::Text, "Who goes on. Left out when the workflow ends there."),
    field("trigger_state", Kind::OneOrMore, "The signals that the step may have ended with; any when left out."),
    field("condition", Kind::Condition, "What must hold besides, in CEL."),
    needed("reason", Kind::Text, "Why the work goes there, in words. Whoever goes on reads it."),
    field(
        "priority",
        Kind::Word(&["urgent", "critical", "high", "normal", "low"]),
        "How urgent it is; `normal` when left out. `critical` is another word for `urgent`.",
    ),
    field("next_state", Kind::Text, "The state from then on; the same when left out."),
    field("payload", Kind::Part("Payload"), "What the next one is given; the whole result when left out."),
    field("task", Kind::Text, "The kind of the task, for whoever goes on."),
    field("retry", Kind::Part("Retry"), "How often this way may be gone, and how long it waits before."),
    field("risk", RISK, "The risk of what comes; `low` when left out."),
    field("needs_approval", Kind::Truth, "Whether a person has to approve it first."),
];

const PAYLOAD: [Field; 4] = [
    field("required", Kind::Texts, "Fields that must be there."),
    field("optional", Kind::Texts, "Fields that go along where they are known."),
    field("set", Kind::AnythingByName, "Fields with a fixed value."),
    field("schema", Kind::Schema, "The shape of all of it, as a JSON Schema."),
];

const RETRY: [Field; 3] = [
    needed("max", Kind::Whole(1, RULE_TRIES_MAX as u64), "How often. After that the rule no longer fits."),
    field("backoff", Kind::Time, "How long the first waits; not at all when left out."),
    field(
        "factor",
        Kind::Whole(1, RETRY_FACTOR_MAX as u64),
        "How many times longer each further one waits; 2 when left out.",
    ),
];

const ERROR: [Field; 2] = [
    field("to", Kind::Text, "Who looks at it. The workflow ends as failed when left out."),
    field("next_state", Kind::Text, "The state from then on; the same when left out."),
];

const EVENT: [Field; 2] = [
    needed("on", Kind::Text, "The type of the event."),
    field("condition", Kind::Condition, "What must hold of it, in CEL: `event` is what came."),
];

const LIMITS: [Field; 7] = [
    field("handoffs", COUNT, "Handoffs that agents ask for. Steps by rules count too."),
    field("escalations", COUNT, "Escalations, counted apart."),
    field(
        "agents",
        Kind::Whole(0, WATCH_AGENTS_MAX as u64),
        "Agents that have a part in it, the first owner included.",
    ),
    field("chain", Kind::Whole(2, u32::MAX as u64), "Agents in one chain of handoffs."),
    field("tokens", Kind::Whole(0, u64::MAX), "Tokens."),
    field("cost", Kind::Number, "Money."),
    field("time", Kind::Time, "Time from its opening."),
];

const fn part(name: &'static str, about: &'static str, fields: &'static [Field]) -> Part {
    Part { name, about, one_of: false, fields }
}

/// Every part of the file; the first is the file itself.
pub const FORM: [Part; 12] = [
    part("Workflow", "The file: a team that works by rules.", &WORKFLOW),
    part("Member", "Somebody who works in the workflow. `name: {}` is enough.", &MEMBER),
    Part { name: "Runner", about: "How an agent is run: one of these.", one_of: true, fields: &RUNNER },
    part("LlmRunner", "A model with tools.", &LLM_RUNNER),
    part("HttpRunner", "A service that is called.", &HTTP_RUNNER),
    part("State", "Where the work stands, and who is responsible.", &STATE),
    part("Rule", "When this agent ends a step so, the work goes there.", &RULE),
    part("Payload", "What the next one is given.", &PAYLOAD),
    part("Retry", "A way that may be gone again, but not for ever.", &RETRY),
    part("ErrorRoute", "Where work goes that failed in a way that no rule speaks of.", &ERROR),
    part("EventTrigger", "Something from outside that starts a session.", &EVENT),
    part("Limits", "How far a session may go.", &LIMITS),
];

/// A part by its name.
pub(super) fn part_of(name: &str) -> Option<&'static Part> {
    FORM.iter().find(|part| part.name == name)
}

/// The names of the fields of a part.
pub(super) fn names_of(part: &str) -> Vec<&'static str> {
    part_of(part).into_iter().flat_map(|part| part.fields).map(|field| field.name).collect()
}
