//! `handover demo`: the charter team at work on three requests at once, live; it ends by itself.
//!
//! One request meets a market that does not answer at first, one is so dear that a person has to say yes. Everything is
//! what `handover run` does with the same workflow; only the person is played.

mod ending;

use super::{
    desk,
    exit::Stop,
    live::Live,
    out::Out,
    paint::Style,
    run::{Begin, follow, start_all},
};
use crate::{
    team::{Places, Team},
    workflow,
};
use handover_core::{
    event::Event,
    ids::{AgentId, SessionId},
    policy::{ApprovalRule, Approver, Policy, When},
    workflow::Workflow,
};
use handover_engine::{Engine, Filter, Notice, Options};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

const WORKFLOW: &str = include_str!("../../../../../workflows/charter/workflow.yaml");
const CLIENTS: &str = include_str!("../../../../../workflows/charter/data/clients.csv");
/// The requests, each with the name of its session.
const REQUESTS: [(&str, &str); 3] = [
    ("paris-nice", include_str!("../../../../../workflows/charter/data/requests/jane.json")),
    ("zurich-ibiza", include_str!("../../../../../workflows/charter/data/requests/anonymous.json")),
    ("london-geneva", include_str!("../../../../../workflows/charter/data/requests/omar.json")),
];
/// The price above which a person is asked, in whole euros.
const DEAR: u32 = 6_500;
/// Who is asked.
const PERSON: &str = "ops";
/// How long the person of the demo thinks.
const THINKS: Duration = Duration::from_millis(1_200);

pub(crate) async fn run(file: Option<&str>, out: &mut Out) -> Result<(), Stop> {
    let home = std::env::temp_dir().join(format!("handover-demo-{}", std::process::id()));
    let db = file.map_or_else(|| home.join("handover.db"), PathBuf::from);
    lay_out(&home)?;
    let flow = workflow_of(&home)?;
    let engine = Engine::open_with(&db, Options { policy: policy(), ..Options::default() }).await?;
    let desk = desk::serve(&engine, &db);
    let done = tokio::select! {
        done = work(&engine, &flow, &home, &db, out) => done,
        () = super::keep::interrupted() => Err(Stop::Said(super::exit::REFUSED)),
    };
    drop(desk);
    let closed = engine.close().await;
    done?;
    closed?;
    ending::what_next(&db, out).await
}

/// What the team reads, in a folder of its own.
fn lay_out(home: &Path) -> Result<(), Stop> {
    let laid = fs::create_dir_all(home.join("data"))
        .and_then(|()| fs::write(home.join("workflow.yaml"), WORKFLOW))
        .and_then(|()| fs::write(home.join("data/clients.csv"), CLIENTS));
    laid.map_err(|error| {
        Stop::trouble(format!("{} cannot be written: {error}", home.display()), "set TMPDIR to a folder that can be")
    })
}

/// The workflow as it ships, with a quick market that does not answer at first.
fn workflow_of(home: &Path) -> Result<Workflow, Stop> {
    let mut flow = workflow::read(home.join("workflow.yaml"))?.workflow;
    flow.with["market"] = json!({"first_after_ms": 500, "every_ms": 300});
    flow.with["poll_ms"] = json!(150);
    flow.with["faults"] = json!({"market": {"fail_first": 1}});
    Ok(flow)
}

fn policy() -> Policy {
    let expression = format!("handoff.payload.top_proposals[0].price > {DEAR}");
    let communication = AgentId::new("communication").ok();
    let rule = ApprovalRule {
        name: "dear".into(),
        when: When { to: communication.into_iter().collect(), expression: Some(expression.into()), ..When::default() },
        approvers: vec![Approver { who: PERSON.into(), within_ms: None }],
        on_expiry: Default::default(),
    };
    Policy { approvals: vec![rule], ..Policy::default() }
}

async fn work(engine: &Engine, flow: &Workflow, home: &Path, db: &Path, out: &mut Out) -> Result<(), Stop> {
    let title = out.paint(Style::Bold, "Three charter requests at once, six agents, one workflow.");
    if !out.look.json {
        out.line(format!("{title} Every line is on disk before you read it.")).await?;
        out.line("").await?;
    }
    let feed = engine.subscribe(Filter::default(), None);
    let places = Places { home: home.to_path_buf(), run: home.join("run") };
    let team = Team::assemble(engine, flow, &places).await?;
    let person = tokio::spawn(say_yes(engine.clone()));
    let begins = begins()?;
    let names: Vec<SessionId> = begins.iter().map(|begin| begin.session.clone()).collect();
    let mut live = Live::new(&names, false);
    let (_, refused) = start_all(engine, &flow.name, begins, &mut live, out).await?;
    if let Some(error) = refused.into_iter().next() {
        person.abort();
        return Err(error.into());
    }
    let followed = follow(engine, feed, &mut live, out).await;
    person.abort();
    followed?;
    drop(team);
    ending::tell(engine, &names, &places, db, out).await
}

fn begins() -> Result<Vec<Begin>, Stop> {
    let begin = |(name, text): &(&str, &str)| {
        let input: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let said = input.get("text").and_then(Value::as_str).map(str::to_owned);
        let plain = || "A flight for Omar Haddad from London to Geneva, at night".to_owned();
        Ok(Begin { session: SessionId::new(*name)?, request: said.unwrap_or_else(plain), input })
    };
    REQUESTS.iter().map(begin).collect()
}

/// The person of the demo: thinks for a moment, then says yes.
async fn say_yes(engine: Engine) {
    let filter = Filter { types: vec!["APPROVAL_REQUESTED".into()], ..Filter::default() };
    // What waits from an earlier run is decided as well.
    for waiting in engine.approvals(None).await.unwrap_or_default() {
        let _ = engine.approve(waiting.handoff.id, PERSON, "it is worth it").await;
    }
    let mut feed = engine.subscribe(filter, None);
    while let Ok(Some(notice)) = feed.next().await {
        if let Notice::Event(message) = notice
            && let Event::ApprovalRequested { id, .. } = message.payload
        {
            tokio::time::sleep(THINKS).await;
            // Somebody in another terminal may have been quicker.
            let _ = engine.approve(id, PERSON, "it is worth it").await;
        }
    }
}
