//! The command line: what can be asked, and how it is answered. One file per command.
//!
//! Every command is a function over an engine that writes to an [`out::Out`]. Where the database is free it is opened
//! here; where another process holds it, that process runs the command and sends back what it writes (see [`desk`]).

mod agents;
mod answer;
mod approvals;
mod approve;
mod args;
mod audit;
mod away;
mod by_hand;
mod cancel;
mod chat;
mod check;
mod completions;
mod demo;
pub mod desk;
mod door;
pub mod exit;
mod explain;
mod follow;
mod give_back;
mod graph;
mod hand_off;
mod handoffs;
mod health;
mod history;
mod ids;
mod inbox;
mod init;
mod input;
mod keep;
mod keys;
mod live;
mod log;
mod mcp;
mod migrate;
mod node;
mod nodes;
mod out;
mod paint;
mod recommend;
mod register;
mod run;
mod scripted;
mod serve;
mod sessions;
mod staff;
mod stats;
mod story;
mod summary;
mod table;
mod take;
mod times;
mod usage;
mod verify;
mod watch;
mod words;

pub use args::{Cli, Command, GROUPS, Global};
pub use usage::{command, parse};

use exit::Stop;
use handover_engine::Engine;
use input::Files;
use out::Out;
use std::process::ExitCode;

/// One command that is carried out: on which engine, for whom, and where its output goes.
pub(crate) struct Job<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) out: &'a mut Out,
    /// Where the files are that it names.
    pub(crate) files: Files<'a>,
    /// Who sits at the terminal.
    pub(crate) user: &'a str,
    /// Whether others work with this engine at the same time.
    pub(crate) live: bool,
}

/// Carries out a command and gives its exit code.
pub async fn run(cli: Cli) -> ExitCode {
    let mut out = Out::here(cli.look());
    let code = match Box::pin(door::enter(&cli, &mut out)).await {
        Ok(()) => exit::GOOD,
        Err(stop) => out.tell(&stop).await,
    };
    ExitCode::from(code)
}

/// Carries out a command that needs an engine.
pub(crate) async fn carry_out(command: &Command, job: &mut Job<'_>) -> Result<(), Stop> {
    match command {
        Command::HandOff(args) => hand_off::run(args, job).await,
        Command::Recommend(args) => recommend::run(args, job).await,
        Command::Cancel(args) => cancel::run(args, job).await,
        Command::Inbox(args) => inbox::run(args, job).await,
        Command::Take(args) => take::run(args, job).await,
        Command::Renew(args) => give_back::renew(args, job).await,
        Command::GiveBack(args) => give_back::run(args, job).await,
        Command::Decline(args) => cancel::decline(args, job).await,
        Command::Approvals(args) => approvals::run(args, job).await,
        Command::Approve(args) => approve::approve(args, job).await,
        Command::Reject(args) => approve::reject(args, job).await,
        Command::Redirect(args) => by_hand::redirect(args, job).await,
        Command::Retry(args) => by_hand::retry(args, job).await,
        Command::Questions(args) => answer::list(args, job).await,
        Command::Answer(args) => answer::run(args, job).await,
        Command::Agents(args) => agents::run(args, job).await,
        Command::Sessions(args) => sessions::run(args, job).await,
        Command::Handoffs(args) => handoffs::run(args, job).await,
        Command::History(args) => history::run(args, job).await,
        Command::Watch(args) => watch::run(args, job).await,
        Command::Graph(args) => graph::run(args, job).await,
        Command::Stats(args) => stats::run(args, job).await,
        Command::Keys(args) => keys::run(args, job).await,
        Command::Audit(args) => audit::run(args, job).await,
        Command::Verify(_) => verify::run(job).await,
        Command::Nodes(_) => nodes::run(job).await,
        Command::Mcp(args) => mcp::carry(args, job).await,
        Command::Demo { .. }
        | Command::Init(_)
        | Command::Run(_)
        | Command::Check(_)
        | Command::Keep
        | Command::Serve(_)
        | Command::Health(_)
        | Command::Migrate(_)
        | Command::Chat(_)
        | Command::ScriptedModel(_)
        | Command::Explain(_)
        | Command::Completions(_) => Err(Stop::refused("this command needs no database", "")),
    }
}
