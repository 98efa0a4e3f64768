//! Starting the child, reading what it says, and killing it.

use crate::log::Log;
use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    time::{Duration, Instant},
};

const FOLDER: &str = "HANDOVER_CRASH_FOLDER";
const JOBS: &str = "HANDOVER_CRASH_JOBS";
const CLIENTS: &str = "HANDOVER_CRASH_CLIENTS";
const PULLERS: &str = "HANDOVER_CRASH_PULLERS";

/// Longest time that a child may take to finish by itself. Far more than it needs: it only ends a hang.
const PATIENCE: Duration = Duration::from_secs(120);
const SIGKILL: i32 = 9;
const SIGABRT: i32 = 6;

/// What a child does.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Where the database is.
    pub folder: PathBuf,
    /// Up to which job each client works; more than it can do when it is to be killed.
    pub jobs: u64,
    /// How many clients work at the same time.
    pub clients: u64,
    /// How many of them pull their work with a lease, instead of giving it to agents of the process.
    pub pullers: u64,
}

impl Plan {
    pub fn endless(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), jobs: u64::MAX, clients: 16, pullers: 2 }
    }

    pub fn from_environment() -> Option<Self> {
        let number = |name: &str| std::env::var(name).expect("set with the folder").parse().expect("a number");
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        Some(Self { folder, jobs: number(JOBS), clients: number(CLIENTS), pullers: number(PULLERS) })
    }

    pub fn store(&self) -> String {
        store(&self.folder)
    }
}

/// The file that names a store which is elsewhere.
pub const ELSEWHERE: &str = "elsewhere";

/// Where everything is kept: a file of this folder, unless another place is written down in it.
pub fn store(folder: &Path) -> String {
    let here = || folder.join("crash.db").to_str().expect("a folder with a plain name").to_owned();
    std::fs::read_to_string(folder.join(ELSEWHERE)).unwrap_or_else(|_| here())
}

/// Says a line to the parent, in one write. In the child.
pub fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // The leading line break ends whatever the test harness has printed before.
    out.write_all(format!("\n@ {line}\n").as_bytes()).expect("the parent reads");
    out.flush().expect("the parent reads");
}

/// A running child.
pub struct Child {
    process: std::process::Child,
    lines: Receiver<String>,
}

impl Child {
    /// Starts this executable again as the child.
    pub fn start(plan: &Plan) -> Self {
        Self::start_with(plan, this_test(), &[])
    }

    /// Starts the child through another command, with further variables.
    pub fn start_with(plan: &Plan, mut command: Command, variables: &[(&str, &str)]) -> Self {
        command.args(["--exact", "child", "--nocapture", "--test-threads=1"]);
        command.env(FOLDER, &plan.folder).env(JOBS, plan.jobs.to_string());
        command.env(CLIENTS, plan.clients.to_string()).env(PULLERS, plan.pullers.to_string());
        command.envs(variables.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the child starts");
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // A line without its end was cut off by the kill: it was never said.
            while out.read_line(&mut line).is_ok_and(|n| n > 0) && line.ends_with('\n') {
                let said = std::mem::take(&mut line);
                if let Some(text) = said.trim_end().strip_prefix("@ ") {
                    let _ = sender.send(text.to_owned());
                }
            }
        });
        Self { process, lines }
    }

    /// Takes down what it says until then. False when it has ended before.
    pub fn listen(&self, log: &mut Log, until: Instant) -> bool {
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => log.line(&line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Takes down what it says until it says a line that begins with this word. False when it has ended before.
    pub fn listen_for(&self, log: &mut Log, word: &str) -> bool {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    log.line(&line);
                    if line.split(' ').next() == Some(word) {
                        return true;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("the child never said \"{word}\""),
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
    }

    /// Kills it with SIGKILL and takes down what it had said. True when it lived until then.
    pub fn kill(mut self, log: &mut Log) -> bool {
        self.process.kill().expect("it can be killed");
        let status = self.process.wait().unwrap();
        self.drain(log);
        let killed = status.signal() == Some(SIGKILL);
        assert!(killed || status.success(), "the child ended by itself: {status}");
        killed
    }

    /// Waits until it ends by itself.
    pub fn finish(mut self, log: &mut Log) -> ExitStatus {
        if self.listen(log, Instant::now() + PATIENCE) {
            panic!("the child hangs; the last it said: {:?}", log.tail());
        }
        self.process.wait().unwrap()
    }

    fn drain(&self, log: &mut Log) {
        while let Ok(line) = self.lines.recv_timeout(PATIENCE) {
            log.line(&line);
        }
    }
}

impl Drop for Child {
    /// A test that fails leaves no child behind. Killing and waiting fail only for one that has ended.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// This executable.
pub fn this_test() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// Whether it ended by an abort.
pub fn aborted(status: ExitStatus) -> bool {
    status.signal() == Some(SIGABRT)
}
