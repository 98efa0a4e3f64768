//! `handover run`: a workflow from its folder, live, until its sessions have ended. Killed and run again, it goes on.

use super::{
    args::Cli,
    door,
    exit::Stop,
    input,
    live::Live,
    node,
    out::Out,
    paint::{Style, tame},
    staff,
    summary::{self, RUN_ENDED},
};
use crate::{
    settings::Settings,
    team::{DESK, Places, Team},
    workflow::{self, WorkflowFile},
};
use clap::Args;
use handover_agents::staff::Staff;
use handover_core::{
    digest::Digest,
    ids::{AgentId, SessionId},
    limits::{RUN_CLOSE_MS, RUN_INPUTS_MAX},
    refusal::HandoffError,
    session::Session,
    workflow::End,
};
use handover_engine::{Engine, Filter, Notice, Options, Start, Subscription};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Arguments of `handover run`.
#[derive(Debug, Clone, Args)]
pub struct Run {
    /// The folder of a workflow, or its file
    #[arg(value_name = "WORKFLOW", default_value = ".")]
    pub(crate) workflow: PathBuf,
    /// The data of the first step, as JSON or YAML; a list starts a session for each; may be given several times
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Vec<PathBuf>,
    /// The name of the session; by default made from the data, so that the same data goes on where it was
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// What is asked for, in words
    #[arg(long, value_name = "TEXT")]
    pub(crate) request: Option<String>,
    /// Changes a setting of the workflow, such as `faults.market.fail_first=1`; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) with: Vec<String>,
    /// Where the team writes; by default a folder beside the database
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Only the end, not what happens
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// What a run goes by.
struct Work<'a> {
    engine: &'a Engine,
    file: &'a WorkflowFile,
    places: &'a Places,
    inputs: Inputs,
    quiet: bool,
}

/// The inputs of each session, by their numbers from 1.
type Inputs = BTreeMap<SessionId, Vec<usize>>;
/// Sessions that have ended.
type Ends = Vec<Arc<Session>>;

/// A session to be started.
pub(crate) struct Begin {
    pub(crate) session: SessionId,
    pub(crate) request: String,
    pub(crate) input: Value,
}

pub(crate) async fn run(cli: &Cli, args: &Run, out: &mut Out) -> Result<(), Stop> {
    let mut file = workflow::read(file_of(&args.workflow))?;
    for setting in &args.with {
        change(&mut file, setting)?;
    }
    let (begins, inputs) = once_each(begins(args, &file)?);
    if let Some(said) = same(&inputs) {
        out.note(said).await?;
    }
    let settings = door::config(cli, Some(&file.folder))?;
    let db = cli.database();
    let places = Places { home: whole(&file.folder)?, run: whole(&folder_of(args, &db, &file))? };
    std::fs::create_dir_all(&places.run).map_err(|error| {
        Stop::refused(
            format!("{} cannot be made: {error}", places.run.display()),
            "choose another one with --folder DIR",
        )
    })?;
    let engine = open(cli, settings.as_ref()).await?;
    let bus = node::bus(cli, settings.as_ref(), &engine).await?;
    let desk = node::desk(cli, settings.as_ref(), &engine);
    let (done, team) = match prepare(&engine, &file, &places, settings.as_ref()).await {
        Ok((feed, team)) => {
            let run = Work { engine: &engine, file: &file, places: &places, inputs, quiet: args.quiet };
            (watched(&run, begins, feed, out).await, Some(team))
        }
        Err(stop) => (Err(stop), None),
    };
    drop(desk);
    node::leave(bus).await;
    let closed = tokio::time::timeout(Duration::from_millis(RUN_CLOSE_MS), engine.close()).await;
    // Whoever still works finds its services until the process ends. It is left to the next start; without them it would
    // fail first.
    std::mem::forget(team);
    let ended = done?;
    closed.unwrap_or(Ok(()))?;
    if ended.iter().all(|session| session.flow.as_ref().is_some_and(|flow| flow.ended == Some(End::Completed))) {
        Ok(())
    } else {
        Err(Stop::Said(super::exit::REFUSED))
    }
}

/// The file of a workflow, by its folder or by itself.
pub(crate) fn file_of(path: &Path) -> PathBuf {
    if path.is_dir() { path.join("workflow.yaml") } else { path.to_path_buf() }
}

/// A path that means the same from every folder.
fn whole(path: &Path) -> Result<PathBuf, Stop> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).map_err(|error| Stop::trouble(format!("{}: {error}", path.display()), ""))
}

fn folder_of(args: &Run, db: &Path, file: &WorkflowFile) -> PathBuf {
    let beside = db.parent().unwrap_or(Path::new("")).join(format!("{}-run", file.workflow.name));
    args.folder.clone().unwrap_or(beside)
}

async fn open(cli: &Cli, settings: Option<&Settings>) -> Result<Engine, Stop> {
    let policy = settings.and_then(|settings| settings.policy.clone()).unwrap_or_default();
    let options = Options { policy, ..Options::default() };
    match node::open(cli, settings, options).await {
        Err(stop) if stop.is_in_use() => {
            Err(door::in_use(stop, "end the other process, or use another file with --db FILE"))
        }
        opened => opened,
    }
}

/// Sets a value deep in the settings of a workflow.
fn change(file: &mut WorkflowFile, setting: &str) -> Result<(), Stop> {
    let hint = "write it as --with faults.market.fail_first=1";
    let (key, text) =
        setting.split_once('=').ok_or_else(|| Stop::refused(format!("`{setting}` sets nothing"), hint))?;
    let value = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    let mut place = &mut file.workflow.with;
    for part in key.split('.') {
        if place.is_null() {
            *place = json!({});
        }
        let Value::Object(fields) = place else {
            return Err(Stop::refused(format!("`{key}`: there is no `{part}` in a value"), hint));
        };
        place = fields.entry(part).or_insert(Value::Null);
    }
    *place = value;
    Ok(())
}

/// What is to be started.
fn begins(args: &Run, file: &WorkflowFile) -> Result<Vec<Begin>, Stop> {
    let mut all = Vec::new();
    for path in &args.input {
        all.extend(inputs_of(path)?);
    }
    let beside = ["input.json", "input.yaml"].iter().map(|name| file.folder.join(name)).find(|path| path.exists());
    match (&args.request, beside) {
        _ if !all.is_empty() => {}
        // What is asked for in words is all the data there is.
        (Some(request), _) => all.push(json!({ "text": request })),
        (None, Some(path)) => all.extend(inputs_of(&path)?),
        (None, None) => all.push(json!({})),
    }
    if all.len() > RUN_INPUTS_MAX {
        let message = format!("there are {} inputs; at most {RUN_INPUTS_MAX} are allowed (RUN_INPUTS_MAX)", all.len());
        return Err(Stop::refused(message, "run them in several parts"));
    }
    let many = all.len() > 1;
    all.into_iter().enumerate().map(|(i, input)| begin(args, file, many.then_some(i), input)).collect()
}

/// The inputs of a file: those of its list, or itself.
fn inputs_of(path: &Path) -> Result<Vec<Value>, Stop> {
    match input::document(path)? {
        Value::Array(items) if items.is_empty() => {
            Err(Stop::refused(format!("{} is an empty list", path.display()), "give at least one request"))
        }
        Value::Array(items) => Ok(items),
        one => Ok(vec![one]),
    }
}

/// Each session once, and the numbers of the inputs that are for it: the same data is the same session.
fn once_each(begins: Vec<Begin>) -> (Vec<Begin>, Inputs) {
    let (mut each, mut inputs): (Vec<Begin>, Inputs) = (Vec::new(), Inputs::new());
    for (i, begin) in begins.into_iter().enumerate() {
        let of = inputs.entry(begin.session.clone()).or_default();
        of.push(i + 1);
        if of.len() == 1 {
            each.push(begin);
        }
    }
    (each, inputs)
}

/// What to say where several inputs are for the same session.
fn same(inputs: &Inputs) -> Option<String> {
    let several = inputs.iter().filter(|(_, of)| of.len() > 1);
    let said: Vec<String> = several
        .map(|(name, of)| {
            let numbers: Vec<String> = of.iter().map(ToString::to_string).collect();
            format!("inputs {} are the same: one session, {name}", numbers.join(" and "))
        })
        .collect();
    let hint = "  hint: --session NAME gives each a session of its own";
    (!said.is_empty()).then(|| format!("{}\n{hint}", said.join("\n")))
}

fn begin(args: &Run, file: &WorkflowFile, number: Option<usize>, input: Value) -> Result<Begin, Stop> {
    let name = match (&args.session, number) {
        (Some(name), None) => name.clone(),
        (Some(name), Some(i)) => format!("{name}-{}", i + 1),
        (None, _) => {
            let digest: String = Digest::of_json(&input).to_string().chars().take(8).collect();
            format!("{}-{digest}", file.workflow.name)
        }
    };
    let said = ["request", "text", "question"].iter().find_map(|field| input.get(*field)?.as_str());
    let request = args.request.clone().or_else(|| said.map(str::to_owned)).unwrap_or_default();
    Ok(Begin { session: SessionId::new(&name)?, request, input })
}

/// The team at work, and everything that happens from then on.
async fn prepare(
    engine: &Engine,
    file: &WorkflowFile,
    places: &Places,
    settings: Option<&Settings>,
) -> Result<(Subscription, (Team, Staff)), Stop> {
    let feed = engine.subscribe(Filter::default(), None);
    let staff = staff::of(engine, settings).await?;
    let team = Team::assemble_with(engine, &file.workflow, places, &staff).await?;
    if let Some(settings) = settings {
        settings.apply(engine).await?;
        staff::employ(&staff, engine, settings).await?;
    }
    Ok((feed, (team, staff)))
}

/// Works until all is done or somebody interrupts it.
async fn watched(run: &Work<'_>, begins: Vec<Begin>, feed: Subscription, out: &mut Out) -> Result<Ends, Stop> {
    let names: Vec<SessionId> = begins.iter().map(|begin| begin.session.clone()).collect();
    let done = tokio::select! {
        done = work(run, &names, begins, feed, out) => Some(done?),
        () = super::keep::interrupted() => None,
    };
    let (ends, refused) = done.as_ref().map_or((None, &[][..]), |(ended, refused)| (Some(ended), refused));
    if out.look.json {
        tell_programs(run, &names, refused, ends.is_none(), out).await?;
    } else if let Some(ended) = ends {
        summary::tell(run.engine, ended, run.places, out).await?;
    }
    let (ended, mut refused) = done.ok_or_else(interrupted)?;
    let Some((_, last)) = refused.pop() else { return Ok(ended) };
    for (_, error) in refused {
        out.tell(&Stop::from(error)).await;
    }
    Err(last.into())
}

/// The last line for programs: every session, how it ended or where it stands, and what was refused.
async fn tell_programs(
    run: &Work<'_>,
    names: &[SessionId],
    refused: &[(SessionId, HandoffError)],
    interrupted: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    let mut sessions = Vec::new();
    for name in names {
        let mut session = match refused.iter().find(|(session, _)| session == name) {
            Some((_, error)) => json!({"session_id": name, "state": null, "ended": null, "refusals": error.refusals}),
            None => summary::session_json(run.engine, name).await?,
        };
        session["inputs"] = json!(run.inputs.get(name));
        sessions.push(session);
    }
    let value = json!({
        "type": RUN_ENDED, "workflow": run.file.workflow.name, "interrupted": interrupted, "sessions": sessions,
        "folder": run.places.run,
    });
    out.json_line(&value).await
}

fn interrupted() -> Stop {
    Stop::refused("interrupted; nothing is lost", "run the same command again, and it goes on where it was")
}

async fn work(
    run: &Work<'_>,
    names: &[SessionId],
    begins: Vec<Begin>,
    feed: Subscription,
    out: &mut Out,
) -> Result<(Ends, Vec<(SessionId, HandoffError)>), Stop> {
    let mut live = Live::new(names, run.quiet);
    let (started, refused) = start_all(run.engine, &run.file.workflow.name, begins, &mut live, out).await?;
    follow(run.engine, feed, &mut live, out).await?;
    let mut ended = Vec::new();
    for name in &started {
        ended.push(run.engine.session(name).await?);
    }
    Ok((ended, refused))
}

/// Starts every session. One that is refused keeps no other from its end.
pub(crate) async fn start_all(
    engine: &Engine,
    workflow: &str,
    begins: Vec<Begin>,
    live: &mut Live,
    out: &mut Out,
) -> Result<(Vec<SessionId>, Vec<(SessionId, HandoffError)>), Stop> {
    let (mut started, mut refused) = (Vec::new(), Vec::new());
    for begin in begins {
        let known = engine.session(&begin.session).await.ok();
        let start = Start::of(workflow, AgentId::new(DESK)?).asking(begin.request).with(begin.input);
        if let Err(error) = engine.start(&begin.session, start).await {
            live.leave(&begin.session);
            refused.push((begin.session, error));
            continue;
        }
        live.begins(&begin.session, known.as_deref(), out).await?;
        started.push(begin.session);
    }
    Ok((started, refused))
}

/// Shows what happens until all sessions have ended.
pub(crate) async fn follow(
    engine: &Engine,
    mut feed: Subscription,
    live: &mut Live,
    out: &mut Out,
) -> Result<(), Stop> {
    // Heard since before anything was started: no end is missed.
    while !live.is_told() {
        match feed.next().await? {
            Some(Notice::Event(message)) => live.show(&message, engine, out).await?,
            Some(Notice::Dropped { resume_after }) => feed = engine.subscribe(Filter::default(), Some(resume_after)),
            None => return Err(Stop::Gone),
        }
    }
    Ok(())
}

/// A line about a session that was there before.
pub(crate) fn resumed(session: &Session, out: &Out) -> String {
    let state = session.flow.as_ref().map(|flow| flow.state.clone()).unwrap_or_default();
    let text = match session.ended_at {
        Some(_) => format!("{} has ended before, in {state}; nothing is done again", session.id),
        None => format!("{} goes on in {state}", session.id),
    };
    out.paint(Style::Dim, &tame(&text))
}
