//! A nats-server of one's own, with JetStream.

use crate::{
    Fault, keeper,
    place::{folder, free_port, missing, on_path},
    process::Process,
};
use nix::sys::signal::Signal;
use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpStream,
    time::Duration,
};
use tempfile::TempDir;

/// Others look for free ports, too: a port may be gone before it is used.
const PORTS: usize = 5;
/// How long it may take to say its first word to whoever connects.
const GREETING: Duration = Duration::from_millis(500);

/// A nats-server in a temporary folder on a free port.
pub struct Nats {
    port: u16,
    /// Who may connect, where not everybody may.
    login: Option<(String, String)>,
    /// Lines of its settings.
    lines: Vec<String>,
    // Ends before its folder goes.
    process: Option<Process>,
    folder: TempDir,
}

impl Nats {
    /// Starts one that everybody may talk to.
    ///
    /// # Errors
    /// When it is not installed or does not start; it says which package is missing, or shows what the server said.
    pub fn start() -> Result<Self, Fault> {
        Self::start_for(None, &[])
    }

    /// Starts one that asks for this name and password.
    ///
    /// # Errors
    /// As [`Nats::start`].
    pub fn start_guarded(user: &str, password: &str) -> Result<Self, Fault> {
        Self::start_for(Some((user.to_owned(), password.to_owned())), &[])
    }

    /// Starts one with these lines of settings, such as `max_payload: 16384`.
    ///
    /// # Errors
    /// As [`Nats::start`].
    pub fn start_with(lines: &[&str]) -> Result<Self, Fault> {
        Self::start_for(None, lines)
    }

    /// Starts one on a port that was found to be free before.
    ///
    /// # Errors
    /// As [`Nats::start`], also when somebody else has the port by now.
    pub fn start_on(port: u16) -> Result<Self, Fault> {
        let mut new = Self { port, login: None, lines: Vec::new(), process: None, folder: folder(None)? };
        new.start_again()?;
        Ok(new)
    }

    fn start_for(login: Option<(String, String)>, lines: &[&str]) -> Result<Self, Fault> {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        let mut new = Self { port: 0, login, lines, process: None, folder: folder(None)? };
        let mut tries = 0;
        loop {
            new.port = free_port()?;
            tries += 1;
            match new.start_again() {
                Err(_) if tries < PORTS && on_path("nats-server").is_some() => {}
                outcome => break outcome?,
            }
        }
        Ok(new)
    }

    /// Starts it again where it was, on the same port.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start_again(&mut self) -> Result<(), Fault> {
        if self.process.is_some() {
            return Ok(());
        }
        let program = on_path("nats-server").ok_or_else(|| missing("nats-server", "nats-server"))?;
        let mut command = keeper::command(&program.to_string_lossy(), "KILL", None);
        command.args(["--jetstream", "--addr", "127.0.0.1", "--port", &self.port.to_string(), "--store_dir"]);
        command.arg(self.folder.path().join("data"));
        let settings = self.folder.path().join("settings");
        fs::write(&settings, self.lines.join("\n")).map_err(|e| Fault::of("the settings of nats-server", e))?;
        command.arg("--config").arg(settings);
        if let Some((user, password)) = &self.login {
            command.args(["--user", user, "--pass", password]);
        }
        let log = self.folder.path().join("log");
        self.process = Some(Process::start("nats-server", command, &log, || is_ready(self.port))?);
        Ok(())
    }

    /// Ends it in good order.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&mut self) -> Result<(), Fault> {
        self.process.take().map_or(Ok(()), |process| process.end(Signal::SIGTERM))
    }

    /// Kills it.
    ///
    /// # Errors
    /// When it does not end.
    pub fn kill(&mut self) -> Result<(), Fault> {
        self.process.take().map_or(Ok(()), |process| process.end(Signal::SIGKILL))
    }

    /// Its address, without a name or a password.
    #[must_use]
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// It greets whoever connects with a line that begins so.
fn is_ready(port: u16) -> bool {
    let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let mut line = String::new();
    let heard = stream.set_read_timeout(Some(GREETING)).and_then(|()| BufReader::new(stream).read_line(&mut line));
    heard.is_ok() && line.starts_with("INFO ")
}
