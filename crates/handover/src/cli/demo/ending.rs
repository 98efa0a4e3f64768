//! The end of the demo: the ranked proposals, the story of each request, a drawing, the figures, and what to try next.

use super::Demo;
use crate::cli::{
    exit::Stop,
    out::Out,
    paint::{Style, tame},
    summary::{RUN_ENDED, session_json},
    table::{Table, column},
    times,
    words::{cell, count},
};
use handover_core::{
    graph::{self, Load, Terminal},
    handoff::{Handoff, Status},
    ids::SessionId,
    limits::PAGE_MAX,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::Path};

/// Columns of the drawing where nobody says how wide a line may be.
const WIDTH: usize = 100;

pub(super) async fn tell(demo: &Demo<'_>, names: &[SessionId], out: &mut Out) -> Result<(), Stop> {
    if out.look.json {
        return tell_programs(demo, names, false, out).await;
    }
    let mut all = Vec::new();
    for name in names {
        all.push((name, demo.engine.handoff_history(name, 0, PAGE_MAX).await?));
    }
    proposals(&all, out).await?;
    stories(&all, out).await?;
    drawing(&all, out).await?;
    let handoffs: usize = all.iter().map(|(_, handoffs)| handoffs.len()).sum();
    let verified = demo.engine.verify().await?;
    heading("Figures", out).await?;
    let records = count(verified.records, "record");
    out.line(format!("  {}, {records} in the audit trail, every one verified", count(handoffs as u64, "handoff")))
        .await?;
    out.line(format!("  letters to the clients: {}", demo.places.run.join("outbox").display())).await
}

/// The last line for programs, as a run writes it, with the way of each request and its proposals.
pub(super) async fn tell_programs(
    demo: &Demo<'_>,
    names: &[SessionId],
    interrupted: bool,
    out: &mut Out,
) -> Result<(), Stop> {
    let mut sessions = Vec::new();
    for name in names {
        let mut session = session_json(demo.engine, name).await?;
        // One that an interrupt kept from its beginning has no history.
        let handoffs = demo.engine.handoff_history(name, 0, PAGE_MAX).await.unwrap_or_default();
        session["path"] = handoffs.iter().map(|handoff| handoff.to_agent.to_string()).collect();
        session["proposals"] = proposals_of(&handoffs).into();
        sessions.push(session);
    }
    let records = demo.engine.verify().await?.records;
    let value = json!({
        "type": RUN_ENDED, "workflow": demo.flow.name, "interrupted": interrupted, "sessions": sessions,
        "records": records, "verified": true, "db": demo.db, "folder": demo.places.run,
    });
    out.json_line(&value).await
}

async fn heading(text: &str, out: &mut Out) -> Result<(), Stop> {
    let text = out.paint(Style::Bold, text);
    out.line(format!("\n{text}")).await
}

/// What was proposed to the client, from the payload of the step that wrote to them.
fn proposals_of(handoffs: &[Handoff]) -> Vec<Value> {
    let payloads = handoffs.iter().rev().map(|handoff| &handoff.request.task.payload);
    payloads.filter_map(|payload| payload.get("top_proposals")?.as_array()).next().cloned().unwrap_or_default()
}

async fn proposals(all: &[(&SessionId, Vec<Handoff>)], out: &mut Out) -> Result<(), Stop> {
    heading("Proposals", out).await?;
    let columns = [
        column("REQUEST"),
        column("#").right(),
        column("OPERATOR"),
        column("AIRCRAFT").rank(1),
        column("PRICE").right(),
        column("SCORE").right(),
        column("WHY").text(),
    ];
    let mut table = Table::new(&columns);
    for (name, handoffs) in all {
        for proposal in proposals_of(handoffs) {
            let text = |field: &str| proposal[field].as_str().map(tame).unwrap_or_default();
            let first = proposal["rank"] == 1;
            let name = if first { name.to_string() } else { String::new() };
            table.row([
                (name, Style::Cyan),
                cell(proposal["rank"].to_string()),
                (text("operator"), if first { Style::Green } else { Style::Plain }),
                cell(text("aircraft")),
                cell(format!("EUR {}", proposal["price"])),
                cell(proposal["scores"]["total"].to_string()),
                (text("reasoning"), Style::Dim),
            ]);
        }
    }
    table.write(out).await
}

async fn stories(all: &[(&SessionId, Vec<Handoff>)], out: &mut Out) -> Result<(), Stop> {
    heading("Stories", out).await?;
    for (name, handoffs) in all {
        let begun = handoffs.first().map(|handoff| handoff.opened_at);
        let ended = handoffs.iter().filter_map(|handoff| handoff.closed_at).max();
        let took = begun.zip(ended).map(|(from, to)| times::length(to.since(from))).unwrap_or_default();
        let head = out.paint(Style::Cyan, name.as_str());
        out.line(format!("  {head}  {}, {took}", count(handoffs.len() as u64, "handoff"))).await?;
        for handoff in handoffs {
            let line = story(handoff, out);
            out.line(format!("    {line}")).await?;
        }
    }
    Ok(())
}

/// One step in a line: who, what came of it, and what was special about it.
fn story(handoff: &Handoff, out: &Out) -> String {
    let (sign, style) = match handoff.status() {
        Status::Completed => ("✓", Style::Green),
        _ => ("✗", Style::Red),
    };
    let notes = handoff.result.as_ref().map(|result| tame(&result.notes)).unwrap_or_default();
    let rule = handoff.request.rule.as_ref().map(|rule| format!("rule {rule}")).unwrap_or_default();
    let approved = handoff.approval.as_ref().and_then(|approval| approval.approved_by.as_ref());
    let approved = approved.map(|by| format!(" (approved by {by})")).unwrap_or_default();
    let agent = format!("{:<18}", handoff.to_agent.as_str());
    format!("{} {agent} {} {notes}{approved}", out.paint(style, sign), out.paint(Style::Dim, &format!("{rule:<10}")))
}

/// Everybody's part in the three requests.
async fn drawing(all: &[(&SessionId, Vec<Handoff>)], out: &mut Out) -> Result<(), Stop> {
    let mut pairs: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for handoff in all.iter().flat_map(|(_, handoffs)| handoffs) {
        *pairs.entry((handoff.request.from_agent.as_str(), handoff.to_agent.as_str())).or_default() += 1;
    }
    let drawn =
        graph::of_team("", std::iter::empty::<Load<'_>>(), pairs.iter().map(|((from, to), n)| (*from, *to, *n)));
    heading("Who handed over to whom, and how often", out).await?;
    let width = out.look.width.unwrap_or(WIDTH);
    out.line(graph::text(&drawn, &Terminal { width, unicode: true, colour: out.look.colour })).await
}

/// Where everything is, and what to try.
pub(super) async fn what_next(db: &Path, home: &Path, out: &mut Out) -> Result<(), Stop> {
    if out.look.json {
        return Ok(());
    }
    let program = program();
    let (db, home) = (db.display(), home.display());
    heading("What to try next", out).await?;
    for (what, command) in [
        ("the dashboard", format!("{program} serve --db {db}")),
        ("how a request went", format!("{program} history paris-nice --db {db}")),
        ("one handoff, as a story", format!("{program} handoffs --db {db}")),
        ("the audit trail, checked", format!("{program} verify {db}")),
        (
            "the same team, your request",
            format!("{program} run {home} --request \"Two people from Rome to Nice tomorrow\""),
        ),
        ("a team of your own", format!("{program} init my-team")),
    ] {
        let command = out.paint(Style::Bold, &command);
        out.line(format!("  {what:<28} {command}")).await?;
    }
    out.note("\nThe dashboard is at http://127.0.0.1:7800 while it is served.").await
}

/// How the program is called: whoever started it with cargo goes on with it.
pub(super) fn program() -> &'static str {
    if std::env::var_os("CARGO").is_some() { "cargo run -q --" } else { "handover" }
}
