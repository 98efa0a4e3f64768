//! A folder in which commands are typed, with a schema of its own in the database of the run.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// A password that nobody may ever see.
pub const SECRET: &str = "geheim-0815";

pub struct Place {
    folder: TempDir,
    pub store: String,
}

impl Place {
    pub fn new() -> Self {
        let postgres = handover_stand::told_postgres().unwrap();
        let store = format!("{postgres}?schema=t_{}", uuid::Uuid::new_v4().simple());
        Self { folder: tempfile::tempdir().unwrap(), store }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null());
        for name in
            ["HANDOVER_DB", "HANDOVER_SERVER", "HANDOVER_KEY", "HANDOVER_BUS", "HANDOVER_NODE", "HANDOVER_STORE"]
        {
            command.env_remove(name);
        }
        command
    }

    /// What a command does on the store of this place.
    pub fn output(&self, args: &[&str]) -> Output {
        self.command(args).env("HANDOVER_STORE", &self.store).output().unwrap()
    }

    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let output = self.output(&[args, &["--json"]].concat());
        assert!(output.status.success(), "{args:?}\n{}", told(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A server on the store of this place, and its address.
    pub fn serve(&self, name: &str, more: &[&str]) -> Serving {
        let mut command =
            self.command(&[&["serve", "--listen", "127.0.0.1:0", "--json", "--node", name], more].concat());
        let mut child = command.env("HANDOVER_STORE", &self.store).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: serde_json::Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        Serving { child, url: said["url"].as_str().unwrap().to_owned(), said: line }
    }
}

pub struct Serving {
    child: Child,
    pub url: String,
    pub said: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
