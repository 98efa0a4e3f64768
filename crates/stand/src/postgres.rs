//! A PostgreSQL of one's own.

use crate::{
    Fault, keeper,
    place::{folder, free_port, person, postgres_program, run},
    process::Process,
};
use nix::sys::signal::Signal;
use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// Who owns everything in it, and the name of its database. It is asked for no password.
const OWNER: &str = "handover";
/// Somebody who is asked for a password.
pub const GUARDED: &str = "guarded";
/// The password.
pub const SECRET: &str = "a secret for tests";
/// As a server that is used is set: whatever is committed is on disk. It is only small, because tests are.
const SETTINGS: &str = "\
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
shared_buffers = 64MB
max_connections = 300
fsync = on
synchronous_commit = on
";
const DOOR: &str = "\
host all guarded 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
";
/// Others look for free ports, too: a port may be gone before it is used.
const PORTS: usize = 5;

/// A PostgreSQL in a temporary folder on a free port.
pub struct Postgres {
    port: u16,
    person: Option<&'static str>,
    // Ends before its folder goes.
    process: Option<Process>,
    folder: TempDir,
}

impl Postgres {
    /// Makes one and starts it.
    ///
    /// # Errors
    /// When PostgreSQL is not installed or does not start; it says which package is missing, or shows what the server said.
    pub fn start() -> Result<Self, Fault> {
        let person = person()?;
        let mut new = Self { port: 0, person, process: None, folder: folder(person)? };
        new.make()?;
        let mut tries = 0;
        loop {
            new.port = free_port()?;
            tries += 1;
            match new.start_again() {
                Err(_) if tries < PORTS => {}
                outcome => break outcome?,
            }
        }
        new.sql("postgres", &format!("CREATE DATABASE {OWNER}"))?;
        new.sql("postgres", &format!("CREATE ROLE {GUARDED} LOGIN SUPERUSER PASSWORD '{SECRET}'"))?;
        Ok(new)
    }

    fn make(&self) -> Result<(), Fault> {
        let mut command = self.program("initdb")?;
        command.args([
            "--username",
            OWNER,
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
            "--no-locale",
            "--no-instructions",
        ]);
        run(command.arg("--pgdata").arg(self.data()))?;
        let path = self.data().join("postgresql.conf");
        let made = fs::write(self.data().join("pg_hba.conf"), DOOR)
            .and_then(|()| fs::write(&path, fs::read_to_string(&path)? + SETTINGS));
        made.map_err(|e| Fault::of("the settings of PostgreSQL cannot be written", e))
    }

    fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Result<Command, Fault> {
        let program = postgres_program(name)?;
        let mut command = keeper::command(&program.to_string_lossy(), "QUIT", self.person);
        // Whoever runs it may not enter the folder that we are in.
        command.current_dir(self.folder.path());
        Ok(command)
    }

    /// Starts it again where it was, on the same port.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start_again(&mut self) -> Result<(), Fault> {
        if self.process.is_some() {
            return Ok(());
        }
        let mut command = self.program("postgres")?;
        command.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        let log = self.folder.path().join("log");
        let ready = postgres_program("pg_isready")?;
        let ready = || is_ready(&ready, self.port);
        self.process = Some(Process::start("PostgreSQL", command, &log, ready)?);
        Ok(())
    }

    /// Ends it in good order: connections are closed, nothing is lost.
    ///
    /// # Errors
    /// When it does not end.
    pub fn stop(&mut self) -> Result<(), Fault> {
        self.process.take().map_or(Ok(()), |process| process.end(Signal::SIGINT))
    }

    /// Ends it as a power cut would, as far as a process can: it recovers when it is started again.
    ///
    /// # Errors
    /// When it does not end.
    pub fn kill(&mut self) -> Result<(), Fault> {
        self.process.take().map_or(Ok(()), |process| process.end(Signal::SIGQUIT))
    }

    /// Stops it in good order and starts it again.
    ///
    /// # Errors
    /// When it does not end or start.
    pub fn restart(&mut self) -> Result<(), Fault> {
        self.stop()?;
        self.start_again()
    }

    /// Runs SQL in one of its databases as its owner, and gives what comes of it, a line for a row.
    ///
    /// # Errors
    /// When the server refuses it.
    pub fn sql(&self, database: &str, text: &str) -> Result<String, Fault> {
        let mut command = Command::new(postgres_program("psql")?);
        let address = format!("postgres://{OWNER}@127.0.0.1:{}/{database}", self.port);
        run(command.args(["--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", "-d", &address, "-c", text]))
    }

    /// The address of its database, for whoever owns it.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_by("127.0.0.1", self.port)
    }

    /// The same by another way, as that of a proxy.
    #[must_use]
    pub fn url_by(&self, host: &str, port: u16) -> String {
        format!("postgres://{OWNER}@{host}:{port}/{OWNER}")
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder that it lives in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn is_ready(program: &Path, port: u16) -> bool {
    let mut command = Command::new(program);
    command.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string(), "-U", OWNER, "-d", "postgres"]);
    command.status().is_ok_and(|status| status.success())
}
