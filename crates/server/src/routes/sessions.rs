//! Sessions: opened, read, talked in, ended.

use crate::{
    ask::Ask,
    etag::ETag,
    forms::MessageForm,
    page::{self, PageQuery},
    problem::Problem,
    reply::Reply,
    table::{Right, Route},
    views::{Page, SessionView},
};
use handover_core::{
    command::{Answer, Command, Open},
    described::{FreeText, Text},
    digest::Digest,
    graph,
    ids::{AgentId, SessionId},
    limits::{MESSAGES_PER_APPEND_MAX, PAGE_MAX},
    message::{Message, NewMessage},
    policy::SessionLimits,
    refusal::{Code, Refusal},
    wire,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/sessions", "open_session", "Opens a session.", open)
            .once()
            .body::<Opening>()
            .answers::<SessionView>(201, "The session."),
        Route::get("/v1/sessions", "list_sessions", "Lists sessions, the latest first.", list)
            .query::<PageQuery>()
            .answers::<Page<SessionView>>(200, "A page of sessions."),
        Route::get("/v1/sessions/{session}", "read_session", "Reads a session.", read)
            .etag()
            .answers::<SessionView>(200, "The session."),
        Route::get("/v1/sessions/{session}/end", "await_end", "Waits for the end of a session.", await_end)
            .query::<super::handoffs::WaitQuery>()
            .answers::<SessionView>(200, "It has ended.")
            .answers_nothing("It goes on."),
        Route::get("/v1/sessions/{session}/graph", "draw_session", "Draws the handoffs of a session.", draw)
            .query::<DrawQuery>()
            .answers_as(200, "A drawing.", "text/plain; charset=utf-8", Some(crate::openapi::text_shape)),
        Route::post("/v1/sessions/{session}/end", "end_session", "Ends a session.", end)
            .once()
            .body::<Ending>()
            .answers::<Answer>(200, "It has ended."),
        Route::put("/v1/sessions/{session}/limits", "limit_session", "Changes how far a session may go.", limit)
            .right(Right::Operate)
            .body::<SessionLimits>()
            .answers::<Answer>(200, "The limits are its own from now on."),
        Route::get("/v1/sessions/{session}/messages", "read_messages", "Reads the conversation.", messages)
            .query::<MessagesQuery>()
            .answers::<Page<Message>>(200, "A page of messages."),
        Route::post("/v1/sessions/{session}/messages", "say", "Says something in the conversation.", say)
            .once()
            .body::<Saying>()
            .answers::<Answer>(201, "It was said."),
        Route::post("/v1/sessions/{session}/decisions", "decide", "Records a decision.", decide)
            .once()
            .body::<Deciding>()
            .answers::<Answer>(201, "It is recorded; above the agent's autonomy it was escalated."),
        Route::post(
            "/v1/sessions/{session}/segment",
            "complete_segment",
            "Marks the owner's part as complete.",
            segment,
        )
        .once()
        .body::<By>()
        .answers::<Answer>(200, "It is complete."),
        Route::post("/v1/sessions/{session}/turn", "end_turn", "Ends the turn of the session's owner.", turn)
            .once()
            .query::<By>()
            .body_of(crate::openapi::turn)
            .answers::<Answer>(200, "What follows from it."),
    ]
}

/// A session to be opened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Opening {
    /// Its id; a new one when left out.
    #[serde(default)]
    id: Option<SessionId>,
    /// Its first owner.
    active_agent: AgentId,
    /// The person that is served.
    #[serde(default)]
    #[schemars(with = "Option<FreeText>")]
    user_id: Option<String>,
    /// What the user asked for.
    #[serde(default)]
    #[schemars(with = "FreeText")]
    original_request: String,
    /// Anything else to keep.
    #[serde(default)]
    metadata: Value,
    /// The workflow whose limits it has, by name. To follow one, start it.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    workflow: Option<String>,
    /// Limits of its own.
    #[serde(default)]
    limits: SessionLimits,
    /// Whether work is handed over in it; as in the house when left out.
    #[serde(default)]
    mode: Option<handover_core::policy::Mode>,
}

/// Whoever does it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct By {
    /// The agent in whose name it is done.
    pub(super) by: AgentId,
}

/// The id of a session that is opened with a key and without an id: the same key gives the same session.
pub(super) fn new_id(id: Option<SessionId>, key: Option<&str>, route: &str, ask: &Ask) -> Result<SessionId, Problem> {
    if let Some(id) = id {
        return Ok(id);
    }
    let (tenant, who) = (ask.engine.tenant(), &ask.engine.caller().name);
    let text = match key {
        Some(key) => {
            let digest = Digest::of(format!("{tenant}\n{who}\n{route}\n{key}").as_bytes()).to_string();
            format!("s-{}", &digest[..32])
        }
        None => format!("s-{}", uuid::Uuid::new_v4().simple()),
    };
    SessionId::new(text).map_err(|bad| handover_core::refusal::HandoffError::from(bad).into())
}

async fn open(ask: Ask) -> Result<Reply, Problem> {
    let form: Opening = ask.form()?;
    let key = ask.idempotency_key()?;
    let id = new_id(form.id, key.as_deref(), "open", &ask)?;
    let mut open = Open::of(form.active_agent).asking(&form.original_request);
    open.user_id = form.user_id;
    open.metadata = form.metadata;
    open.workflow = form.workflow;
    open.limits = form.limits;
    open.mode = form.mode;
    let key = key.map(|key| format!("open/{key}"));
    ask.engine.submit(&id, Command::Open(open), key.as_deref()).await?;
    let session = ask.engine.session(&id).await?;
    let location = format!("/v1/sessions/{}", crate::openapi::encoded(id.as_str()));
    Ok(Reply::created(&location, &SessionView::of(&session)).etag(ETag::version(session.version)))
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let query: PageQuery = ask.query()?;
    let (limit, skip) = query.read()?;
    let skip = usize::try_from(skip).unwrap_or(usize::MAX);
    let ids = ask.engine.sessions(skip, limit).await?;
    let next = (ids.len() == limit).then(|| page::cursor((skip + limit) as u64));
    let mut items = Vec::new();
    for id in ids {
        match ask.engine.session(&id).await {
            Ok(session) => items.push(SessionView::of(&session)),
            // It was removed meanwhile.
            Err(error) if error.has(Code::UnknownSession) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Reply::ok(&Page { items, next }))
}

async fn read(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.engine.session(&ask.session()?).await?;
    Ok(Reply::ok(&SessionView::of(&session)).etag(ETag::version(session.version)))
}

async fn await_end(ask: Ask) -> Result<Reply, Problem> {
    let query: super::handoffs::WaitQuery = ask.query()?;
    let (id, wait) = (ask.session()?, query.wait()?);
    let session = ask.engine.session(&id).await?;
    if session.ended_at.is_some() {
        return Ok(Reply::ok(&SessionView::of(&session)));
    }
    // Nothing is changed by waiting, so it can end anywhere.
    tokio::select! {
        ended = ask.engine.ended(&id) => Ok(Reply::ok(&SessionView::of(&*ended?))),
        () = super::handoffs::over(&ask, wait) => Ok(Reply::nothing()),
    }
}

/// How it is drawn.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DrawQuery {
    /// As which text; Mermaid when left out.
    #[serde(default)]
    form: Option<DrawForm>,
}

/// A form of drawing.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum DrawForm {
    /// For documents that know Mermaid.
    Mermaid,
    /// For Graphviz.
    Dot,
    /// A picture.
    Svg,
}

async fn draw(ask: Ask) -> Result<Reply, Problem> {
    let DrawQuery { form } = ask.query()?;
    let id = ask.session()?;
    let handoffs = ask.engine.handoff_history(&id, 0, PAGE_MAX).await?;
    let drawn = graph::of_session(id.as_str(), &handoffs);
    let text = match form.unwrap_or(DrawForm::Mermaid) {
        DrawForm::Mermaid => graph::mermaid(&drawn),
        DrawForm::Dot => graph::dot(&drawn),
        DrawForm::Svg => graph::svg(&drawn),
    };
    Ok(Reply::typed("text/plain; charset=utf-8", text))
}

/// How a session ends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Ending {
    /// In whose name.
    by: AgentId,
    /// Why.
    #[schemars(with = "FreeText")]
    reason: String,
}

async fn end(ask: Ask) -> Result<Reply, Problem> {
    let form: Ending = ask.form()?;
    let command = Command::End { by: form.by, reason: form.reason };
    Ok(Reply::ok(&submit(&ask, command).await?))
}

/// Submits a command for the session of the address, once per key.
pub(super) async fn submit(ask: &Ask, command: Command) -> Result<Answer, Problem> {
    let key = ask.idempotency_key()?;
    Ok(ask.engine.submit(&ask.session()?, command, key.as_deref()).await?)
}

async fn limit(ask: Ask) -> Result<Reply, Problem> {
    let limits: SessionLimits = ask.form()?;
    let command = Command::SetLimits { by: ask.who.clone(), limits };
    Ok(Reply::ok(&ask.engine.submit(&ask.session()?, command, None).await?))
}

/// Which messages.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MessagesQuery {
    /// From this number on; 1 is the first.
    #[serde(default)]
    first: Option<u64>,
    /// Rows of a page.
    #[serde(default)]
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<u64>,
}

async fn messages(ask: Ask) -> Result<Reply, Problem> {
    let query: MessagesQuery = ask.query()?;
    let (first, limit) = (query.first.unwrap_or(1).max(1), page::rows(query.limit)? as u64);
    let last = first.saturating_add(limit - 1);
    let items = ask.engine.messages(&ask.session()?, first, last).await?;
    let next = (items.len() as u64 == limit).then(|| (last.saturating_add(1)).to_string());
    Ok(Reply::ok(&Page { items, next }))
}

/// Messages to append.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it describes what is read by hand")]
struct Saying {
    /// The messages.
    #[schemars(with = "Vec<MessageForm>", length(min = 1, max = MESSAGES_PER_APPEND_MAX))]
    messages: Vec<NewMessage>,
    /// Only if the conversation has this many messages now.
    #[serde(default)]
    after: Option<u64>,
}

async fn say(ask: Ask) -> Result<Reply, Problem> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        messages: Box<serde_json::value::RawValue>,
        #[serde(default)]
        after: Option<u64>,
    }
    let form: Form = ask.form()?;
    let messages = wire::messages(form.messages.get())?;
    if messages.is_empty() {
        return Err(Refusal::new(Code::EmptyField, "there is nothing in it").at("messages").into());
    }
    let session = ask.session()?;
    let key = ask.idempotency_key()?;
    let answer = ask.engine.say_once(&session, messages, form.after, key.as_deref()).await?;
    let location = format!("/v1/sessions/{}/messages", crate::openapi::encoded(session.as_str()));
    Ok(Reply::created(&location, &answer))
}

/// A decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deciding {
    /// Who decides.
    by: AgentId,
    /// What.
    #[schemars(with = "Text")]
    description: String,
    /// At which risk.
    #[serde(default)]
    risk: handover_core::agent::Risk,
}

async fn decide(ask: Ask) -> Result<Reply, Problem> {
    let form: Deciding = ask.form()?;
    let command = Command::Decide { by: form.by, description: form.description, risk: form.risk };
    let answer = submit(&ask, command).await?;
    let location = format!("/v1/sessions/{}", crate::openapi::encoded(answer.session_id.as_str()));
    Ok(Reply::created(&location, &answer))
}

async fn segment(ask: Ask) -> Result<Reply, Problem> {
    let form: By = ask.form()?;
    Ok(Reply::ok(&submit(&ask, Command::CompleteSegment { by: form.by }).await?))
}

async fn turn(ask: Ask) -> Result<Reply, Problem> {
    let By { by } = ask.query()?;
    let turn = Box::new(wire::turn(ask.text()?)?);
    Ok(Reply::ok(&submit(&ask, Command::Turn { by, turn }).await?))
}
