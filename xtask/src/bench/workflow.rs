//! What workflows cost: whole sessions of the charter team with services that answer at once, the check of a large file,
//! and the choice among rules.

use super::{
    Settings,
    disk::Disk,
    engine::{folder, median},
    load::text,
    report::Report,
};
use handover::{
    core::{
        event::Event,
        workflow::{Ended, Facts},
    },
    engine::Start,
    prelude::*,
    team::{DESK, Places, Team},
    workflow,
};
use serde_json::{Value, json};
use std::{fmt::Write as _, path::Path, time::Instant};

const IN_FLIGHT: usize = 64;
/// Rounds of the same measurements, because these machines are noisy; the median counts.
const ROUNDS: usize = 3;
const RULES: usize = 1_000;
const RULES_EACH: usize = 4;

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    let time = Duration::from_millis(if settings.quick { 3_000 } else { 10_000 });
    sessions(report, &runtime, time)?;
    checks(report, if settings.quick { 5 } else { 20 })?;
    let place = folder()?;
    runtime.block_on(choices(report, place.path(), if settings.quick { 20_000 } else { 100_000 }))
}

fn sessions(report: &mut Report, runtime: &tokio::runtime::Runtime, time: Duration) -> Result<(), String> {
    let (mut syncs, mut ran, mut records) = (vec![], vec![], vec![]);
    for round in 1..=ROUNDS {
        report.doing(&format!("round {round} of {ROUNDS}: disk, charter sessions"));
        let place = folder()?;
        syncs.push(Disk::open(place.path())?.rate(time / 8)?);
        let (sessions, lines) = runtime.block_on(busy(place.path(), time))?;
        ran.push(sessions);
        records.push(lines);
    }
    report.figure("workflow.syncs_per_s", median(syncs), "1/s", "", "one page written and synced, alone".into());
    let note = format!(
        "{IN_FLIGHT} in flight, {:.0} records each; market and outbox sync by themselves, four times a session",
        median(records)
    );
    report.figure("workflow.charter_sessions_per_s", median(ran), "1/s", "", note);
    Ok(())
}

/// The charter workflow with a market that answers at once, and with room for many.
fn charter() -> Result<workflow::WorkflowFile, String> {
    let path = crate::run::root().join("workflows/charter/workflow.yaml");
    let mut file = workflow::read(path).map_err(text)?;
    file.workflow.with["market"] = json!({"first_after_ms": 0, "every_ms": 0});
    file.workflow.with["poll_ms"] = json!(5);
    for member in file.workflow.agents.values_mut() {
        member.at_once = u32::try_from(IN_FLIGHT).ok();
    }
    Ok(file)
}

async fn open(place: &Path) -> Result<(Engine, Team), String> {
    let engine = Engine::open(place.join("bench.db")).await.map_err(text)?;
    let file = charter()?;
    let places = Places { home: file.folder.clone(), run: place.join("run") };
    let team = Team::assemble(&engine, &file.workflow, &places).await.map_err(text)?;
    Ok((engine, team))
}

async fn begin(engine: &Engine, number: u64) -> Result<SessionId, String> {
    let id = SessionId::new(format!("request-{number}")).map_err(text)?;
    let asked = json!({"text": "Jane Miller: four people from Paris to Nice in 10 days"});
    let start = Start::of("charter", AgentId::new(DESK).map_err(text)?).with(asked);
    engine.start(&id, start).await.map_err(text)?;
    Ok(id)
}

/// Sessions per second from their start to their end, and records of each.
async fn busy(place: &Path, time: Duration) -> Result<(f64, f64), String> {
    let (engine, team) = open(place).await?;
    let mut feed = engine.subscribe(Filter::default(), None);
    let mut begun = 0;
    let more = |begun: &mut u64| {
        let (engine, number) = (engine.clone(), *begun);
        *begun += 1;
        tokio::spawn(async move { begin(&engine, number).await })
    };
    for _ in 0..IN_FLIGHT {
        more(&mut begun);
    }
    // The first moments warm up caches and fill the queue; they do not count.
    let (mut since, mut ended, mut records) = (None, 0_u32, 0_u32);
    let start = Instant::now();
    // A machine that is busy with other things still gives a figure.
    while start.elapsed() < time + time / 5 || (ended == 0 && start.elapsed() < time * 40) {
        if since.is_none() && start.elapsed() > time / 5 {
            (since, ended, records) = (Some(Instant::now()), 0, 0);
        }
        match feed.next().await.map_err(text)? {
            Some(Notice::Event(message)) => {
                records += 1;
                if let Event::SessionEnded { reason, .. } = &message.payload {
                    if !reason.starts_with("The proposals are with the client") {
                        return Err(format!("a session failed: {reason}"));
                    }
                    ended += 1;
                    more(&mut begun);
                }
            }
            Some(Notice::Dropped { resume_after }) => feed = engine.subscribe(Filter::default(), Some(resume_after)),
            None => return Err("the engine was closed".into()),
        }
    }
    let seconds = since.map_or(f64::NAN, |since| since.elapsed().as_secs_f64());
    drop(team);
    engine.close().await.map_err(text)?;
    Ok((f64::from(ended) / seconds, f64::from(records) / f64::from(ended.max(1))))
}

/// A file with many rules, of many agents or of one alone.
fn large(agents: usize) -> String {
    let each = RULES / agents;
    let mut file = String::from("name: large\nstart: S0\nagents:\n");
    for i in 0..agents {
        let _ = writeln!(file, "  a{i}: {{about: Does part {i}}}");
    }
    file += "states:\n";
    for i in 0..agents {
        let _ = writeln!(file, "  S{i}: {{agent: a{i}}}");
    }
    file += "  DONE: {end: completed}\nrules:\n";
    for i in 0..agents {
        for k in 0..each {
            let last = k + 1 == each;
            let condition = if last { String::new() } else { format!("\n    condition: outcome.data.score == {k}") };
            let next = i + 1;
            let way = if next < agents {
                format!("to: a{next}\n    next_state: S{next}")
            } else {
                "next_state: DONE".to_owned()
            };
            let payload = "payload: {required: [session_id], optional: [score, notes]}";
            let _ = writeln!(
                file,
                "  - id: \"{i}.{k}\"\n    from: a{i}\n    trigger_state: PART_DONE{condition}\n    \
                reason: Part {i} is done\n    {way}\n    {payload}"
            );
        }
    }
    file
}

fn checks(report: &mut Report, rounds: usize) -> Result<(), String> {
    report.doing(&format!("files with {RULES} rules"));
    for (name, agents) in [("workflow.check_1000_rules_ms", RULES / RULES_EACH), ("workflow.check_one_agent_ms", 1)] {
        let file = large(agents);
        let mut times = Vec::new();
        for _ in 0..rounds {
            let start = Instant::now();
            let read = workflow::parse("large.yaml", &file).map_err(text)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            if read.workflow.rules.len() != RULES {
                return Err(format!("{} rules were read", read.workflow.rules.len()));
            }
        }
        let note = format!("read and checked: {RULES} rules of {agents} agents, {} KB", file.len() / 1024);
        report.figure(name, median(times), "ms", "< 500", note);
    }
    Ok(())
}

/// One choice: the facts of a step, and the first rule that fits.
async fn choices(report: &mut Report, place: &Path, rounds: u32) -> Result<(), String> {
    report.doing("choices among rules");
    let (engine, _team) = open(place).await?;
    let id = begin(&engine, 0).await?;
    let session = engine.ended(&id).await.map_err(text)?;
    let step = engine.get_handoff_history(&id).await.map_err(text)?.pop().ok_or("no handoff was made")?;
    let file = charter()?;
    let monitor = AgentId::new("error_monitor").map_err(text)?;
    let data: Value = json!({"service": "mail", "retry_count": 1, "original_error": "the mail server is busy"});
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..rounds {
            let facts = Facts::of_step(&session, &step, ("ERROR_RETRY", Ended::Well), &data, "");
            let chosen = file.workflow.choose(&monitor, "ERROR_RETRY", &facts).map_err(|none| none.words())?;
            if std::hint::black_box(chosen.rule).id != "6.3" {
                return Err(format!("rule {} was chosen", chosen.rule.id));
            }
        }
        times.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds));
    }
    let note = "the facts of a step and three conditions, of which the third holds".to_owned();
    report.figure("workflow.rule_eval_us", median(times), "µs", "", note);
    engine.close().await.map_err(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_files_are_good() {
        for agents in [RULES / RULES_EACH, 1] {
            let read = workflow::parse("large.yaml", &large(agents)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((read.workflow.agents.len(), read.workflow.rules.len()), (agents, RULES));
        }
    }

    #[test]
    fn sessions_come_to_their_ends_and_a_choice_is_made() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut report = Report::new(Settings { json: true, quick: true });
        runtime.block_on(async {
            let (sessions, records) = busy(one.path(), Duration::from_millis(1_500)).await.unwrap();
            assert!(sessions > 0.0 && records > 20.0, "{sessions} sessions/s of {records} records");
            choices(&mut report, other.path(), 10).await.unwrap();
        });
    }
}
