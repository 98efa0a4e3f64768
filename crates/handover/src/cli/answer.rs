//! `handover questions` and `handover answer`: what agents ask before they go on.

use super::{
    Job, cancel,
    exit::Stop,
    ids,
    paint::Style,
    table::{Table, column},
    words::{self, cell},
};
use clap::Args;
use serde_json::Value;

/// Arguments of `handover questions`.
#[derive(Debug, Clone, Args)]
pub struct Questions {
    /// Only about what this agent handed over
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
}

/// Arguments of `handover answer`.
#[derive(Debug, Clone, Args)]
pub struct Answer {
    /// The handoff, or the beginning of its id
    #[arg(value_name = "ID")]
    id: String,
    /// The answer
    #[arg(value_name = "TEXT")]
    text: String,
    /// Who answers; whoever sits at the terminal when left out
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

pub(crate) async fn list(args: &Questions, job: &mut Job<'_>) -> Result<(), Stop> {
    let from = args.from.as_deref().map(|agent| ids::agent(job, agent)).transpose()?;
    let waiting = job.engine.questions(from.as_ref()).await?;
    if job.out.look.json {
        let all: Vec<Value> = waiting.iter().map(words::handoff_json).collect();
        return job.out.json(&all).await;
    }
    let Some(first) = waiting.first() else { return job.out.note("nobody waits for an answer").await };
    let columns =
        [column("ID"), column("WHO ASKS"), column("SINCE").rank(2), column("UNTIL").rank(1), column("QUESTION").text()];
    let mut table = Table::new(&columns);
    for handoff in &waiting {
        let Some(open) = handoff.open_question() else { continue };
        table.row([
            (ids::short(handoff.id), Style::Bold),
            cell(&handoff.to_agent),
            cell(job.out.time(open.asked_at)),
            cell(handoff.due().map(|until| job.out.time(until)).unwrap_or_default()),
            cell(&open.question),
        ]);
    }
    table.write(job.out).await?;
    job.out.note(format!("answer: handover answer {} TEXT", ids::short(first.id))).await
}

pub(crate) async fn run(args: &Answer, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, &args.id).await?;
    let by = args.name.as_deref().unwrap_or(job.user).to_owned();
    let answer = job.engine.answer(id, &by, &args.text).await?;
    cancel::tell(id, &answer, job).await
}
