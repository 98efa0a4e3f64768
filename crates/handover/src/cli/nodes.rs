//! `handover nodes`: the processes that work on a store.

use super::{
    Job,
    exit::Stop,
    paint::Style,
    table::{Table, column},
    words::cell,
};
use clap::Args;
use serde_json::json;

/// Arguments of `handover nodes`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover nodes --store postgres://handover@db.example.org/handover
  handover nodes --server https://handover.example.org --json")]
pub struct Nodes {}

pub(crate) async fn run(job: &mut Job<'_>) -> Result<(), Stop> {
    let nodes = job.engine.nodes().await?;
    if job.out.look.json {
        let told = nodes.iter().map(|node| {
            json!({
                "id": node.id, "name": node.name, "since": node.since, "until": node.until, "serves": node.serves,
                "this": node.this,
            })
        });
        return job.out.json(&told.collect::<Vec<_>>()).await;
    }
    if nodes.is_empty() {
        let note =
            "one process has this store for itself; several share a database of PostgreSQL: --store postgres://…";
        return job.out.note(note).await;
    }
    let mut table =
        Table::new(&[column("NAME"), column("SINCE"), column("ALIVE UNTIL").rank(1), column("DOES"), column("")]);
    for node in &nodes {
        let here = if node.this { "answers this" } else { "" };
        table.row([
            (node.name.clone(), Style::Bold),
            cell(job.out.time(node.since)),
            cell(job.out.time(node.until)),
            cell(if node.serves { "serves" } else { "a command" }),
            cell(here),
        ]);
    }
    table.write(job.out).await
}
