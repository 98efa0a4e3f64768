//! The house itself: whether it is well, what it can do, and what its codes mean.

use crate::{
    ask::Ask,
    bus::{AskBus, BusHealth},
    openapi,
    problem::Problem,
    reply::Reply,
    table::Route,
};
use handover_core::{
    access::{Right, Role},
    ids::{AgentId, SessionId},
    refusal::{Code, Refusal},
};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/health/live", "live", "Says whether the process answers.", live)
            .anybody()
            .answers::<Health>(200, "It does."),
        Route::get("/health/ready", "ready", "Says whether work can be taken.", ready)
            .anybody()
            .answers::<Health>(200, "It can.")
            .refuses(&[503]),
        Route::get("/v1/me", "who_am_i", "Says who the caller is, and what it may do.", me)
            .answers::<Me>(200, "The caller."),
        Route::get("/metrics", "metrics", "Tells the metrics of the house, for Prometheus.", metrics).answers_as(
            200,
            "Metrics as text.",
            handover_telemetry::metrics::CONTENT_TYPE,
            Some(openapi::text_shape),
        ),
        Route::get("/openapi.json", "openapi", "Describes the interface.", document).anybody().answers_as(
            200,
            "An OpenAPI 3.1 document.",
            "application/json",
            Some(openapi::anything),
        ),
        Route::get("/docs", "docs", "Describes the interface for people.", docs).anybody().answers_as(
            200,
            "A page.",
            "text/html; charset=utf-8",
            Some(openapi::text_shape),
        ),
        Route::get("/errors/{code}", "explain", "Says what a code means, and how to mend it.", explain)
            .anybody()
            .answers_as(200, "A page.", "text/html; charset=utf-8", Some(openapi::text_shape)),
    ]
}

/// How it is.
#[derive(Debug, Serialize, JsonSchema)]
struct Health {
    /// `ok`.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
    /// What it keeps everything in: `file` or `postgres`. Nothing where only the process is asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<&'static str>,
    /// How many nodes work on the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<usize>,
    /// How the bus is, where there is one. Work is taken also without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bus: Option<BusHealth>,
}

const WELL: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION"), store: None, nodes: None, bus: None };

async fn live(_: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&WELL))
}

async fn ready(ask: Ask) -> Result<Reply, Problem> {
    if let Some(why) = ask.state.engine.stopped() {
        // Why is for the log: whoever asks here has shown no key.
        tracing::error!(target: "handover", "the store has stopped writing: {why}");
        return Err(Refusal::new(Code::StoreStopped, "the store has stopped writing").into());
    }
    if *ask.state.ending.borrow() {
        return Err(Refusal::new(Code::ShuttingDown, "the server ends").into());
    }
    let engine = &ask.state.engine;
    Ok(Reply::ok(&Health {
        store: Some(if engine.is_shared() { "postgres" } else { "file" }),
        nodes: Some(engine.live_nodes()),
        bus: ask.state.bus.as_ref().map(AskBus::now),
        ..WELL
    }))
}

/// The caller.
#[derive(Debug, Serialize, JsonSchema)]
struct Me {
    /// Its name, as the record has it.
    name: String,
    /// Whose sessions it sees.
    tenant: String,
    /// Whether it is of the house.
    house: bool,
    /// What it may do.
    role: Role,
    /// For which agents it speaks; everybody when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    agents: Option<Vec<AgentId>>,
    /// The sessions that exist for it; all of its tenant when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<BTreeSet<SessionId>>,
}

async fn me(ask: Ask) -> Result<Reply, Problem> {
    let caller = ask.engine.caller();
    Ok(Reply::ok(&Me {
        name: caller.name.clone(),
        tenant: caller.tenant.clone(),
        house: caller.house,
        role: caller.role,
        agents: caller.acts_as.clone(),
        sessions: caller.sessions.clone(),
    }))
}

async fn metrics(ask: Ask) -> Result<Reply, Problem> {
    ask.engine.caller().may_in_house(Right::Look)?;
    if let Some(bus) = &ask.state.bus {
        bus.measure(&ask.state.metrics);
    }
    let text = ask.state.metrics.render(&ask.state.engine).await;
    Ok(Reply::typed(handover_telemetry::metrics::CONTENT_TYPE, text))
}

async fn document(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::typed("application/json", openapi::text_of_document(ask.state.gate.is_open())))
}

async fn docs(_: Ask) -> Result<Reply, Problem> {
    Ok(Reply::typed("text/html; charset=utf-8", crate::docs::page()))
}

async fn explain(ask: Ask) -> Result<Reply, Problem> {
    let text = ask.text_part("code");
    let code = Code::ALL.iter().find(|code| code.text().eq_ignore_ascii_case(text));
    let code = code.ok_or_else(|| Refusal::new(Code::NoSuchAddress, "there is no such code").at("code"))?;
    Ok(Reply::typed("text/html; charset=utf-8", crate::docs::explained(*code)))
}
