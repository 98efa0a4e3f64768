//! Who is there to hand over to.

use crate::{
    approvals,
    ask::Ask,
    table::{Hints, Tool},
    views::{Told, brief},
};
use handover_core::{
    agent::{Agent, AgentKind},
    guidance,
    limits::MCP_ROWS,
    refusal::HandoffError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_specialists",
            "List specialists",
            "Lists the agents and people that you can hand work to, with what each is good at and whether it has room. \
             Call it before you hand over, with what you need in a word or two.",
            list,
        )
        .hints(Hints::SETTLES),
    ]
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Listing {
    /// What you need, in a word or two: a capability, a field, a name. All are listed when left out.
    #[serde(default)]
    need: Option<String>,
}

/// An agent or a person.
#[derive(Debug, Serialize, JsonSchema)]
struct Specialist {
    /// The name to hand over to.
    name: String,
    /// Its field.
    #[serde(skip_serializing_if = "String::is_empty")]
    specialization: String,
    /// What it does.
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    /// What it can do.
    capabilities: Vec<String>,
    /// Tasks that it is good at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
    /// Whether it is a person.
    is_a_person: bool,
    /// Whether it can begin at once.
    has_room: bool,
}

/// Those who are there.
#[derive(Debug, Serialize, JsonSchema)]
struct Specialists {
    /// You.
    #[serde(skip_serializing_if = "Option::is_none")]
    you: Option<String>,
    /// The others.
    specialists: Vec<Specialist>,
    /// How many more there are.
    more: usize,
}

impl Told for Specialists {
    fn text(&self) -> String {
        let mut lines: Vec<String> =
            self.you.iter().map(|you| format!("You are {you}. You can hand over to:")).collect();
        for one in &self.specialists {
            let field = if one.is_a_person { "a person" } else { one.specialization.as_str() };
            let field = if field.is_empty() { String::new() } else { format!(" ({})", brief(field)) };
            let room = if one.has_room { "" } else { " (busy now; work waits in its queue)" };
            let can = if one.capabilities.is_empty() {
                String::new()
            } else {
                format!(" Can: {}.", brief(&one.capabilities.join(", ")))
            };
            lines.push(format!("- {}{field}{room}: {}{can}", one.name, brief(&one.description)));
        }
        if self.specialists.is_empty() {
            lines.push("(nobody is there now; do it yourself, or ask the user)".to_owned());
        }
        if self.more > 0 {
            lines.push(format!("and {} more: say what you `need`", self.more));
        }
        lines.join("\n")
    }
}

async fn list(ask: Ask, form: Listing) -> Result<Specialists, HandoffError> {
    // Whoever lists is there from now on, and can be handed something in turn.
    let me = ask.me().await.ok();
    let mut found = guidance::available(me.as_ref(), ask.engine.agents());
    found.retain(|agent| agent.profile.id.as_str() != approvals::APPROVALS && fits(agent, form.need.as_deref()));
    let more = found.len().saturating_sub(MCP_ROWS);
    let specialists = found.iter().take(MCP_ROWS).map(told).collect();
    Ok(Specialists { you: me.map(|me| me.to_string()), specialists, more })
}

fn fits(agent: &Agent, need: Option<&str>) -> bool {
    let Some(need) = need.map(str::to_lowercase) else { return true };
    let profile = &agent.profile;
    let capabilities = profile.capabilities.iter().map(|capability| capability.id.as_str());
    let words = [profile.id.as_str(), &profile.name, &profile.specialization, &profile.description].into_iter();
    let all = words.chain(capabilities).chain(profile.examples.iter().chain(&profile.tags).map(String::as_str));
    let text = all.collect::<Vec<_>>().join(" ").to_lowercase();
    need.split_whitespace().any(|word| text.contains(word))
}

fn told(agent: &Agent) -> Specialist {
    let profile = &agent.profile;
    Specialist {
        name: profile.id.to_string(),
        specialization: profile.specialization.clone(),
        description: profile.description.clone(),
        capabilities: profile.capabilities.iter().map(|capability| capability.id.clone()).collect(),
        examples: profile.examples.clone(),
        is_a_person: profile.kind == AgentKind::Human,
        has_room: agent.is_free(),
    }
}
