//! What is wrong with settings of how agents work, before anything is started: each mistake with its place.

use super::{ModelSettings, StaffSettings};
use crate::{llm::Reserved, scripted::Script};
use handover_core::{
    agent::{AgentKind, Profile},
    nearest::nearest,
    schema::Fault,
};
use std::path::Path;

/// Providers that are there without being named.
const EVERYBODY_KNOWS: [&str; 2] = ["openai", "anthropic"];

/// A mistake: where, what, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The place and the mistake.
    pub fault: Fault,
    /// How to mend it.
    pub hint: String,
    /// The places at one of which something lacks. Where it is and cannot be read, this is no mistake of its own.
    pub lacks: Vec<String>,
}

fn mistake(at: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Mistake {
    Mistake { fault: Fault { at: at.into(), message: message.into() }, hint: hint.into(), lacks: Vec::new() }
}

fn did_you_mean<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, known.clone().map(|one| (one, one))) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
    }
}

impl StaffSettings {
    /// Everything that is wrong with the settings and with what these agents want of them. Files are looked for in this
    /// folder; `others` are agents that may be named besides.
    #[must_use]
    pub fn mistakes(&self, folder: &Path, agents: &[&Profile], others: &[&str]) -> Vec<Mistake> {
        let mut found = self.of_tools();
        self.of_providers(folder, &mut found);
        for (name, model) in [("picker", &self.picker), ("summaries", &self.summaries)] {
            if let Some(ModelSettings { provider: Some(provider), .. }) = model {
                found.extend(self.unknown_provider(format!("{name}.provider"), provider));
            }
        }
        if self.callbacks.as_ref().is_some_and(|callbacks| callbacks.listen.is_none() && callbacks.url.is_none()) {
            let hint = "set `url` where a server is run, and `listen` where not";
            found.push(mistake("callbacks", "neither `listen` nor `url` is set", hint));
        }
        if let Some(url) = self.callbacks.as_ref().and_then(|callbacks| callbacks.url.as_ref())
            && !(url.starts_with("http://") || url.starts_with("https://"))
        {
            let message = "it begins with neither http:// nor https://";
            found.push(mistake("callbacks.url", message, "write how services reach this machine"));
        }
        for (i, agent) in agents.iter().enumerate().filter(|(_, agent)| agent.kind == AgentKind::Llm) {
            if let Some(provider) = &agent.provider {
                found.extend(self.unknown_provider(format!("agents[{i}].provider"), provider));
            }
            for (j, tool) in agent.tools.iter().enumerate() {
                found.extend(self.unknown_tool(format!("agents[{i}].tools[{j}]"), tool, agents, others));
            }
        }
        found
    }

    fn of_tools(&self) -> Vec<Mistake> {
        let mut found: Vec<Mistake> = self
            .outside
            .mistakes()
            .into_iter()
            .map(|fault| Mistake { fault, hint: String::new(), lacks: Vec::new() })
            .collect();
        for name in self.outside.tools.keys().filter(|name| Reserved::is(name)) {
            let message = format!("`{name}` is the name of a tool that every agent can have");
            found.push(mistake(format!("tools.{name}"), message, "give it another name"));
        }
        found
    }

    fn of_providers(&self, folder: &Path, found: &mut Vec<Mistake>) {
        for (name, provider) in &self.providers {
            for (field, why) in provider.mistakes() {
                found.push(mistake(format!("providers.{name}.{field}"), why, ""));
            }
            let Some(script) = &provider.script else { continue };
            if let Err(error) = Script::read(folder.join(script)) {
                let hint = "the path is from the folder of this file";
                found.push(mistake(format!("providers.{name}.script"), error.to_string(), hint));
            }
        }
    }

    fn unknown_provider(&self, at: String, name: &str) -> Option<Mistake> {
        let known = self.providers.keys().map(String::as_str).chain(EVERYBODY_KNOWS);
        if known.clone().any(|known| known == name) {
            return None;
        }
        let found = mistake(at, format!("there is no provider `{name}`"), did_you_mean(name, known));
        Some(Mistake { lacks: vec![format!("providers.{name}")], ..found })
    }

    /// A tool that can be nowhere. What a server offers is not known before it is asked.
    fn unknown_tool(&self, at: String, name: &str, agents: &[&Profile], others: &[&str]) -> Option<Mistake> {
        if let Some(agent) = Reserved::target(name) {
            let ids = agents.iter().map(|agent| agent.id.as_str()).chain(others.iter().copied());
            let is_there = ids.clone().any(|id| id == agent || Reserved::transfer_to(id) == name);
            let message = format!("`{agent}` is not among the agents");
            return (!is_there).then(|| mistake(at, message, did_you_mean(agent, ids)));
        }
        let servers = &self.outside.mcp;
        let offered = servers.iter().any(|(server, settings)| {
            let theirs = name.strip_prefix(server.as_str()).and_then(|rest| rest.strip_prefix('_')).unwrap_or(name);
            settings.tools.as_ref().is_none_or(|listed| listed.iter().any(|tool| tool == theirs))
        });
        if Reserved::is(name) || self.outside.tools.contains_key(name) || servers.contains_key(name) || offered {
            return None;
        }
        let known = self.outside.tools.keys().chain(servers.keys()).map(String::as_str).chain(Reserved::WORDS);
        let found = mistake(at, format!("there is no tool `{name}`"), did_you_mean(name, known));
        Some(Mistake { lacks: vec![format!("tools.{name}"), format!("mcp.{name}")], ..found })
    }
}
