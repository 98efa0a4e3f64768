//! `handover take`: a person, or a program, takes work that is offered.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::{Style, tame_lines},
    times, words,
};
use clap::Args;
use handover_agents::assignment;
use handover_core::{
    ids::{AgentId, HandoffId},
    limits::LIST_ROWS,
    refusal::Code,
};
use handover_engine::{Assignment, Filter, Notice};
use serde_json::{Value, json};

/// Arguments of `handover take`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover take 3f2a --as anna
  handover take --next --wait --as counter --for 5m --json    (a worker in any language)")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["id", "next"]))]
pub struct Take {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Takes what is first in the inbox
    #[arg(long)]
    next: bool,
    /// Waits until there is something
    #[arg(long, requires = "next")]
    pub(crate) wait: bool,
    /// Who takes it
    #[arg(long = "as", value_name = "AGENT")]
    agent: String,
    /// How long it is yours before somebody else may have it
    #[arg(long = "for", value_name = "TIME", default_value = "1h")]
    length: String,
}

pub(crate) async fn run(args: &Take, job: &mut Job<'_>) -> Result<(), Stop> {
    let agent = ids::agent(job, &args.agent)?;
    let named = match &args.id {
        Some(id) => Some(ids::handoff(job, id).await?),
        None => None,
    };
    let lease_ms = times::parse_length(&args.length)?;
    let taken = match named {
        Some(id) => job.engine.accept(id, &agent, Some(lease_ms), None).await?,
        None if args.wait => waited(job, &agent, lease_ms).await?,
        None => first(job, &agent, lease_ms, false).await?.ok_or_else(|| nothing(&agent))?,
    };
    tell(&taken, &agent, lease_ms, job).await
}

fn nothing(agent: &AgentId) -> Stop {
    Stop::refused(format!("nothing waits for {agent}"), "add --wait to wait until something does")
}

/// What somebody else was faster with: it is taken, goes to somebody else, waits, or is over.
const PASSED_OVER: [Code; 4] = [Code::NotOffered, Code::AlreadyRunning, Code::OfferedElsewhere, Code::Closed];

/// Takes what is first in the inbox. What somebody else was faster to take is passed over. For whoever waits, there is
/// nothing yet while the agent works on as much as it may.
async fn first(job: &Job<'_>, agent: &AgentId, lease_ms: u64, waits: bool) -> Result<Option<Assignment>, Stop> {
    for offered in job.engine.inbox(agent, LIST_ROWS).await? {
        match job.engine.accept(offered.id, agent, Some(lease_ms), None).await {
            Ok(taken) => return Ok(Some(taken)),
            Err(error) if PASSED_OVER.iter().any(|code| error.has(*code)) => {}
            Err(error) if waits && error.has(Code::AtCapacity) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// The same, as soon as there is something.
async fn waited(job: &Job<'_>, agent: &AgentId, lease_ms: u64) -> Result<Assignment, Stop> {
    // Heard since before it is looked for: no offer is missed.
    let mut feed = job.engine.subscribe(Filter::default(), None);
    loop {
        if let Some(taken) = first(job, agent, lease_ms, true).await? {
            return Ok(taken);
        }
        match feed.next().await? {
            Some(Notice::Event(_)) => {}
            Some(Notice::Dropped { resume_after }) => {
                feed = job.engine.subscribe(Filter::default(), Some(resume_after));
            }
            None => return Err(Stop::Gone),
        }
    }
}

async fn tell(taken: &Assignment, agent: &AgentId, lease_ms: u64, job: &mut Job<'_>) -> Result<(), Stop> {
    let (id, brief): (HandoffId, String) = (taken.handoff.id, taken.brief());
    if job.out.look.json {
        let session = job.engine.session(&taken.handoff.session_id).await?;
        let document = assignment::document(&taken.handoff, &session, &brief, &Value::Null);
        let handoff = words::handoff_json(&taken.handoff);
        let value = json!({ "lease": taken.lease, "brief": brief, "handoff": handoff, "assignment": document });
        return job.out.json(&value).await;
    }
    let title = job.out.paint(Style::Bold, &ids::short(id));
    job.out.line(format!("{title}  {agent} has it for {}", times::length(lease_ms))).await?;
    job.out.line("").await?;
    job.out.line(tame_lines(&brief)).await?;
    job.out.line("").await?;
    let back = format!("handover give-back {} --lease {} --result '…'", ids::short(id), taken.lease);
    job.out.line(format!("{} {back}", job.out.paint(Style::Dim, "when it is done:"))).await
}
