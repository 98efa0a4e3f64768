//! Everything that can be asked on the command line.

use super::{
    agents, answer, approvals, approve, audit, by_hand, cancel, chat, check, completions, explain, give_back, graph,
    hand_off, handoffs, health, history, inbox, init, keys, mcp, migrate, nodes, out::Look, recommend, run, scripted,
    serve, sessions, stats, take, verify, watch,
};
use crate::place::Place;
use clap::{Args, Parser, Subcommand};
use std::{io::IsTerminal, path::PathBuf};

/// Columns of a terminal that does not say how wide it is.
const WIDTH: usize = 100;
/// The database file when nothing is said.
const FILE: &str = "handover.db";

/// Pass work from agent to agent and lose nothing.
#[derive(Debug, Clone, Parser)]
#[command(name = "handover", version, propagate_version = false, disable_help_subcommand = false)]
pub struct Cli {
    /// What holds for every command.
    #[command(flatten)]
    pub global: Global,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// The arguments as they were given, for a process that holds the database.
    #[arg(skip)]
    pub(crate) given: Vec<String>,
}

/// What holds for every command.
#[derive(Debug, Clone, Args)]
pub struct Global {
    /// The database file, handover.db when nothing is said
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "HANDOVER_DB",
        hide_env_values = true,
        help_heading = "Everywhere"
    )]
    pub db: Option<PathBuf>,
    /// The store: a file, or postgres://NAME:PASSWORD@HOST/DATABASE, which any number of nodes share; better in
    /// HANDOVER_STORE, where other users of the machine do not see it
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = "HANDOVER_STORE",
        hide_env_values = true,
        help_heading = "Everywhere"
    )]
    pub store: Option<Place>,
    /// The bus that everything is published to: nats://HOST:PORT
    #[arg(
        long,
        global = true,
        value_name = "ADDRESS",
        env = "HANDOVER_BUS",
        hide_env_values = true,
        value_parser = handover_bus::Address::new,
        help_heading = "Everywhere"
    )]
    pub bus: Option<handover_bus::Address>,
    /// Events that others publish to the bus hand work over
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub bus_events: bool,
    /// How this process is called among the nodes of a store; the name of the machine when left out
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "HANDOVER_NODE",
        hide_env_values = true,
        help_heading = "Everywhere"
    )]
    pub node: Option<String>,
    /// Agents and settings; handover.yaml of this folder when there is one
    #[arg(long, global = true, value_name = "FILE", help_heading = "Everywhere")]
    pub config: Option<PathBuf>,
    /// Ask the server at this address in the place of a database
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "HANDOVER_SERVER",
        hide_env_values = true,
        help_heading = "Everywhere"
    )]
    pub server: Option<String>,
    /// The key for the server; better in HANDOVER_KEY, where other users of the machine do not see it
    #[arg(
        long,
        global = true,
        value_name = "KEY",
        env = "HANDOVER_KEY",
        hide_env_values = true,
        help_heading = "Everywhere"
    )]
    pub server_key: Option<Hidden>,
    /// Write JSON for programs
    #[arg(long, global = true, help_heading = "Everywhere")]
    pub json: bool,
    /// When to use colours; NO_COLOR is honoured
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_parser = ["auto", "always", "never"],
        default_value = "auto",
        help_heading = "Everywhere"
    )]
    pub color: String,
}

/// A text that is never shown.
#[derive(Clone)]
pub struct Hidden(pub(crate) String);

impl From<String> for Hidden {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// The commands.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Watch a team handle requests, live; ends by itself
    Demo {
        /// Keeps the database in this file
        #[arg(value_name = "FILE")]
        file: Option<String>,
    },
    /// Make a project that runs, to be changed
    Init(init::Init),
    /// Run a workflow from its folder, live
    Run(run::Run),
    /// Check a workflow, or a file of agents and settings, with all its mistakes
    Check(check::Check),
    /// Talk to a team of agents: whoever has the conversation answers
    Chat(chat::Chat),
    /// Keep the database open: timers run, agents work, other terminals are answered
    Keep,
    /// Serve the engine over HTTP: every language can take part
    Serve(Box<serve::Serve>),
    /// Speak MCP on stdin and stdout, for the agent of a host such as a coding tool
    Mcp(mcp::Mcp),
    /// Say whether a server can take work, for whatever keeps it running
    Health(health::Health),
    /// Answer as a model from a script, for tests and demonstrations
    ScriptedModel(scripted::ScriptedModel),
    /// Hand work over to another agent
    HandOff(Box<hand_off::HandOff>),
    /// Say who would be good for a task, and why
    Recommend(recommend::Recommend),
    /// Take a handoff back
    Cancel(cancel::Cancel),
    /// Show what waits for an agent or a person
    Inbox(inbox::Inbox),
    /// Take an offered handoff and see what to do
    Take(take::Take),
    /// Keep taken work for longer
    Renew(give_back::Renew),
    /// Give the result of taken work back
    GiveBack(give_back::GiveBack),
    /// Say no to an offered handoff
    Decline(cancel::Decline),
    /// List what waits for a person's word
    Approvals(approvals::Approvals),
    /// Approve a handoff that waits
    Approve(approve::Approve),
    /// Reject a handoff that waits
    Reject(approve::Decide),
    /// Give open work to somebody else, whoever has it
    Redirect(by_hand::Redirect),
    /// Have the same work tried once more
    Retry(by_hand::Retry),
    /// List what agents ask before they go on
    Questions(answer::Questions),
    /// Answer what an agent asks
    Answer(answer::Answer),
    /// List, register and change agents
    Agents(agents::Agents),
    /// List, show and open sessions
    Sessions(sessions::Sessions),
    /// List handoffs, or tell the story of one
    Handoffs(handoffs::Handoffs),
    /// Show the handoffs of a session, as they belong together
    History(history::History),
    /// Watch what happens, live
    Watch(watch::Watch),
    /// Draw a session, a workflow or the whole team
    Graph(graph::Draw),
    /// Show who did how much, how well and how fast, and which ways the work went
    Stats(stats::Stats),
    /// Make, list, rotate and revoke the keys by which others come in
    Keys(keys::Keys),
    /// Ask, check, export and prune the audit trail
    Audit(audit::Audit),
    /// Check every record, message and handoff of a database
    Verify(verify::Verify),
    /// Move a whole installation from a file into a database of PostgreSQL
    Migrate(migrate::Migrate),
    /// List the nodes that work on a store
    Nodes(nodes::Nodes),
    /// Say what a code such as HO0504 means, and how to mend it
    Explain(explain::Explain),
    /// Write a completion script for a shell
    Completions(completions::Completions),
}

/// The commands by what people want to do, for the help and its page.
pub const GROUPS: [(&str, &[&str]); 7] = [
    ("Begin", &["demo", "init", "run", "chat", "check", "keep", "serve", "mcp", "health"]),
    ("Hand over", &["hand-off", "recommend", "cancel"]),
    ("Take part", &["inbox", "take", "renew", "give-back", "decline"]),
    ("Decide", &["approvals", "approve", "reject", "redirect", "retry", "questions", "answer"]),
    ("Look", &["agents", "sessions", "handoffs", "history", "watch", "graph", "stats", "nodes"]),
    ("Trust", &["keys", "audit", "verify", "migrate"]),
    ("Help", &["explain", "scripted-model", "completions", "help"]),
];

/// What a command does with the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing.
    None,
    /// It looks, and nothing changes.
    Look,
    /// It looks, and depends on the policy.
    Judge,
    /// It changes something that is there.
    Change,
    /// It may make a new database.
    Make,
}

impl Command {
    /// What it does with the database.
    pub(crate) fn access(&self) -> Access {
        match self {
            Self::Demo { .. }
            | Self::Init(_)
            | Self::Check(_)
            | Self::Explain(_)
            | Self::ScriptedModel(_)
            | Self::Health(_)
            | Self::Migrate(_)
            | Self::Completions(_) => Access::None,
            Self::Sessions(sessions) => sessions.access(),
            Self::Agents(agents) => agents.access(),
            Self::Keys(keys) => keys.access(),
            Self::Audit(audit) => audit.access(),
            Self::Questions(_)
            | Self::Handoffs(_)
            | Self::History(_)
            | Self::Graph(_)
            | Self::Watch(_)
            | Self::Nodes(_)
            | Self::Verify(_) => Access::Look,
            Self::Approvals(_) | Self::Recommend(_) | Self::Inbox(_) | Self::Stats(_) => Access::Judge,
            Self::HandOff(args) if args.new => Access::Make,
            Self::HandOff(_)
            | Self::Cancel(_)
            | Self::Take(_)
            | Self::Renew(_)
            | Self::GiveBack(_)
            | Self::Decline(_) => Access::Change,
            Self::Approve(_) | Self::Reject(_) | Self::Answer(_) | Self::Redirect(_) | Self::Retry(_) => Access::Change,
            Self::Keep | Self::Serve(_) | Self::Mcp(_) | Self::Run(_) | Self::Chat(_) => Access::Make,
        }
    }
}

impl Command {
    /// Whether it waits for what others do.
    pub(crate) fn waits(&self) -> bool {
        match self {
            Self::Watch(_) => true,
            Self::HandOff(args) => args.wait,
            Self::Take(args) => args.wait,
            _ => false,
        }
    }
}

impl Cli {
    /// The file that is meant where the store is one, and beside which other things are kept.
    pub(crate) fn database(&self) -> PathBuf {
        let named = match &self.command {
            Command::Verify(verify) => verify.file.clone(),
            _ => None,
        };
        let stored = || self.global.store.as_ref().and_then(Place::file).map(std::path::Path::to_path_buf);
        let usual = || PathBuf::from(FILE);
        named.or_else(stored).or_else(|| self.global.db.clone()).unwrap_or_else(usual)
    }

    /// What whoever reads the output can see.
    pub(crate) fn look(&self) -> Look {
        let terminal = std::io::stdout().is_terminal();
        let asked = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok()).filter(|width| *width > 0);
        let measured = || terminal_size::terminal_size().map_or(WIDTH, |(width, _)| usize::from(width.0));
        Look {
            width: asked.or_else(|| terminal.then(measured)),
            colour: colour(&self.global.color, terminal),
            terminal,
            progress: std::io::stderr().is_terminal(),
            json: self.global.json,
        }
    }
}

/// Whether there are colours.
pub(crate) fn colour(asked: &str, terminal: bool) -> bool {
    let unwanted = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match asked {
        "always" => true,
        "never" => false,
        _ => terminal && !unwanted() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}
