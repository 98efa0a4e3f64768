//! A folder of its own, in which commands are typed, and processes that go on beside them.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// The binary with these words.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        for name in
            ["HANDOVER_DB", "HANDOVER_SERVER", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "COLUMNS"]
        {
            command.env_remove(name);
        }
        command
    }

    /// Everything that commands show, one after the other. Words are apart by spaces; `'a b'` is one.
    pub fn says(&self, lines: &str) -> String {
        let mut shown = String::new();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words = words(line);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            shown += &format!("$ handover {line}\n{}", told(&self.command(&words).output().unwrap()));
        }
        self.masked(&shown)
    }

    /// Without the folder.
    pub fn masked(&self, text: &str) -> String {
        let folder = self.path().canonicalize().unwrap();
        text.replace(folder.to_str().unwrap(), "FOLDER").replace(self.path().to_str().unwrap(), "FOLDER")
    }

    /// What a command writes to stdout as JSON; it must end well.
    pub fn json(&self, line: &str) -> Value {
        let words = words(line);
        let words: Vec<&str> = std::iter::once("--json").chain(words.iter().map(String::as_str)).collect();
        let output = self.command(&words).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", told(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// What a command writes when this is written to it.
    pub fn hears(&self, line: &str, input: &str) -> Output {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.command(&words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// `keep`, which is ready.
    pub fn keep(&self) -> Other {
        let child = self.command(&["keep", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut other = Other(child);
        let mut line = String::new();
        BufReader::new(other.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("agents_at_work"), "{line}");
        other
    }
}

/// A process that goes on, and ends with the test.
pub struct Other(pub Child);

impl Drop for Other {
    fn drop(&mut self) {
        // Fails only for one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

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
pub fn told(output: &Output) -> String {
    let mut shown = String::from_utf8_lossy(&output.stdout).into_owned();
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        shown += &format!("! {line}\n");
    }
    if let Some(code @ 1..) = output.status.code() {
        shown += &format!("= {code}\n");
    }
    shown
}
