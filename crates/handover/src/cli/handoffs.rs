//! `handover handoffs`: those that fit, the latest first; `show` tells the story of one.

use super::{
    Job,
    exit::Stop,
    ids::{self, Pages},
    paint::Style,
    story,
    table::{Table, column},
    times,
    words::{self, cell, status_cell},
};
use clap::{Args, Subcommand};
use handover_core::{
    handoff::{Handoff, Kind, Status},
    ids::AgentId,
    limits::LIST_ROWS,
    time::Timestamp,
};
use handover_store::HandoffQuery;
use serde_json::Value;

/// Arguments of `handover handoffs`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_subcommand = true)]
pub struct Handoffs {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    list: List,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List handoffs, the latest first (the default)
    List(List),
    /// Tell the story of one handoff
    Show {
        /// The handoff, or the beginning of its id
        #[arg(value_name = "ID")]
        id: String,
    },
}

#[derive(Debug, Clone, Args)]
struct List {
    /// Of this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// From this agent
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// To this agent
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// That stand so
    #[arg(long, value_parser = Status::ALL.map(Status::word))]
    status: Option<String>,
    /// Of this type
    #[arg(long = "type", value_parser = ["sequential", "delegation", "broadcast", "escalation"])]
    kind: Option<String>,
    /// Begun since then: 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LIST_ROWS)]
    limit: usize,
}

pub(crate) async fn run(args: &Handoffs, job: &mut Job<'_>) -> Result<(), Stop> {
    match &args.command {
        None => list(&args.list, job).await,
        Some(Action::List(list_args)) => list(list_args, job).await,
        Some(Action::Show { id }) => story::run(id, job).await,
    }
}

async fn list(args: &List, job: &mut Job<'_>) -> Result<(), Stop> {
    let found = find(args, job).await?;
    if job.out.look.json {
        let all: Vec<Value> = found.iter().map(words::handoff_json).collect();
        return job.out.json(&all).await;
    }
    if found.is_empty() {
        return job.out.note("no handoffs fit; hand something over: handover hand-off --help").await;
    }
    table(&found, job).await?;
    if found.len() == args.limit {
        job.out.note(format!("only the latest {} are shown; --limit shows more", args.limit)).await?;
    }
    Ok(())
}

/// The table of handoffs that several commands show.
pub(crate) async fn table(handoffs: &[Handoff], job: &mut Job<'_>) -> Result<(), Stop> {
    let columns = [
        column("ID"),
        column("STATUS"),
        column("FROM → TO").rank(1),
        column("TYPE").rank(4),
        column("SESSION").rank(2),
        column("BEGUN").rank(3),
        column("TASK").text(),
    ];
    let mut table = Table::new(&columns);
    for handoff in handoffs {
        table.row([
            (ids::short(handoff.id), Style::Bold),
            status_cell(handoff.status()),
            cell(format!("{} → {}", handoff.request.from_agent, handoff.to_agent)),
            cell(words::kind(handoff.request.kind)),
            cell(&handoff.session_id),
            cell(job.out.time(handoff.opened_at)),
            cell(&handoff.request.task.description),
        ]);
    }
    table.write(job.out).await
}

async fn find(args: &List, job: &mut Job<'_>) -> Result<Vec<Handoff>, Stop> {
    let agent = |text: &Option<String>| text.as_ref().map(AgentId::new).transpose();
    let session = match &args.session {
        Some(text) => Some(ids::session(job, text).await?),
        None => None,
    };
    let status = args.status.as_ref().and_then(|word| Status::ALL.into_iter().find(|status| status.word() == word));
    let query =
        HandoffQuery { session, status, from: agent(&args.from)?, to: agent(&args.to)?, ..HandoffQuery::default() };
    let since = match &args.since {
        Some(text) => times::parse_since(text, times::now())?,
        None => Timestamp(i64::MIN),
    };
    let fits = |kind: Kind| args.kind.as_ref().is_none_or(|word| words::kind(kind) == word);
    let mut found = Vec::new();
    let mut pages = Pages::new(query);
    loop {
        let page = pages.next(job.engine).await?;
        // The latest come first: whatever follows one that is too old is older still.
        let over = page.last().is_none_or(|last| last.opened_at < since);
        let fitting = page.into_iter().filter(|handoff| handoff.opened_at >= since && fits(handoff.request.kind));
        found.extend(fitting.take(args.limit - found.len()));
        if over || found.len() == args.limit {
            return Ok(found);
        }
    }
}
