//! `handover approvals`: what waits for a person's word.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::Style,
    table::{Table, column},
    words::{cell, handoff_json},
};
use clap::Args;
use handover_engine::PendingApproval;
use serde_json::Value;

/// Arguments of `handover approvals`.
#[derive(Debug, Clone, Args)]
pub struct Approvals {
    /// Only what this person may decide
    #[arg(long, value_name = "PERSON")]
    by: Option<String>,
}

pub(crate) async fn run(args: &Approvals, job: &mut Job<'_>) -> Result<(), Stop> {
    let waiting = job.engine.approvals(args.by.as_deref()).await?;
    if job.out.look.json {
        let all: Vec<Value> = waiting.iter().map(as_json).collect();
        return job.out.json(&all).await;
    }
    let Some(first) = waiting.first() else {
        return job.out.note("nothing waits for approval").await;
    };
    let columns = [
        column("ID"),
        column("FROM → TO"),
        column("RULE").rank(2),
        column("ASKED").rank(1),
        column("UNTIL").rank(3),
        column("TASK").text(),
    ];
    let mut table = Table::new(&columns);
    for one in &waiting {
        let handoff = &one.handoff;
        let asked = one.approver.clone().unwrap_or_else(|| "anybody".to_owned());
        let rule = if one.rule.is_empty() { ("asked for".to_owned(), Style::Dim) } else { cell(&one.rule) };
        table.row([
            (ids::short(handoff.id), Style::Bold),
            cell(format!("{} → {}", handoff.request.from_agent, handoff.to_agent)),
            rule,
            cell(asked),
            cell(job.out.time(one.until)),
            cell(&handoff.request.task.description),
        ]);
    }
    table.write(job.out).await?;
    let id = ids::short(first.handoff.id);
    job.out.note(format!("look: handover handoffs show {id}   decide: handover approve {id}, or reject {id}")).await
}

fn as_json(one: &PendingApproval) -> Value {
    let mut value = serde_json::to_value(one).unwrap_or_default();
    value["handoff"] = handoff_json(&one.handoff);
    value
}
