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
    limits::RUN_CLOSE_MS,
    policy::{ApprovalRule, Approver, Policy, When},
    workflow::Workflow,
};
use handover_engine::{Engine, Filter, Notice, Options, Subscription};
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
    let temporary = || std::env::temp_dir().join(format!("handover-demo-{}", std::process::id())).join("handover.db");
    let db = file.map_or_else(temporary, PathBuf::from);
    let home = home_of(&db)?;
    lay_out(&home)?;
    let flow = workflow_of(&home)?;
    let engine = Engine::open_with(&db, Options { policy: policy(), ..Options::default() }).await?;
    let desk = desk::serve(&engine, &db);
    let demo = Demo { engine: &engine, flow: &flow, places: Places { home: home.clone(), run: home.clone() }, db: &db };
    let feed = engine.subscribe(Filter::default(), None);
    let (done, team) = match Team::assemble(&engine, &flow, &demo.places).await {
        Ok(team) => (watched(&demo, feed, out).await, Some(team)),
        Err(error) => (Err(error.into()), None),
    };
    drop(desk);
    let closed = tokio::time::timeout(Duration::from_millis(RUN_CLOSE_MS), engine.close()).await;
    // As in a run: whoever still works finds its services until the process ends.
    std::mem::forget(team);
    done?;
    closed.unwrap_or(Ok(()))?;
    ending::what_next(&db, &home, out).await
}

/// What the demo goes by.
struct Demo<'a> {
    engine: &'a Engine,
    flow: &'a Workflow,
    places: Places,
    db: &'a Path,
}

/// The folder of the demo, beside its database: who comes back to the one finds the letters in the other.
fn home_of(db: &Path) -> Result<PathBuf, Stop> {
    let mut name = db.as_os_str().to_owned();
    name.push("-run");
    let home = PathBuf::from(name);
    if home.exists() && !db.exists() {
        // Its services remember what they did for a database that is gone.
        let message = format!("{} is there from an earlier demo, and {} is not", home.display(), db.display());
        return Err(Stop::refused(message, "remove that folder, or name another file"));
    }
    Ok(home)
}

/// What the team reads, in a folder of its own.
fn lay_out(home: &Path) -> Result<(), Stop> {
    let laid = fs::create_dir_all(home.join("data"))
        .and_then(|()| fs::write(home.join("workflow.yaml"), WORKFLOW))
        .and_then(|()| fs::write(home.join("data/clients.csv"), CLIENTS));
    laid.map_err(|error| {
        Stop::trouble(
            format!("{} cannot be written: {error}", home.display()),
            "name a file in a folder that can be, or set TMPDIR",
        )
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

/// Works until all is done or somebody interrupts it.
async fn watched(demo: &Demo<'_>, feed: Subscription, out: &mut Out) -> Result<(), Stop> {
    let begins = begins()?;
    let names: Vec<SessionId> = begins.iter().map(|begin| begin.session.clone()).collect();
    let person = tokio::spawn(say_yes(demo.engine.clone()));
    let done = tokio::select! {
        done = work(demo, &names, begins, feed, out) => Some(done),
        () = super::keep::interrupted() => None,
    };
    person.abort();
    if let Some(done) = done {
        done?;
        return ending::tell(demo, &names, out).await;
    }
    if out.look.json {
        ending::tell_programs(demo, &names, true, out).await?;
    }
    let db = demo.db.display();
    Err(Stop::refused(
        format!("interrupted; nothing is lost: the database is {db}"),
        format!("it goes on where it was with `{} demo {db}`", ending::program()),
    ))
}

async fn work(
    demo: &Demo<'_>,
    names: &[SessionId],
    begins: Vec<Begin>,
    feed: Subscription,
    out: &mut Out,
) -> Result<(), Stop> {
    if !out.look.json {
        welcome(demo, names, out).await?;
    }
    let mut live = Live::new(names, false);
    let (_, refused) = start_all(demo.engine, &demo.flow.name, begins, &mut live, out).await?;
    match refused.into_iter().next() {
        Some((_, error)) => Err(error.into()),
        None => follow(demo.engine, feed, &mut live, out).await,
    }
}

/// What is about to be seen.
async fn welcome(demo: &Demo<'_>, names: &[SessionId], out: &mut Out) -> Result<(), Stop> {
    let mut over = 0;
    for name in names {
        let known = demo.engine.session(name).await;
        over += usize::from(known.is_ok_and(|session| session.ended_at.is_some()));
    }
    let (title, more) = if over == names.len() {
        let title = format!("{} has the three requests already.", demo.db.display());
        (title, "This is what came of them; another file begins anew.")
    } else {
        let title = "Three charter requests at once, six agents, one workflow.";
        (title.to_owned(), "Every line is on disk before you read it.")
    };
    let title = out.paint(Style::Bold, &title);
    out.line(format!("{title} {more}")).await?;
    out.line("").await
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
