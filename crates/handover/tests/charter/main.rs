//! The charter team as people run it: every rule through the real binary, the times of retries on a clock moved by
//! hand, and processes that are killed in every state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod house;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod moments;
mod page;
mod rules;
mod sequence;
mod story;
mod times;

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};
use story::Story;
use tempfile::TempDir;

/// The folder of the workflow.
const HOME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workflows/charter");
/// A market that answers at once.
const QUICK: [&str; 6] = ["--with", "market.first_after_ms=0", "--with", "market.every_ms=0", "--with", "poll_ms=10"];

/// A folder of its own, in which the team runs.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A file below the folder.
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The binary in this folder.
    fn handover(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("HANDOVER_DB");
        command
    }

    /// `handover run` with these requests of the workflow's folder, and these further arguments.
    fn run(&self, requests: &[&str], more: &[&str]) -> Command {
        let mut command = self.handover(&["run", HOME, "--json"]);
        for name in requests {
            command.arg("--input").arg(Path::new(HOME).join("data/requests").join(name));
        }
        command.args(more);
        command
    }

    /// Runs to the end, and tells what happened.
    fn story(&self, requests: &[&str], more: &[&str]) -> Story {
        let output = self.run(requests, more).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let story = Story::of_lines(&String::from_utf8(output.stdout).unwrap());
        let completed = story.ends.iter().all(|end| end["ended"] == "completed");
        assert!(!story.ends.is_empty(), "{requests:?} {more:?} has no end: {said}");
        assert_eq!(output.status.success(), completed, "{requests:?} {more:?}: {said}");
        story
    }
}
