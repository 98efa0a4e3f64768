//! The command line: what can be asked, and how it is answered. One file per command.
//!
//! Every command is a function over an engine that writes to an [`out::Out`]. Where the database is free it is opened
//! here; where another process holds it, that process runs the command and sends back what it writes (see [`desk`]).

mod agents;
mod approvals;
mod approve;
mod args;
mod audit;
mod cancel;
mod check;
mod completions;
pub mod desk;
mod door;
pub mod exit;
mod explain;
mod follow;
mod give_back;
mod hand_off;
mod handoffs;
mod history;
mod ids;
mod inbox;
mod input;
mod keep;
mod live;
mod out;
mod paint;
mod recommend;
mod register;
mod run;
mod sessions;
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
use handover_core::refusal::HandoffError;
use handover_engine::Engine;
use out::Out;
use std::{path::Path, process::ExitCode};

/// One command that is carried out: on which engine, for whom, and where its output goes.
pub(crate) struct Job<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) out: &'a mut Out,
    /// The folder that paths are relative to.
    pub(crate) folder: &'a Path,
    /// Who sits at the terminal.
    pub(crate) user: &'a str,
    /// Whether others work with this engine at the same time.
    pub(crate) live: bool,
}

/// Carries out a command and gives its exit code. A command that needs more than the library has, such as `demo`, is
/// the caller's.
pub async fn run(cli: Cli) -> ExitCode {
    let mut out = Out::here(cli.look());
    let code = match Box::pin(door::enter(&cli, &mut out)).await {
        Ok(()) => exit::GOOD,
        Err(stop) => out.tell(&stop).await,
    };
    ExitCode::from(code)
}

/// Tells an error of a command that the caller carried out, and gives the exit code for it.
pub async fn report(cli: &Cli, error: HandoffError) -> ExitCode {
    ExitCode::from(Out::here(cli.look()).tell(&Stop::from(error)).await)
}

/// Carries out a command that needs an engine.
pub(crate) async fn carry_out(command: &Command, job: &mut Job<'_>) -> Result<(), Stop> {
    match command {
        Command::HandOff(args) => hand_off::run(args, job).await,
        Command::Recommend(args) => recommend::run(args, job).await,
        Command::Cancel(args) => cancel::run(args, job).await,
        Command::Inbox(args) => inbox::run(args, job).await,
        Command::Take(args) => take::run(args, job).await,
        Command::GiveBack(args) => give_back::run(args, job).await,
        Command::Decline(args) => cancel::decline(args, job).await,
        Command::Approvals(args) => approvals::run(args, job).await,
        Command::Approve(args) => approve::approve(args, job).await,
        Command::Reject(args) => approve::reject(args, job).await,
        Command::Agents(args) => agents::run(args, job).await,
        Command::Sessions(args) => sessions::run(args, job).await,
        Command::Handoffs(args) => handoffs::run(args, job).await,
        Command::History(args) => history::run(args, job).await,
        Command::Watch(args) => watch::run(args, job).await,
        Command::Stats => stats::run(job).await,
        Command::Audit(args) => audit::run(args, job).await,
        Command::Verify(_) => verify::run(job).await,
        Command::Demo { .. }
        | Command::Run(_)
        | Command::Check(_)
        | Command::Keep
        | Command::Explain(_)
        | Command::Completions(_) => Err(Stop::refused("this command needs no database", "")),
    }
}
