//! `handover agents register`: a file of agents, the JSON of one, or one by its options.

use super::{
    Job,
    exit::Stop,
    input::{self, Files},
    times,
    words::count,
};
use crate::settings::{self, Applied};
use clap::Args;
use handover_core::{
    agent::{AgentKind, Profile},
    ids::AgentId,
    wire,
};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Arguments of `handover agents register`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover agents register handover.yaml
  handover agents register --name anna --kind human --can review --description 'Reviews contracts'
  handover agents register --name writer --kind llm --model gpt-4.1 --instructions @writer.md --tools handoff,recall
  handover agents register --name counter --kind command --can count -- python3 count.py
  handover agents register --name bank --kind http --url https://example.org/work --secret-env BANK_SECRET")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["file", "name"]))]
pub struct Register {
    /// A handover.yaml, or the JSON of one agent
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The id of one agent
    #[arg(long, value_name = "AGENT")]
    name: Option<String>,
    /// How work reaches it
    #[arg(long, requires = "name", value_parser = ["local", "worker", "human", "llm", "command", "http"], default_value = "worker")]
    kind: String,
    /// What it can do, as `search` or `search=0.8`; may be given several times
    #[arg(long, requires = "name", value_name = "CAPABILITY")]
    can: Vec<String>,
    /// What it does, in a sentence
    #[arg(long, requires = "name", value_name = "TEXT")]
    description: Option<String>,
    /// Whom it asks when it may not decide
    #[arg(long, requires = "name", value_name = "AGENT")]
    escalates_to: Option<String>,
    /// Tasks it works on at once
    #[arg(long, requires = "name", value_name = "N")]
    at_once: Option<u32>,
    /// The highest risk that it may take
    #[arg(long, requires = "name", value_parser = ["low", "medium", "high"])]
    max_risk: Option<String>,
    /// How long one task may take, as `10m`
    #[arg(long, requires = "name", value_name = "TIME")]
    time: Option<String>,
    /// A model: its name, as its provider has it
    #[arg(long, requires = "name", value_name = "MODEL", help_heading = "By kind")]
    model: Option<String>,
    /// A model: who provides it, by the name in the settings
    #[arg(long, requires = "name", value_name = "NAME", help_heading = "By kind")]
    provider: Option<String>,
    /// A model: what it is told before all else
    #[arg(long, requires = "name", value_name = "TEXT|@FILE", help_heading = "By kind")]
    instructions: Option<String>,
    /// A model: the tools that it may call
    #[arg(long, requires = "name", value_name = "TOOL", value_delimiter = ',', help_heading = "By kind")]
    tools: Vec<String>,
    /// A program: the folder in which it works; this one when left out
    #[arg(long, requires = "name", value_name = "DIR", help_heading = "By kind")]
    folder: Option<PathBuf>,
    /// A service: where it is called; a remote agent: where its card is
    #[arg(long, requires = "name", value_name = "URL", help_heading = "By kind")]
    url: Option<String>,
    /// The variable that holds the secret by which calls to a service are signed, or the key that a remote agent is shown
    #[arg(long, requires = "name", value_name = "VARIABLE", help_heading = "By kind")]
    secret_env: Option<String>,
    /// A program: its name and its arguments, after `--`
    #[arg(last = true, requires = "name", value_name = "WORD", help_heading = "By kind")]
    command: Vec<String>,
}

impl Register {
    /// The files that it names.
    pub(crate) fn reads(&self) -> Vec<String> {
        self.file.clone().into_iter().chain(input::named(self.instructions.as_ref())).collect()
    }
}

pub(crate) async fn run(args: &Register, job: &mut Job<'_>) -> Result<(), Stop> {
    let applied = match &args.file {
        Some(path) if path.ends_with(".json") => {
            let profile = wire::profile(&input::file(job, path)?)?;
            one(job, profile).await?
        }
        Some(path) => {
            let text = input::file(job, path)?;
            let known: Vec<AgentId> = job.engine.agents().into_iter().map(|agent| agent.profile.id.clone()).collect();
            let mut settings = match job.files {
                // Whoever asks from elsewhere means a file there, and files beside it.
                Files::Here(folder) => settings::parse_with(&folder.join(path).display().to_string(), &text, &known)?,
                // Files beside it are on another machine: what the file says of them is not looked at.
                Files::Away(_) => settings::parse_agents(path, &text, &known)?,
            };
            settings.agents.iter().try_for_each(|profile| may_register(profile, job))?;
            // Only the agents are registered: the policy is not kept in the database.
            settings.policy = None;
            settings.apply(job.engine).await?
        }
        None => {
            let profile = wire::profile(&described(args, job)?.to_string())?;
            one(job, profile).await?
        }
    };
    tell(&applied, job).await
}

/// Whoever registers a program lets this machine run it: that is for those who are on it.
fn may_register(profile: &Profile, job: &Job<'_>) -> Result<(), Stop> {
    match profile.kind {
        AgentKind::Command => job.files.folder(&format!("the program of {}", profile.id)).map(|_| ()),
        AgentKind::Local | AgentKind::Worker | AgentKind::Human | AgentKind::Llm | AgentKind::Http | AgentKind::A2a => {
            Ok(())
        }
    }
}

async fn one(job: &mut Job<'_>, profile: Profile) -> Result<Applied, Stop> {
    may_register(&profile, job)?;
    let known = job.engine.agents().into_iter().find(|agent| agent.profile.id == profile.id);
    let id = profile.id.clone();
    let mut applied = Applied::default();
    let (list, profile) = match known {
        // What a card added is not said again by whoever registers it, and stays.
        Some(known) if known.profile.bare() == profile => (&mut applied.unchanged, Profile::clone(&known.profile)),
        Some(_) => (&mut applied.updated, profile),
        None => (&mut applied.registered, profile),
    };
    list.push(id);
    job.engine.register_profile(profile).await?;
    Ok(applied)
}

/// The profile that the options describe, in the form in which its mistakes are told.
fn described(args: &Register, job: &Job<'_>) -> Result<Value, Stop> {
    is_whole(args)?;
    let mut profile = Map::new();
    profile.insert("id".to_owned(), json!(args.name));
    profile.insert("kind".to_owned(), json!(args.kind));
    let can = args.can.iter().map(|text| capability(text)).collect::<Result<Vec<_>, _>>()?;
    profile.insert("capabilities".to_owned(), json!(can));
    let given = [
        ("description", json!(args.description)),
        ("escalates_to", json!(args.escalates_to)),
        ("max_concurrent_tasks", json!(args.at_once)),
        ("autonomy_budget", json!(args.max_risk)),
        ("max_execution_ms", json!(args.time.as_deref().map(times::parse_length).transpose()?)),
        ("model", json!(args.model)),
        ("provider", json!(args.provider)),
        ("instructions", json!(instructions(args, job)?)),
        ("tools", json!(args.tools)),
        ("command", json!(args.command)),
        ("folder", json!(folder(args, job)?)),
        ("url", json!(args.url)),
        ("secret_env", json!(args.secret_env)),
    ];
    let left_out = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let given = given.into_iter().filter(|(_, value)| !left_out(value));
    profile.extend(given.map(|(name, value)| (name.to_owned(), value)));
    Ok(Value::Object(profile))
}

/// Whether everything is there that the kind needs, in the words of the options.
fn is_whole(args: &Register) -> Result<(), Stop> {
    let is = |kind: &str| args.kind == kind;
    let needs = [
        (is("llm") && args.model.is_none(), "a model needs its name", "add --model NAME"),
        (is("command") && args.command.is_empty(), "a program needs its name", "add it at the end: -- python3 work.py"),
        (is("http") && args.url.is_none(), "a service needs an address", "add --url https://HOST/PATH"),
        (!is("llm") && args.provider.is_some(), "--provider belongs to models", "add --kind llm"),
        (!is("llm") && args.instructions.is_some(), "--instructions belong to models", "add --kind llm"),
        (!is("llm") && !args.tools.is_empty(), "--tools belong to models", "add --kind llm"),
        (!is("command") && !args.command.is_empty(), "a program after `--` belongs to programs", "add --kind command"),
        (!is("command") && args.folder.is_some(), "--folder belongs to programs", "add --kind command"),
        (!is("http") && args.url.is_some(), "--url belongs to services", "add --kind http"),
        (!is("http") && args.secret_env.is_some(), "--secret-env belongs to services", "add --kind http"),
    ];
    match needs.into_iter().find(|(wrong, ..)| *wrong) {
        Some((_, message, hint)) => Err(Stop::refused(message, hint)),
        None => Ok(()),
    }
}

fn instructions(args: &Register, job: &Job<'_>) -> Result<Option<String>, Stop> {
    let Some(given) = &args.instructions else { return Ok(None) };
    given.strip_prefix('@').map_or_else(|| Ok(given.clone()), |path| input::file(job, path)).map(Some)
}

/// Where a program works, wherever whoever runs it stands.
fn folder(args: &Register, job: &Job<'_>) -> Result<Option<String>, Stop> {
    if args.kind != "command" {
        return Ok(None);
    }
    let own = job.files.folder("the folder of a program")?;
    let folder = own.join(args.folder.as_deref().unwrap_or(Path::new("")));
    let folder = if folder.as_os_str().is_empty() { Path::new(".").to_owned() } else { folder };
    let hint = "name a folder that is there with --folder DIR";
    if !folder.is_dir() {
        return Err(Stop::refused(format!("there is no folder {}", folder.display()), hint));
    }
    let whole = std::path::absolute(&folder).map_err(|error| Stop::refused(error.to_string(), hint))?;
    Ok(Some(whole.display().to_string()))
}

fn capability(text: &str) -> Result<Value, Stop> {
    let Some((id, proficiency)) = text.split_once('=') else { return Ok(json!(text)) };
    match proficiency.parse::<f64>() {
        Ok(proficiency) => Ok(json!({ "id": id, "proficiency": proficiency })),
        Err(_) => Err(Stop::refused(
            format!("`{proficiency}` is no number"),
            "say how well it can do this from 0 to 1, as in search=0.8",
        )),
    }
}

async fn tell(applied: &Applied, job: &mut Job<'_>) -> Result<(), Stop> {
    let Applied { registered, updated, unchanged } = applied;
    if job.out.look.json {
        let lists = json!({ "registered": registered, "updated": updated, "unchanged": unchanged });
        return job.out.json(&lists).await;
    }
    for (ids, what) in [(registered, "registered"), (updated, "changed")] {
        for id in ids {
            job.out.line(format!("{id} is {what}")).await?;
        }
    }
    if !unchanged.is_empty() {
        let what = if unchanged.len() == 1 { "is as it was" } else { "are as they were" };
        job.out.line(format!("{} {what}", count(unchanged.len() as u64, "agent"))).await?;
    }
    Ok(())
}
