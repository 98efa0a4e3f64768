//! The audit trail and the figures.

use crate::{
    ask::Ask,
    openapi,
    page::{self, CURSOR, PageQuery},
    problem::Problem,
    reply::Reply,
    table::{Right, Route},
    views::Page,
};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use handover_core::{
    digest::Digest,
    ids::{AgentId, HandoffId, SessionId},
    limits::PAGE_MAX,
    record::Record,
    refusal::HandoffError,
    route::ExperimentReport,
    time::Timestamp,
};
use handover_engine::{RecordQuery, StatsQuery, StatsReport, Verified};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/audit", "query_audit", "Asks the audit trail.", query)
            .query::<AuditQuery>()
            .answers::<Page<Kept>>(200, "A page of records, in order."),
        Route::get(
            "/v1/audit/export",
            "export_audit",
            "Exports records as JSON lines, to be verified offline.",
            export,
        )
        .right(Right::Administer)
        .query::<ExportQuery>()
        .answers_as(200, "A record per line.", "application/x-ndjson", Some(openapi::text_shape)),
        Route::post("/v1/audit/verify", "verify_audit", "Checks every record, message and handoff.", verify)
            .right(Right::Administer)
            .answers::<Verified>(200, "What was looked at; all of it fits.")
            .refuses(&[500]),
        Route::post("/v1/audit/prune", "prune_audit", "Removes what was kept long enough, and records that.", prune)
            .right(Right::Administer)
            .answers::<Pruned>(200, "How many sessions lost records."),
        Route::get("/v1/audit/house", "read_house_book", "Reads the book of the house.", house)
            .right(Right::Administer)
            .query::<PageQuery>()
            .answers::<Page<Kept>>(200, "A page of records, in order."),
        Route::get("/v1/stats", "stats", "Counts who did how much, how well and how fast.", stats)
            .query::<StatsForm>()
            .answers::<StatsReport>(200, "What was counted."),
        Route::get("/v1/experiments/{experiment}", "read_experiment", "Reads how an experiment stands.", experiment)
            .answers::<ExperimentReport>(200, "Its arms."),
    ]
}

/// A record, with its place in the chain.
#[derive(Debug, Serialize, JsonSchema)]
struct Kept {
    /// Its place in the feed.
    position: u64,
    /// Its hash.
    hash: Digest,
    /// The record.
    record: Record,
}

/// Which records. Everything that is given must fit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AuditQuery {
    /// Of this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// Of this handoff.
    #[serde(default)]
    handoff: Option<HandoffId>,
    /// Of handoffs that carry this task.
    #[serde(default)]
    task: Option<String>,
    /// Of handoffs from this agent.
    #[serde(default)]
    from: Option<AgentId>,
    /// Of handoffs to this agent.
    #[serde(default)]
    to: Option<AgentId>,
    /// Of this type of event.
    #[serde(default, rename = "type")]
    event_type: Option<String>,
    /// Not before.
    #[serde(default)]
    since: Option<Timestamp>,
    /// Before.
    #[serde(default)]
    until: Option<Timestamp>,
    /// Rows of a page.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
    /// `next` of the page before.
    #[serde(default)]
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

async fn query(ask: Ask) -> Result<Reply, Problem> {
    let form: AuditQuery = ask.query()?;
    let limit = page::rows(form.limit)?;
    let query = RecordQuery {
        tenant: None,
        handoff: form.handoff,
        task: form.task,
        session: form.session,
        from: form.from,
        to: form.to,
        event_type: form.event_type,
        since: form.since,
        until: form.until,
        after: page::place(form.cursor.as_deref())?,
        limit,
        ..RecordQuery::default()
    };
    let found = ask.engine.audit(query).await?;
    Ok(Reply::ok(&read(&found, limit)?))
}

fn read(found: &[handover_engine::StoredRecord], limit: usize) -> Result<Page<Kept>, Problem> {
    let next = found.last().filter(|_| found.len() == limit).map(|last| page::cursor(last.position));
    let kept = found.iter().map(|stored| {
        let record =
            serde_json::from_str(&stored.text).map_err(|error| HandoffError::from(stored.unreadable(&error)))?;
        Ok(Kept { position: stored.position, hash: stored.hash, record })
    });
    Ok(Page { items: kept.collect::<Result<_, Problem>>()?, next })
}

/// Which records are exported.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExportQuery {
    /// Of this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// Not before.
    #[serde(default)]
    since: Option<Timestamp>,
    /// Before.
    #[serde(default)]
    until: Option<Timestamp>,
}

/// Page by page, as fast as whoever reads takes it: an export of any size needs no more room than one page.
async fn export(ask: Ask) -> Result<Reply, Problem> {
    let form: ExportQuery = ask.query()?;
    let (session, since, until) = (form.session, form.since, form.until);
    let query = RecordQuery { session, since, until, limit: PAGE_MAX, ..RecordQuery::default() };
    let (lines, next) = ask.engine.export_lines(query.clone()).await?;
    let first = (Some(lines), next);
    let pages = stream::try_unfold((first, query, ask), |((lines, next), mut query, ask)| async move {
        let lines = match lines {
            Some(lines) => lines,
            None => return Ok(None),
        };
        let text: String = lines.into_iter().flat_map(|line| [line, "\n".into()]).collect();
        let following = match next {
            Some(after) => {
                if !ask.may_stay() {
                    return Err(std::io::Error::other("the server ends, or the key does"));
                }
                query.after = after;
                let (lines, next) = ask.engine.export_lines(query.clone()).await.map_err(std::io::Error::other)?;
                (Some(lines), next)
            }
            None => (None, None),
        };
        Ok::<_, std::io::Error>(Some((Bytes::from(text), (following, query, ask))))
    });
    Ok(Reply::typed("application/x-ndjson", Body::from_stream(pages)))
}

async fn verify(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.verify().await?))
}

/// What was removed.
#[derive(Debug, Serialize, JsonSchema)]
struct Pruned {
    /// Sessions that lost records.
    sessions: usize,
}

async fn prune(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&Pruned { sessions: ask.engine.enforce_retention().await? }))
}

async fn house(ask: Ask) -> Result<Reply, Problem> {
    let query: PageQuery = ask.query()?;
    let (limit, after) = query.read()?;
    let found = ask.engine.house_book(after, limit).await?;
    Ok(Reply::ok(&read(&found, limit)?))
}

/// Which handoffs are counted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StatsForm {
    /// Of this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// Of sessions that follow this workflow.
    #[serde(default)]
    workflow: Option<String>,
    /// Initiated not before.
    #[serde(default)]
    since: Option<Timestamp>,
}

async fn stats(ask: Ask) -> Result<Reply, Problem> {
    let form: StatsForm = ask.query()?;
    let query = StatsQuery { session: form.session, workflow: form.workflow, since: form.since };
    Ok(Reply::ok(&ask.engine.stats_of(query).await?))
}

async fn experiment(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.experiment(ask.text_part("experiment"))?))
}
