//! `handover agents`: who is registered, how busy they are, and what they may do.

use super::{
    Job,
    args::Access,
    exit::Stop,
    ids,
    paint::Style,
    register::{self, Register},
    table::{Table, column},
    words::{cell, count},
};
use clap::{Args, Subcommand};
use handover_core::agent::{Agent, AgentKind, Risk, Standing};
use serde_json::{Value, json};

/// Arguments of `handover agents`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_subcommand = true)]
pub struct Agents {
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List all agents (the default)
    List,
    /// Show one agent
    Show(Named),
    /// Register agents from a file, or one by its options
    Register(Box<Register>),
    /// Let an agent finish what it has and give it nothing new
    Drain(Named),
    /// Give work to an agent again
    Undrain(Named),
    /// Remove an agent that has no work
    Remove(Named),
    /// Forget the failures of an agent, so that work passes again
    Reset(Named),
}

#[derive(Debug, Clone, Args)]
struct Named {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: String,
}

impl Agents {
    /// The files that it names.
    pub(crate) fn reads(&self) -> Vec<String> {
        match &self.command {
            Some(Action::Register(args)) => args.reads(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn access(&self) -> Access {
        match &self.command {
            None | Some(Action::List | Action::Show(_)) => Access::Look,
            Some(Action::Register(_)) => Access::Make,
            Some(Action::Drain(_) | Action::Undrain(_) | Action::Remove(_) | Action::Reset(_)) => Access::Change,
        }
    }
}

pub(crate) async fn run(args: &Agents, job: &mut Job<'_>) -> Result<(), Stop> {
    match &args.command {
        None | Some(Action::List) => list(job).await,
        Some(Action::Show(named)) => show(named, job).await,
        Some(Action::Register(args)) => register::run(args, job).await,
        Some(Action::Drain(named)) => drain(named, true, job).await,
        Some(Action::Undrain(named)) => drain(named, false, job).await,
        Some(Action::Remove(named)) => remove(named, job).await,
        Some(Action::Reset(named)) => reset(named, job).await,
    }
}

async fn list(job: &mut Job<'_>) -> Result<(), Stop> {
    let agents = job.engine.agents();
    if job.out.look.json {
        let all: Vec<Value> = agents.iter().map(|agent| as_json(job, agent)).collect();
        return job.out.json(&all).await;
    }
    if agents.is_empty() {
        return job
            .out
            .note("no agents yet; register one: handover agents register --name NAME --can CAPABILITY")
            .await;
    }
    let columns =
        [column("AGENT"), column("KIND").rank(3), column("STANDING"), column("WORK").rank(2), column("CAN").text()];
    let mut table = Table::new(&columns);
    for agent in &agents {
        let (standing, style) = standing(job, agent);
        let can =
            if agent.profile.capabilities.is_empty() { (tagline(agent), Style::Dim) } else { cell(abilities(agent)) };
        table.row([
            (agent.profile.id.to_string(), Style::Bold),
            cell(kind(agent.profile.kind)),
            (standing, style),
            cell(work(agent)),
            can,
        ]);
    }
    table.write(job.out).await
}

async fn show(named: &Named, job: &mut Job<'_>) -> Result<(), Stop> {
    let agent = job.engine.agent(&ids::agent(job, &named.agent)?)?;
    if job.out.look.json {
        let value = as_json(job, &agent);
        return job.out.json(&value).await;
    }
    let profile = &agent.profile;
    let (standing, style) = standing(job, &agent);
    let breaker = job.engine.breaker(&profile.id)?;
    let breaker = match breaker.failures {
        0 => String::new(),
        failures => format!("{}, {}", breaker.state.word(), count(failures.into(), "failure")),
    };
    let name = job.out.paint(Style::Bold, profile.id.as_str());
    job.out.line(format!("{name}  {}", tagline(&agent))).await?;
    let lines = [
        ("kind", kind(profile.kind).to_owned()),
        ("standing", job.out.paint(style, &standing)),
        ("work", work(&agent)),
        ("can", abilities(&agent)),
        ("may risk", risk(profile.autonomy_budget.max_risk).to_owned()),
        ("escalates to", profile.escalates_to.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("breaker", breaker),
        ("model", profile.model.clone().unwrap_or_default()),
        ("provider", profile.provider.clone().unwrap_or_default()),
        ("instructions", profile.instructions.lines().next().unwrap_or_default().to_owned()),
        ("tools", profile.tools.join(", ")),
        ("command", profile.command.join(" ")),
        ("folder", profile.folder.clone().unwrap_or_default()),
        ("url", profile.url.clone().unwrap_or_default()),
        ("secret from", profile.secret_env.clone().unwrap_or_default()),
        ("tags", profile.tags.join(", ")),
    ];
    for (title, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
        let title = job.out.paint(Style::Dim, &format!("{title:<13}"));
        job.out.line(format!("  {title} {text}")).await?;
    }
    Ok(())
}

async fn drain(named: &Named, drain: bool, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::agent(job, &named.agent)?;
    job.engine.drain(&id, drain).await?;
    done(job, &named.agent, if drain { "is draining: it gets nothing new" } else { "takes work again" }).await
}

async fn remove(named: &Named, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::agent(job, &named.agent)?;
    job.engine.remove_agent(&id).await?;
    done(job, &named.agent, "is removed").await
}

async fn reset(named: &Named, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::agent(job, &named.agent)?;
    job.engine.reset_breaker(&id).await?;
    done(job, &named.agent, "has no failures on record any more").await
}

async fn done(job: &mut Job<'_>, agent: &str, what: &str) -> Result<(), Stop> {
    if job.out.look.json {
        let known = job.engine.agents().into_iter().find(|known| known.profile.id.as_str() == agent);
        let standing = known.map(|known| known.standing);
        return job.out.json(&json!({ "agent": agent, "standing": standing })).await;
    }
    job.out.line(format!("{agent} {what}")).await
}

fn as_json(job: &Job<'_>, agent: &Agent) -> Value {
    let breaker = job.engine.breaker(&agent.profile.id).ok();
    json!({
        "profile": *agent.profile,
        "standing": agent.standing,
        "load": agent.load,
        "waiting": agent.waiting,
        "breaker": breaker,
    })
}

fn standing(job: &Job<'_>, agent: &Agent) -> (String, Style) {
    let state = job.engine.breaker(&agent.profile.id).map(|breaker| breaker.state.word());
    match (agent.standing, state) {
        (Standing::Unavailable, _) => ("unavailable".to_owned(), Style::Red),
        (Standing::Draining, _) => ("draining".to_owned(), Style::Yellow),
        (Standing::Available, Ok(word)) if word != "closed" => (format!("breaker {word}"), Style::Red),
        (Standing::Available, _) => ("available".to_owned(), Style::Green),
    }
}

fn work(agent: &Agent) -> String {
    let taken = format!("{} of {}", agent.load, agent.profile.max_concurrent_tasks);
    if agent.waiting == 0 { taken } else { format!("{taken}, {} offered", agent.waiting) }
}

fn abilities(agent: &Agent) -> String {
    let one = |can: &handover_core::agent::Capability| match can.proficiency {
        full if full >= 1.0 => can.id.clone(),
        part => format!("{} {part}", can.id),
    };
    agent.profile.capabilities.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn tagline(agent: &Agent) -> String {
    let profile = &agent.profile;
    let texts = [&profile.description, &profile.specialization, &profile.name];
    texts.into_iter().find(|text| !text.is_empty()).cloned().unwrap_or_default()
}

fn kind(kind: AgentKind) -> &'static str {
    match kind {
        AgentKind::Local => "local",
        AgentKind::Worker => "worker",
        AgentKind::Human => "human",
        AgentKind::Llm => "llm",
        AgentKind::Command => "command",
        AgentKind::Http => "http",
        AgentKind::A2a => "a2a",
    }
}

fn risk(risk: Risk) -> &'static str {
    match risk {
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}
