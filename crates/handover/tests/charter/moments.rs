//! A run as a process: what it says, the moment to kill it, and what must hold afterwards.

use crate::Place;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::process::ExitStatusExt,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

/// Far longer than a run takes: it only ends a hang.
const PATIENCE: Duration = Duration::from_secs(60);
const SIGKILL: i32 = 9;

/// A run that goes on.
pub struct Running {
    process: Child,
    lines: Receiver<Value>,
}

impl Running {
    pub fn start(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // A line without its end was cut off by the kill.
            while out.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
                let _ = sender.send(serde_json::from_str(&line).expect("a line of JSON"));
                line.clear();
            }
        });
        Self { process, lines }
    }

    /// Waits until it says this. False when it has ended before.
    pub fn says(&self, mut heard: impl FnMut(&Value) -> bool) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if heard(&line["payload"]) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => panic!("the run hangs"),
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Waits until something is so that can be seen from outside.
    pub fn shows(&self, seen: impl Fn() -> bool) -> bool {
        let begun = Instant::now();
        while !seen() {
            assert!(begun.elapsed() < PATIENCE, "the run hangs");
            std::thread::yield_now();
        }
        true
    }

    /// Kills it. True when it lived until then.
    pub fn kill(mut self) -> bool {
        self.process.kill().unwrap();
        self.process.wait().unwrap().signal() == Some(SIGKILL)
    }
}

impl Running {
    /// Interrupts it, as Ctrl-C does, and waits. Gives how it ended.
    pub fn interrupt(mut self) -> Option<i32> {
        let sent = Command::new("kill").arg("-INT").arg(self.process.id().to_string()).status().unwrap();
        assert!(sent.success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Running {
    /// A test that fails leaves no process behind. Killing and waiting fail only for one that has ended.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The files of the outbox.
pub fn outbox(place: &Place) -> Vec<String> {
    let files = fs::read_dir(place.at("charter-run/outbox")).into_iter().flatten();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

/// How many requests the market keeps.
pub fn rfps(place: &Place) -> usize {
    fs::read_to_string(place.at("charter-run/market/rfps.jsonl")).map_or(0, |text| text.lines().count())
}

/// The records of a session with this event.
fn records(place: &Place, session: &str, event: &str) -> Vec<Value> {
    let args = ["audit", "--json", "--limit", "1000", "--session", session, "--event", event];
    let output = place.handover(&args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let line = |line: &str| serde_json::from_str::<Value>(line).unwrap()["record"]["event"].clone();
    String::from_utf8(output.stdout).unwrap().lines().map(line).collect()
}

/// After all deaths: every rule acted once, every step was done once, one letter and one request, and the trail is whole.
pub fn must_be_whole(place: &Place, sessions: &[(&str, &[&str])], how: &str) {
    let letters = outbox(place);
    let whole = letters.iter().all(|name| name.ends_with(".eml"));
    assert!(letters.len() == sessions.len() && whole, "{how}: {letters:?}");
    assert_eq!(rfps(place), sessions.len(), "{how}: requests that the market has");
    for (session, rules) in sessions {
        let acted = records(place, session, "state_changed");
        let acted: Vec<&str> = acted.iter().filter_map(|event| event["rule"].as_str()).collect();
        assert_eq!(acted, *rules, "{how}: rules of {session}");
        let mut steps: Vec<String> = records(place, session, "step_recorded")
            .iter()
            .map(|event| format!("{} {}", event["id"], event["name"]))
            .collect();
        let all = steps.len();
        steps.sort_unstable();
        steps.dedup();
        assert_eq!(steps.len(), all, "{how}: steps of {session} that were done twice");
    }
    let verified = place.handover(&["verify"]).output().unwrap();
    assert!(verified.status.success(), "{how}: {}", String::from_utf8_lossy(&verified.stderr));
}
