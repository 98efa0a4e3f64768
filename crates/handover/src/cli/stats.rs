//! `handover stats`: counts over all sessions.

use super::{
    Job,
    exit::Stop,
    paint::Style,
    table::{Table, column},
    words::{cell, status_style},
};
use handover_core::handoff::Status;

pub(crate) async fn run(job: &mut Job<'_>) -> Result<(), Stop> {
    let stats = job.engine.stats().await?;
    if job.out.look.json {
        return job.out.json(&stats).await;
    }
    let figures = [
        ("sessions", stats.sessions),
        ("handoffs", stats.total_handoffs),
        ("records", stats.records),
        ("agents", job.engine.agents().len() as u64),
    ];
    for (title, n) in figures {
        let title = job.out.paint(Style::Dim, &format!("{title:<18}"));
        job.out.line(format!("{title} {n:>8}")).await?;
    }
    job.out.line("").await?;
    for status in Status::ALL {
        let Some(n) = stats.by_status.get(status.word()) else { continue };
        let word = job.out.paint(status_style(status), &format!("{:<18}", status.word().replace('_', " ")));
        job.out.line(format!("{word} {n:>8}  {}", bar(*n, stats.total_handoffs))).await?;
    }
    if stats.handoffs_by_agent.is_empty() {
        return job.out.note("no handoffs yet; see `handover hand-off --help`, or try `handover demo`").await;
    }
    job.out.line("").await?;
    let mut table = Table::new(&[column("AGENT"), column("SENT").right(), column("RECEIVED").right()]);
    for (agent, counted) in &stats.handoffs_by_agent {
        table.row([(agent.clone(), Style::Bold), cell(counted.sent), cell(counted.received)]);
    }
    table.write(job.out).await
}

/// A share of the whole, to be seen at a glance.
fn bar(n: u64, of: u64) -> String {
    let length = (n * 20).div_ceil(of.max(1));
    "█".repeat(usize::try_from(length).unwrap_or(0))
}
