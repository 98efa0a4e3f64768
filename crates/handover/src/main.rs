//! The binary: `handover demo`, `handover check FILE`, `handover verify FILE`, `handover explain CODE`.
//! Data goes to stdout, all else to stderr. A refusal ends with 1, our own trouble with 2.

mod demo;

use handover::{Code, Engine, HandoffError, Options, core::refusal::Family};
use std::process::ExitCode;

const HELP: &str = "\
handover: pass work from agent to agent and lose nothing

  handover demo [FILE]     a charter request goes through a team of five, live; FILE keeps the database
  handover check FILE      check a file of agents and settings such as handover.yaml, with all its mistakes
  handover verify FILE     check every record, checkpoint, message and handoff of a database
  handover explain CODE    what a code such as HO0504 means, and how to mend it
  handover help            this list";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["demo"] => run(demo::run(None)),
        ["demo", file] => run(demo::run(Some(file))),
        ["check", file] => check(file),
        ["verify", file] => run(verify(file)),
        ["explain", code] => explain(code),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("handover: `{}` is not a command\n\n{HELP}", args.join(" "));
            ExitCode::from(1)
        }
    }
}

fn run(command: impl Future<Output = Result<(), HandoffError>>) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("handover: no threads can be started: {error}");
            return ExitCode::from(2);
        }
    };
    match runtime.block_on(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("handover: {error}");
            eprintln!("  {}\n  more: handover explain {}", error.code().mend(), error.code());
            ExitCode::from(if error.code().family() == Family::Trouble { 2 } else { 1 })
        }
    }
}

fn check(file: &str) -> ExitCode {
    match handover::settings::read(file) {
        Ok(settings) => {
            let count = settings.agents.len();
            println!("{file}: {count} {}, all good", if count == 1 { "agent" } else { "agents" });
            ExitCode::SUCCESS
        }
        Err(error) => {
            let count = error.count();
            eprintln!("{error}\n{file}: {count} {}", if count == 1 { "mistake" } else { "mistakes" });
            ExitCode::from(1)
        }
    }
}

async fn verify(file: &str) -> Result<(), HandoffError> {
    if !std::path::Path::new(file).exists() {
        return Err(handover::store::StoreError::Failed(format!("there is no file {file}")).into());
    }
    // Only looking: nothing that goes on is taken up, nothing is added to the trail.
    let options = Options { background: false, take_up: false, ..Options::default() };
    let engine = Engine::open_with(file, options).await?;
    let found = engine.verify().await?;
    println!(
        "{} sessions, {} records, {} messages, {} checkpoints: all as they were written",
        found.sessions, found.records, found.messages, found.checkpoints
    );
    engine.close().await
}

fn explain(text: &str) -> ExitCode {
    match text.parse::<Code>() {
        Ok(code) => {
            println!("{code}: {}\n\n{}\n\n{}", code.title(), code.meaning(), code.mend());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("handover: {message}");
            ExitCode::from(1)
        }
    }
}
