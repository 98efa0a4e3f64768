//! `handover take`: a person, or a script, takes work that is offered.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::{Style, tame_lines},
    times, words,
};
use clap::Args;
use serde_json::json;

/// Arguments of `handover take`.
#[derive(Debug, Clone, Args)]
pub struct Take {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// Who takes it
    #[arg(long = "as", value_name = "AGENT")]
    agent: String,
    /// How long it is yours before somebody else may have it
    #[arg(long = "for", value_name = "TIME", default_value = "1h")]
    length: String,
}

pub(crate) async fn run(args: &Take, job: &mut Job<'_>) -> Result<(), Stop> {
    let agent = ids::agent(job, &args.agent)?;
    let id = ids::handoff(job, &args.id).await?;
    let lease_ms = times::parse_length(&args.length)?;
    let taken = job.engine.accept(id, &agent, Some(lease_ms), None).await?;
    if job.out.look.json {
        let brief = taken.brief();
        let handoff = words::handoff_json(&taken.handoff);
        return job.out.json(&json!({ "lease": taken.lease, "brief": brief, "handoff": handoff })).await;
    }
    let title = job.out.paint(Style::Bold, &ids::short(id));
    job.out.line(format!("{title}  {agent} has it for {}", times::length(lease_ms))).await?;
    job.out.line("").await?;
    job.out.line(tame_lines(&taken.brief())).await?;
    job.out.line("").await?;
    let back = format!("handover give-back {} --lease {} --result '…'", ids::short(id), taken.lease);
    job.out.line(format!("{} {back}", job.out.paint(Style::Dim, "when it is done:"))).await
}
