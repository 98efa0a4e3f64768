//! The way to the database: opened here where it is free, asked of whoever holds it where it is not.

use super::{
    Job,
    args::{Access, Cli, Command},
    away, carry_out, chat, check, completions, demo, desk,
    exit::Stop,
    explain, follow, graph, health, init,
    input::{self, Files},
    keep, mcp, migrate,
    out::Out,
    run, scripted, serve,
};
use crate::settings::{self, Settings};
use handover_core::{
    limits::DOOR_WAIT_MS,
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::{Engine, Options};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// The file of settings that is used when none is named.
pub(crate) const CONFIG: &str = "handover.yaml";

/// How long is waited before looking again whether the database is free.
const NAP: Duration = Duration::from_millis(20);

/// Carries out a command, wherever the database is.
pub(crate) async fn enter(cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    if let Some(server) = &cli.global.server
        && !away::is_for_here(&cli.command)
    {
        return Box::pin(away::enter(cli, server, out)).await;
    }
    match &cli.command {
        Command::Health(args) => health::run(args, cli, out).await,
        Command::Demo { file } => Box::pin(demo::run(file.as_deref(), out)).await,
        Command::Init(args) => init::run(args, out).await,
        Command::Check(args) => check::run(args, out).await,
        Command::Explain(args) => explain::run(args, out).await,
        Command::Completions(args) => completions::run(args, out).await,
        Command::Graph(args) => match args.file() {
            Some(file) => graph::of_file(args, &file, out).await,
            None => once(cli, out).await,
        },
        Command::Keep => Box::pin(keep::run(cli, out)).await,
        Command::Serve(args) => Box::pin(serve::run(cli, args, out)).await,
        Command::Mcp(args) => Box::pin(mcp::run(cli, args, out)).await,
        Command::Chat(args) => Box::pin(chat::run(cli, args, out)).await,
        Command::ScriptedModel(args) => scripted::run(args, out).await,
        Command::Run(args) => Box::pin(run::run(cli, args, out)).await,
        Command::Migrate(args) => Box::pin(migrate::run(cli, args, out)).await,
        Command::Watch(args) if cli.place_by_itself().is_shared() => {
            let _ = args;
            follow::shared(cli, out).await
        }
        Command::Watch(args) => follow::run(cli, args, out).await,
        Command::HandOff(args) if args.wait => keep::run_once(cli, out).await,
        Command::Take(args) if args.wait => keep::run_once(cli, out).await,
        Command::GiveBack(args) if args.answer.as_deref() == Some("-") => Box::pin(enter(&heard(cli)?, out)).await,
        Command::Audit(args) if args.needs_no_engine() => args.without_engine(out).await,
        _ => once(cli, out).await,
    }
}

/// The same command with what stands at stdin in the place of `-`: only this process can read it.
pub(crate) fn heard(cli: &Cli) -> Result<Cli, Stop> {
    let text = input::stdin()?;
    let mut heard = cli.clone();
    if let Command::GiveBack(args) = &mut heard.command {
        args.answer = Some(text.clone());
    }
    let said = heard.given.iter().position(|word| word == "--answer");
    for (i, word) in heard.given.iter_mut().enumerate() {
        if said.is_some_and(|said| i == said + 1) {
            word.clone_from(&text);
        } else if word == "--answer=-" {
            *word = format!("--answer={text}");
        }
    }
    Ok(heard)
}

async fn once(cli: &Cli, out: &mut Out) -> Result<(), Stop> {
    let engine = match open_in_turn(cli, false).await {
        Ok(engine) => engine,
        Err(stop) if stop.is_in_use() => return ask(cli, out, stop).await,
        Err(stop) => return Err(stop),
    };
    let done = here(cli, &engine, out, false).await;
    let closed = engine.close().await;
    done?;
    Ok(closed?)
}

/// Opens the database. Another command that is soon over answers nobody: its turn is waited for.
pub(crate) async fn open_in_turn(cli: &Cli, background: bool) -> Result<Engine, Stop> {
    let until = Instant::now() + Duration::from_millis(DOOR_WAIT_MS);
    loop {
        match open(cli, background).await {
            Err(stop) if stop.is_in_use() && !desk::answers(&cli.database()) && Instant::now() < until => {
                tokio::time::sleep(NAP).await;
            }
            opened => return opened,
        }
    }
}

/// Runs the command on an engine of this process.
pub(crate) async fn here(cli: &Cli, engine: &Engine, out: &mut Out, live: bool) -> Result<(), Stop> {
    let user = user();
    let mut job = Job { engine, out, files: Files::Here(Path::new("")), user: &user, live };
    Box::pin(carry_out(&cli.command, &mut job)).await
}

/// Lets the process that holds the database run the command.
pub(crate) async fn ask(cli: &Cli, out: &mut Out, held: Stop) -> Result<(), Stop> {
    if cli.global.config.is_some() {
        out.note("the database is open in another process, which keeps its own settings; --config is not used").await?;
    }
    match desk::ask(&cli.database(), &cli.given, out).await? {
        desk::Asked::Done(exit) if exit == super::exit::GOOD => Ok(()),
        desk::Asked::Done(exit) => Err(Stop::Said(exit)),
        desk::Asked::Nobody => {
            Err(in_use(held, "it answers no commands: end it, or let it call handover::cli::desk::serve"))
        }
        desk::Asked::Lost => {
            let hint = "look whether it was done: handover watch --since 1m";
            Err(Stop::trouble("the process that holds the database ended before it answered", hint))
        }
    }
}

/// Somebody holds the database: what to do about it.
pub(crate) fn in_use(held: Stop, hint: &str) -> Stop {
    let Stop::Refused(HandoffError { mut refusals, agents, cause }) = held else { return held };
    for refusal in refusals.iter_mut().filter(|refusal| refusal.code == Code::StoreInUse) {
        refusal.hint = hint.to_owned();
    }
    Stop::Refused(HandoffError { refusals, agents, cause })
}

/// Opens the database as this command needs it. Only a command that changes something takes up what was going on.
pub(crate) async fn open(cli: &Cli, background: bool) -> Result<Engine, Stop> {
    let access = cli.command.access();
    let changes = matches!(access, Access::Change | Access::Make);
    let settings = if access == Access::Look { None } else { config(cli, None)? };
    let place = if access == Access::Look { cli.place_by_itself() } else { cli.place(settings.as_ref()) };
    if let Some(path) = place.file().filter(|path| access != Access::Make && !path.exists()) {
        return Err(no_database(path));
    }
    let policy = settings.as_ref().and_then(|settings| settings.policy.clone()).unwrap_or_default();
    let options = Options { background, take_up: changes, policy, ..Options::default() };
    let engine = place.open(&cli.node(settings.as_ref()), options).await?;
    if let Some(settings) = settings.filter(|_| changes)
        && let Err(error) = settings.apply(&engine).await
    {
        engine.close().await?;
        return Err(error.into());
    }
    Ok(engine)
}

fn no_database(path: &Path) -> Stop {
    let hint = "begin with `handover agents register --name NAME` or `handover demo`, or name a file with --db FILE";
    Stop::refused(format!("there is no database {}", path.display()), hint)
}

/// The settings that are named, those of this folder, or those of another folder that counts.
pub(crate) fn config(cli: &Cli, beside: Option<&Path>) -> Result<Option<Settings>, Stop> {
    let folders = [Some(Path::new("")), beside].into_iter().flatten();
    let found = || folders.map(|folder| folder.join(CONFIG)).find(|path| path.exists());
    match cli.global.config.clone().or_else(found) {
        Some(path) => Ok(Some(settings::read(path)?)),
        None => Ok(None),
    }
}

/// Who sits at the terminal.
pub(crate) fn user() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| "operator".to_owned())
}

/// A refusal for something that is named and not there.
pub(crate) fn unknown(code: Code, message: String, near: Option<String>) -> Stop {
    Refusal::new(code, message).hint(near.unwrap_or_default()).into()
}
