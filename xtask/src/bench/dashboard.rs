//! What each page of the dashboard costs at the server, with 100,000 sessions and a million handoffs in the file.

use super::{
    Settings,
    load::{self, text},
    million,
    report::{Report, percentile},
    served::{SETTINGS, Served},
    wire::Wire,
};
use handover::{engine::Start, prelude::*, team::DESK, workflow};
use std::{path::Path, time::Instant};

const PER_SESSION: u64 = 10;
/// A million handoffs; a tenth of that where a minute must do.
const SESSIONS: u64 = 100_000;
const SESSIONS_QUICK: u64 = 10_000;
/// A conversation that is far longer than a page.
const LONG_MESSAGES: usize = 10_000;
const LONG_HANDOFFS: u64 = 1_000;
/// Of each kind of what waits for people: more than a page.
const WAITING: usize = 300;
/// Sessions of a workflow.
const IN_WORKFLOW: usize = 300;
/// How often a page is asked for.
const REQUESTS: u64 = 20;
/// Two strategies side by side, for the page that compares them.
const EXPERIMENT: &str = "  experiments: [{name: spread, a: best_match, b: least_loaded, share: 0.5}]\nagents:";

/// A page: its figure, and an address for each time that it is asked for.
struct Asked {
    figure: &'static str,
    paths: Vec<String>,
}

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let sessions = if settings.quick { SESSIONS_QUICK } else { SESSIONS };
    let place = million::filled(report, &runtime, sessions, PER_SESSION)?;
    report.doing("a long session, and what waits for people");
    let handoffs = runtime.block_on(more(place.path(), sessions))?;
    let server = Served::start_with(place.path(), &SETTINGS.replacen("agents:", EXPERIMENT, 1))?;
    runtime.block_on(async {
        let mut wire = Wire::open(server.address, None).await?;
        for page in pages(sessions, &handoffs) {
            measure(report, &mut wire, &page).await?;
        }
        Ok(())
    })
}

async fn measure(report: &mut Report, wire: &mut Wire, page: &Asked) -> Result<(), String> {
    report.doing(page.figure);
    let (mut times, mut bytes, mut rows) = (Vec::new(), 0, 0);
    for path in &page.paths {
        let start = Instant::now();
        let text = wire.ask("GET", path, b"").await?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        bytes = bytes.max(text.len());
        let text = String::from_utf8_lossy(text);
        rows = rows.max(text.matches("<tr").count() + text.matches("<li").count() + text.matches("<article").count());
    }
    let (p50, max) = (percentile(&mut times, 0.5), percentile(&mut times, 1.0));
    let note = format!("the longest of {REQUESTS}; p50 {p50:.1}; {} KiB, {rows} rows", bytes / 1024);
    report.figure(page.figure, max, "ms", "<= 100", note);
    Ok(())
}

/// Every page. One that is about something is about something else each time.
fn pages(sessions: u64, handoffs: &[HandoffId]) -> Vec<Asked> {
    let same = |figure, path: &str| Asked { figure, paths: (0..REQUESTS).map(|_| path.to_owned()).collect() };
    let step = sessions / REQUESTS;
    let each = |figure, path: &dyn Fn(u64) -> String| Asked { figure, paths: (0..REQUESTS).map(path).collect() };
    let one = &handoffs[0];
    vec![
        same("dashboard.ms.overview", "/"),
        same("dashboard.ms.team", "/team"),
        same("dashboard.ms.sessions", "/sessions"),
        same("dashboard.ms.sessions_last", &format!("/sessions?skip={}", sessions - 10)),
        each("dashboard.ms.session", &|n| format!("/sessions/m-{}", n * step)),
        same("dashboard.ms.session_long", "/sessions/long"),
        Asked { figure: "dashboard.ms.handoff", paths: handoffs.iter().map(|id| format!("/handoffs/{id}")).collect() },
        same("dashboard.ms.approvals", "/approvals"),
        same("dashboard.ms.inbox", "/inbox"),
        same("dashboard.ms.workflows", "/workflows"),
        same("dashboard.ms.workflow", "/workflows/charter"),
        same("dashboard.ms.audit", "/audit"),
        each("dashboard.ms.audit_session", &|n| format!("/audit?session=m-{}", n * step)),
        same("dashboard.ms.audit_handoff", &format!("/audit?handoff={one}")),
        same("dashboard.ms.audit_type", "/audit?type=completed"),
        same("dashboard.ms.audit_rare_type", "/audit?type=session_ended"),
        same("dashboard.ms.audit_from", "/audit?from=planner"),
        same("dashboard.ms.audit_to", "/audit?to=ann"),
        same("dashboard.ms.audit_nobody", "/audit?to=nobody"),
        same("dashboard.ms.audit_task", "/audit?task=none"),
        same("dashboard.ms.audit_since", "/audit?since=1h"),
        same("dashboard.ms.audit_until", "/audit?until=2000-01-01T00:00"),
        same("dashboard.ms.audit_house", "/audit?book=house"),
        same("dashboard.ms.experiments", "/experiments"),
    ]
}

/// Adds what the copies lack, and gives handoffs from all over the file.
async fn more(folder: &Path, sessions: u64) -> Result<Vec<HandoffId>, String> {
    // Nobody needs this file after a crash.
    let engine = load::open(folder, false).await?;
    let long = load::session(&engine, "long", LONG_MESSAGES).await?;
    for i in 0..LONG_HANDOFFS {
        load::handoff(&engine, &long, i).await?;
    }
    let ann = Profile::named("ann").map_err(text)?.kind(AgentKind::Human).at_once(1_000_000);
    engine.register_profile(ann).await.map_err(text)?;
    for i in 0..WAITING {
        waits(&engine, i).await?;
    }
    let file = workflow::read(crate::run::root().join("workflows/charter/workflow.yaml")).map_err(text)?;
    engine.register_profile(Profile::named(DESK).map_err(text)?.kind(AgentKind::Worker)).await.map_err(text)?;
    for name in file.workflow.agents.keys() {
        let member = Profile::named(name.as_str()).map_err(text)?.kind(AgentKind::Worker);
        engine.register_profile(member).await.map_err(text)?;
    }
    engine.define(file.workflow).await.map_err(text)?;
    for i in 0..IN_WORKFLOW {
        let id = SessionId::new(format!("charter-{i}")).map_err(text)?;
        let start = Start::of("charter", AgentId::new(DESK).map_err(text)?);
        engine.start(&id, start.asking("A jet to Nice")).await.map_err(text)?;
    }
    let mut handoffs = Vec::new();
    for n in 0..REQUESTS {
        let session = SessionId::new(format!("m-{}", n * (sessions / REQUESTS))).map_err(text)?;
        let first = engine.handoff_history(&session, 0, 1).await.map_err(text)?;
        handoffs.push(first.first().ok_or("a session has no handoff")?.id);
    }
    engine.close().await.map_err(text)?;
    Ok(handoffs)
}

/// A session in which three things wait for people: a yes, a task and an answer.
async fn waits(engine: &Engine, i: usize) -> Result<(), String> {
    let session = load::session(engine, &format!("waits-{i}"), 2).await?;
    let request =
        |to: &str| Request::delegation("planner", to, "Look at this", Duration::from_secs(86_400)).map_err(text);
    let mut asks = request("pilot")?;
    asks.needs_approval = true;
    engine.initiate(&session, asks).await.map_err(text)?;
    engine.initiate(&session, request("ann")?).await.map_err(text)?;
    let pilot = AgentId::new("pilot").map_err(text)?;
    let made = engine.initiate(&session, request("pilot")?).await.map_err(text)?;
    let id = *made.handoffs.first().ok_or("no handoff was made")?;
    let assignment = engine.accept(id, &pilot, None, None).await.map_err(text)?;
    engine.ask(id, assignment.lease, "Which of the two?").await.map_err(text)?;
    Ok(())
}
