//! Events: what happens here, live, and what happened elsewhere and hands work over by rule.

use crate::{
    ask::Ask,
    forms::EventRuleForm,
    openapi,
    problem::Problem,
    reply::Reply,
    sse,
    table::{Right, Route},
};
use handover_core::{
    ids::HandoffId,
    limits::{KEY_CHARS_MAX, TEXT_BYTES_MAX},
    refusal::{Code, Refusal},
};
use handover_engine::{EventRule, OutsideEvent};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/events", "listen", "Hears everything that happens, live, as server-sent events.", sse::listen)
            .last_event()
            .query::<sse::ListenQuery>()
            .answers_as(200, "Events, until one side ends it.", "text/event-stream", Some(openapi::text_shape))
            .refuses(&[503]),
        Route::post("/v1/events", "raise_event", "Says that something happened: rules hand work over.", raise)
            .right(Right::Operate)
            .body::<OutsideEvent>()
            .answers::<Raised>(200, "The handoffs that follow from it.")
            .refuses(&[429]),
        Route::get("/v1/event-rules", "list_event_rules", "Lists the rules for events.", rules)
            .answers::<Vec<EventRule>>(200, "The rules."),
        Route::put("/v1/event-rules/{rule}", "set_event_rule", "Keeps a rule for events.", set_rule)
            .right(Right::Administer)
            .body::<EventRuleForm>()
            .answers::<EventRule>(200, "It is kept."),
    ]
}

/// What follows from an event.
#[derive(Debug, Serialize, JsonSchema)]
struct Raised {
    /// The handoffs that it made; the same event twice makes them once.
    handoffs: Vec<HandoffId>,
}

async fn raise(ask: Ask) -> Result<Reply, Problem> {
    let event: OutsideEvent = ask.form()?;
    // No rule may look at it, so what it says is looked at here.
    said("id", &event.id, KEY_CHARS_MAX)?;
    said("type", &event.kind, TEXT_BYTES_MAX)?;
    Ok(Reply::ok(&Raised { handoffs: ask.engine.raise(event).await? }))
}

/// A text that says something, in so many characters at most.
fn said(field: &str, text: &str, most: usize) -> Result<(), Refusal> {
    if text.trim().is_empty() {
        return Err(Refusal::new(Code::EmptyField, "it is empty").at(field));
    }
    if text.chars().count() > most {
        return Err(Refusal::new(Code::TooLarge, format!("it has more than {most} characters")).at(field));
    }
    match text.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        Some(bad) => Err(Refusal::new(Code::BadText, format!("it contains {bad:?}")).at(field)),
        None => Ok(()),
    }
}

async fn rules(ask: Ask) -> Result<Reply, Problem> {
    Ok(Reply::ok(&ask.engine.event_rules().await?))
}

async fn set_rule(ask: Ask) -> Result<Reply, Problem> {
    let rule: EventRule = ask.form_of(ask.text_part("rule"), "name")?;
    ask.engine.on_event(rule.clone()).await?;
    Ok(Reply::ok(&rule))
}
