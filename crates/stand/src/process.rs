//! A server that runs: it is ready, paused, ended in a good or a bad way, and never outlives whoever holds it.

use crate::{Fault, keeper};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long a server may take until it is ready, and until it has ended.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often one looks whether it is.
const LOOK: Duration = Duration::from_millis(10);

/// A server that runs.
pub struct Process {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts it, with its words in this file, and waits until it is ready.
    pub fn start(
        name: &'static str,
        mut command: Command,
        log: &Path,
        ready: impl Fn() -> bool,
    ) -> Result<Self, Fault> {
        let open = || File::options().create(true).append(true).open(log);
        let (out, err) = open().and_then(|out| Ok((out, open()?))).map_err(|e| Fault::of(name, e))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let child = keeper::spawn(command).map_err(|e| Fault::of(&format!("{name} cannot be started"), e))?;
        let mut process = Self { name, child, log: log.to_path_buf() };
        process.wait_until(&ready)?;
        Ok(process)
    }

    fn wait_until(&mut self, ready: &dyn Fn() -> bool) -> Result<(), Fault> {
        let begun = Instant::now();
        while !ready() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(self.fault(&format!("ended at once ({status})")));
            }
            if begun.elapsed() > PATIENCE {
                return Err(self.fault("is not ready in time"));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    fn fault(&self, what: &str) -> Fault {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        Fault(format!("{} {what}:\n{}", self.name, lines[lines.len().saturating_sub(20)..].join("\n")))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<(), Fault> {
        let id = i32::try_from(self.child.id()).map_err(|e| Fault::of(self.name, e))?;
        kill(Pid::from_raw(id), signal).map_err(|e| Fault::of(self.name, e))
    }

    /// Ends it by a signal, and waits until it has ended.
    pub fn end(mut self, signal: Signal) -> Result<(), Fault> {
        self.signal(signal)?;
        // One that is paused hears nothing but this.
        self.signal(Signal::SIGCONT)?;
        let begun = Instant::now();
        while self.child.try_wait().map_err(|e| Fault::of(self.name, e))?.is_none() {
            if begun.elapsed() > PATIENCE {
                return Err(self.fault("does not end in time"));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
