//! Keys: made, listed, replaced, taken back.

use crate::{
    ask::Ask,
    problem::Problem,
    reply::Reply,
    table::{Right, Route},
};
use handover_core::{
    access::{KeyId, KeyInfo, NewKey, Role},
    described::ONE_LINE,
    ids::{AgentId, SessionId},
    limits::{KEY_AGENTS_MAX, KEY_NAME_CHARS_MAX, KEY_RATE_PER_SECOND_MAX, KEY_SESSIONS_MAX},
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/keys", "make_key", "Makes a key. Its secret is shown once.", make)
            .right(Right::Administer)
            .body::<Making>()
            .answers::<Made>(201, "The key, with its secret."),
        Route::get("/v1/keys", "list_keys", "Lists keys, without their secrets.", list)
            .right(Right::Administer)
            .answers::<Vec<KeyInfo>>(200, "The keys of the caller's tenant."),
        Route::post("/v1/keys/{key}/rotate", "rotate_key", "Gives a key a new secret.", rotate)
            .right(Right::Administer)
            .maybe_body::<Rotating>()
            .answers::<Made>(200, "The key in its place, with its secret."),
        Route::delete("/v1/keys/{key}", "revoke_key", "Takes a key back, at once.", revoke)
            .right(Right::Administer)
            .answers::<KeyInfo>(200, "It opens nothing any more."),
    ]
}

/// A key to be made.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Making {
    /// What people call it.
    #[schemars(regex(pattern = ONE_LINE), length(max = KEY_NAME_CHARS_MAX))]
    name: String,
    /// What it may do.
    role: Role,
    /// Whose sessions it opens; those of the caller when left out.
    #[serde(default)]
    #[schemars(with = "Option<SessionId>")]
    tenant: Option<String>,
    /// Whether it is of the house: it may change what all tenants share.
    #[serde(default)]
    house: bool,
    /// For which agents it speaks. An agent's key needs them.
    #[serde(default)]
    #[schemars(length(min = 1, max = KEY_AGENTS_MAX))]
    agents: Option<Vec<AgentId>>,
    /// The sessions that exist for it; all of its tenant when left out.
    #[serde(default)]
    #[schemars(with = "Option<Vec<SessionId>>", length(min = 1, max = KEY_SESSIONS_MAX))]
    sessions: Option<BTreeSet<SessionId>>,
    /// When its time is over.
    #[serde(default)]
    expires_at: Option<Timestamp>,
    /// Requests that it may make in a second.
    #[serde(default)]
    #[schemars(range(min = 1, max = KEY_RATE_PER_SECOND_MAX))]
    per_second: Option<u32>,
}

/// A key, and what opens with it.
#[derive(Debug, Serialize, JsonSchema)]
struct Made {
    /// What is known of it.
    key: KeyInfo,
    /// What is sent as `authorization: Bearer …`. It is kept nowhere.
    token: String,
}

async fn make(ask: Ask) -> Result<Reply, Problem> {
    takes_no_key(&ask)?;
    let Making { name, role, tenant, house, agents, sessions, expires_at, per_second } = ask.form()?;
    let new = NewKey { name, tenant, house, role, agents, sessions, expires_at, per_second };
    let (key, token) = ask.engine.make_key(new).await?;
    Ok(Reply::created(&format!("/v1/keys/{}", key.id), &Made { key, token }))
}

async fn list(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.keys().await?))
}

/// A secret is shown once, so a request for one cannot be answered a second time.
fn takes_no_key(ask: &Ask) -> Result<(), Problem> {
    if ask.headers.contains_key("idempotency-key") {
        let refusal = Refusal::new(Code::BadHeader, "a secret is shown once: no key makes this safe to repeat");
        return Err(refusal
            .at("Idempotency-Key")
            .hint("where no answer came, list the keys and take back what is new")
            .into());
    }
    Ok(())
}

fn id(ask: &Ask) -> Result<KeyId, HandoffError> {
    let unknown = || Refusal::new(Code::UnknownKey, "there is no such key").at("key").into();
    ask.text_part("key").parse().map_err(|_| unknown())
}

/// How a key is replaced.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Rotating {
    /// How long the old secret still opens, in milliseconds; not at all when left out.
    grace_ms: u64,
}

async fn rotate(ask: Ask) -> Result<Reply, Problem> {
    takes_no_key(&ask)?;
    let Rotating { grace_ms } = ask.form_or_default()?;
    let (key, token) = ask.engine.rotate_key(&id(&ask)?, grace_ms).await?;
    Ok(Reply::ok(&Made { key, token }))
}

async fn revoke(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.revoke_key(&id(&ask)?).await?))
}
