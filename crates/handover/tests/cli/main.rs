//! The command line through the real binary: what is shown, to people and to programs, and how it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod by_hand;
mod config;
#[cfg(unix)]
mod desk;
#[cfg(unix)]
mod door;
mod errors;
mod help;
mod json;
mod keys;
#[cfg(unix)]
mod mcp;
mod people;
#[cfg(target_os = "linux")]
mod programs;
mod reading;
#[cfg(unix)]
mod running;
mod terminal;

use expect_test::Expect;
use regex::Regex;
use std::{
    path::Path,
    process::{Command, Output, Stdio},
};
use tempfile::TempDir;

/// A folder of its own, in which commands are typed.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with two people, a program, and a session.
    fn with_team() -> Self {
        let place = Self::new();
        place.good("agents register --name desk");
        place.good("agents register --name anna --kind human --can review --description Reviews");
        place.good("agents register --name bob --can search=0.7 --can review=0.4");
        place.good("sessions open trip --by desk --asking Nice");
        place
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The binary with these arguments, apart by spaces; `'a b'` is one.
    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(words(line)).current_dir(self.path()).stdin(Stdio::null());
        for name in ["COLUMNS", "NO_COLOR", "HANDOVER_DB", "CLICOLOR_FORCE", "HANDOVER_SERVER", "HANDOVER_KEY"] {
            command.env_remove(name);
        }
        command.env("USER", "carol");
        command
    }

    fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// What a command writes to stdout; it must end well.
    fn good(&self, line: &str) -> String {
        let output = self.output(line);
        let shown = told(&output);
        assert!(output.status.success(), "{line}\n{shown}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.good(&format!("{line} --json"))).unwrap()
    }

    /// Compares everything that commands show, one after the other.
    fn says(&self, lines: &str, expect: &Expect) {
        let mut shown = String::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            shown += &format!("$ handover {line}\n{}", told(&self.output(line)));
        }
        expect.assert_eq(&self.masked(&shown));
    }

    /// Without what is another each time: ids, times, lengths of time, the folder.
    fn masked(&self, text: &str) -> String {
        let folder = self.path().canonicalize().unwrap();
        let mut text =
            text.replace(folder.to_str().unwrap(), "FOLDER").replace(self.path().to_str().unwrap(), "FOLDER");
        let masks = [
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
            (r"\b[0-9a-f]{64}\b", "DIGEST"),
            (r"\b[0-9a-f]{8}\b", "aaaaaaaa"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-01-01T00:00:00.000Z"),
            (r"\b\d\d:\d\d:\d\d\.\d{3}\b", "00:00:00.000"),
            (r" +\+?\d+(\.\d)? (ms|s)\b", " TOOK"),
            (r"( +)TOOK( +)BEGUN", "  TOOK  BEGUN"),
            (r#""(duration_ms|accepted_ms)": \d+"#, "\"$1\": 0"),
            (r"process \d+", "process N"),
        ];
        for (pattern, stands) in masks {
            text = Regex::new(pattern).unwrap().replace_all(&text, stands).into_owned();
        }
        text
    }
}

/// The arguments of a line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, piece) in line.split('\'').enumerate() {
        if i % 2 == 1 {
            words.push(piece.to_owned());
        } else {
            words.extend(piece.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Stdout, then stderr with a mark before each line, then the exit code where it is not 0.
fn told(output: &Output) -> String {
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        shown += &format!("! {line}\n");
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => shown += &format!("= {code}\n"),
        None => shown += "= killed\n",
    }
    shown
}
