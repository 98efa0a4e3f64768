//! `handover audit`: the trail of everything that happened, asked, checked, exported and pruned.

use super::{
    Job,
    args::Access,
    exit::Stop,
    ids,
    input::Files,
    out::{Frame, Out},
    paint::{Style, tame},
    table::{Table, column},
    times, verify,
    words::{cell, count},
};
use clap::{Args, Subcommand};
use handover_core::{
    ids::AgentId,
    limits::{LIST_ROWS, PAGE_MAX},
    record::Record,
};
use handover_engine::verify_export;
use handover_store::{RecordQuery, StoredRecord};
use serde_json::{Value, json};
use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

/// Arguments of `handover audit`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_subcommand = true)]
pub struct Audit {
    #[command(subcommand)]
    command: Option<Action>,
    #[command(flatten)]
    query: Query,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List records that fit, in order (the default)
    Query(Query),
    /// Check the trail, or a file that was exported
    Verify {
        /// An exported file of JSON lines; needs no database
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Write records as JSON lines into a folder
    Export(Export),
    /// Remove what was kept long enough
    Prune {
        /// Only says what would be removed
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, Clone, Args)]
struct Query {
    /// Of this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Of this handoff
    #[arg(long, value_name = "ID")]
    handoff: Option<String>,
    /// From this agent
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// To this agent
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Only this event, such as initiated or completed
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,
    /// Since then: 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Until then
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// After this position
    #[arg(long, value_name = "POSITION", default_value_t = 0)]
    after: u64,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LIST_ROWS)]
    limit: usize,
}

#[derive(Debug, Clone, Args)]
struct Export {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The folder within it
    #[arg(long, value_name = "NAME", default_value = "handover")]
    project: String,
    /// Only this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
}

impl Audit {
    pub(crate) fn access(&self) -> Access {
        match &self.command {
            None | Some(Action::Query(_) | Action::Verify { .. } | Action::Export(_)) => Access::Look,
            Some(Action::Prune { dry_run: true }) => Access::Look,
            Some(Action::Prune { dry_run: false }) => Access::Change,
        }
    }

    /// Where records are exported to: the folder, and the folder within it.
    pub(crate) fn exports_to(&self) -> Option<(&Path, &str)> {
        match &self.command {
            Some(Action::Export(args)) => Some((&args.folder, &args.project)),
            _ => None,
        }
    }

    /// Whether it is about a file alone.
    pub(crate) fn needs_no_engine(&self) -> bool {
        matches!(&self.command, Some(Action::Verify { file: Some(_) }))
    }

    /// Checks an exported file.
    pub(crate) async fn without_engine(&self, out: &mut Out) -> Result<(), Stop> {
        let Some(Action::Verify { file: Some(path) }) = &self.command else { return Ok(()) };
        let opened = File::open(path).map_err(|error| {
            Stop::refused(format!("{} cannot be read: {error}", path.display()), "check the path and its permissions")
        })?;
        let found = verify_export(BufReader::new(opened))?;
        if out.look.json {
            return out.json(&found).await;
        }
        let gaps = if found.gaps == 0 { "no gaps".to_owned() } else { count(found.gaps, "gap") };
        out.line(format!("{}, {gaps}: all as they were written", count(found.records, "record"))).await
    }
}

pub(crate) async fn run(args: &Audit, job: &mut Job<'_>) -> Result<(), Stop> {
    match &args.command {
        None => query(&args.query, job).await,
        Some(Action::Query(args)) => query(args, job).await,
        Some(Action::Verify { .. }) => verify::run(job).await,
        Some(Action::Export(args)) => export(args, job).await,
        Some(Action::Prune { dry_run }) => prune(*dry_run, job).await,
    }
}

async fn query(args: &Query, job: &mut Job<'_>) -> Result<(), Stop> {
    let agent = |text: &Option<String>| text.as_ref().map(AgentId::new).transpose();
    let time = |text: &Option<String>| text.as_ref().map(|text| times::parse_since(text, times::now())).transpose();
    let mut query = RecordQuery {
        from: agent(&args.from)?,
        to: agent(&args.to)?,
        event_type: args.event.clone(),
        since: time(&args.since)?,
        until: time(&args.until)?,
        after: args.after,
        limit: args.limit.min(PAGE_MAX),
        ..RecordQuery::default()
    };
    if let Some(text) = &args.session {
        query.session = Some(ids::session(job, text).await?);
    }
    if let Some(text) = &args.handoff {
        query.handoff = Some(ids::handoff(job, text).await?);
    }
    let found = job.engine.audit(query).await?;
    if job.out.look.json {
        for stored in &found {
            job.out.json_line(&as_json(stored)).await?;
        }
        return Ok(());
    }
    if found.is_empty() {
        return job.out.note("no records fit").await;
    }
    table(&found, job).await?;
    if let Some(last) = found.last().filter(|_| found.len() == args.limit) {
        job.out.note(format!("there may be more: --after {}, or --limit", last.position)).await?;
    }
    Ok(())
}

fn as_json(stored: &StoredRecord) -> Value {
    let record: Value = serde_json::from_str(&stored.text).unwrap_or_default();
    json!({ "position": stored.position, "hash": stored.hash, "record": record })
}

async fn table(found: &[StoredRecord], job: &mut Job<'_>) -> Result<(), Stop> {
    let columns = [
        column("POSITION").right(),
        column("WHEN").rank(2),
        column("SESSION").rank(1),
        column("EVENT"),
        column("FROM → TO").rank(3),
        column("WHY").text(),
    ];
    let mut table = Table::new(&columns);
    for stored in found {
        let Ok(record) = serde_json::from_str::<Record>(&stored.text) else { continue };
        let path = match (&record.from_agent, &record.to_agent) {
            (Some(from), Some(to)) => format!("{from} → {to}"),
            _ => String::new(),
        };
        table.row([
            (stored.position.to_string(), Style::Dim),
            cell(job.out.time(record.timestamp)),
            (record.session_id.to_string(), Style::Cyan),
            cell(record.event_type.replace('_', " ")),
            cell(path),
            cell(tame(&record.reason)),
        ]);
    }
    table.write(job.out).await
}

async fn export(args: &Export, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut query = RecordQuery::default();
    if let Some(text) = &args.session {
        query.session = Some(ids::session(job, text).await?);
    }
    job.out.progress("exporting").await?;
    let written = match job.files {
        Files::Here(folder) => job.engine.export(&folder.join(&args.folder), &args.project, query).await?,
        Files::Away(_) => return send(query, job).await,
    };
    job.out.progress_over().await?;
    exported(&written.0, written.1, job.out).await
}

/// Says what was written, and where.
pub(crate) async fn exported(path: &Path, records: u64, out: &mut Out) -> Result<(), Stop> {
    if out.look.json {
        return out.json(&json!({ "file": path, "records": records })).await;
    }
    out.line(format!("{}: {}", path.display(), count(records, "record"))).await?;
    out.note(format!("check it anywhere: handover audit verify {}", path.display())).await
}

/// The place of an exported record in the feed.
fn position(line: Option<&String>) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Placed {
        position: u64,
    }
    serde_json::from_str::<Placed>(line?).ok().map(|placed| placed.position)
}

/// Sends records to be written where the command was typed, page by page.
async fn send(query: RecordQuery, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut query = RecordQuery { limit: PAGE_MAX, ..query };
    let (mut first, mut count) = (0, 0);
    loop {
        let (lines, next) = job.engine.export_lines(query.clone()).await?;
        let (Some(from), Some(to)) = (position(lines.first()), position(lines.last())) else { break };
        first = if count == 0 { from } else { first };
        count += lines.len() as u64;
        query.after = to;
        job.out.send(Frame::Save(lines.into_iter().flat_map(|line| [line, "\n".to_owned()]).collect())).await?;
        if next.is_none() {
            break;
        }
    }
    job.out.progress_over().await?;
    job.out.send(Frame::Saved(first, query.after, count)).await
}

async fn prune(dry_run: bool, job: &mut Job<'_>) -> Result<(), Stop> {
    let sessions = if dry_run { job.engine.prunable().await?.len() } else { job.engine.enforce_retention().await? };
    if job.out.look.json {
        return job.out.json(&json!({ "sessions": sessions, "dry_run": dry_run })).await;
    }
    let sessions = count(sessions as u64, "session");
    let said = if dry_run {
        "would lose records that were kept long enough"
    } else {
        "lost records that were kept long enough"
    };
    job.out.line(format!("{sessions} {said}")).await
}
