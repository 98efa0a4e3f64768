//! Handoffs: asked for, found, read, waited for.

use super::sessions::By;
use crate::{
    ask::Ask,
    etag::ETag,
    openapi,
    page::{self, CURSOR, PageQuery},
    problem::Problem,
    reply::Reply,
    table::Route,
    views::{GroupView, HandoffView, Page},
};
use handover_core::{
    command::{Answer, Command},
    context::{Shown, View},
    described::Text,
    event::Routed,
    handoff::{Return, Status},
    ids::{AgentId, GroupId, SessionId},
    limits::{PAGE_MAX, RESULT_WAIT_MS_MAX},
    message::Message,
    record::Record,
    refusal::{Code, Refusal},
    route::{Recommendation, Suggestion},
    wire,
};
use handover_engine::{HandoffQuery, StoryStep};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/sessions/{session}/handoffs", "hand_off", "Hands work over.", create)
            .once()
            .body_of(openapi::request)
            .answers::<Answer>(201, "The handoffs that it made.")
            .refuses(&[429]),
        Route::get("/v1/sessions/{session}/handoffs", "session_handoffs", "Lists the handoffs of a session.", history)
            .query::<PageQuery>()
            .answers::<Page<HandoffView>>(200, "A page of handoffs, in order."),
        Route::get(
            "/v1/sessions/{session}/handoffs/count",
            "count_handoffs",
            "Counts the handoffs of a session.",
            count,
        )
        .query::<CountQuery>()
        .answers::<Count>(200, "How many."),
        Route::post("/v1/sessions/{session}/route", "dry_run", "Says who would get a handoff, and why.", dry_run)
            .body_of(openapi::request)
            .answers::<Routed>(200, "How it would be routed now."),
        Route::post("/v1/sessions/{session}/recommend", "recommend", "Says who would be good for a task.", recommend)
            .body::<Recommending>()
            .answers::<Vec<Recommendation>>(200, "Who, each with reasons."),
        Route::get(
            "/v1/sessions/{session}/suggestions",
            "suggestions",
            "Says whether a handoff seems due.",
            suggestions,
        )
        .answers::<Vec<Suggestion>>(200, "What seems due; nothing when all is well."),
        Route::get("/v1/sessions/{session}/groups/{group}", "read_group", "Waits for the end of a broadcast.", group)
            .query::<WaitQuery>()
            .answers::<GroupView>(200, "How it was decided.")
            .answers_nothing("It is not decided yet."),
        Route::get("/v1/handoffs", "list_handoffs", "Lists handoffs.", list)
            .query::<ListQuery>()
            .answers::<Page<HandoffView>>(200, "A page of handoffs."),
        Route::get("/v1/handoffs/{handoff}", "read_handoff", "Reads a handoff.", read)
            .etag()
            .answers::<HandoffView>(200, "The handoff."),
        Route::get("/v1/handoffs/{handoff}/return", "read_return", "Waits for the end of a handoff.", returned)
            .query::<WaitQuery>()
            .answers::<Return>(200, "How it ended.")
            .answers_nothing("It is not over yet."),
        Route::post("/v1/handoffs/{handoff}/take", "take_return", "Takes a return out of the inbox, once.", take)
            .once()
            .body::<By>()
            .answers::<Return>(200, "The return."),
        Route::get("/v1/handoffs/{handoff}/view", "read_view", "Reads what the receiver is shown.", view)
            .query::<ViewQuery>()
            .answers::<View>(200, "What crosses."),
        Route::get("/v1/handoffs/{handoff}/messages", "read_shown", "Reads more of what the receiver is shown.", shown)
            .query::<RangeQuery>()
            .answers::<Vec<Shown>>(200, "The messages."),
        Route::get("/v1/handoffs/{handoff}/recall", "recall", "Reads what was withheld.", recall)
            .query::<RangeQuery>()
            .answers::<Vec<Message>>(200, "The messages."),
        Route::get("/v1/handoffs/{handoff}/trace", "read_trace", "Reads the records of a handoff.", trace)
            .answers::<Vec<Record>>(200, "The records, in order."),
        Route::get("/v1/handoffs/{handoff}/story", "read_story", "Tells the life of a handoff.", story)
            .answers::<Vec<StoryStep>>(200, "Its steps."),
    ]
}

async fn create(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.session()?;
    let mut parsed = wire::request(ask.text()?)?;
    if let Some(key) = ask.idempotency_key()? {
        if parsed.request.idempotency_key.as_ref().is_some_and(|given| *given != key) {
            let message = "the header and `idempotency_key` of the body differ";
            return Err(Refusal::new(Code::KeyConflict, message).at("Idempotency-Key").into());
        }
        parsed.request.idempotency_key = Some(key);
    }
    if parsed.request.context.traceparent.is_none() {
        parsed.request.context.traceparent = ask.traceparent();
    }
    let answer = ask.engine.initiate_parsed(&session, parsed).await?;
    let location = match answer.handoffs.first() {
        Some(first) => format!("/v1/handoffs/{first}"),
        None => format!("/v1/sessions/{}", openapi::encoded(session.as_str())),
    };
    Ok(Reply::created(&location, &answer))
}

async fn history(ask: Ask) -> Result<Reply, Problem> {
    let query: PageQuery = ask.query()?;
    let (limit, after) = query.read()?;
    let found = ask.engine.handoff_history(&ask.session()?, after, limit).await?;
    let next = found.last().filter(|_| found.len() == limit).map(|last| page::cursor(last.n));
    Ok(Reply::ok(&Page { items: found.iter().map(HandoffView::of).collect(), next }))
}

/// Between whom.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CountQuery {
    /// From this agent.
    #[serde(default)]
    from: Option<AgentId>,
    /// To this agent.
    #[serde(default)]
    to: Option<AgentId>,
}

/// How many.
#[derive(Debug, Serialize, JsonSchema)]
struct Count {
    /// Handoffs.
    count: u64,
}

async fn count(ask: Ask) -> Result<Reply, Problem> {
    let query: CountQuery = ask.query()?;
    let count = ask.engine.get_handoff_count(&ask.session()?, query.from.as_ref(), query.to.as_ref()).await?;
    Ok(Reply::ok(&Count { count }))
}

async fn dry_run(ask: Ask) -> Result<Reply, Problem> {
    let parsed = wire::request(ask.text()?)?;
    Ok(Reply::ok(&ask.engine.route(&ask.session()?, &parsed.request).await?))
}

/// A task for which somebody is sought.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Recommending {
    /// The task, in words.
    #[schemars(with = "Text")]
    task: String,
    /// At most so many.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
}

async fn recommend(ask: Ask) -> Result<Reply, Problem> {
    let form: Recommending = ask.form()?;
    let limit = page::rows(form.limit)?;
    Ok(Reply::ok(&ask.engine.recommend(&ask.session()?, &form.task, limit).await?))
}

async fn suggestions(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.suggestions(&ask.session()?).await?))
}

/// How long to wait.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitQuery {
    /// At most so many milliseconds; 0 looks once.
    #[serde(default)]
    #[schemars(range(max = RESULT_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
}

impl WaitQuery {
    pub(super) fn wait(&self) -> Result<Duration, Problem> {
        wait(self.wait_ms, RESULT_WAIT_MS_MAX, "RESULT_WAIT_MS_MAX")
    }
}

/// A wait within its bound.
pub(super) fn wait(asked: Option<u64>, most: u64, name: &str) -> Result<Duration, Problem> {
    match asked {
        Some(ms) if ms > most => {
            let message = format!("{ms} is not between 0 and {most} ({name})");
            Err(Refusal::new(Code::OutOfRange, message).at("wait_ms").into())
        }
        ms => Ok(Duration::from_millis(ms.unwrap_or(0))),
    }
}

/// Until the wait is over, or whoever asks may not stay: they come back later.
pub(super) async fn over(ask: &Ask, wait: Duration) {
    tokio::select! {
        () = tokio::time::sleep(wait) => {}
        () = ask.ends() => {}
    }
}

async fn group(ask: Ask) -> Result<Reply, Problem> {
    let query: WaitQuery = ask.query()?;
    let session = ask.session()?;
    let unknown = || Refusal::new(Code::UnknownHandoff, "there is no such broadcast").at("group");
    let group: GroupId = ask.text_part("group").parse::<uuid::Uuid>().map(GroupId).map_err(|_| unknown())?;
    if !ask.engine.has_group(&session, group).await? {
        return Err(unknown().into());
    }
    match ask.engine.decided_until(&session, group, over(&ask, query.wait()?)).await? {
        Some(found) => Ok(Reply::ok(&GroupView::from(found))),
        None => Ok(Reply::nothing()),
    }
}

/// Which handoffs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// With this status.
    #[serde(default)]
    status: Option<Status>,
    /// From this agent.
    #[serde(default)]
    from: Option<AgentId>,
    /// To this agent.
    #[serde(default)]
    to: Option<AgentId>,
    /// Of this session.
    #[serde(default)]
    session: Option<SessionId>,
    /// The earliest first instead of the latest.
    #[serde(default)]
    earliest_first: Option<bool>,
    /// Rows of a page.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
    /// `next` of the page before.
    #[serde(default)]
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let query: ListQuery = ask.query()?;
    if let Some(session) = &query.session {
        ask.engine.session(session).await?;
    }
    let query = HandoffQuery {
        session: query.session,
        tenant: None,
        status: query.status,
        to: query.to,
        from: query.from,
        after: page::place(query.cursor.as_deref())?,
        latest_first: !query.earliest_first.unwrap_or(false),
        limit: page::rows(query.limit)?,
    };
    let (found, next) = ask.engine.handoffs_page(query).await?;
    Ok(Reply::ok(&Page { items: found.iter().map(HandoffView::of).collect(), next: next.map(page::cursor) }))
}

async fn read(ask: Ask) -> Result<Reply, Problem> {
    let view = HandoffView::of(&ask.engine.handoff(ask.handoff()?).await?);
    let etag = ETag::content(&view);
    Ok(Reply::ok(&view).etag(etag))
}

async fn returned(ask: Ask) -> Result<Reply, Problem> {
    let query: WaitQuery = ask.query()?;
    match ask.engine.returned_until(ask.handoff()?, over(&ask, query.wait()?)).await? {
        Some(found) => Ok(Reply::ok(&found)),
        None => Ok(Reply::nothing()),
    }
}

async fn take(ask: Ask) -> Result<Reply, Problem> {
    let By { by } = ask.form()?;
    let (id, key) = (ask.handoff()?, ask.idempotency_key()?);
    let handoff = ask.engine.handoff(id).await?;
    let key = key.map(|key| format!("take/{key}"));
    ask.engine.submit(&handoff.session_id, Command::Take { of: id.0, by }, key.as_deref()).await?;
    Ok(Reply::ok(&ask.engine.returned(id).await?))
}

/// For which receiver.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ViewQuery {
    /// The tools that the receiver has, with commas between; calls of others are told in words.
    #[serde(default)]
    tools: Option<String>,
}

async fn view(ask: Ask) -> Result<Reply, Problem> {
    let query: ViewQuery = ask.query()?;
    let tools: Option<Vec<String>> =
        query.tools.map(|text| text.split(',').map(|name| name.trim().to_owned()).collect());
    Ok(Reply::ok(&ask.engine.view(ask.handoff()?, tools.as_deref()).await?))
}

/// Which messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RangeQuery {
    /// From this number on; 1 is the first.
    #[schemars(range(min = 1))]
    first: u64,
    /// To this number.
    #[schemars(range(min = 1))]
    last: u64,
}

async fn shown(ask: Ask) -> Result<Reply, Problem> {
    let RangeQuery { first, last } = ask.query()?;
    Ok(Reply::ok(&ask.engine.view_page(ask.handoff()?, first, last, None).await?))
}

async fn recall(ask: Ask) -> Result<Reply, Problem> {
    let RangeQuery { first, last } = ask.query()?;
    Ok(Reply::ok(&ask.engine.recall(ask.handoff()?, first, last).await?))
}

async fn trace(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.trace(ask.handoff()?).await?))
}

async fn story(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.story(ask.handoff()?).await?))
}
