//! `handover cancel` and `handover decline`: a handoff that is taken back, and one that is not taken.

use super::{Job, exit::Stop, ids, words};
use clap::Args;
use handover_core::{command::Answer, handoff::Phase, ids::HandoffId};

/// Arguments of `handover cancel`.
#[derive(Debug, Clone, Args)]
pub struct Cancel {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Who takes it back; whoever handed it over when left out
    #[arg(long = "as", value_name = "AGENT")]
    agent: Option<String>,
    /// Who takes it back as one who runs the work
    #[arg(long, value_name = "PERSON", conflicts_with = "agent")]
    by: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "taken back on the command line")]
    reason: String,
}

/// Arguments of `handover decline`.
#[derive(Debug, Clone, Args)]
pub struct Decline {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Who says no
    #[arg(long = "as", value_name = "AGENT")]
    agent: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

pub(crate) async fn run(args: &Cancel, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let by = match (&args.agent, &args.by) {
        (Some(agent), _) => ids::agent(job, agent)?.to_string(),
        (None, Some(person)) => person.clone(),
        (None, None) => job.engine.handoff(id).await?.request.from_agent.to_string(),
    };
    let answer = job.engine.cancel(id, &by, &args.reason).await?;
    tell(id, &answer, job).await
}

pub(crate) async fn decline(args: &Decline, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let agent = ids::agent(job, &args.agent)?;
    let handoff = job.engine.handoff(id).await?;
    let answer = match handoff.phase {
        // Taken already: whoever has it says no to it, and nobody else.
        Phase::Running { lease, in_process: false, .. } if handoff.to_agent == agent => {
            job.engine.decline(id, lease, &args.reason).await?
        }
        _ => job.engine.reject(id, &agent, &args.reason).await?,
    };
    tell(id, &answer, job).await
}

/// Where a handoff stands after it was changed.
pub(crate) async fn tell(id: HandoffId, answer: &Answer, job: &mut Job<'_>) -> Result<(), Stop> {
    if job.out.look.json {
        return job.out.json(answer).await;
    }
    let handoff = job.engine.handoff(id).await?;
    let status = job.out.paint(words::status_style(handoff.status()), &words::status(handoff.status()));
    let path = format!("{} → {}", handoff.request.from_agent, handoff.to_agent);
    job.out.line(format!("{}  {path}  {status}", ids::short(id))).await
}
