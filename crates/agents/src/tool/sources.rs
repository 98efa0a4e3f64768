//! Everything that can be a tool, as it is configured; and what of it one agent gets.

use super::{
    McpSettings, Tool, ToolSettings, Toolbox,
    command::CommandTool,
    mcp::{Listing, McpTool, Names, Server, begins},
    toolbox::{not_a_name, unknown},
};
use handover_core::{
    limits::{MCP_REST_MS, MCP_START_MS, PROGRAM_GRACE_MS},
    schema::Fault,
};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How long servers may take.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// To start and to greet.
    pub start: Duration,
    /// To say what they offer.
    pub list: Duration,
    /// How long one that could not be used is left alone.
    pub rest: Duration,
    /// To end when they are told to.
    pub grace: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            start: Duration::from_millis(MCP_START_MS),
            list: Duration::from_millis(MCP_START_MS),
            rest: Duration::from_millis(MCP_REST_MS),
            grace: Duration::from_millis(PROGRAM_GRACE_MS),
        }
    }
}

/// All tools of an installation. Servers are started when they are first needed, and end with this.
#[derive(Default)]
pub struct Tools {
    own: BTreeMap<String, Arc<dyn Tool>>,
    servers: BTreeMap<String, Arc<Server>>,
}

impl Tools {
    /// The tools of these settings. Programs run in this folder.
    ///
    /// # Errors
    /// Everything that is wrong with the settings, with its place.
    pub fn new(settings: &ToolSettings, folder: &Path) -> Result<Self, Vec<Fault>> {
        Self::with_times(settings, folder, Times::default())
    }

    /// The same with other times.
    ///
    /// # Errors
    /// As [`Tools::new`].
    pub fn with_times(settings: &ToolSettings, folder: &Path, times: Times) -> Result<Self, Vec<Fault>> {
        let mistakes = settings.mistakes();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let names =
            Names { tools: settings.tools.keys().cloned().collect(), servers: settings.mcp.keys().cloned().collect() };
        let own = settings.tools.iter().map(|(name, tool)| {
            let tool: Arc<dyn Tool> = Arc::new(CommandTool::new(name, tool, folder));
            (name.clone(), tool)
        });
        let server = |(name, server): (&String, &McpSettings)| {
            (name.clone(), Arc::new(Server::new(name, server, folder, names.clone(), times)))
        };
        Ok(Self { own: own.collect(), servers: settings.mcp.iter().map(server).collect() })
    }

    /// Puts in a tool of this process.
    ///
    /// # Errors
    /// When its name cannot be one or is taken.
    pub fn add(&mut self, tool: Arc<dyn Tool>) -> Result<(), String> {
        let name = tool.spec().name;
        not_a_name(&name).map_or(Ok(()), Err)?;
        if self.own.contains_key(&name) || self.servers.contains_key(&name) {
            return Err(format!("there is a tool or a server with the name `{name}` already"));
        }
        self.own.insert(name, tool);
        Ok(())
    }

    /// The tools with these names: a tool's name, `server_tool`, the name of a server for all of its tools, or the name
    /// that a server gives its tool when only one server has it. Servers that none of them is about are not started.
    /// What cannot be had is told in the box's troubles.
    pub async fn toolbox(&self, names: &[String]) -> Toolbox {
        let listings = self.listings(names).await;
        let mut toolbox = Toolbox::default();
        for note in listings.values().flat_map(|listing| match listing {
            Ok(listing) => listing.notes.clone(),
            Err(why) => vec![why.clone()],
        }) {
            toolbox.note(note);
        }
        for name in names {
            match self.meant(name, &listings) {
                Ok(tools) => put(&mut toolbox, tools),
                Err(why) => toolbox.note(why),
            }
        }
        toolbox
    }

    /// Lets all servers end by themselves, within the times.
    pub async fn close(&self) {
        let mut closing = JoinSet::new();
        for server in self.servers.values() {
            let server = Arc::clone(server);
            closing.spawn(async move { server.close().await });
        }
        closing.join_all().await;
    }

    /// What the servers offer that these names may be about, asked all at once.
    async fn listings(&self, names: &[String]) -> BTreeMap<String, Result<Listing, String>> {
        let about = |name: &String, server: &String| name == server || begins(name, server);
        let mut asking = JoinSet::new();
        for (name, server) in &self.servers {
            let wanted = names
                .iter()
                .filter(|wanted| !self.own.contains_key(*wanted))
                .any(|wanted| about(wanted, name) || !self.servers.keys().any(|server| about(wanted, server)));
            if wanted {
                let (name, server) = (name.clone(), Arc::clone(server));
                asking.spawn(async move { (name, server.listing().await) });
            }
        }
        asking.join_all().await.into_iter().collect()
    }

    fn meant(
        &self,
        name: &str,
        listings: &BTreeMap<String, Result<Listing, String>>,
    ) -> Result<Vec<Arc<dyn Tool>>, String> {
        if let Some(own) = self.own.get(name) {
            return Ok(vec![Arc::clone(own)]);
        }
        if self.servers.contains_key(name) {
            // Why a server offers nothing is told already.
            let listing = listings.get(name).and_then(|listing| listing.as_ref().ok());
            return Ok(listing.map(|listing| listing.tools.iter().map(any).collect()).unwrap_or_default());
        }
        let all = || listings.values().flatten().flat_map(|listing| &listing.tools);
        if let Some(tool) = all().find(|tool| tool.name() == name) {
            return Ok(vec![any(tool)]);
        }
        let same: Vec<&Arc<McpTool>> = all().filter(|tool| tool.theirs() == name).collect();
        match same[..] {
            [one] => Ok(vec![any(one)]),
            [] => Err(unknown(name, self.own.keys().map(String::as_str).chain(all().map(|tool| tool.name())))),
            _ => {
                let names: Vec<&str> = same.iter().map(|tool| tool.name()).collect();
                Err(format!("`{name}` may be one of {}; name one of them", names.join(", ")))
            }
        }
    }
}

fn any(tool: &Arc<McpTool>) -> Arc<dyn Tool> {
    Arc::<McpTool>::clone(tool)
}

fn put(toolbox: &mut Toolbox, tools: Vec<Arc<dyn Tool>>) {
    for tool in tools {
        // A tool may be named twice, by itself and by its server.
        if toolbox.has(&tool.spec().name) {
            continue;
        }
        if let Err(why) = toolbox.add(tool) {
            // One more of the same kind says nothing new.
            return toolbox.note(why);
        }
    }
}
