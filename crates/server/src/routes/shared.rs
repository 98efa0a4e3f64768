//! What the agents of a session share: variables, artifacts, locks.

use super::sessions::submit;
use crate::{
    ask::Ask,
    etag::{self, ETag},
    openapi::encoded,
    problem::Problem,
    reply::Reply,
    table::Route,
    views::{Artifacts, Locks, Variables},
};
use handover_core::{
    command::{Answer, Command, NewArtifact, Write},
    described::Text,
    ids::{AgentId, ArtifactId},
    limits::LOCK_MS_MAX,
    refusal::{Code, Refusal},
    session::{ArtifactStatus, LockType, Variable},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/sessions/{session}/variables", "read_variables", "Reads all variables.", variables)
            .answers::<Variables>(200, "The variables, by name."),
        Route::post("/v1/sessions/{session}/variables", "write_variables", "Writes variables, all or none.", write_all)
            .once()
            .body::<Writing>()
            .answers::<Answer>(200, "They are written."),
        Route::get("/v1/sessions/{session}/variables/{variable}", "read_variable", "Reads a variable.", variable)
            .etag()
            .answers::<Variable>(200, "The variable."),
        Route::put("/v1/sessions/{session}/variables/{variable}", "write_variable", "Writes a variable.", write)
            .if_match()
            .if_none()
            .once()
            .body::<OneWrite>()
            .answers::<Answer>(200, "It is written."),
        Route::get("/v1/sessions/{session}/artifacts", "list_artifacts", "Lists artifacts.", artifacts)
            .answers::<Artifacts>(200, "The artifacts."),
        Route::post("/v1/sessions/{session}/artifacts", "keep_artifact", "Keeps a reference to an artifact.", keep)
            .once()
            .body::<Keeping>()
            .answers::<Answer>(201, "It is kept."),
        Route::put(
            "/v1/sessions/{session}/artifacts/{artifact}/status",
            "mark_artifact",
            "Says how finished an artifact is.",
            mark,
        )
        .once()
        .body::<Marking>()
        .answers::<Answer>(200, "It is noted."),
        Route::get("/v1/sessions/{session}/locks", "list_locks", "Lists locks that are held.", locks)
            .answers::<Locks>(200, "The locks, by path."),
        Route::post("/v1/sessions/{session}/locks", "lock", "Takes or renews a lock.", lock)
            .once()
            .body::<Locking>()
            .answers::<Answer>(200, "It is held."),
        Route::post("/v1/sessions/{session}/locks/release", "unlock", "Gives a lock back.", unlock)
            .once()
            .body::<Unlocking>()
            .answers::<Answer>(200, "It is free."),
    ]
}

async fn variables(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.engine.session(&ask.session()?).await?;
    Ok(Reply::ok(&*session.variables))
}

/// Variables to write, all or none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Writing {
    /// Who writes.
    by: AgentId,
    /// What.
    writes: Vec<Write>,
}

async fn write_all(ask: Ask) -> Result<Reply, Problem> {
    let form: Writing = ask.form()?;
    Ok(Reply::ok(&submit(&ask, Command::Set { by: form.by, writes: form.writes }).await?))
}

async fn variable(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.engine.session(&ask.session()?).await?;
    let name = ask.text_part("variable");
    let found = session.variables.get(name).ok_or_else(|| {
        let shown: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
        Refusal::new(Code::UnknownVariable, format!("there is no variable \"{shown}\"")).at("variable")
    })?;
    Ok(Reply::ok(found).etag(ETag::version(found.version)))
}

/// A value to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OneWrite {
    /// Who writes.
    by: AgentId,
    /// The value.
    value: Value,
}

async fn write(ask: Ask) -> Result<Reply, Problem> {
    let form: OneWrite = ask.form()?;
    let expected_version = etag::expected_version(&ask.headers)?;
    let name = ask.text_part("variable").to_owned();
    let writes = vec![Write { name, value: form.value, expected_version }];
    match submit(&ask, Command::Set { by: form.by, writes }).await {
        Ok(answer) => Ok(Reply::ok(&answer)),
        // With a header it is the header that is not met.
        Err(problem) if problem.code == Code::VersionConflict.text() && expected_version.is_some() => {
            Err(problem.with_status(axum::http::StatusCode::PRECONDITION_FAILED))
        }
        Err(problem) => Err(problem),
    }
}

async fn artifacts(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.engine.session(&ask.session()?).await?;
    Ok(Reply::ok(&Artifacts { items: session.artifacts.values().cloned().collect() }))
}

/// An artifact to keep.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Keeping {
    /// Who made it.
    by: AgentId,
    /// The artifact.
    artifact: NewArtifact,
}

async fn keep(ask: Ask) -> Result<Reply, Problem> {
    let form: Keeping = ask.form()?;
    let answer = submit(&ask, Command::Keep { by: form.by, artifact: form.artifact }).await?;
    let location = format!("/v1/sessions/{}/artifacts", encoded(answer.session_id.as_str()));
    Ok(Reply::created(&location, &answer))
}

/// How finished an artifact is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Marking {
    /// Who says so.
    by: AgentId,
    /// How finished.
    status: ArtifactStatus,
}

async fn mark(ask: Ask) -> Result<Reply, Problem> {
    let form: Marking = ask.form()?;
    let text = ask.text_part("artifact");
    let id: ArtifactId =
        text.parse().map_err(|_| Refusal::new(Code::UnknownArtifact, "there is no such artifact").at("artifact"))?;
    Ok(Reply::ok(&submit(&ask, Command::MarkArtifact { by: form.by, id, status: form.status }).await?))
}

async fn locks(ask: Ask) -> Result<Reply, Problem> {
    let session = ask.engine.session(&ask.session()?).await?;
    let now = ask.engine.now();
    let valid = |path: &String| session.valid_locks(path, now).cloned().collect::<Vec<_>>();
    let held: Locks = session.locks.keys().map(|path| (path.clone(), valid(path))).collect();
    Ok(Reply::ok(&held.into_iter().filter(|(_, locks)| !locks.is_empty()).collect::<Locks>()))
}

/// A lock to take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Locking {
    /// Who takes it.
    by: AgentId,
    /// On what.
    #[schemars(with = "Text")]
    path: String,
    /// Whether others may hold it too.
    lock_type: LockType,
    /// For how long, in milliseconds.
    #[schemars(range(min = 1, max = LOCK_MS_MAX))]
    lease_ms: u64,
}

async fn lock(ask: Ask) -> Result<Reply, Problem> {
    let form: Locking = ask.form()?;
    let Locking { by, path, lock_type, lease_ms } = form;
    Ok(Reply::ok(&submit(&ask, Command::Lock { by, path, lock_type, lease_ms }).await?))
}

/// A lock to give back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Unlocking {
    /// Who holds it.
    by: AgentId,
    /// On what.
    path: String,
}

async fn unlock(ask: Ask) -> Result<Reply, Problem> {
    let form: Unlocking = ask.form()?;
    Ok(Reply::ok(&submit(&ask, Command::Unlock { by: form.by, path: form.path }).await?))
}
