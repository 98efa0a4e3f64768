//! `handover sessions`: which there are, what each is about, and opening one.

use super::{
    Job,
    args::Access,
    exit::Stop,
    ids,
    paint::{Style, tame},
    table::{Table, column},
    words::{self, cell},
};
use clap::{Args, Subcommand};
use handover_core::{
    command::{Command, Open},
    ids::SessionId,
    limits::LIST_ROWS,
    session::Session,
    workflow,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Arguments of `handover sessions`.
#[derive(Debug, Clone, Args)]
#[command(disable_help_subcommand = true)]
pub struct Sessions {
    #[command(subcommand)]
    command: Option<Action>,
}

#[derive(Debug, Clone, Subcommand)]
enum Action {
    /// List sessions, the latest first (the default)
    List(List),
    /// Show one session
    Show {
        /// The session, or the beginning of its id
        #[arg(value_name = "SESSION")]
        session: String,
    },
    /// Open a session
    Open(New),
    /// End a session: nothing more is handed over in it
    End(End),
}

#[derive(Debug, Clone, Args)]
struct List {
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = LIST_ROWS)]
    limit: usize,
    /// Leave the latest so many out
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: usize,
}

#[derive(Debug, Clone, Args)]
struct New {
    /// Its id
    #[arg(value_name = "SESSION")]
    session: String,
    /// Its first owner
    #[arg(long, value_name = "AGENT")]
    by: String,
    /// What the user asks for
    #[arg(long, value_name = "TEXT", default_value = "")]
    asking: String,
}

#[derive(Debug, Clone, Args)]
struct End {
    /// The session, or the beginning of its id
    #[arg(value_name = "SESSION")]
    session: String,
    /// Who ends it; its owner when left out
    #[arg(long, value_name = "AGENT")]
    by: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "ended on the command line")]
    reason: String,
}

impl Sessions {
    pub(crate) fn access(&self) -> Access {
        match &self.command {
            None | Some(Action::List(_) | Action::Show { .. }) => Access::Look,
            Some(Action::Open(_)) => Access::Make,
            Some(Action::End(_)) => Access::Change,
        }
    }
}

pub(crate) async fn run(args: &Sessions, job: &mut Job<'_>) -> Result<(), Stop> {
    match &args.command {
        None => list(&List { limit: LIST_ROWS, skip: 0 }, job).await,
        Some(Action::List(args)) => list(args, job).await,
        Some(Action::Show { session }) => show(session, job).await,
        Some(Action::Open(new)) => open(new, job).await,
        Some(Action::End(args)) => end(args, job).await,
    }
}

async fn list(args: &List, job: &mut Job<'_>) -> Result<(), Stop> {
    let mut found: Vec<Arc<Session>> = Vec::new();
    for id in job.engine.sessions(args.skip, args.limit).await? {
        found.push(job.engine.session(&id).await?);
    }
    if job.out.look.json {
        let all: Vec<Value> = found.iter().map(|session| as_json(session)).collect();
        return job.out.json(&all).await;
    }
    if found.is_empty() {
        return job.out.note("no sessions yet; open one: handover sessions open SESSION --by AGENT").await;
    }
    let columns = [
        column("SESSION"),
        column("STATE"),
        column("OWNER").rank(1),
        column("HANDOFFS").right().rank(2),
        column("LAST").rank(3),
        column("ASKED FOR").text(),
    ];
    let mut table = Table::new(&columns);
    for session in &found {
        let (state, style) = state(session);
        table.row([
            (session.id.to_string(), Style::Bold),
            (state, style),
            cell(&session.active_agent),
            cell(session.handoffs),
            cell(job.out.time(session.last_at)),
            cell(&session.original_request),
        ]);
    }
    table.write(job.out).await
}

/// Where a session stands: in its workflow, where it follows one, and how that ended.
fn state(session: &Session) -> (String, Style) {
    if let Some(flow) = &session.flow {
        return match (flow.ended, session.ended_at) {
            (Some(workflow::End::Completed), _) => (format!("{} ✓", flow.state), Style::Green),
            (Some(workflow::End::Failed), _) => (format!("{} ✗", flow.state), Style::Red),
            (None, Some(_)) => (format!("{}, ended", flow.state), Style::Dim),
            (None, None) => (flow.state.clone(), Style::Blue),
        };
    }
    match (session.ended_at, session.open.len()) {
        (Some(_), _) => ("ended".to_owned(), Style::Dim),
        (None, 0) => ("quiet".to_owned(), Style::Plain),
        (None, open) => (format!("{open} open"), Style::Blue),
    }
}

/// How a session ended, in a word for programs; nothing while it goes on.
fn ended(session: &Session) -> Option<&'static str> {
    match session.flow.as_ref().and_then(|flow| flow.ended) {
        Some(workflow::End::Completed) => Some("completed"),
        Some(workflow::End::Failed) => Some("failed"),
        None => session.ended_at.map(|_| "ended"),
    }
}

async fn show(text: &str, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::session(job, text).await?;
    let session = job.engine.session(&id).await?;
    if job.out.look.json {
        return job.out.json(&as_json(&session)).await;
    }
    let (state, style) = state(&session);
    let title = job.out.paint(Style::Bold, id.as_str());
    job.out.line(format!("{title}  {}", job.out.paint(style, &state))).await?;
    let variables: Vec<&str> = session.variables.keys().map(String::as_str).collect();
    let lines = [
        ("asked for", tame(&session.original_request)),
        ("workflow", session.workflow.clone().unwrap_or_default()),
        ("trouble", session.flow.as_ref().map(|flow| tame(&flow.trouble)).unwrap_or_default()),
        ("owner", session.active_agent.to_string()),
        ("opened", job.out.time(session.opened_at)),
        ("last", job.out.time(session.last_at)),
        ("handoffs", format!("{}, {} open", session.handoffs, session.open.len())),
        ("messages", format!("{}, {} tokens", session.mark.messages, session.mark.tokens())),
        ("variables", variables.join(", ")),
        ("artifacts", if session.artifacts.is_empty() { String::new() } else { session.artifacts.len().to_string() }),
        ("decisions", if session.decisions.is_empty() { String::new() } else { session.decisions.len().to_string() }),
    ];
    for (title, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
        let title = job.out.paint(Style::Dim, &format!("{title:<10}"));
        job.out.line(format!("  {title} {text}")).await?;
    }
    job.out.note(format!("its handoffs: handover history {id}")).await
}

async fn open(new: &New, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = SessionId::new(&new.session)?;
    let answer = job.engine.open_session(&id, Open::by(&new.by)?.asking(&new.asking)).await?;
    if job.out.look.json {
        return job.out.json(&answer).await;
    }
    job.out.line(format!("{id} is open, owned by {}", new.by)).await
}

async fn end(args: &End, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::session(job, &args.session).await?;
    let by = match &args.by {
        Some(by) => ids::agent(job, by)?,
        None => job.engine.session(&id).await?.active_agent.clone(),
    };
    let command = Command::End { by, reason: args.reason.clone() };
    let answer = job.engine.submit(&id, command, None).await?;
    if job.out.look.json {
        return job.out.json(&answer).await;
    }
    job.out.line(format!("{id} has ended")).await
}

/// A session for programs: as it is kept, with what belongs to it.
fn as_json(session: &Session) -> Value {
    let mut value = serde_json::to_value(session).unwrap_or_default();
    value["open"] = session.open.values().map(|handoff| words::handoff_json(handoff)).collect();
    value["variables"] = json!(*session.variables);
    value["artifacts"] = json!(session.artifacts.values().collect::<Vec<_>>());
    value["decisions"] = json!(*session.decisions);
    value["locks"] = json!(*session.locks);
    value["ended"] = json!(ended(session));
    value
}
