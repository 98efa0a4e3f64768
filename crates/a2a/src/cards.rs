//! Cards (pure): what an agent or the house says of itself. A card has the fields of 1.0 and those of 0.3 side by side:
//! whoever reads one knows its own and passes over the others.

use crate::inward;
use handover_core::{
    a2a::{LINEAGE, PUBLIC},
    agent::{Agent, Profile},
    limits::{A2A_CATALOG_PAGE, A2A_SKILLS_MAX},
    net::encoded,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a card says besides its agents.
pub(crate) struct Frame<'a> {
    /// The address of the server, without a slash at its end.
    pub(crate) base: &'a str,
    /// The name of the house.
    pub(crate) name: &'a str,
    /// What the house does.
    pub(crate) description: &'a str,
    /// Whether a key is asked for.
    pub(crate) keyed: bool,
    /// Whether it is for somebody who showed a key.
    pub(crate) extended: bool,
}

/// Whether an agent is one that work can be sent to.
pub(crate) fn takes(agent: &Agent) -> bool {
    agent.profile.accepts_handoffs
}

/// Whether everybody may know of an agent. That is for the house to say: what the card of another one says does not count.
pub(crate) fn is_public(agent: &Agent) -> bool {
    let profile = &agent.profile;
    let by_card = profile.from_card.iter().any(|mark| mark.strip_prefix("tags/") == Some(PUBLIC));
    profile.tenant.is_none() && !by_card && profile.tags.iter().any(|tag| tag == PUBLIC)
}

/// The card of the house: its skills are the capabilities of all agents, each once.
pub(crate) fn of_house(frame: &Frame<'_>, agents: &[Agent]) -> Value {
    let mut skills: BTreeMap<&str, Vec<&Profile>> = BTreeMap::new();
    for agent in agents {
        let profile = &*agent.profile;
        for id in ids(profile) {
            skills.entry(id).or_default().push(profile);
        }
    }
    let mut skills: Vec<Value> = skills.into_iter().take(A2A_SKILLS_MAX).map(|(id, who)| skill(id, &who)).collect();
    if skills.is_empty() {
        // A card has at least one skill; what the house can do is for its callers to know.
        skills
            .push(json!({"id": "handover", "name": "handover", "description": frame.description, "tags": ["routing"]}));
    }
    card(frame, &format!("{}/a2a", frame.base), frame.name, frame.description, env!("CARGO_PKG_VERSION"), &skills)
}

/// The card of one agent.
pub(crate) fn of_agent(frame: &Frame<'_>, agent: &Agent) -> Value {
    let profile = &*agent.profile;
    let skills: Vec<Value> = ids(profile).into_iter().take(A2A_SKILLS_MAX).map(|id| skill(id, &[profile])).collect();
    let description = described(profile);
    let version = if profile.version.is_empty() { "1" } else { &profile.version };
    card(frame, &address(frame.base, profile), profile.title(), &description, version, &skills)
}

fn address(base: &str, profile: &Profile) -> String {
    format!("{base}/a2a/agents/{}", encoded(profile.id.as_str()))
}

/// What an agent can do, by name; itself where it names nothing.
fn ids(profile: &Profile) -> Vec<&str> {
    let mut ids: Vec<&str> = profile.capabilities.iter().map(|capability| capability.id.as_str()).collect();
    if !profile.specialization.is_empty() && !ids.contains(&profile.specialization.as_str()) {
        ids.push(&profile.specialization);
    }
    if ids.is_empty() {
        ids.push(profile.id.as_str());
    }
    ids
}

fn described(profile: &Profile) -> String {
    let given = Some(profile.description.clone()).filter(|text| !text.is_empty());
    given.unwrap_or_else(|| format!("{} takes work", profile.title()))
}

fn skill(id: &str, who: &[&Profile]) -> Value {
    let what: Vec<String> = who.iter().take(3).map(|profile| described(profile)).collect();
    let tags: std::collections::BTreeSet<&str> =
        who.iter().flat_map(|profile| profile.tags.iter().map(String::as_str)).filter(|tag| *tag != PUBLIC).collect();
    // A skill has at least one tag.
    let tags: Vec<&str> = std::iter::once(id).chain(tags.into_iter().filter(|tag| *tag != id)).take(20).collect();
    let examples: Vec<&str> =
        who.iter().flat_map(|profile| profile.examples.iter().map(String::as_str)).take(5).collect();
    let mut skill = json!({"id": id, "name": id, "description": what.join(" "), "tags": tags});
    if !examples.is_empty() {
        skill["examples"] = json!(examples);
    }
    skill
}

fn card(frame: &Frame<'_>, url: &str, name: &str, description: &str, version: &str, skills: &[Value]) -> Value {
    let interface =
        |binding: &str, version: &str| json!({"url": url, "protocolBinding": binding, "protocolVersion": version});
    let extension = json!({
        "uri": LINEAGE, "required": false,
        "description": "Deadline, lineage, budget and traceparent of a task, and what it used.",
    });
    let mut card = json!({
        "name": name, "description": description, "version": version,
        "supportedInterfaces": [interface("JSONRPC", "1.0"), interface("HTTP+JSON", "1.0"), interface("JSONRPC", "0.3")],
        "capabilities": {
            "streaming": true, "pushNotifications": true, "extendedAgentCard": true, "extensions": [extension],
        },
        "defaultInputModes": inward::INPUT_MODES, "defaultOutputModes": inward::OUTPUT_MODES, "skills": skills,
        // For readers of 0.3.
        "url": url, "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0",
        "supportsAuthenticatedExtendedCard": true,
    });
    if frame.keyed {
        card["securitySchemes"] = json!({"bearer": {
            "httpAuthSecurityScheme": {"scheme": "Bearer", "description": "A key of this house."},
            "type": "http", "scheme": "Bearer", "description": "A key of this house.",
        }});
        card["securityRequirements"] = json!([{"schemes": {"bearer": {"list": []}}}]);
        card["security"] = json!([{"bearer": []}]);
    }
    if !frame.extended && frame.keyed {
        card["documentationUrl"] = json!(format!("{}/docs", frame.base));
    }
    card
}

/// A page of the catalogue of all cards, as AI Catalog has it, and the agent after which the next one goes on.
pub(crate) fn catalog(frame: &Frame<'_>, agents: &[Agent], after: Option<&str>) -> Value {
    let host = frame.base.split_once("://").map_or(frame.base, |(_, host)| host);
    let entry = |id: &str, name: &str, description: &str, tags: &[&str], url: String| {
        let kind = "application/a2a-agent-card+json";
        json!({
            "identifier": format!("urn:air:{}:a2a:{}", encoded(host), encoded(id)), "displayName": name,
            "description": description, "tags": tags, "type": kind, "mediaType": kind, "url": url,
        })
    };
    let mut entries = Vec::new();
    if after.is_none() {
        let url = format!("{}/.well-known/agent-card.json", frame.base);
        entries.push(entry("house", frame.name, frame.description, &["router"], url));
    }
    let rest: Vec<&Agent> =
        agents.iter().filter(|one| after.is_none_or(|after| one.profile.id.as_str() > after)).collect();
    for agent in rest.iter().take(A2A_CATALOG_PAGE) {
        let profile = &*agent.profile;
        let url = format!("{}/.well-known/agent-card.json", address(frame.base, profile));
        entries.push(entry(profile.id.as_str(), profile.title(), &described(profile), &ids(profile), url));
    }
    let mut catalog = json!({"specVersion": "1.0", "host": {"displayName": frame.name}, "entries": entries});
    if let Some(last) = rest.get(A2A_CATALOG_PAGE - 1).filter(|_| rest.len() > A2A_CATALOG_PAGE) {
        let next = encoded(last.profile.id.as_str());
        catalog["next"] = json!(format!("{}/.well-known/ai-catalog.json?after={next}", frame.base));
    }
    catalog
}
