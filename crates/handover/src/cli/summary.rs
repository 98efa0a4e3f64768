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
use handover_core::{
    limits::PAGE_MAX,
    session::Session,
    workflow::{End, Workflow},
};
use handover_engine::Engine;
use handover_store::HandoffQuery;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) async fn tell(
    engine: &Engine,
    workflow: &Workflow,
    ended: &[Arc<Session>],
    places: &Places,
    out: &mut Out,
) -> Result<(), Stop> {
    let mut all = Vec::new();
    for session in ended {
        let last = last_result(engine, session).await?;
        if out.look.json {
            let flow = session.flow.as_ref();
            let value = json!({
                "session_id": session.id, "workflow": workflow.name, "state": flow.map(|flow| &flow.state),
                "ended": flow.and_then(|flow| flow.ended), "trouble": flow.map(|flow| &flow.stuck),
                "handoffs": session.handoffs, "result": last.as_ref().map(|(body, _)| body),
                "notes": last.as_ref().map(|(_, notes)| notes), "folder": places.run,
            });
            out.json_line(&value).await?;
            continue;
        }
        all.push((session, last));
    }
    if all.is_empty() {
        return Ok(());
    }
    out.line("").await?;
    for (session, last) in all {
        one(session, last, out).await?;
    }
    if !places.run.exists() {
        return Ok(());
    }
    out.note(format!("what the team wrote is in {}", places.run.display())).await
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
    if !flow.stuck.is_empty() {
        out.line(format!("  {}", tame(&flow.stuck))).await?;
    }
    let Some((result, notes)) = last else { return Ok(()) };
    if !notes.is_empty() && !flow.stuck.contains(&notes) {
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
