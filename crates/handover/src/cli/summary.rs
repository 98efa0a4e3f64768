//! The end of a run: how each session ended, what came of it, and where to look.

use super::{
    exit::Stop,
    out::Out,
    paint::{Style, tame},
    story::body,
    times,
    words::count,
};
use crate::team::Places;
use handover_core::{ids::SessionId, limits::PAGE_MAX, refusal::Code, session::Session, workflow::End};
use handover_engine::Engine;
use handover_store::HandoffQuery;
use serde_json::{Value, json};
use std::sync::Arc;

/// The type of the last line of a run for programs.
pub(crate) const RUN_ENDED: &str = "RUN_ENDED";

pub(crate) async fn tell(engine: &Engine, ended: &[Arc<Session>], places: &Places, out: &mut Out) -> Result<(), Stop> {
    if ended.is_empty() {
        return Ok(());
    }
    out.line("").await?;
    for session in ended {
        one(session, last_result(engine, session).await?, out).await?;
    }
    if !places.run.exists() {
        return Ok(());
    }
    out.note(format!("what the team wrote is in {}", places.run.display())).await
}

/// A session for programs. One that an interrupt kept from its beginning is not there.
pub(crate) async fn session_json(engine: &Engine, name: &SessionId) -> Result<Value, Stop> {
    let session = match engine.session(name).await {
        Err(error) if error.has(Code::UnknownSession) => {
            return Ok(json!({ "session_id": name, "state": null, "ended": null }));
        }
        found => found?,
    };
    let (flow, last) = (session.flow.as_ref(), last_result(engine, &session).await?);
    Ok(json!({
        "session_id": session.id, "state": flow.map(|flow| &flow.state), "ended": flow.and_then(|flow| flow.ended),
        "trouble": flow.map(|flow| &flow.trouble), "handoffs": session.handoffs,
        "result": last.as_ref().map(|(body, _)| body), "notes": last.as_ref().map(|(_, notes)| notes),
    }))
}

async fn one(session: &Session, last: Option<(Value, String)>, out: &mut Out) -> Result<(), Stop> {
    let Some(flow) = &session.flow else { return Ok(()) };
    let (sign, style) = match flow.ended {
        Some(End::Completed) => ("✓", Style::Green),
        Some(End::Failed) | None => ("✗", Style::Red),
    };
    let took = session.ended_at.map(|at| times::length(at.since(session.opened_at))).unwrap_or_default();
    let name = out.paint(Style::Bold, session.id.as_str());
    let head = format!("{} {name}  {}", out.paint(style, sign), out.paint(style, &flow.state));
    let figures = out.paint(Style::Dim, &format!("{}, {took}", count(session.handoffs, "handoff")));
    out.line(format!("{head}  {figures}")).await?;
    if !flow.trouble.is_empty() {
        out.line(format!("  {}", tame(&flow.trouble))).await?;
    }
    let Some((result, notes)) = last else { return Ok(()) };
    if !notes.is_empty() && !flow.trouble.contains(&notes) {
        out.line(format!("  {}", tame(&notes))).await?;
    }
    if let Value::String(text) = &result {
        out.line(body(&Value::String(text.clone()))).await?;
    }
    Ok(())
}

/// What the last step gave, and what it said.
async fn last_result(engine: &Engine, session: &Session) -> Result<Option<(Value, String)>, Stop> {
    let query = HandoffQuery { session: Some(session.id.clone()), limit: PAGE_MAX, ..HandoffQuery::default() };
    let handoffs = engine.handoffs(query).await?;
    let last =
        handoffs.iter().filter(|handoff| handoff.result.is_some()).max_by_key(|handoff| (handoff.closed_at, handoff.n));
    Ok(last.and_then(|last| last.result.as_ref()).map(|result| (result.result.body.clone(), result.notes.clone())))
}
