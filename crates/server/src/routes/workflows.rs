//! Workflows: read, defined, started.

use super::sessions::new_id;
use crate::{
    ask::Ask,
    etag::ETag,
    openapi,
    problem::Problem,
    reply::Reply,
    table::{Right, Route},
    views::SessionView,
};
use handover_core::{
    described::FreeText,
    ids::{AgentId, SessionId},
    refusal::{Code, Refusal},
    workflow::Workflow,
};
use handover_engine::Start;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/workflows", "list_workflows", "Lists workflows.", list).answers::<Vec<Known>>(200, "By name."),
        Route::get("/v1/workflows/{workflow}", "read_workflow", "Reads the definition of a workflow.", read)
            .etag()
            .answers::<Workflow>(200, "The definition."),
        Route::put("/v1/workflows/{workflow}", "define_workflow", "Defines a workflow, or replaces it.", define)
            .right(Right::Administer)
            .if_match()
            .body_of(openapi::workflow)
            .answers::<Defined>(200, "It is kept."),
        Route::post("/v1/workflows/{workflow}/sessions", "start_workflow", "Starts a session of a workflow.", start)
            .once()
            .body::<Starting>()
            .answers::<SessionView>(201, "The session, with its state."),
    ]
}

/// A workflow in short.
#[derive(Debug, Serialize, JsonSchema)]
struct Known {
    /// Its name.
    name: String,
    /// What it is for.
    description: String,
    /// Its states.
    states: Vec<String>,
    /// Why its kept definition cannot be read, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    let mut all: Vec<Known> = ask
        .engine
        .workflows()
        .iter()
        .map(|known| Known {
            name: known.name.clone(),
            description: known.description.clone(),
            states: known.states.keys().cloned().collect(),
            unreadable: None,
        })
        .collect();
    all.extend(ask.engine.unreadable_workflows().into_iter().map(|(name, why)| Known {
        name,
        description: String::new(),
        states: Vec::new(),
        unreadable: Some(why),
    }));
    Ok(Reply::ok(&all))
}

async fn read(ask: Ask) -> Result<Reply, Problem> {
    let found = ask.engine.workflow(ask.text_part("workflow"))?;
    Ok(Reply::ok(&*found).etag(ETag::content(&*found)))
}

/// What is worth a second look.
#[derive(Debug, Serialize, JsonSchema)]
struct Defined {
    /// Its name.
    name: String,
    /// Notes, each with its place.
    notes: Vec<String>,
}

async fn define(ask: Ask) -> Result<Reply, Problem> {
    let name = ask.text_part("workflow");
    let workflow: Workflow = ask.form_of(name, "name")?;
    if let Ok(known) = ask.engine.workflow(name) {
        ETag::content(&*known).must_fit(&ask.headers)?;
    } else if ask.headers.contains_key(axum::http::header::IF_MATCH) {
        return Err(Refusal::new(Code::NotFresh, "there is no such workflow yet").at("If-Match").into());
    }
    let name = workflow.name.clone();
    let notes = ask.engine.define(workflow).await?;
    let notes = notes.into_iter().map(|noted| format!("{}: {}", noted.field, noted.message)).collect();
    Ok(Reply::ok(&Defined { name, notes }))
}

/// How a session of a workflow is started.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Starting {
    /// The session; a new one when left out.
    #[serde(default)]
    session_id: Option<SessionId>,
    /// In whose name.
    by: AgentId,
    /// What is asked for, in words; what the workflow is for when left out.
    #[serde(default)]
    #[schemars(with = "FreeText")]
    request: String,
    /// The data of the first step.
    #[serde(default)]
    input: Value,
    /// The person that is served.
    #[serde(default)]
    #[schemars(with = "Option<FreeText>")]
    user_id: Option<String>,
}

async fn start(ask: Ask) -> Result<Reply, Problem> {
    let form: Starting = ask.form()?;
    let key = ask.idempotency_key()?;
    let id = new_id(form.session_id, key.as_deref(), ask.text_part("workflow"), &ask)?;
    let start = Start {
        workflow: ask.text_part("workflow").to_owned(),
        by: form.by,
        request: form.request,
        input: form.input,
        user_id: form.user_id,
    };
    let session = ask.engine.start(&id, start).await?;
    let location = format!("/v1/sessions/{}", openapi::encoded(id.as_str()));
    Ok(Reply::created(&location, &SessionView::of(&session)))
}
