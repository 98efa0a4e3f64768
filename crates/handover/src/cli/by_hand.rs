//! `handover redirect` and `handover retry`: a person who runs the work steps in.

use super::{Job, cancel, exit::Stop, ids};
use clap::Args;

/// Arguments of `handover redirect`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Whoever works on it loses it, and cannot give anything back. It stays the same handoff: its source gets one return, and a
step of a workflow stays the step. To whoever has it now, it is offered once more.")]
pub struct Redirect {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Who takes it from now on
    #[arg(value_name = "AGENT")]
    agent: String,
    #[command(flatten)]
    why: Why,
}

/// Arguments of `handover retry`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
What failed, ran out of time or was cancelled is begun anew, as another handoff with the same request. A workflow that could
not go on goes on from its last step. What is put off or runs is offered to its agent again.")]
pub struct Retry {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    why: Why,
}

/// Who steps in, and why.
#[derive(Debug, Clone, Args)]
pub struct Why {
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Who decides so; you when left out
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
}

pub(crate) async fn redirect(args: &Redirect, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let to = ids::agent(job, &args.agent)?;
    let by = args.why.by.as_deref().unwrap_or(job.user);
    let answer = job.engine.redirect(id, by, &to, &args.why.reason).await?;
    cancel::tell(id, &answer, job).await
}

pub(crate) async fn retry(args: &Retry, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let by = args.why.by.as_deref().unwrap_or(job.user);
    let answer = job.engine.retry(id, by, &args.why.reason).await?;
    // What was over stays over: the new one is told of.
    let now = answer.handoffs.first().copied().unwrap_or(id);
    cancel::tell(now, &answer, job).await
}
