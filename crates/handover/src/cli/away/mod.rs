//! The command line against a server: what was typed is sent there and carried out with the rights of the key; what it
//! writes comes back. Files are read and written here alone.

mod ask;
mod save;
mod serve;

pub(crate) use ask::{enter, pass_on};
pub(crate) use serve::Desk;

use super::{args::Command, exit::Stop};

/// Whether a command has nothing to do with a database, and is carried out here with and without a server.
pub(crate) fn is_for_here(command: &Command) -> bool {
    match command {
        Command::Explain(_) | Command::Completions(_) | Command::Check(_) | Command::Health(_) | Command::Mcp(_) => {
            true
        }
        Command::Audit(args) => args.needs_no_engine(),
        Command::Graph(args) => args.file().is_some(),
        _ => false,
    }
}

/// Whether a command is about a file of the machine where it is typed. Unlike [`is_for_here`] it looks at no disk.
fn is_about_files(command: &Command) -> bool {
    matches!(command, Command::Audit(args) if args.needs_no_engine())
}

/// Refuses what makes no sense on another machine.
fn must_make_sense(command: &Command) -> Result<(), Stop> {
    let what = match command {
        Command::Keep => "keep holds a database of this machine open",
        Command::Serve(_) => "serve makes a server of a database of this machine",
        Command::Mcp(args) if !args.is_call() => "mcp speaks with a host of this machine",
        Command::Demo { .. } => "demo plays on this machine",
        Command::Init(_) => "init makes a folder on this machine",
        Command::Run(_) => "run works with the agents and files of a folder of this machine",
        Command::Chat(_) => "chat works with the agents of this machine",
        Command::ScriptedModel(_) => "scripted-model answers on this machine",
        Command::Migrate(_) => "migrate moves a file of this machine",
        Command::Verify(args) if args.file.is_some() => "verify FILE checks a database of this machine",
        _ => return Ok(()),
    };
    let hint = "leave --server out and unset HANDOVER_SERVER";
    Err(Stop::refused(format!("{what}; it cannot be asked of a server"), hint))
}

/// The files that a command names, to be read where it is typed.
fn reads(command: &Command) -> Vec<String> {
    match command {
        Command::HandOff(args) => args.reads(),
        Command::Approve(args) => args.reads(),
        Command::GiveBack(args) => args.reads(),
        Command::Agents(args) => args.reads(),
        _ => Vec::new(),
    }
}

/// What is said where both ends are not the same.
fn other_version(server: &str, mine: &str) -> String {
    format!("the server is version {server}, and this is version {mine}; use the same")
}
