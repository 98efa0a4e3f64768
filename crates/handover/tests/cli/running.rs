//! `run` and `demo`: what they tell programs, what the same data does twice, and what an interrupt leaves.

use crate::{Place, told};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

/// A workflow of one agent, which is the program `clerk.sh`.
const WORKFLOW: &str = "\
name: shop
agents:
  clerk: {run: {command: [sh, clerk.sh]}}
start: WORKING
states:
  WORKING: {agent: clerk}
  DONE: {end: completed}
  LOST: {end: failed}
rules:
  - {id: done, from: clerk, trigger_state: WORKING_COMPLETE, reason: It is done., next_state: DONE}
  - {id: lost, from: clerk, trigger_state: WORKING_FAILED, reason: It is lost., next_state: LOST}
";

pub fn workflow(place: &Place) {
    fs::write(place.path().join("workflow.yaml"), WORKFLOW).unwrap();
}

/// A shop whose clerk says yes.
fn shop() -> Place {
    let place = Place::new();
    workflow(&place);
    fs::write(place.path().join("clerk.sh"), "echo '{\"data\": 7, \"notes\": \"yes\"}'").unwrap();
    place
}

/// A process that goes on.
pub struct Other {
    child: Child,
    lines: Vec<String>,
}

impl Other {
    pub fn start(place: &Place, line: &str) -> Self {
        let child = place.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, lines: Vec::new() }
    }

    /// Reads until it says this.
    pub fn says(&mut self, what: &str) {
        let mut out = BufReader::with_capacity(1, self.child.stdout.as_mut().unwrap());
        let mut line = String::new();
        while out.read_line(&mut line).unwrap() > 0 {
            self.lines.push(std::mem::take(&mut line));
            if self.lines.last().unwrap().contains(what) {
                return;
            }
        }
        panic!("it never says {what}: {:?}", self.lines);
    }

    /// Interrupts it as Ctrl-C does. How it ended, the lines that it wrote, and what it said beside them.
    pub fn interrupt(mut self) -> (Option<i32>, Vec<String>, String) {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let (mut rest, mut said) = (String::new(), String::new());
        self.child.stdout.take().unwrap().read_to_string(&mut rest).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        self.lines.extend(rest.lines().map(str::to_owned));
        (self.child.wait().unwrap().code(), std::mem::take(&mut self.lines), said)
    }
}

impl Drop for Other {
    /// A test that fails leaves no process behind. Killing and waiting fail only for one that has ended.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The last line, after a look at all: each has a type, and no other is like it.
fn run_ended(text: &str) -> Value {
    let lines = lines(text);
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap_or_else(|| panic!("{line}"))).collect();
    let ends = types.iter().filter(|kind| **kind == "RUN_ENDED").count();
    assert_eq!((ends, types.last()), (1, Some(&"RUN_ENDED")), "{types:?}");
    lines.last().unwrap().clone()
}

#[test]
fn the_last_line_of_a_run_says_how_each_session_ended() {
    let place = shop();
    fs::write(place.path().join("in.json"), "[{\"n\": 1}, {\"n\": 2}]").unwrap();
    for more in ["", " --quiet"] {
        let mut last = run_ended(&place.good(&format!("run --json --input in.json --session s{more}")));
        assert!(last["folder"].take().as_str().unwrap().ends_with("shop-run"));
        let session = |n: u64| {
            json!({
                "session_id": format!("s-{n}"), "state": "DONE", "ended": "completed", "trouble": "", "handoffs": 1,
                "result": 7, "notes": "yes", "inputs": [n],
            })
        };
        let sessions = [session(1), session(2)];
        let expected = json!({
            "type": "RUN_ENDED", "workflow": "shop", "interrupted": false, "sessions": sessions, "folder": null,
        });
        assert_eq!(last, expected, "{more}");
    }
}

#[test]
fn a_session_that_is_there_with_other_data_is_refused_and_the_rest_goes_on() {
    let place = shop();
    fs::write(place.path().join("one.json"), "{\"n\": 1}").unwrap();
    fs::write(place.path().join("other.json"), "[{\"n\": 2}, {\"n\": 3}]").unwrap();
    place.good("run --input one.json --session s-1");
    let output = place.output("run --json --input other.json --session s");
    assert_eq!(output.status.code(), Some(1));
    let last = run_ended(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(last["sessions"][0]["refusals"][0]["message"], "session s-1 was started with other data");
    assert_eq!((&last["sessions"][0]["ended"], &last["sessions"][1]["ended"]), (&Value::Null, &"completed".into()));
    let told = told(&place.output("run --input other.json --session s"));
    let expected = "! handover: HO0601 input: session s-1 was started with other data\n\
                    !   hint: choose another session, or give the same data\n";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn equal_inputs_are_one_session_and_it_says_so() {
    let place = shop();
    fs::write(place.path().join("in.json"), "[{\"n\": 1}, {\"n\": 2}, {\"n\": 1}]").unwrap();
    let told = told(&place.output("run --input in.json --quiet"));
    let expected = "! inputs 1 and 3 are the same: one session, shop-";
    assert!(told.contains(expected) && told.contains("--session NAME gives each a session of its own"), "{told}");
    assert_eq!(told.matches("DONE").count(), 2, "{told}");
    let last = run_ended(&place.good("run --input in.json --json"));
    let inputs: Vec<&Value> = last["sessions"].as_array().unwrap().iter().map(|session| &session["inputs"]).collect();
    assert_eq!(inputs, [&json!([1, 3]), &json!([2])]);
    // With names of their own they are sessions of their own.
    let last = run_ended(&place.good("run --input in.json --json --session s"));
    assert_eq!(last["sessions"].as_array().unwrap().len(), 3);
}

#[test]
fn inputs_that_start_nothing_are_refused() {
    let place = shop();
    fs::write(place.path().join("none.json"), "[]").unwrap();
    fs::write(place.path().join("none.yaml"), "[]").unwrap();
    for name in ["none.json", "none.yaml"] {
        let told = told(&place.output(&format!("run --input {name}")));
        let expected = format!("! handover: {name} is an empty list\n!   hint: give at least one request\n= 1\n");
        assert_eq!(told, expected);
    }
    // Nor where the list lies beside the workflow.
    fs::write(place.path().join("input.json"), "[]").unwrap();
    let told = told(&place.output("run"));
    assert!(told.contains("input.json is an empty list\n!   hint: give at least one request\n= 1\n"), "{told}");
}

#[test]
fn a_demo_that_is_interrupted_says_how_to_go_on_and_a_second_one_what_is_there() {
    let place = Place::new();
    let mut demo = Other::start(&place, "demo d.db");
    demo.says("desk → orchestrator");
    let (code, _, said) = demo.interrupt();
    assert_eq!(code, Some(1));
    assert!(said.contains("handover: interrupted; nothing is lost: the database is d.db\n"), "{said}");
    assert!(said.contains("demo d.db`"), "{said}");

    let text = place.good("demo d.db");
    let outbox = || fs::read_dir(place.path().join("d.db-run/outbox")).unwrap().count();
    assert!(text.contains("letters to the clients: d.db-run/outbox"), "{text}");
    assert_eq!(outbox(), 3);

    let text = place.good("demo d.db");
    assert!(text.starts_with("d.db has the three requests already."), "{text}");
    assert_eq!(text.matches("has ended before, in COMPLETED; nothing is done again").count(), 3, "{text}");
    assert!(text.contains("letters to the clients: d.db-run/outbox"), "{text}");
    assert_eq!(outbox(), 3);

    let last = run_ended(&place.good("demo d.db --json"));
    let ended: Vec<&Value> = last["sessions"].as_array().unwrap().iter().map(|session| &session["ended"]).collect();
    assert_eq!(ended, ["completed"; 3]);
    assert_eq!((&last["db"], &last["folder"]), (&"d.db".into(), &"d.db-run".into()));

    // A folder without its database is not taken for a new one.
    fs::remove_file(place.path().join("d.db")).unwrap();
    let told = told(&place.output("demo d.db"));
    assert!(told.contains("d.db-run is there from an earlier demo, and d.db is not"), "{told}");
}

#[test]
fn statistics_tell_of_a_workflow_and_of_what_stopped_it() {
    let place = shop();
    fs::write(place.path().join("in.json"), "[1, 2, 3]").unwrap();
    place.good("run --input in.json --quiet");
    fs::write(place.path().join("clerk.sh"), "exit 1").unwrap();
    assert_eq!(place.output("run --quiet --session lost").status.code(), Some(1));
    let stats = place.json("stats --workflow shop");
    assert_eq!(stats["workflows"], json!({"shop": {"sessions": 4, "handoffs": 4}}));
    let clerk = &stats["handoffs_by_agent"]["clerk"];
    assert_eq!((&clerk["received"], &clerk["success_rate"]), (&4.into(), &0.75.into()));
    assert_eq!((&stats["records"], &stats["pairs"][0]["count"]), (&Value::Null, &4.into()));
    assert_eq!(place.json("stats --session lost")["by_status"], json!({"failed": 1}));
    assert_eq!(place.json("stats --since 2100-01-01")["total_handoffs"], 0);
    let ended = |name: &str| place.json(&format!("sessions show {name}"))["ended"].clone();
    assert_eq!(ended("lost"), "failed");
    let sessions = place.good("sessions");
    let marks = |mark: &str| sessions.lines().filter(|line| line.contains(mark)).count();
    assert_eq!((marks("✓"), marks("✗")), (3, 1), "{sessions}");
    let text = place.good("stats --workflow shop --since 1h");
    for part in ["clerk     0         4        0   75%", "WORKFLOW  SESSIONS  HANDOFFS\nshop             4         4"] {
        assert!(text.contains(part), "{text}");
    }
    for (line, why) in [
        ("stats --workflow shp", "did you mean \"shop\"?"),
        ("stats --session none", "there is no session none"),
        ("stats --since soon", "HO0104"),
    ] {
        let told = told(&place.output(line));
        assert!(told.contains(why) && told.ends_with("= 1\n"), "{told}");
    }
}

#[test]
fn a_drawing_for_programs_has_its_text() {
    let place = shop();
    place.good("run --session s --quiet");
    for what in ["", ".", "shop", "s"] {
        for (form, part) in [("text", "clerk"), ("mermaid", "flowchart"), ("dot", "digraph"), ("svg", "<svg")] {
            let drawn = place.json(&format!("graph {what} --form {form}"));
            assert_eq!((drawn.as_object().unwrap().len(), &drawn["form"]), (2, &form.into()), "{what}");
            assert!(drawn["drawing"].as_str().unwrap().contains(part), "{what} {drawn}");
        }
    }
    let told = told(&place.output("graph nothing"));
    assert!(told.contains("there is neither a session nor a workflow nothing") && told.ends_with("= 1\n"), "{told}");
    let written = place.json("graph s --form svg --output s.svg");
    assert_eq!(written, json!({"form": "svg", "file": "s.svg"}));
    assert!(fs::read_to_string(place.path().join("s.svg")).unwrap().starts_with("<svg"));
}
