//! Whoever runs the work steps in.

use super::work::submit;
use crate::{ask::Ask, problem::Problem, reply::Reply, table::Route};
use handover_core::{
    access::Right,
    command::{Answer, Command},
    described::Text,
    ids::AgentId,
};
use schemars::JsonSchema;
use serde::Deserialize;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/v1/handoffs/{handoff}/redirect",
            "redirect",
            "Takes an open handoff from whoever has it and offers it to somebody else.",
            redirect,
        )
        .right(Right::Operate)
        .once()
        .body::<Redirecting>()
        .answers::<Answer>(200, "It is on offer there, or waits for the approval of the new target.")
        .refuses(&[429]),
        Route::post("/v1/handoffs/{handoff}/retry", "retry", "Has the same work tried once more.", retry)
            .right(Right::Operate)
            .once()
            .body::<Retrying>()
            .answers::<Answer>(200, "It is on offer again; what was over is begun anew, as the handoff that is named.")
            .refuses(&[429]),
    ]
}

/// To whom it goes, and why.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Redirecting {
    /// To whom it goes; to whoever has it now means: once more.
    to_agent: AgentId,
    /// Who decides so; the name of the key when left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn redirect(ask: Ask) -> Result<Reply, Problem> {
    let Redirecting { to_agent, by, reason } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Redirect { handoff: ask.handoff()?, by, to: to_agent, reason }).await
}

/// Why it is tried once more.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Retrying {
    /// Who decides so; the name of the key when left out.
    #[serde(default)]
    #[schemars(with = "Option<Text>")]
    by: Option<String>,
    /// Why.
    #[schemars(with = "Text")]
    reason: String,
}

async fn retry(ask: Ask) -> Result<Reply, Problem> {
    let Retrying { by, reason } = ask.form()?;
    let by = by.unwrap_or_else(|| ask.who.clone());
    submit(&ask, Command::Retry { handoff: ask.handoff()?, by, reason }).await
}
