//! The tools by which a model hands over: their names, how a model is told of them, and which of them an agent has.

use crate::model::ToolSpec;
use handover_core::{
    agent::{Agent, Profile},
    digest::Digest,
    guidance::in_short,
    ids::AgentId,
    limits::TOOL_NAME_CHARS_MAX,
};
use serde_json::{Value, json};

pub(super) const SPECIALIST: &str = "handoff_to_specialist";
pub(super) const AGENT: &str = "handoff_to_agent";
pub(super) const TRANSFER: &str = "transfer_to_";
pub(super) const ACCEPT: &str = "accept_handoff";
pub(super) const LIST: &str = "list_specialists";
pub(super) const ESCALATE: &str = "escalate";
pub(super) const RECALL: &str = "recall";
pub(super) const APPROVAL: &str = "request_approval";
pub(super) const FINISH: &str = "finish_step";

/// A word in the list of tools for all of them, and what an agent has that lists none.
const ALL: &str = "handoff";
/// A word in the list of tools for a tool to everybody by name.
const TRANSFERS: &str = "transfer";
const EACH: [&str; 7] = [SPECIALIST, AGENT, ACCEPT, LIST, ESCALATE, RECALL, APPROVAL];

/// Names in the list of an agent's tools that mean tools of ours.
pub struct Reserved;

impl Reserved {
    /// Those that anybody can list, besides `transfer_to_AGENT`.
    pub const WORDS: [&'static str; 9] = [ALL, TRANSFERS, SPECIALIST, AGENT, ACCEPT, LIST, ESCALATE, RECALL, APPROVAL];

    /// Whether a name is one of ours.
    #[must_use]
    pub fn is(name: &str) -> bool {
        Names::is_ours(name)
    }

    /// The agent that a name such as `transfer_to_anna` is about.
    #[must_use]
    pub fn target(name: &str) -> Option<&str> {
        name.strip_prefix(TRANSFER)
    }

    /// The name of the tool that moves the conversation to this agent.
    #[must_use]
    pub fn transfer_to(agent: &str) -> String {
        AgentId::new(agent).map(|agent| transfer_to(&agent)).unwrap_or_default()
    }
}

/// The tools of an agent by which it hands over.
#[derive(Default)]
pub(crate) struct Names {
    has: Vec<String>,
    /// To whom it has a tool of their own.
    transfers: Vec<AgentId>,
}

impl Names {
    /// Those that a profile lists; all of them when it lists none.
    pub(super) fn of(profile: &Profile, others: &[Agent]) -> Self {
        let lists = |word: &str| profile.tools.iter().any(|tool| tool == word);
        let all = profile.tools.is_empty() || lists(ALL);
        let has = EACH.into_iter().filter(|name| all || lists(name)).map(str::to_owned).collect();
        // Whoever writes the list need not know how a name is changed.
        let plain = |id: &AgentId| lists(&format!("{TRANSFER}{id}"));
        let to = |agent: &&Agent| {
            let id = &agent.profile.id;
            lists(TRANSFERS) || lists(&transfer_to(id)) || plain(id)
        };
        let transfers = others.iter().filter(to).map(|agent| agent.profile.id.clone()).collect();
        Self { has, transfers }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.has.iter().any(|known| known == name)
    }

    pub(super) fn moves(&self) -> bool {
        self.has(AGENT) || !self.transfers.is_empty()
    }

    pub(super) fn hands_over(&self) -> bool {
        self.has(SPECIALIST) || self.moves()
    }

    /// Whether this word of a profile's list is one of ours. No tool from outside can have such a name.
    pub(crate) fn is_ours(word: &str) -> bool {
        word == ALL || word == TRANSFERS || word == FINISH || word.starts_with(TRANSFER) || EACH.contains(&word)
    }

    /// How a model is told of them.
    pub(super) fn specs(&self, others: &[Agent]) -> Vec<ToolSpec> {
        let mut specs: Vec<ToolSpec> = self.has.iter().map(|name| spec(name)).collect();
        specs.extend(self.transfers.iter().filter_map(|id| {
            let agent = others.iter().find(|agent| agent.profile.id == *id)?;
            Some(transfer(agent))
        }));
        specs
    }
}

/// The name of the tool that moves the conversation to this agent. Models take letters, digits, `_` and `-`, and only so
/// many: a name that has to be changed ends with a part of its digest, so that no two agents have the same tool.
pub(super) fn transfer_to(agent: &AgentId) -> String {
    let tame = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let name: String = agent.as_str().chars().map(tame).collect();
    let room = TOOL_NAME_CHARS_MAX - TRANSFER.len();
    if name == agent.as_str() && name.len() <= room {
        return format!("{TRANSFER}{name}");
    }
    let digest = Digest::of(agent.as_str().as_bytes()).to_string();
    let (mark, begin) = (&digest[..6], &name[..name.len().min(room - 7)]);
    format!("{TRANSFER}{begin}_{mark}")
}

fn spec(name: &str) -> ToolSpec {
    let (description, parameters) = match name {
        SPECIALIST => ("Hands a task to a specialist and waits for the result, which comes back to you.", specialist()),
        AGENT => (
            "Moves the conversation to another agent, who goes on with the user. Your part is over then; nothing comes \
             back to you.",
            object(
                &json!({
                    "agent_name": {"type": "string", "description": "To whom, by name"},
                    "message": {"type": "string", "description": "What it should do, and why you hand over"},
                    "context": {"type": "object", "description": "Data that it needs to know"},
                }),
                &["agent_name", "message"],
            ),
        ),
        ACCEPT => (
            "Says that you have understood the handoff that you work on, and gives its terms again: who asked, the task, \
             the deadline.",
            object(&json!({"note": {"type": "string", "description": "How you will go about it"}}), &[]),
        ),
        LIST => (
            "Lists the agents that could be handed something now, with what they can do.",
            object(
                &json!({"query": {"type": "string", "description": "What you need; leave it out to see everybody"}}),
                &[],
            ),
        ),
        ESCALATE => (
            "Hands your work up to whoever may decide more than you, with what you think of it. Use it when a decision is \
             too risky for you or the work cannot go on. Your part is over then.",
            object(
                &json!({
                    "reason": {"type": "string", "description": "Why somebody above has to decide"},
                    "context": {"type": "object", "description": "What they need to know"},
                    "options": {"type": "array", "items": {"type": "string"}, "description": "The choices, as you see them"},
                }),
                &["reason"],
            ),
        ),
        RECALL => (
            "Shows earlier messages of the conversation that you were not shown, by their numbers.",
            object(
                &json!({
                    "first": {"type": "integer", "minimum": 1, "description": "The number of the first message"},
                    "last": {"type": "integer", "minimum": 1, "description": "The number of the last message"},
                }),
                &["first", "last"],
            ),
        ),
        _ => (
            "Asks a person whether you may do something, and waits for the answer. Use it before anything that is \
             costly or cannot be undone.",
            object(
                &json!({
                    "action": {"type": "string", "description": "What you want to do"},
                    "reason": {"type": "string", "description": "Why"},
                    "risk": {"type": "string", "enum": ["low", "medium", "high"]},
                }),
                &["action", "reason"],
            ),
        ),
    };
    ToolSpec { name: name.to_owned(), description: description.to_owned(), parameters }
}

fn specialist() -> Value {
    object(
        &json!({
            "specialist_type": {"type": "string", "description": "A specialization, a capability, or an agent"},
            "task": {"type": "string", "description": "What to accomplish"},
            "reason": {"type": "string", "description": "Why you hand it over"},
            "context": {"type": "object", "description": "What is done so far, and data that matters"},
            "required_capabilities": {"type": "array", "items": {"type": "string"}},
        }),
        &["specialist_type", "task", "reason"],
    )
}

fn transfer(agent: &Agent) -> ToolSpec {
    let profile = &agent.profile;
    let about = if profile.description.is_empty() { &profile.specialization } else { &profile.description };
    let parameters = object(
        &json!({
            "reason": {"type": "string", "description": "Why you hand over"},
            "message": {"type": "string", "description": "What it should do; the user's last words when left out"},
        }),
        &["reason"],
    );
    let description =
        format!("Moves the conversation to {}, who goes on with the user. {}", profile.id, in_short(about));
    ToolSpec { name: transfer_to(&profile.id), description: description.trim().to_owned(), parameters }
}

pub(super) fn object(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
