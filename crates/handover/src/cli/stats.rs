//! `handover stats`: who did how much, how well, how fast and for how much, and which ways the work went.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::Style,
    table::{Table, column},
    times,
    words::{cell, count, status_style},
};
use clap::Args;
use handover_core::{guard::breaker::BreakerState, handoff::Status, limits::STATS_HANDOFFS_MAX, refusal::Code};
use handover_engine::{AgentStats, PathCount, StatsQuery, StatsReport};

/// Arguments of `handover stats`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover stats
  handover stats --workflow charter --since 1d
  handover stats --session trip --json

A refusal that was given to its caller changes nothing and is not recorded. STOPPED BY counts those that ended a workflow,
or left the work with its source in a session that falls back.")]
pub struct Stats {
    /// Only this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only sessions that follow this workflow
    #[arg(long, value_name = "NAME")]
    workflow: Option<String>,
    /// Only what was initiated since then: 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
}

pub(crate) async fn run(args: &Stats, job: &mut Job<'_>) -> Result<(), Stop> {
    let query = query(args, job).await?;
    let all = query.is_all();
    let report = job.engine.stats_of(query).await?;
    if job.out.look.json {
        return job.out.json(&report).await;
    }
    totals(&report, job).await?;
    if report.cut {
        let what = if all { "all below is" } else { "these are" };
        let text = format!(
            "{what} of the latest {STATS_HANDOFFS_MAX} handoffs (STATS_HANDOFFS_MAX); earlier ones were not looked at"
        );
        job.out.note(text).await?;
    }
    if report.looked_at == 0 {
        let hint = "no handoffs yet; see `handover hand-off --help`, or try `handover demo`";
        return job.out.note(if all { hint } else { "no handoffs fit" }).await;
    }
    agents(&report, job).await?;
    workflows(&report, job).await?;
    ways(&report, job).await?;
    words(&report, job).await
}

async fn query(args: &Stats, job: &Job<'_>) -> Result<StatsQuery, Stop> {
    let session = match &args.session {
        Some(text) => Some(ids::session(job, text).await?),
        None => None,
    };
    if let Some(name) = &args.workflow {
        job.engine.workflow(name)?;
    }
    let since = args.since.as_ref().map(|text| times::parse_since(text, times::now())).transpose()?;
    Ok(StatsQuery { session, workflow: args.workflow.clone(), since })
}

async fn totals(report: &StatsReport, job: &mut Job<'_>) -> Result<(), Stop> {
    let figures = [
        ("sessions", Some(report.sessions)),
        ("handoffs", Some(report.total_handoffs)),
        ("pending", Some(report.pending_handoffs)),
        ("records", report.records),
        ("agents", report.records.map(|_| job.engine.agents().len() as u64)),
    ];
    for (title, n) in figures {
        let Some(n) = n else { continue };
        let title = job.out.paint(Style::Dim, &format!("{title:<18}"));
        job.out.line(format!("{title} {n:>8}")).await?;
    }
    job.out.line("").await?;
    for status in Status::ALL {
        let Some(n) = report.by_status.get(status.word()) else { continue };
        let word = job.out.paint(status_style(status), &format!("{:<18}", status.word().replace('_', " ")));
        job.out.line(format!("{word} {n:>8}  {}", bar(*n, report.total_handoffs))).await?;
    }
    Ok(())
}

async fn agents(report: &StatsReport, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut table = Table::new(&[
        column("AGENT"),
        column("SENT").right(),
        column("RECEIVED").right(),
        column("PENDING").right().rank(3),
        column("WELL").right(),
        column("P50").right().rank(2),
        column("P95").right().rank(2),
        column("TOKENS").right().rank(4),
        column("COST").right().rank(4),
        column("BREAKER").rank(1),
    ]);
    for (agent, figures) in &report.handoffs_by_agent {
        let took = |ms: Option<u64>| cell(ms.map(times::length).unwrap_or_default());
        table.row([
            (agent.clone(), Style::Bold),
            cell(figures.sent),
            cell(figures.received),
            cell(figures.pending),
            well(figures),
            took(figures.latency.map(|latency| latency.p50_ms)),
            took(figures.latency.map(|latency| latency.p95_ms)),
            cell(figures.tokens),
            cell(format!("{:.2}", figures.cost)),
            breaker(figures),
        ]);
    }
    job.out.line("").await?;
    table.write(job.out).await
}

/// How many of those that ended did so well.
fn well(figures: &AgentStats) -> (String, Style) {
    let Some(rate) = figures.success_rate else { return cell("") };
    let style = if rate < 0.5 { Style::Red } else { Style::Plain };
    (format!("{:.0}%", rate * 100.0), style)
}

fn breaker(figures: &AgentStats) -> (String, Style) {
    match figures.breaker.as_ref().map(|breaker| (breaker.state, u64::from(breaker.failures))) {
        None => cell("closed"),
        Some((BreakerState::Closed, failures)) => (format!("closed, {}", count(failures, "failure")), Style::Yellow),
        Some((BreakerState::HalfOpen, _)) => ("half open".to_owned(), Style::Yellow),
        Some((BreakerState::Open, _)) => ("open".to_owned(), Style::Red),
    }
}

async fn workflows(report: &StatsReport, job: &mut Job<'_>) -> Result<(), Stop> {
    if report.workflows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[column("WORKFLOW"), column("SESSIONS").right(), column("HANDOFFS").right()]);
    for (name, figures) in &report.workflows {
        table.row([(name.clone(), Style::Bold), cell(figures.sessions), cell(figures.handoffs)]);
    }
    job.out.line("").await?;
    table.write(job.out).await
}

async fn ways(report: &StatsReport, job: &mut Job<'_>) -> Result<(), Stop> {
    for (title, ways) in [("MOST COMMON", &report.pairs), ("LONGER WAYS", &report.paths)] {
        if ways.is_empty() {
            continue;
        }
        let mut table = Table::new(&[column("TIMES").right(), column(title).text()]);
        for PathCount { agents, count } in ways {
            table.row([cell(count), cell(agents.join(" → "))]);
        }
        job.out.line("").await?;
        table.write(job.out).await?;
    }
    Ok(())
}

/// What people said, and what guards did.
async fn words(report: &StatsReport, job: &mut Job<'_>) -> Result<(), Stop> {
    let approvals = report.approvals;
    if approvals.asked > 0 {
        let heads = ["ASKED", "GRANTED", "DENIED", "WAITING", "VOID"];
        let mut table = Table::new(&heads.map(|head| column(head).right()));
        let figures = [approvals.asked, approvals.granted, approvals.denied, approvals.waiting, approvals.void];
        table.row(figures.map(cell));
        job.out.line("").await?;
        table.write(job.out).await?;
    }
    if report.stopped.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[column("TIMES").right(), column("STOPPED BY"), column("WHICH MEANS").text()]);
    for (code, times) in &report.stopped {
        let known = Code::ALL.iter().find(|known| known.text() == code);
        table.row([cell(times), cell(code), cell(known.map(|known| known.title()).unwrap_or_default())]);
    }
    job.out.line("").await?;
    table.write(job.out).await
}

/// A share of the whole, to be seen at a glance.
fn bar(n: u64, of: u64) -> String {
    let length = (n * 20).div_ceil(of.max(1));
    "█".repeat(usize::try_from(length).unwrap_or(0))
}
