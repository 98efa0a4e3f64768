//! What teams of models cost in tokens, against one agent that does the same job with all tools; and what a kill costs.
//! The models are scripted, so that all counts are exact and the same in every run. What counts is what is really sent and
//! said, through a tokenizer.

use super::{Settings, engine::folder, load::text, report::Report};
use handover::{
    cli,
    core::context::TransferMode,
    engine::Start,
    prelude::{AgentId, Engine, ReturnStatus, SessionId},
    settings,
    store::failpoint::VARIABLE,
    team::{DESK, Places, Team},
    workflow,
};
use handover_agents::{
    llm::Manner,
    scripted::{self, Script},
    staff::Staff,
    talk::Conversation,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, ExitCode, Stdio},
};

/// What people ask the specialists for, one after the other.
const ASKED: [&str; 3] = [
    "Analyze the security of our authentication system",
    "I need to deploy the app but make sure all tests pass first",
    "Deploy the app to production",
];
/// One of so many commits is killed after where it has to be quick.
const QUICK_EACH: usize = 4;

pub(super) fn run(report: &mut Report, settings: Settings) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    for (team, names) in [
        ("specialists", ["tokens.overhead.specialists", "tokens.overhead.specialists_full_history"]),
        ("research", ["tokens.overhead.research", "tokens.overhead.research_full_history"]),
    ] {
        report.doing(&format!("{team}: one agent, the team, the team with full histories"));
        let one = runtime.block_on(alone(team))?;
        let brief = runtime.block_on(together(team, None))?;
        let full = runtime.block_on(together(team, Some(TransferMode::Full)))?;
        #[expect(clippy::cast_precision_loss, reason = "small counts")]
        let over = |tokens: u64| tokens as f64 / one as f64;
        let note = format!("{brief} tokens of the team, {one} of one agent with all tools");
        report.figure(names[0], over(brief), "ratio", "<= 1.5", note);
        let note = format!("{full} tokens where every handoff shows the whole history");
        report.figure(names[1], over(full), "ratio", "", note);
    }
    report.doing("a conversation that is killed after every commit, or some of them");
    let (kills, repeated) = kills(&runtime, if settings.quick { QUICK_EACH } else { 1 })?;
    let note = format!("{kills} kills of a conversation, each right after a commit");
    report.figure("agents.model_calls_repeated_after_kill", f64::from(repeated), "calls", "<= 0", note);
    Ok(())
}

/// A copy of a team's folder: its tools write.
fn copy(team: &str) -> Result<tempfile::TempDir, String> {
    let place = folder()?;
    let from = crate::run::root().join("workflows").join(team);
    let status = Command::new("cp").arg("-R").arg(&from).arg(place.path()).status().map_err(text)?;
    if status.success() { Ok(place) } else { Err(format!("{} cannot be copied", from.display())) }
}

/// Tokens of one agent with all tools.
async fn alone(team: &str) -> Result<u64, String> {
    let place = copy(team)?;
    let home = place.path().join(team).join("llm");
    let data = crate::run::root().join("testdata/tokens");
    for (from, to) in [(format!("{team}.yaml"), "single.yaml"), (format!("{team}-script.yaml"), "single-script.yaml")] {
        fs::copy(data.join(&from), home.join(to)).map_err(|error| format!("{from}: {error}"))?;
    }
    let asked = if team == "research" { vec![question(&home)?] } else { ASKED.map(str::to_owned).to_vec() };
    talked(&home, "single.yaml", &asked, Manner::default()).await
}

/// Tokens of the team.
async fn together(team: &str, transfer: Option<TransferMode>) -> Result<u64, String> {
    let place = copy(team)?;
    let home = place.path().join(team).join("llm");
    let manner = Manner { transfer, ..Manner::default() };
    if team == "research" {
        return worked(&home, manner).await;
    }
    talked(&home, "handover.yaml", &ASKED.map(str::to_owned), manner).await
}

fn input(home: &Path) -> Result<Value, String> {
    serde_json::from_str(&fs::read_to_string(home.join("input.json")).map_err(text)?).map_err(text)
}

fn question(home: &Path) -> Result<String, String> {
    Ok(input(home)?["question"].as_str().ok_or("the input asks nothing")?.to_owned())
}

/// A conversation with whoever is first in a file.
async fn talked(home: &Path, file: &str, asked: &[String], manner: Manner) -> Result<u64, String> {
    let engine = Engine::open(home.join("bench.db")).await.map_err(text)?;
    let settings = settings::read(home.join(file)).map_err(text)?;
    let staff = staff(&settings, home, &engine, manner).await?;
    settings.apply(&engine).await.map_err(text)?;
    for profile in &settings.agents {
        staff.employ(&engine, profile.clone(), Value::Null).await.map_err(text)?;
    }
    let first = settings.agents.first().ok_or("there is nobody")?.id.clone();
    let (session, user) = (SessionId::new("talk").map_err(text)?, AgentId::new("user").map_err(text)?);
    let talk = Conversation::open(&engine, &session, &user, &first).await.map_err(text)?;
    for words in asked {
        let answered = talk.say(words).await.map_err(text)?;
        if answered.status != ReturnStatus::Success {
            return Err(format!("{words}: {}", answered.text));
        }
    }
    ended(&engine, &session, staff).await
}

/// A workflow to its end.
async fn worked(home: &Path, manner: Manner) -> Result<u64, String> {
    let engine = Engine::open(home.join("bench.db")).await.map_err(text)?;
    let settings = settings::read(home.join("handover.yaml")).map_err(text)?;
    let staff = staff(&settings, home, &engine, manner).await?;
    let file = workflow::read(home.join("workflow.yaml")).map_err(text)?;
    let places = Places { home: home.to_owned(), run: home.join("run") };
    let team = Team::assemble_with(&engine, &file.workflow, &places, &staff).await.map_err(text)?;
    let session = SessionId::new("work").map_err(text)?;
    let desk = AgentId::new(DESK).map_err(text)?;
    let start = Start::of(&file.workflow.name, desk).asking(question(home)?).with(input(home)?);
    engine.start(&session, start).await.map_err(text)?;
    let end = engine.ended(&session).await.map_err(text)?;
    drop(team);
    match end.flow.as_ref().map(|flow| flow.state.as_str()) {
        Some("COMPLETED") => ended(&engine, &session, staff).await,
        state => Err(format!("the workflow ended in {state:?}")),
    }
}

async fn staff(settings: &settings::Settings, home: &Path, engine: &Engine, manner: Manner) -> Result<Staff, String> {
    let home = std::path::absolute(home).map_err(text)?;
    let mut staff = Staff::new(&settings.staff, &home, engine).await.map_err(|faults| format!("{faults:?}"))?;
    staff.manner(manner);
    Ok(staff)
}

/// What everybody used in a session, as the scripted model counted it.
async fn ended(engine: &Engine, session: &SessionId, staff: Staff) -> Result<u64, String> {
    let handoffs = engine.get_handoff_history(session).await.map_err(text)?;
    let tokens =
        handoffs.iter().filter_map(|handoff| handoff.result.as_ref()).map(|result| result.metrics.tokens).sum();
    engine.close().await.map_err(text)?;
    staff.close().await;
    if tokens == 0 { Err("nothing was counted".into()) } else { Ok(tokens) }
}

/// Kills a conversation after commits, one of `each`, and lets the same command go on. Gives how many kills there were, and
/// how many questions were asked again.
fn kills(runtime: &tokio::runtime::Runtime, each: usize) -> Result<(u32, u32), String> {
    let (mut kills, mut repeated) = (0, 0);
    for n in (1..).step_by(each) {
        let place = copy("specialists")?;
        let script = place.path().join("specialists/llm/script.yaml");
        let script = Script::read(script).map_err(text)?;
        let server = runtime.block_on(scripted::serve(script, ([127, 0, 0, 1], 0).into())).map_err(text)?;
        let url = format!("http://{}/v1", server.address());
        let died = !talks(place.path(), &url, Some(n))?;
        let again = died && talks(place.path(), &url, None)?;
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        for asked in server.asked() {
            *counts.entry(asked.digest).or_default() += 1;
        }
        runtime.block_on(server.stop());
        if !died {
            break;
        }
        if !again {
            return Err(format!("killed after commit {n}, it does not go on"));
        }
        kills += 1;
        repeated += counts.values().map(|count| count - 1).sum::<u32>();
    }
    Ok((kills, repeated))
}

/// A process that talks to the specialists. Gives whether it lived to its end, or had shown its answer.
fn talks(place: &Path, url: &str, killed_after: Option<usize>) -> Result<bool, String> {
    let mut command = Command::new(std::env::current_exe().map_err(text)?);
    command.args(["bench", "handover", "chat", "specialists/llm", "--json", "--say", ASKED[1]]);
    command.current_dir(place).env("OPENAI_BASE_URL", url).stdin(Stdio::null()).stderr(Stdio::null());
    match killed_after {
        Some(n) => command.env(VARIABLE, format!("commit.exit:{n}")),
        None => command.env_remove(VARIABLE),
    };
    let output = command.output().map_err(text)?;
    let answered = String::from_utf8_lossy(&output.stdout).contains("\"type\":\"ANSWER\"");
    Ok(output.status.success() || answered)
}

/// The command line in this process: it is what gets killed.
pub(super) fn handover(args: &[&str]) -> Result<(), String> {
    let cli = cli::parse(args.iter().map(|arg| (*arg).to_owned()).collect()).map_err(|_| "these are no arguments")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(text)?;
    if runtime.block_on(cli::run(cli)) == ExitCode::SUCCESS { Ok(()) } else { Err("it was refused".into()) }
}
