//! Work for agents from outside: claimed, kept alive, given back.

use super::handoffs::{over, wait};
use crate::{ask::Ask, openapi, problem::Problem, reply::Reply, table::Route, views::AssignmentView};
use handover_core::{
    command::{Answer, Command, Goto, Prepared},
    described::{KeyText, Text},
    ids::{AgentId, LeaseId},
    limits::{CLAIM_WAIT_MS_MAX, LEASE_MS_MAX, LEASE_MS_MIN, WAIT_MS_MAX},
    message::NewMessage,
    refusal::{Code, Refusal},
    wire,
};
use handover_engine::Assignment;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/agents/{agent}/claim", "claim", "Takes the next piece of work, waiting for it.", claim)
            .once()
            .maybe_body::<Claiming>()
            .answers::<AssignmentView>(200, "The work, and a lease on it.")
            .answers_nothing("Nothing came in time."),
        Route::post("/v1/handoffs/{handoff}/accept", "accept", "Takes a handoff that is on offer.", accept)
            .once()
            .body::<Accepting>()
            .answers::<AssignmentView>(200, "The work, and a lease on it."),
        Route::post("/v1/handoffs/{handoff}/reject", "reject", "Says no to an offer.", reject)
            .once()
            .body::<Rejecting>()
            .answers::<Answer>(200, "It goes to the next."),
        Route::post("/v1/handoffs/{handoff}/defer", "defer", "Puts an offer off.", defer)
            .once()
            .body::<Deferring>()
            .answers::<Answer>(200, "It is offered again later."),
        Route::post("/v1/handoffs/{handoff}/heartbeat", "heartbeat", "Keeps a lease alive.", heartbeat)
            .body::<Leased>()
            .answers::<Answer>(200, "It is."),
        Route::post("/v1/handoffs/{handoff}/steps", "record_step", "Records what a step of the work gave, once.", step)
            .once()
            .body::<Step>()
            .answers::<Answer>(200, "It is recorded."),
        Route::post("/v1/handoffs/{handoff}/state", "move_state", "Moves the state of the workflow.", state)
            .once()
            .body::<Moving>()
            .answers::<Answer>(200, "It has moved."),
        Route::post("/v1/handoffs/{handoff}/return", "give_back", "Gives the result back.", give_back)
            .once()
            .body_of(openapi::giving)
            .answers::<Answer>(200, "It is on disk, with what follows from it.")
            .refuses(&[429]),
        Route::post("/v1/handoffs/{handoff}/decline", "decline", "Says no to work that was taken.", decline)
            .once()
            .body::<Declining>()
            .answers::<Answer>(200, "It goes to the next."),
        Route::post("/v1/handoffs/{handoff}/escalate", "escalate", "Hands the work further up.", escalate)
            .once()
            .body::<Escalating>()
            .answers::<Answer>(200, "It went up."),
        Route::post("/v1/handoffs/{handoff}/cancel", "cancel", "Takes a handoff back.", cancel)
            .once()
            .body::<Cancelling>()
            .answers::<Answer>(200, "It is over."),
    ]
}

/// How work is claimed. Everything may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Claiming {
    /// How long to wait for work, in milliseconds; 0 looks once.
    #[schemars(range(max = CLAIM_WAIT_MS_MAX))]
    wait_ms: Option<u64>,
    /// How long the lease lasts, in milliseconds.
    #[schemars(range(min = LEASE_MS_MIN, max = LEASE_MS_MAX))]
    lease_ms: Option<u64>,
    /// The tools that the agent has; calls of others are told in words.
    tools: Option<Vec<String>>,
}

async fn claim(ask: Ask) -> Result<Reply, Problem> {
    let form: Claiming = ask.form_or_default()?;
    let (agent, key) = (ask.agent()?, ask.idempotency_key()?);
    let wait = wait(form.wait_ms, CLAIM_WAIT_MS_MAX, "CLAIM_WAIT_MS_MAX")?;
    lease_fits(form.lease_ms)?;
    let tools = form.tools.as_deref();
    let until = over(&ask, wait);
    let taken = ask.engine.claim_until(&agent, form.lease_ms, tools, key.as_deref(), until).await?;
    let Some(taken) = taken else { return Ok(Reply::nothing()) };
    shown(&ask, taken).await
}

/// Told at once, and not only when there is work to hold.
fn lease_fits(asked: Option<u64>) -> Result<(), Refusal> {
    match asked {
        Some(ms) if !(LEASE_MS_MIN..=LEASE_MS_MAX).contains(&ms) => {
            let (min, max) = (LEASE_MS_MIN, LEASE_MS_MAX);
            let message = format!("a lease of {ms} ms is not between {min} (LEASE_MS_MIN) and {max} (LEASE_MS_MAX)");
            Err(Refusal::new(Code::OutOfRange, message).at("lease_ms"))
        }
        _ => Ok(()),
    }
}

async fn shown(ask: &Ask, taken: Assignment) -> Result<Reply, Problem> {
    let session = ask.engine.session(&taken.handoff.session_id).await?;
    Ok(Reply::ok(&AssignmentView::of(taken, &session)))
}

/// How an offer is taken.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Accepting {
    /// Who takes it.
    by: AgentId,
    /// How long the lease lasts, in milliseconds.
    #[serde(default)]
    #[schemars(range(min = LEASE_MS_MIN, max = LEASE_MS_MAX))]
    lease_ms: Option<u64>,
    /// The tools that the agent has; calls of others are told in words.
    #[serde(default)]
    tools: Option<Vec<String>>,
}

async fn accept(ask: Ask) -> Result<Reply, Problem> {
    let form: Accepting = ask.form()?;
    let (id, key) = (ask.handoff()?, ask.idempotency_key()?);
    let taken = ask.engine.accept_once(id, &form.by, form.lease_ms, form.tools.as_deref(), key.as_deref()).await?;
    shown(&ask, taken).await
}

/// Submits a command for the session of the handoff of the address, once per key.
pub(super) async fn submit(ask: &Ask, command: Command) -> Result<Reply, Problem> {
    let key = ask.idempotency_key()?;
    let handoff = ask.engine.handoff(ask.handoff()?).await?;
    Ok(Reply::ok(&ask.engine.submit(&handoff.session_id, command, key.as_deref()).await?))
}

/// A no.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rejecting {
    /// Who says no.
    by: AgentId,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn reject(ask: Ask) -> Result<Reply, Problem> {
    let form: Rejecting = ask.form()?;
    let command = Command::Reject { handoff: ask.handoff()?, by: form.by, reason: form.reason };
    submit(&ask, command).await
}

/// A later.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deferring {
    /// Who puts it off.
    by: AgentId,
    /// For how long, in milliseconds.
    #[schemars(range(min = 1, max = WAIT_MS_MAX))]
    for_ms: u64,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn defer(ask: Ask) -> Result<Reply, Problem> {
    let form: Deferring = ask.form()?;
    let command = Command::Defer { handoff: ask.handoff()?, by: form.by, for_ms: form.for_ms, reason: form.reason };
    submit(&ask, command).await
}

/// Whoever holds the work.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Leased {
    /// The lease.
    lease: LeaseId,
}

async fn heartbeat(ask: Ask) -> Result<Reply, Problem> {
    let form: Leased = ask.form()?;
    Ok(Reply::ok(&ask.engine.heartbeat(ask.handoff()?, form.lease).await?))
}

/// What a step gave.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Step {
    /// The lease.
    lease: LeaseId,
    /// The step's name.
    #[schemars(with = "KeyText")]
    name: String,
    /// What it gave.
    #[serde(default)]
    output: Value,
    /// What is said in the conversation together with it.
    #[serde(default)]
    messages: Vec<NewMessage>,
}

async fn step(ask: Ask) -> Result<Reply, Problem> {
    let Step { lease, name, output, messages } = ask.form()?;
    let messages = messages.into_iter().map(Prepared::from_new).collect();
    submit(&ask, Command::Record { handoff: ask.handoff()?, lease, name, output, messages }).await
}

/// Where the workflow stands now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Moving {
    /// The lease.
    lease: LeaseId,
    /// The state.
    state: String,
}

async fn state(ask: Ask) -> Result<Reply, Problem> {
    let form: Moving = ask.form()?;
    submit(&ask, Command::MoveState { handoff: ask.handoff()?, lease: form.lease, state: form.state }).await
}

/// The lease and what follows are ours; the rest is what the work gave, read with all its mistakes.
async fn give_back(ask: Ask) -> Result<Reply, Problem> {
    let mut value: Value = ask.form()?;
    let Some(fields) = value.as_object_mut() else {
        return Err(Refusal::new(Code::WrongType, "an object is expected").into());
    };
    let lease = fields.remove("lease").ok_or_else(|| Refusal::new(Code::MissingField, "it is missing").at("lease"))?;
    let then = fields.remove("then").filter(|then| !then.is_null());
    let wrong =
        |at: &'static str| move |error: serde_json::Error| Refusal::new(Code::WrongType, error.to_string()).at(at);
    let lease: LeaseId = serde_json::from_value(lease).map_err(wrong("lease"))?;
    let then: Option<Goto> = match then {
        // Read as the end of a turn is read, with all its mistakes.
        Some(goto) => Some(wire::turn(&serde_json::json!({ "goto": goto }).to_string())?.goto),
        None => None,
    };
    let giving = wire::giving(&value.to_string())?;
    let (id, key) = (ask.handoff()?, ask.idempotency_key()?);
    Ok(Reply::ok(&ask.engine.give_back_once(id, lease, giving, then, key.as_deref()).await?))
}

/// A no to work that was taken.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Declining {
    /// The lease.
    lease: LeaseId,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn decline(ask: Ask) -> Result<Reply, Problem> {
    let form: Declining = ask.form()?;
    submit(&ask, Command::Decline { handoff: ask.handoff()?, lease: form.lease, reason: form.reason }).await
}

/// What this level thinks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Escalating {
    /// The lease.
    lease: LeaseId,
    /// What this level thinks.
    #[schemars(with = "Text")]
    assessment: String,
}

async fn escalate(ask: Ask) -> Result<Reply, Problem> {
    let form: Escalating = ask.form()?;
    submit(&ask, Command::Escalate { handoff: ask.handoff()?, lease: form.lease, assessment: form.assessment }).await
}

/// Why it is taken back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Cancelling {
    /// Who takes it back: the source, the owner of the session, or a person who runs the work; the name of the key when
    /// left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn cancel(ask: Ask) -> Result<Reply, Problem> {
    let Cancelling { by, reason } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Cancel { handoff: ask.handoff()?, by, reason }).await
}
