//! `handover inbox`: what waits for an agent or a person to take it.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::Style,
    table::{Table, column},
    words::{self, cell},
};
use clap::Args;
use handover_core::limits::LIST_ROWS;
use serde_json::Value;

/// Arguments of `handover inbox`.
#[derive(Debug, Clone, Args)]
pub struct Inbox {
    /// Whose
    #[arg(value_name = "AGENT")]
    agent: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LIST_ROWS)]
    limit: usize,
}

pub(crate) async fn run(args: &Inbox, job: &mut Job<'_>) -> Result<(), Stop> {
    let agent = ids::agent(job, &args.agent)?;
    let waiting = job.engine.inbox(&agent, args.limit).await?;
    if job.out.look.json {
        let all: Vec<Value> = waiting.iter().map(words::handoff_json).collect();
        return job.out.json(&all).await;
    }
    let Some(first) = waiting.first() else {
        return job
            .out
            .note(format!("nothing waits for {agent}; see what happens: handover watch --agent {agent}"))
            .await;
    };
    let columns = [
        column("ID"),
        column("PRIORITY").rank(1),
        column("FROM"),
        column("SINCE").rank(3),
        column("SESSION").rank(2),
        column("TASK").text(),
    ];
    let mut table = Table::new(&columns);
    for handoff in &waiting {
        table.row([
            (ids::short(handoff.id), Style::Bold),
            words::priority(handoff.request.task.priority),
            cell(&handoff.request.from_agent),
            cell(job.out.time(handoff.opened_at)),
            cell(&handoff.session_id),
            cell(&handoff.request.task.description),
        ]);
    }
    table.write(job.out).await?;
    job.out.note(format!("take one: handover take {} --as {agent}", ids::short(first.id))).await
}
