//! The help, and reading what was typed.

use super::{
    args::{Cli, GROUPS, colour},
    exit,
};
use clap::{
    ColorChoice, CommandFactory, FromArgMatches,
    builder::styling::{AnsiColor, Style, Styles},
    error::ErrorKind,
};
use serde_json::json;
use std::{io::IsTerminal, process::ExitCode};

/// How a title of the help looks.
const HEADER: Style = AnsiColor::Yellow.on_default().bold();
/// How a word that is typed looks.
const LITERAL: Style = AnsiColor::Cyan.on_default();

/// The whole command line, for its page and for completions.
#[must_use]
pub fn command() -> clap::Command {
    let command = Cli::command();
    let list = groups(&command);
    command
        .styles(Styles::styled().header(HEADER).usage(HEADER).literal(LITERAL))
        .help_template("{about}\n\n{usage-heading} {usage}\n\n{before-help}{options}{after-help}")
        .before_help(list)
        .after_help("More: handover help COMMAND, and handover --help")
        .after_long_help(exit_codes())
}

/// The list of commands, by what people want to do.
fn groups(command: &clap::Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        text += &format!("{HEADER}{title}:{HEADER:#}\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this list, or the help of a command".to_owned());
            let name = format!("{LITERAL}{name:<12}{LITERAL:#}");
            text += &format!("  {name}  {about}\n");
        }
        text += "\n";
    }
    text
}

fn exit_codes() -> String {
    let mut text = format!("{HEADER}Exit codes:{HEADER:#}\n");
    for (code, meaning) in exit::CODES {
        text += &format!("  {code}  {meaning}\n");
    }
    text + "\nData goes to stdout, all else to stderr. With --json errors are JSON too."
}

/// Reads what was typed, without the name of the program. Help and mistakes are written here.
///
/// # Errors
/// With the exit code, when there is nothing more to do.
pub fn parse(args: Vec<String>) -> Result<Cli, ExitCode> {
    let args = if args.is_empty() { vec!["-h".to_owned()] } else { args };
    let whole = command().color(choice(&args));
    read(whole, &args).map_err(|error| tell(&error, &args))
}

/// The same for what another process sends: nothing is written here.
pub(crate) fn parse_quietly(args: &[String]) -> Result<Cli, clap::Error> {
    read(without_environment(command()), args)
}

/// The command line without the environment of this process: it is not of whoever typed the command.
fn without_environment(command: clap::Command) -> clap::Command {
    let without = |arg: clap::Arg| arg.env(clap::builder::Resettable::Reset);
    command.mut_args(without).mut_subcommands(without_environment)
}

fn read(command: clap::Command, args: &[String]) -> Result<Cli, clap::Error> {
    let all = std::iter::once("handover").chain(args.iter().map(String::as_str));
    let matches = command.try_get_matches_from(all)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.given = args.to_vec();
    Ok(cli)
}

/// Colours of the help itself, which is written before the options are read.
fn choice(args: &[String]) -> ColorChoice {
    let after = args.iter().skip_while(|arg| *arg != "--color").nth(1).map(String::as_str);
    let asked = args.iter().find_map(|arg| arg.strip_prefix("--color=")).or(after);
    let wanted = colour(asked.unwrap_or("auto"), std::io::stdout().is_terminal());
    if wanted { ColorChoice::Always } else { ColorChoice::Never }
}

fn tell(error: &clap::Error, args: &[String]) -> ExitCode {
    let good = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if !good && args.iter().any(|arg| arg == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        let told = json!({ "message": message, "hint": "handover help", "exit": exit::USAGE });
        eprintln!("{}", json!({ "error": told }));
    } else {
        // When nobody reads any more there is nobody to tell.
        let _ = error.print();
    }
    ExitCode::from(if good { exit::GOOD } else { exit::USAGE })
}
