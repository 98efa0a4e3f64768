//! From a file to settings.

use super::{A2aSettings, ServerSettings, Settings, check};
use crate::{
    place::Place,
    yaml::{Content, Document, FileError, NodeId, text_of, unknown_field},
};
use handover_core::{
    agent::{AgentKind, Profile},
    ids::AgentId,
    limits::AGENTS_MAX,
    policy::Policy,
    refusal::{Code, Refusal},
};
use std::path::Path;

/// What a file may have at its top.
const FIELDS: [&str; 12] = [
    "policy",
    "agents",
    "providers",
    "tools",
    "mcp",
    "a2a",
    "callbacks",
    "picker",
    "summaries",
    "server",
    "bus",
    "telemetry",
];

/// An agent as it stands in the file.
pub(super) struct Listed {
    pub(super) node: NodeId,
    /// Nothing when it cannot be read; what is wrong with it is noted.
    pub(super) profile: Option<Profile>,
}

/// Reads a file.
///
/// # Errors
/// With everything that is wrong with it.
pub fn read(path: impl AsRef<Path>) -> Result<Settings, FileError> {
    let name = path.as_ref().display().to_string();
    let text = text_of(&name, path.as_ref())?;
    parse(&name, &text)
}

/// Reads a text; mistakes name it as the file. Whoever is escalated to must be in it.
///
/// # Errors
/// With everything that is wrong with it.
pub fn parse(name: &str, text: &str) -> Result<Settings, FileError> {
    parse_with(name, text, &[])
}

/// The same, for an engine that has agents already: these are known besides those of the file.
///
/// # Errors
/// With everything that is wrong with it.
pub fn parse_with(name: &str, text: &str, known: &[AgentId]) -> Result<Settings, FileError> {
    parsed(name, text, known, true)
}

/// The same for a text from another machine: its agents count, and no file that it names is looked at.
///
/// # Errors
/// With everything that is wrong with it.
pub fn parse_agents(name: &str, text: &str, known: &[AgentId]) -> Result<Settings, FileError> {
    parsed(name, text, known, false)
}

fn parsed(name: &str, text: &str, known: &[AgentId], here: bool) -> Result<Settings, FileError> {
    let mut document = Document::parse(name, text)?;
    let (policy_at, agents_at) = top(&document);
    #[cfg(feature = "teams")]
    let staff = staff(&mut document);
    let server = server(&mut document);
    #[cfg(feature = "bus")]
    let bus = bus(&mut document);
    let a2a = a2a(&mut document);
    #[cfg(feature = "teams")]
    let staff = handover_agents::staff::StaffSettings {
        a2a: handover_agents::a2a::A2aSettings { allow_private: a2a.allow_private },
        ..staff
    };
    #[cfg(feature = "telemetry")]
    let telemetry = telemetry(&mut document);
    let policy = policy_at.and_then(|node| document.read::<Policy>(node));
    let agents = agents_at.map(|node| agents(&mut document, node)).unwrap_or_default();
    check::policy(&document, policy.as_ref().zip(policy_at), &agents, known);
    check::agents(&document, &agents, known);
    #[cfg(feature = "teams")]
    if here {
        check::staff(&document, &staff, &agents, known);
    }
    let lines = agents.iter().filter_map(|listed| {
        let profile = listed.profile.as_ref()?;
        Some((profile.id.clone(), document.tree.place(listed.node).line))
    });
    let lines = lines.collect();
    let folder = document.folder();
    document.verdict()?;
    let agents =
        agents.into_iter().filter_map(|listed| listed.profile).map(|profile| placed(profile, &folder)).collect();
    Ok(Settings {
        policy,
        agents,
        #[cfg(feature = "teams")]
        staff,
        server,
        #[cfg(feature = "bus")]
        bus,
        a2a,
        #[cfg(feature = "telemetry")]
        telemetry,
        file: name.to_owned(),
        lines,
    })
}

/// A program works in the folder that its file means, wherever whoever runs it stands.
fn placed(mut profile: Profile, folder: &Path) -> Profile {
    if profile.kind == AgentKind::Command {
        let meant = folder.join(profile.folder.as_deref().unwrap_or_default());
        let meant = if meant.as_os_str().is_empty() { Path::new(".").to_owned() } else { meant };
        let whole = std::path::absolute(&meant).unwrap_or(meant);
        profile.folder = Some(whole.display().to_string());
    }
    profile
}

/// Where the policy and the agents stand, if they do.
fn top(document: &Document) -> (Option<NodeId>, Option<NodeId>) {
    let tree = &document.tree;
    if !matches!(tree.content(document.root), Content::Map(_)) {
        let refusal = Refusal::new(Code::WrongType, "expected the fields `policy` and `agents`, found something else");
        document.refuse(document.root, refusal.hint("put `agents:` before the list"));
    }
    for (key, _) in tree.entries(document.root) {
        let name = tree.text(*key).unwrap_or_default();
        if !FIELDS.contains(&name) {
            document.refuse(*key, unknown_field(name, &FIELDS));
        }
    }
    let value = |name| tree.field(document.root, name).map(|(_, value)| value).filter(|value| !tree.is_nothing(*value));
    (value("policy"), value("agents"))
}

/// How agents work: providers, tools, callbacks.
#[cfg(feature = "teams")]
fn staff(document: &mut Document) -> handover_agents::staff::StaffSettings {
    use handover_agents::{staff::StaffSettings, tool::ToolSettings};
    let at = |document: &Document, name| {
        let tree = &document.tree;
        tree.field(document.root, name).map(|(_, value)| value).filter(|value| !tree.is_nothing(*value))
    };
    let mut staff = StaffSettings::default();
    if let Some(node) = at(document, "providers") {
        staff.providers = document.read(node).unwrap_or_default();
    }
    let (mut tools, mut mcp) = (None, None);
    if let Some(node) = at(document, "tools") {
        tools = document.read(node);
    }
    if let Some(node) = at(document, "mcp") {
        mcp = document.read(node);
    }
    staff.outside = ToolSettings { tools: tools.unwrap_or_default(), mcp: mcp.unwrap_or_default() };
    if let Some(node) = at(document, "callbacks") {
        staff.callbacks = document.read(node);
    }
    if let Some(node) = at(document, "picker") {
        staff.picker = document.read(node);
    }
    if let Some(node) = at(document, "summaries") {
        staff.summaries = document.read(node);
    }
    staff
}

/// How it is served by A2A.
fn a2a(document: &mut Document) -> A2aSettings {
    let tree = &document.tree;
    let at = tree.field(document.root, "a2a").map(|(_, value)| value).filter(|value| !tree.is_nothing(*value));
    at.and_then(|node| document.read(node)).unwrap_or_default()
}

/// How the engine is served. Its files are looked for beside this one.
fn server(document: &mut Document) -> ServerSettings {
    let tree = &document.tree;
    let node = tree.field(document.root, "server").map(|(_, value)| value).filter(|value| !tree.is_nothing(*value));
    let mut server: ServerSettings = node.and_then(|node| document.read(node)).unwrap_or_default();
    if let Some(tls) = &mut server.tls {
        let folder = document.folder();
        (tls.cert, tls.key) = (folder.join(&tls.cert), folder.join(&tls.key));
    }
    if let Some(Place::File(path)) = &mut server.store {
        *path = document.folder().join(&*path);
    }
    server
}

/// The bus that it is on, checked.
#[cfg(feature = "bus")]
fn bus(document: &mut Document) -> super::BusSection {
    let found = document.tree.field(document.root, "bus").map(|(_, value)| value);
    let Some(node) = found.filter(|node| !document.tree.is_nothing(*node)) else { return Default::default() };
    let section: super::BusSection = document.read(node).unwrap_or_default();
    if let Some(Err(fault)) = section.of(None, "").map(|settings| settings.check()) {
        document.refuse_below(node, Refusal::new(Code::BadProfile, fault.why).at(fault.field));
    }
    section
}

/// Where traces and metrics are sent, checked.
#[cfg(feature = "telemetry")]
fn telemetry(document: &mut Document) -> handover_telemetry::TelemetrySettings {
    let found = document.tree.field(document.root, "telemetry").map(|(_, value)| value);
    let Some(node) = found.filter(|node| !document.tree.is_nothing(*node)) else { return Default::default() };
    let settings: handover_telemetry::TelemetrySettings = document.read(node).unwrap_or_default();
    for fault in settings.faults() {
        document.refuse_below(node, Refusal::new(Code::BadProfile, fault.why).at(fault.name));
    }
    settings
}

fn agents(document: &mut Document, node: NodeId) -> Vec<Listed> {
    let Content::List(entries) = document.tree.content(node) else {
        let refusal = Refusal::new(Code::WrongType, "expected a list of agents");
        document.refuse(node, refusal.hint("begin each agent with `- id: …`"));
        return Vec::new();
    };
    if entries.len() > AGENTS_MAX {
        let message = format!("there are {}; at most {AGENTS_MAX} are allowed (AGENTS_MAX)", entries.len());
        document.refuse(node, Refusal::new(Code::TooLarge, message));
        return Vec::new();
    }
    let entries = entries.clone();
    entries.into_iter().enumerate().map(|(i, node)| agent(document, i, node)).collect()
}

/// Reads an agent by itself, so that a bad one hides no other. One whose id cannot be read has its other mistakes too.
fn agent(document: &mut Document, i: usize, node: NodeId) -> Listed {
    let profile = document.read(node);
    let id = document.tree.field(node, "id").map(|(_, value)| value);
    let nameless = id.is_none_or(|id| document.is_left_out(id) || document.tree.is_nothing(id));
    if profile.is_some() || !nameless || !matches!(document.tree.content(node), Content::Map(_)) {
        return Listed { node, profile };
    }
    document.stand_in(node, "id", format!("handover:unnamed-{i}"));
    Listed { node, profile: document.read(node) }
}
