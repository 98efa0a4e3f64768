//! `handover history`: the handoffs of a session, each under the one that it belongs to.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::{Style, tame},
    table::{Table, column},
    times,
    words::{cell, handoff_json, status_cell},
};
use clap::Args;
use handover_core::{handoff::Handoff, ids::HandoffId, limits::PAGE_MAX};
use serde_json::Value;
use std::collections::HashMap;

/// Arguments of `handover history`.
#[derive(Debug, Clone, Args)]
pub struct History {
    /// The session, or the beginning of its id
    #[arg(value_name = "SESSION")]
    session: String,
    /// After this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    after: u64,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = PAGE_MAX)]
    limit: usize,
}

pub(crate) async fn run(args: &History, job: &mut Job<'_>) -> Result<(), Stop> {
    let session = ids::session(job, &args.session).await?;
    let limit = args.limit.min(PAGE_MAX);
    let all = job.engine.handoff_history(&session, args.after, limit).await?;
    if job.out.look.json {
        let all: Vec<Value> = all.iter().map(handoff_json).collect();
        return job.out.json(&all).await;
    }
    if all.is_empty() {
        return job.out.note(format!("no handoffs in {session} yet; handover hand-off --session {session} …")).await;
    }
    show(&all, job).await?;
    if let Some(last) = all.last().filter(|_| all.len() == limit) {
        job.out.note(format!("there may be more: --after {}", last.n)).await?;
    }
    Ok(())
}

async fn show(all: &[Handoff], job: &mut Job<'_>) -> Result<(), Stop> {
    let columns = [
        column("#").right().rank(4),
        column("FROM → TO"),
        column("STATUS"),
        column("TOOK").right().rank(1),
        column("BEGUN").rank(3),
        column("ID").rank(2),
        column("TASK").text(),
    ];
    let mut table = Table::new(&columns);
    let numbers: HashMap<HandoffId, u64> = all.iter().map(|handoff| (handoff.id, handoff.n)).collect();
    for (depth, handoff) in in_order(all) {
        let took = match (handoff.closed_at, handoff.accepted_at) {
            (Some(closed), _) => times::length(closed.since(handoff.opened_at)),
            (None, Some(_) | None) => String::new(),
        };
        let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
        let (status, style) = status_cell(handoff.status());
        let failed = handoff.result.as_ref().map(|result| tame(&result.notes)).filter(|notes| !notes.is_empty());
        let before = handoff.request.retry_of.and_then(|before| numbers.get(&before));
        let again = before.map(|n| format!("once more after {n}: ")).unwrap_or_default();
        let task = format!("{again}{}", tame(&handoff.request.task.description));
        table.row([
            (handoff.n.to_string(), Style::Dim),
            cell(format!("{indent}{} → {}", handoff.request.from_agent, handoff.to_agent)),
            (status, style),
            cell(took),
            cell(job.out.time(handoff.opened_at)),
            (ids::short(handoff.id), Style::Dim),
            cell(failed.map_or(task.clone(), |notes| format!("{task} ({notes})"))),
        ]);
    }
    table.write(job.out).await
}

/// Each handoff after the one that it belongs to, with how deep it lies.
fn in_order(all: &[Handoff]) -> Vec<(usize, &Handoff)> {
    let mut below: HashMap<Option<HandoffId>, Vec<&Handoff>> = HashMap::new();
    let known: std::collections::HashSet<HandoffId> = all.iter().map(|handoff| handoff.id).collect();
    for handoff in all {
        // What belongs to work of which nothing is kept any more stands on its own.
        below.entry(handoff.parent_id.filter(|parent| known.contains(parent))).or_default().push(handoff);
    }
    let mut order = Vec::new();
    let mut open: Vec<(usize, &Handoff)> =
        below.remove(&None).into_iter().flatten().rev().map(|one| (0, one)).collect();
    while let Some((depth, handoff)) = open.pop() {
        order.push((depth, handoff));
        let children = below.remove(&Some(handoff.id)).into_iter().flatten().rev();
        open.extend(children.map(|child| (depth + 1, child)));
    }
    order
}
