//! Killed after every record: the same command again goes on, no question is asked twice, and the conversation is the same.

use crate::place::{Place, told};
use handover::store::failpoint::VARIABLE;
use handover_agents::scripted::{self, Script};
use std::{
    collections::BTreeMap,
    fs,
    os::unix::process::ExitStatusExt,
    process::{Command, Output, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const AT_ONCE: usize = 4;
const PATIENCE: Duration = Duration::from_secs(60);

/// A scripted model in this process.
pub struct Model {
    server: scripted::Server,
    _runtime: tokio::runtime::Runtime,
}

impl Model {
    pub fn serve(script: &str) -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let script = Script::parse(script).unwrap();
        let server = runtime.block_on(scripted::serve(script, ([127, 0, 0, 1], 0).into())).unwrap();
        Self { server, _runtime: runtime }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.server.address())
    }

    pub fn asked(&self) -> Vec<String> {
        self.server.asked().into_iter().map(|asked| asked.digest).collect()
    }

    /// How many questions were asked more than once.
    fn repeated(&self) -> usize {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for digest in self.asked() {
            *counts.entry(digest).or_default() += 1;
        }
        counts.values().map(|count| count - 1).sum()
    }
}

const SAY: &str = "I need to deploy the app but make sure all tests pass first";

fn script() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workflows/specialists/llm/script.yaml");
    fs::read_to_string(path).unwrap()
}

fn chat(place: &Place, model: &Model) -> Command {
    let mut command = place.command(&["chat", "specialists/llm", "--say", SAY]);
    command.env("OPENAI_BASE_URL", model.url());
    command
}

/// What a conversation ends in.
#[derive(Debug, PartialEq)]
struct End {
    shown: String,
    transcript: String,
    asked: usize,
    deployed: usize,
}

fn end(place: &Place, model: &Model, output: &Output) -> End {
    assert!(output.status.success(), "{}", told(output));
    let shown = String::from_utf8_lossy(&output.stdout);
    // Moves are shown as they happen: those of the process that died are not shown again.
    let shown = shown.lines().filter(|line| !line.starts_with("  · ")).collect::<Vec<_>>().join("\n");
    let log = fs::read_to_string(place.path().join("specialists/llm/deployed/log.txt")).unwrap();
    End { shown, transcript: place.transcript("chat"), asked: model.asked().len(), deployed: log.lines().count() }
}

fn undisturbed() -> End {
    let (place, model) = (Place::with("specialists"), Model::serve(&script()));
    let output = chat(&place, &model).output().unwrap();
    end(&place, &model, &output)
}

/// Ends at the n-th commit, as soon as it is on the disk. False when there were fewer.
fn killed_after(n: usize, expected: &End) -> bool {
    let (place, model) = (Place::with("specialists"), Model::serve(&script()));
    let first = chat(&place, &model).env(VARIABLE, format!("commit.exit:{n}")).output().unwrap();
    if first.status.success() {
        return false;
    }
    assert_eq!(first.status.signal(), Some(SIGABRT), "{n}: {}", told(&first));
    // What was shown was heard: there is nothing to go on with.
    if String::from_utf8_lossy(&first.stdout).contains("It is done") && place.is_heard() {
        return true;
    }
    let output = chat(&place, &model).output().unwrap();
    assert_eq!(model.repeated(), 0, "killed after commit {n}");
    assert_eq!(end(&place, &model, &output), *expected, "killed after commit {n}");
    true
}

#[test]
fn killed_after_any_record_nothing_is_asked_twice() {
    let expected = undisturbed();
    let next = AtomicUsize::new(1);
    // Several at a time: most of it is waiting for processes to start.
    let kills: usize = std::thread::scope(|scope| {
        let kill = || (0..).take_while(|_| killed_after(next.fetch_add(1, Ordering::Relaxed), &expected)).count();
        let killers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(kill)).collect();
        killers.into_iter().map(|killer| killer.join().unwrap()).sum()
    });
    println!("{kills} kills: 0 questions repeated");
    assert!(kills > 20, "only {kills}");
}

/// Killed while a model thinks: this question is asked again, and no other.
#[test]
fn killed_within_a_question_only_that_one_is_asked_again() {
    let expected = undisturbed();
    std::thread::scope(|scope| {
        for (agent, turn) in
            [("generalist", 1), ("test-specialist", 2), ("generalist", 2), ("deploy-specialist", 3), ("generalist", 3)]
        {
            let expected = &expected;
            scope.spawn(move || killed_within(agent, turn, expected));
        }
    });
}

fn killed_within(agent: &str, turn: u32, expected: &End) {
    let stall = format!("- {{when: {{agent: {agent}, turn: {turn}}}, times: 1, stall: 1, say: I think}}\n");
    let (place, model) = (Place::with("specialists"), Model::serve(&format!("{stall}{}", script())));
    let mut process = chat(&place, &model).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !model.server.asked().iter().any(|asked| asked.entry == Some(1)) {
        assert!(begun.elapsed() < PATIENCE, "{agent} was never asked for the time {turn}");
        std::thread::yield_now();
    }
    process.kill().unwrap();
    assert_eq!(process.wait().unwrap().signal(), Some(SIGKILL));
    let output = chat(&place, &model).output().unwrap();
    assert_eq!(model.repeated(), 1, "{agent} {turn}");
    let end = end(&place, &model, &output);
    assert_eq!(End { asked: end.asked - 1, ..end }, *expected, "{agent} {turn}");
}
