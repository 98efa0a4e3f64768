//! What each page of the dashboard costs at the server, with 100,000 sessions and a million handoffs in the file.

use super::{
    Settings,
    load::{self, text},
    million,
    report::{Report, percentile},
    served::{SETTINGS, Served},
    wire::Wire,
};
use handover::{
    core::{
        access::{NewKey, Role as Access},
        command::{Caller, Open},
    },
    engine::Start,
    prelude::*,
    team::DESK,
    workflow,
};
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
/// People, each with a task; a third of them with a result that came back.
const PEOPLE: usize = 200;
/// How often a page is asked for.
const REQUESTS: u64 = 20;
/// Two strategies side by side, for the page that compares them.
const EXPERIMENT: &str = "  experiments: [{name: spread, a: best_match, b: least_loaded, share: 0.5}]\nagents:";

/// Open handoffs that nobody takes; a tenth of that where a minute must do.
const BACKLOG: u64 = 50_000;
const BACKLOG_QUICK: u64 = 5_000;
const BACKLOG_PER_SESSION: u64 = 200;
/// Of each session of the backlog so many are taken back: what ended badly.
const TAKEN_BACK: u64 = 4;
/// The tenant that has next to nothing beside all that, and how many handoffs it has.
const SMALL: &str = "small";
const SMALL_HANDOFFS: u64 = 20;
/// Rows of a page that is one list, with the short lists around it; and of one with a conversation and its history.
const LIST: &str = "<= 120";
const WHOLE: &str = "<= 400";
/// And of a report that is printed: a thousand messages, and a thousand handoffs among them and at the side.
const REPORT: &str = "<= 3200";

/// A page: its name, an address for each time that it is asked for, how many rows it may have, and by whose key.
struct Asked {
    name: &'static str,
    paths: Vec<String>,
    rows: &'static str,
    small: bool,
}

/// The keys of those who look: of the house, and of the small tenant.
struct Keys {
    house: String,
    small: String,
}

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let sessions = if settings.quick { SESSIONS_QUICK } else { SESSIONS };
    let place = million::filled(report, &runtime, sessions, PER_SESSION)?;
    report.doing("a long session, and what waits for people");
    let (handoffs, keys) = runtime.block_on(async {
        let engine = load::open(place.path(), false).await?;
        let handoffs = more(&engine, sessions).await?;
        report.doing("a backlog, and a small tenant");
        backlog(&engine, if settings.quick { BACKLOG_QUICK } else { BACKLOG }).await?;
        people(&engine).await?;
        let keys = small(&engine).await?;
        engine.close().await.map_err(text)?;
        Ok::<_, String>((handoffs, keys))
    })?;
    report.doing("half of the sessions into the workflow");
    in_workflow(&place.path().join("bench.db"))?;
    let server = Served::start_with(place.path(), &SETTINGS.replacen("agents:", EXPERIMENT, 1))?;
    runtime.block_on(async {
        let mut house = Wire::open(server.address, Some(&keys.house)).await?;
        let mut small = Wire::open(server.address, Some(&keys.small)).await?;
        for page in pages(sessions, &handoffs) {
            measure(report, if page.small { &mut small } else { &mut house }, &page).await?;
        }
        Ok(())
    })
}

async fn measure(report: &mut Report, wire: &mut Wire, page: &Asked) -> Result<(), String> {
    report.doing(page.name);
    let (mut times, mut bytes, mut rows) = (Vec::new(), 0, 0);
    for path in &page.paths {
        let start = Instant::now();
        let text = wire.ask("GET", path, b"").await?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        bytes = bytes.max(text.len());
        let text = String::from_utf8_lossy(text);
        rows = rows.max(["<tr", "<li", "<article"].iter().map(|tag| text.matches(tag).count()).sum::<usize>());
    }
    let (p50, max) = (percentile(&mut times, 0.5), percentile(&mut times, 1.0));
    let note = format!("the longest of {REQUESTS}; p50 {p50:.1}; {} KiB", bytes / 1024);
    report.figure(format!("dashboard.ms.{}", page.name), max, "ms", "<= 100", note);
    #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
    report.figure(format!("dashboard.rows.{}", page.name), rows as f64, "rows", page.rows, page.paths[0].clone());
    Ok(())
}

fn same(name: &'static str, path: &str) -> Asked {
    Asked { name, paths: (0..REQUESTS).map(|_| path.to_owned()).collect(), rows: LIST, small: false }
}

/// One that is about something else each time.
fn each(name: &'static str, path: impl Fn(u64) -> String) -> Asked {
    Asked { name, paths: (0..REQUESTS).map(path).collect(), rows: LIST, small: false }
}

fn whole(page: Asked) -> Asked {
    Asked { rows: WHOLE, ..page }
}

fn report_of(page: Asked) -> Asked {
    Asked { rows: REPORT, ..page }
}

fn of_small(name: &'static str, path: &str) -> Asked {
    Asked { small: true, ..same(name, path) }
}

/// Every page.
fn pages(sessions: u64, handoffs: &[HandoffId]) -> Vec<Asked> {
    let (step, one) = (sessions / REQUESTS, handoffs[0]);
    let mut all = vec![
        same("overview", "/"),
        same("overview_day", "/?range=24h"),
        same("team", "/team"),
        same("team_find", "/team?find=pilot"),
        same("team_one", "/team/pilot"),
        same("team_person", "/team/ann"),
        same("sessions", "/sessions"),
        same("sessions_last", &format!("/sessions?skip={}", sessions - 10)),
        same("sessions_find", "/sessions?find=00000000"),
        same("sessions_waiting", "/sessions?show=waiting"),
        whole(each("session", |n| format!("/sessions/m-{}", n * step))),
        whole(same("session_long", "/sessions/long")),
        whole(each("session_past", |n| format!("/sessions/long?from={}", 1 + n * (LONG_MESSAGES as u64 / REQUESTS)))),
        report_of(same("session_report", "/sessions/long?print=all")),
        whole(each("handoff", |n| format!("/handoffs/{}", handoffs[usize::try_from(n).unwrap_or(0)]))),
        same("approvals", "/approvals"),
        same("approvals_who", "/approvals?who=ann"),
        same("inbox", "/inbox"),
        same("inbox_as", "/inbox?as=ann"),
        same("inbox_as_busy", "/inbox?as=pilot"),
        each("inbox_person", |n| format!("/inbox?as=person-{n}")),
        each("approvals_at", |n| format!("/approvals?at={}", handoffs[usize::try_from(n).unwrap_or(0)])),
        same("workflows", "/workflows"),
        whole(same("workflow", "/workflows/charter")),
        whole(same("workflow_state", "/workflows/charter?state=SEARCHING_FLIGHTS")),
        whole(same("workflow_last", "/workflows/charter?state=SEARCHING_FLIGHTS&skip=5000")),
        same("sessions_in_state", "/sessions?show=charter:SEARCHING_FLIGHTS"),
        same("experiments", "/experiments"),
    ];
    all.extend(lists());
    all.extend(audit(step, one));
    all.extend(of_the_small());
    all
}

/// The list of handoffs with its filters, also those that fit nothing.
fn lists() -> Vec<Asked> {
    vec![
        same("handoffs", "/handoffs"),
        same("handoffs_completed", "/handoffs?status=completed"),
        same("handoffs_completed_to", "/handoffs?status=completed&to=pilot"),
        same("handoffs_failed_from", "/handoffs?status=failed&from=planner"),
        same("handoffs_cancelled_from", "/handoffs?status=cancelled&from=planner"),
        same("handoffs_cancelled_to", "/handoffs?status=cancelled&to=ann"),
        same("handoffs_offered", "/handoffs?status=offered"),
        same("handoffs_offered_from", "/handoffs?status=offered&from=nobody"),
        same("handoffs_offered_to", "/handoffs?status=offered&to=ann"),
        same("handoffs_pair", "/handoffs?from=planner&to=pilot"),
        same("handoffs_no_pair", "/handoffs?from=pilot&to=planner"),
        same("handoffs_to_nobody", "/handoffs?to=nobody"),
        same("handoffs_session", "/handoffs?session=long&before=500"),
    ]
}

fn audit(step: u64, one: HandoffId) -> Vec<Asked> {
    vec![
        same("audit", "/audit"),
        each("audit_session", |n| format!("/audit?session=m-{}", n * step)),
        same("audit_handoff", &format!("/audit?handoff={one}")),
        same("audit_type", "/audit?type=completed"),
        same("audit_rare_type", "/audit?type=session_ended"),
        same("audit_from", "/audit?from=planner"),
        same("audit_to", "/audit?to=ann"),
        same("audit_nobody", "/audit?to=nobody"),
        same("audit_task", "/audit?task=none"),
        same("audit_since", "/audit?since=1h"),
        same("audit_until", "/audit?until=2000-01-01T00:00"),
        same("audit_house", "/audit?book=house"),
    ]
}

/// What the small tenant sees: what others have must not cost it anything.
fn of_the_small() -> Vec<Asked> {
    vec![
        of_small("small_overview", "/"),
        of_small("small_team_one", "/team/pilot"),
        of_small("small_sessions", "/sessions"),
        of_small("small_sessions_find", "/sessions?find=00000000"),
        of_small("small_inbox", "/inbox"),
        of_small("small_approvals", "/approvals"),
        of_small("small_handoffs", "/handoffs"),
        of_small("small_handoffs_failed", "/handoffs?status=failed"),
        of_small("small_handoffs_to", "/handoffs?to=pilot&status=offered"),
        of_small("small_audit", "/audit"),
        of_small("small_audit_to", "/audit?to=pilot"),
    ]
}

/// Work that is offered and that nobody takes, and some that was taken back.
async fn backlog(engine: &Engine, handoffs: u64) -> Result<(), String> {
    for n in 0..handoffs / BACKLOG_PER_SESSION {
        let session = load::session(engine, &format!("backlog-{n}"), 2).await?;
        for i in 0..BACKLOG_PER_SESSION {
            let made = engine.initiate(&session, load::request(i)?).await.map_err(text)?;
            if i < TAKEN_BACK {
                let id = *made.handoffs.first().ok_or("no handoff was made")?;
                engine.cancel(id, "planner", "not needed").await.map_err(text)?;
            }
        }
    }
    Ok(())
}

/// Many people: each has a task, and some a result that came back to them.
async fn people(engine: &Engine) -> Result<(), String> {
    let pilot = AgentId::new("pilot").map_err(text)?;
    for i in 0..PEOPLE {
        let name = format!("person-{i}");
        let person = Profile::named(&name).map_err(text)?.kind(AgentKind::Human).at_once(1_000);
        engine.register_profile(person).await.map_err(text)?;
        let theirs = SessionId::new(&name).map_err(text)?;
        engine.open_session(&theirs, Open::by(&name).map_err(text)?).await.map_err(text)?;
        let request = |from: &str, to: &str| {
            Request::delegation(from, to, "Look at this", Duration::from_secs(86_400)).map_err(text)
        };
        if i % 3 == 0 {
            let made = engine.initiate(&theirs, request(&name, "pilot")?).await.map_err(text)?;
            let id = *made.handoffs.first().ok_or("no handoff was made")?;
            let assignment = engine.accept(id, &pilot, None, None).await.map_err(text)?;
            engine.give_back(id, assignment.lease, load::giving(), None).await.map_err(text)?;
        }
        let session = load::session(engine, &format!("for-{name}"), 2).await?;
        engine.initiate(&session, request("planner", &name)?).await.map_err(text)?;
    }
    Ok(())
}

/// Half of the copied sessions follow the workflow: they stand in its states as one that was started does.
fn in_workflow(file: &Path) -> Result<(), String> {
    let conn = rusqlite::Connection::open(file).map_err(text)?;
    conn.execute_batch(
        "CREATE TEMP TABLE f AS SELECT workflow, json_extract(state, '$.flow') AS flow FROM sessions WHERE id = 'charter-0';
         CREATE TEMP TABLE w (n INTEGER PRIMARY KEY, state TEXT);
         INSERT INTO w VALUES (0, 'ANALYZING'), (1, 'SEARCHING_FLIGHTS'), (2, 'GENERATING_EMAIL'), (3, 'COMPLETED');
         UPDATE sessions SET workflow = f.workflow, flow_state = w.state,
             state = json_set(sessions.state, '$.workflow', f.workflow, '$.flow', json_set(f.flow, '$.state', w.state))
           FROM f, w WHERE sessions.id GLOB 'm-*' AND sessions.no / 1000 % 2 = 0 AND w.n = sessions.no / 2000 % 4;",
    )
    .map_err(text)
}

/// A tenant with a session, and the keys by which the pages are asked for.
async fn small(engine: &Engine) -> Result<Keys, String> {
    let theirs = engine.for_caller(Caller::new(SMALL, SMALL));
    let session = load::session(&theirs, "small", 2).await?;
    for i in 0..SMALL_HANDOFFS {
        load::handoff(&theirs, &session, i).await?;
    }
    let house = NewKey { house: true, ..NewKey::of("house", Access::Admin) };
    let small = NewKey { tenant: Some(SMALL.into()), ..NewKey::of(SMALL, Access::Operator) };
    let house = engine.make_key(house).await.map_err(text)?.1;
    Ok(Keys { house, small: engine.make_key(small).await.map_err(text)?.1 })
}

/// Adds what the copies lack, and gives handoffs from all over the file.
async fn more(engine: &Engine, sessions: u64) -> Result<Vec<HandoffId>, String> {
    let long = load::session(engine, "long", LONG_MESSAGES).await?;
    for i in 0..LONG_HANDOFFS {
        load::handoff(engine, &long, i).await?;
    }
    let ann = Profile::named("ann").map_err(text)?.kind(AgentKind::Human).at_once(1_000_000);
    engine.register_profile(ann).await.map_err(text)?;
    for i in 0..WAITING {
        waits(engine, i).await?;
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
