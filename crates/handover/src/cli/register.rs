//! `handover agents register`: a file of agents, the JSON of one, or one by its options.

use super::{Job, exit::Stop, input, words::count};
use crate::settings::{self, Applied};
use clap::Args;
use handover_core::{agent::Profile, ids::AgentId, refusal::HandoffError, wire};
use serde_json::{Map, Value, json};

/// Arguments of `handover agents register`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover agents register handover.yaml
  handover agents register --name anna --kind human --can review --description 'Reviews contracts'")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["file", "name"]))]
pub struct Register {
    /// A handover.yaml, or the JSON of one agent
    #[arg(value_name = "FILE")]
    file: Option<String>,
    /// The id of one agent
    #[arg(long, value_name = "AGENT")]
    name: Option<String>,
    /// How work reaches it
    #[arg(long, requires = "name", value_parser = ["local", "worker", "human"], default_value = "worker")]
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
            let mut settings = settings::parse_with(path, &text, &known)?;
            // Only the agents are registered: the policy is not kept in the database.
            settings.policy = None;
            settings.apply(job.engine).await?
        }
        None => {
            let profile = wire::profile(&described(args)?.to_string())?;
            one(job, profile).await?
        }
    };
    tell(&applied, job).await
}

async fn one(job: &mut Job<'_>, profile: Profile) -> Result<Applied, HandoffError> {
    let known = job.engine.agents().into_iter().find(|agent| agent.profile.id == profile.id);
    let id = profile.id.clone();
    let mut applied = Applied::default();
    let list = match known {
        Some(known) if *known.profile == profile => &mut applied.unchanged,
        Some(_) => &mut applied.updated,
        None => &mut applied.registered,
    };
    list.push(id);
    job.engine.register_profile(profile).await?;
    Ok(applied)
}

/// The profile that the options describe, in the form in which its mistakes are told.
fn described(args: &Register) -> Result<Value, Stop> {
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
    ];
    let given = given.into_iter().filter(|(_, value)| !value.is_null());
    profile.extend(given.map(|(name, value)| (name.to_owned(), value)));
    Ok(Value::Object(profile))
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
