//! `handover watch`: what happens, as it happens.

use super::{
    Job,
    exit::Stop,
    ids,
    out::{Frame, Out},
    paint::{Style, tame},
    table::cut,
    times,
};
use clap::Args;
use handover_core::{
    event::{Event, Extension},
    ids::AgentId,
    limits::PAGE_MAX,
};
use handover_engine::{BusMessage, Filter, Notice};
use handover_store::RecordQuery;
use unicode_width::UnicodeWidthStr;

/// Arguments of `handover watch`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  handover watch --since 10m
  handover watch --session trip --until-idle
  handover watch --type TASK_FAILED --json | jq .payload")]
pub struct Watch {
    /// Only this session
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Only what this agent sends or receives
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only these types, such as AGENT_HANDOFF or APPROVED; may be given several times
    #[arg(long = "type", value_name = "TYPE")]
    kinds: Vec<String>,
    /// Also what happened since then: 10m (ago), 2026-03-01 or 2026-03-01T08:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Also what happened after this position of the feed
    #[arg(long, value_name = "POSITION", overrides_with = "after")]
    pub(crate) after: Option<u64>,
    /// Ends after so many events
    #[arg(long, value_name = "N", overrides_with = "count", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) count: Option<u64>,
    /// Ends when no handoff is open any more
    #[arg(long)]
    pub(crate) until_idle: bool,
}

pub(crate) async fn run(args: &Watch, job: &mut Job<'_>) -> Result<(), Stop> {
    let filter = filter(args, job).await?;
    let last = job.engine.subscribe(Filter::default(), None).position();
    let begin = begin(args, last, job).await?;
    job.out.send(Frame::At(begin)).await?;
    let mut left = args.count.unwrap_or(u64::MAX);
    let after = past(&filter, begin, &mut left, job).await?;
    if left == 0 || !job.live || (args.until_idle && is_idle(job).await?) {
        return Ok(());
    }
    live(args, filter, after, left, job).await
}

async fn filter(args: &Watch, job: &Job<'_>) -> Result<Filter, Stop> {
    let session = match &args.session {
        Some(text) => Some(ids::session(job, text).await?),
        None => None,
    };
    let types = args.kinds.iter().map(|kind| kind.to_uppercase()).collect();
    Ok(Filter { types, agent: args.agent.as_ref().map(AgentId::new).transpose()?, session })
}

/// The position after which is shown what happened.
async fn begin(args: &Watch, last: u64, job: &Job<'_>) -> Result<u64, Stop> {
    match (args.after, &args.since) {
        (Some(after), _) => Ok(after),
        (None, None) => Ok(last),
        (None, Some(text)) => {
            let since = Some(times::parse_since(text, times::now())?);
            let first = job.engine.audit(RecordQuery { since, limit: 1, ..RecordQuery::default() }).await?;
            Ok(first.first().map_or(last, |record| record.position.saturating_sub(1)))
        }
    }
}

/// Shows what has happened already; gives the position up to which that is.
async fn past(filter: &Filter, begin: u64, left: &mut u64, job: &mut Job<'_>) -> Result<u64, Stop> {
    let mut query =
        RecordQuery { session: filter.session.clone(), after: begin, limit: PAGE_MAX, ..RecordQuery::default() };
    loop {
        let page = job.engine.audit(query.clone()).await?;
        for stored in &page {
            query.after = stored.position;
            let Some(message) = BusMessage::of(stored).filter(|message| filter.fits(message)) else { continue };
            show(&message, job.out).await?;
            *left -= 1;
            if *left == 0 {
                return Ok(query.after);
            }
        }
        job.out.send(Frame::At(query.after)).await?;
        if page.len() < PAGE_MAX {
            return Ok(query.after);
        }
    }
}

/// Shows what happens from now on, until the engine ends or it is enough.
async fn live(args: &Watch, filter: Filter, after: u64, mut left: u64, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut feed = job.engine.subscribe(filter.clone(), Some(after));
    loop {
        match feed.next().await? {
            Some(Notice::Event(message)) => {
                show(&message, job.out).await?;
                left -= 1;
                if left == 0 || (args.until_idle && is_idle(job).await?) {
                    return Ok(());
                }
            }
            Some(Notice::Dropped { resume_after }) => feed = job.engine.subscribe(filter.clone(), Some(resume_after)),
            None => return Err(Stop::Gone),
        }
    }
}

/// Whether nothing is on its way.
async fn is_idle(job: &Job<'_>) -> Result<bool, Stop> {
    let open = ["awaiting_approval", "offered", "deferred", "running"];
    let stats = job.engine.stats().await?;
    Ok(open.iter().all(|word| stats.by_status.get(*word).is_none_or(|n| *n == 0)))
}

async fn show(message: &BusMessage, out: &mut Out) -> Result<(), Stop> {
    if out.look.json {
        out.json_line(message).await?;
    } else {
        let line = line(message, out);
        out.line(line).await?;
    }
    out.send(Frame::Shown(message.position)).await
}

/// One event on one line: when, where, what, between whom, and a word about it.
fn line(message: &BusMessage, out: &Out) -> String {
    let time = if out.look.terminal { times::clock(message.timestamp) } else { message.timestamp.to_string() };
    let session = format!("{:<12}", message.context.session_id.as_str());
    let (word, style) = word(message);
    let path = match (&message.source_agent, &message.target_agent) {
        (Some(from), Some(to)) => format!("{from} → {to}"),
        _ => String::new(),
    };
    let before = time.width() + session.width() + 16 + path.width().max(28) + 8;
    let detail = tame(&detail(&message.payload));
    let detail = match out.look.width {
        Some(width) => cut(&detail, width.saturating_sub(before).max(8)),
        None => detail,
    };
    format!(
        "{}  {}  {}  {path:<28}  {}",
        out.paint(Style::Dim, &time),
        out.paint(Style::Cyan, &session),
        out.paint(style, &format!("{word:<16}")),
        out.paint(Style::Dim, &detail)
    )
}

fn word(message: &BusMessage) -> (String, Style) {
    match message.kind.as_str() {
        "AGENT_HANDOFF" => ("handed over".to_owned(), Style::Yellow),
        "TASK_STARTED" => ("taken".to_owned(), Style::Blue),
        "TASK_COMPLETED" => ("done".to_owned(), Style::Green),
        "TASK_FAILED" => ("failed".to_owned(), Style::Red),
        "APPROVAL_REQUESTED" => ("asks a person".to_owned(), Style::Yellow),
        other => (other.to_lowercase().replace('_', " "), Style::Plain),
    }
}

/// A word about what happened.
fn detail(event: &Event) -> String {
    match event {
        Event::SessionOpened { original_request, .. } => original_request.clone(),
        Event::Initiated { request, .. } => request.task.description.clone(),
        Event::ApprovalRequested { approval, .. } => approval.approver.clone().unwrap_or_default(),
        Event::Approved { by, comment, .. } | Event::Denied { by, comment, .. } => {
            if comment.is_empty() {
                by.clone()
            } else {
                format!("{by}: {comment}")
            }
        }
        Event::Rejected { reason, .. } | Event::Deferred { reason, .. } | Event::SessionEnded { reason, .. } => {
            reason.clone()
        }
        Event::HeldUp(Extension { why, .. }) => why.clone(),
        Event::Asked(asking) => asking.question.clone(),
        Event::Answered(answering) => format!("{}: {}", answering.by, answering.text),
        Event::SessionReopened(hand) => format!("{}: {}", hand.by, hand.reason),
        Event::Rerouted { from, to, by_hand: Some(hand), .. } => {
            format!("{from} to {to}, {}: {}", hand.by, hand.reason)
        }
        Event::Rerouted { from, to, .. } => format!("{from} to {to}"),
        Event::StepRecorded { name, .. } => name.clone(),
        Event::Retried { attempt, .. } => format!("attempt {attempt}"),
        Event::Closed { result, .. } => result.notes.clone(),
        Event::VariablesSet { set, .. } => set.keys().cloned().collect::<Vec<_>>().join(", "),
        Event::DecisionMade { decision } => decision.description.clone(),
        Event::ArtifactKept { artifact } => artifact.path.clone(),
        Event::HumanAsked { human, why, .. } => format!("{human}: {why}"),
        Event::FellBack { error, .. } => error.to_string(),
        _ => String::new(),
    }
}
