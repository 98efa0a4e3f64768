//! A server in a process of its own, as people start it.

use super::load::text;
use serde_json::Value;
use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
};

/// The settings of the load: nothing limits how often anything is handed over.
pub(super) const SETTINGS: &str = "\
policy:
  limits: {handoffs: 4294967295, escalations: 4294967295, chain: 4294967295}
  loops: {repeats_within: 0, idle_rounds: 0, pair_per_minute: 0}
  breaker: {failures: 0}
agents:
  - {id: planner, kind: worker, max_concurrent_tasks: 1000000}
  - {id: pilot, kind: worker, max_concurrent_tasks: 1000000}
";

/// A server that runs.
pub(super) struct Served {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Served {
    /// Starts one on the database of this folder, and waits until it says that it answers.
    pub(super) fn start(folder: &Path) -> Result<Self, String> {
        Self::start_with(folder, SETTINGS)
    }

    /// The same with settings of its own.
    pub(super) fn start_with(folder: &Path, said: &str) -> Result<Self, String> {
        let settings = folder.join("handover.yaml");
        std::fs::write(&settings, said).map_err(text)?;
        let log = File::create(folder.join("server.log")).map_err(text)?;
        let mut child = Command::new(std::env::current_exe().map_err(text)?)
            .args(["bench", "handover", "serve", "--json", "--listen", "127.0.0.1:0", "--per-second", "10000000"])
            .arg("--db")
            .arg(folder.join("bench.db"))
            .arg("--config")
            .arg(settings)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(text)?;
        let mut line = String::new();
        let said = child.stdout.take().map(|stdout| BufReader::new(stdout).read_line(&mut line));
        let value: Value = serde_json::from_str(&line).unwrap_or_default();
        let address = value["url"].as_str().and_then(|url| url.trim_start_matches("http://").parse().ok());
        match (said, address) {
            (Some(Ok(_)), Some(address)) => Ok(Self { child, address }),
            _ => {
                let _ = child.kill();
                let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
                Err(format!("the server did not start: {line}{log}"))
            }
        }
    }

    /// Memory that it holds, in MiB.
    pub(super) fn mib(&self) -> Result<f64, String> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).map_err(text)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no memory is told")?;
        let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().map_err(text)?;
        Ok(kib / 1024.0)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Nobody needs its file any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
