//! `handover handoffs show`: the story of a handoff, in words with times.

use super::{
    Job,
    exit::Stop,
    ids,
    paint::{Style, tame, tame_lines},
    times,
    words::{self, status_style},
};
use handover_core::{
    handoff::{Handoff, Status},
    time::Timestamp,
};
use handover_engine::StoryStep;
use serde_json::{Value, json};

pub(crate) async fn run(text: &str, job: &mut Job<'_>) -> Result<(), Stop> {
    let id = ids::handoff(job, text).await?;
    let handoff = job.engine.handoff(id).await?;
    let story = job.engine.story(id).await?;
    if job.out.look.json {
        return job.out.json(&json!({ "handoff": words::handoff_json(&handoff), "story": story })).await;
    }
    head(&handoff, job).await?;
    steps(&handoff, &story, job).await?;
    end(&handoff, job).await
}

async fn head(handoff: &Handoff, job: &mut Job<'_>) -> Result<(), Stop> {
    let out = &mut *job.out;
    let path = format!("{} → {}", handoff.request.from_agent, handoff.to_agent);
    let status = out.paint(status_style(handoff.status()), &words::status(handoff.status()));
    let kind = words::kind(handoff.request.kind);
    out.line(format!("{}  {path}  {kind}, {status}", out.paint(Style::Bold, &ids::short(handoff.id)))).await?;
    let request = &handoff.request;
    let reason = if request.reason == request.task.description { String::new() } else { tame(&request.reason) };
    let payload = if request.task.payload.is_null() { String::new() } else { request.task.payload.to_string() };
    let until = handoff.due().map(|due| out.time(due)).unwrap_or_default();
    let lines = [
        ("id", handoff.id.to_string()),
        ("session", handoff.session_id.to_string()),
        ("task", tame(&request.task.description)),
        ("reason", reason),
        ("payload", payload),
        ("parent", handoff.parent_id.map(|parent| parent.to_string()).unwrap_or_default()),
        ("path", handoff.path.iter().map(ToString::to_string).collect::<Vec<_>>().join(" → ")),
        ("due", until),
        ("warnings", handoff.warnings.join("; ")),
    ];
    for (title, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
        let title = out.paint(Style::Dim, &format!("{title:<9}"));
        out.line(format!("  {title} {text}")).await?;
    }
    Ok(())
}

/// The steps, each with how long after the beginning it came.
async fn steps(handoff: &Handoff, story: &[StoryStep], job: &mut Job<'_>) -> Result<(), Stop> {
    let out = &mut *job.out;
    out.line("").await?;
    let mut last: Option<Timestamp> = None;
    for step in story {
        // A time is told once for all that happened in it.
        let told = if last == Some(step.at) {
            String::new()
        } else {
            format!("+{}", times::length(step.at.since(handoff.opened_at)))
        };
        last = Some(step.at);
        let clock = if told.is_empty() { String::new() } else { times::clock(step.at) };
        let when = out.paint(Style::Dim, &format!("{clock:<12}  {told:>12}"));
        let name = out.paint(name_style(step.name, handoff.status()), &format!("{:<11}", step.name));
        out.line(format!("  {when}  {name}  {}", tame(&step.in_words()))).await?;
    }
    Ok(())
}

fn name_style(name: &str, ended: Status) -> Style {
    match name {
        "reject" | "defer" => Style::Yellow,
        "accept" => Style::Green,
        "return" | "complete" => status_style(ended),
        "execute" => Style::Blue,
        _ => Style::Cyan,
    }
}

async fn end(handoff: &Handoff, job: &mut Job<'_>) -> Result<(), Stop> {
    let Some(result) = &handoff.result else { return Ok(()) };
    let out = &mut *job.out;
    if !result.result.body.is_null() {
        out.line("").await?;
        let title = out.paint(Style::Bold, "result");
        out.line(format!("{title}  {}", body(&result.result.body))).await?;
    }
    Ok(())
}

/// A result as people read it: a text as it is, all else as JSON.
pub(crate) fn body(body: &Value) -> String {
    match body {
        Value::String(text) => tame_lines(text),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}
