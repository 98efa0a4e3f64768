//! Folders in which commands are typed, and a server that can be killed and begin again at the same address.

use handover_client::Client;
use regex::Regex;
use std::{
    io::{BufRead, BufReader},
    net::{SocketAddr, TcpListener},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use tempfile::TempDir;

/// A secret in the environment of every server: nobody may ever see it.
pub const MARKER: &str = "ho_secret_of_the_environment";

pub struct Place {
    folder: TempDir,
    /// The server that commands are asked of; a database of this folder when there is none.
    pub server: Option<String>,
}

impl Place {
    pub fn new(server: Option<&str>) -> Self {
        Self { folder: tempfile::tempdir().unwrap(), server: server.map(str::to_owned) }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    pub fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_handover"));
        command.args(words(line)).current_dir(self.path()).stdin(Stdio::null());
        for name in ["COLUMNS", "NO_COLOR", "HANDOVER_DB", "CLICOLOR_FORCE", "HANDOVER_SERVER", "HANDOVER_KEY"] {
            command.env_remove(name);
        }
        if let Some(server) = &self.server {
            command.env("HANDOVER_SERVER", server);
        }
        command.env("USER", "carol");
        command
    }

    pub fn output(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    pub fn json(&self, line: &str) -> serde_json::Value {
        let output = self.output(&format!("{line} --json"));
        assert!(output.status.success(), "{line}\n{}", told(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Everything that a command shows, without what is another each time.
    pub fn says(&self, line: &str) -> String {
        masked(&told(&self.output(line)))
    }
}

fn masked(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, stands) in [
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
        (r"\b[0-9a-f]{64}\b", "DIGEST"),
        (r"\b[0-9a-f]{8}\b", "aaaaaaaa"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "TIME"),
        (r"\b\d\d:\d\d:\d\d\.\d{3}\b", "CLOCK"),
        (r" +\+?\d+(\.\d)? (ms|s)\b", " TOOK"),
        (r"TOOK +", "TOOK "),
        // Every command that opens the database by itself leaves a word in the book of the house.
        (r"--after \d+", "--after N"),
        (r"(?m)^ *\d+ +TIME", "N TIME"),
        (r"\d{12}-\d{12}", "N-N"),
        (r#""position": ?\d+"#, "\"position\":N"),
        (r"\d+ (records|checkpoints?)\b", "N $1"),
        // The usage of a command shows what is set.
        (r"--server <URL> ", ""),
        (r"WELL +P50 +P95", "WELL P50 P95"),
        (r#""(duration_ms|accepted_ms|p50_ms|p95_ms|waited_ms|worked_ms)": \d+"#, "\"$1\": 0"),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, stands).into_owned();
    }
    text
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
    match output.status.code() {
        Some(0) => {}
        code => shown += &format!("= {code:?}\n"),
    }
    shown
}

/// An address that nobody listens at.
pub fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A process that ends with the test.
pub struct Other(pub Child);

impl Drop for Other {
    fn drop(&mut self) {
        // Fails only for one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Other {
    /// Starts it, and gives its first line.
    pub fn start(mut command: Command) -> (Self, String) {
        let mut other = Self(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        BufReader::new(other.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        (other, line)
    }
}

/// A server over the database of a folder.
pub struct Served {
    pub place: Place,
    pub address: SocketAddr,
    running: Option<Other>,
}

impl Served {
    pub fn new() -> Self {
        Self::of(Place::new(None), free())
    }

    pub fn of(place: Place, address: SocketAddr) -> Self {
        let mut served = Self { place, address, running: None };
        served.begin();
        served
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn client(&self) -> Client {
        Client::new(&self.url(), None).unwrap()
    }

    /// Without a word, as when the power fails.
    pub fn kill(&mut self) {
        self.running = None;
    }

    pub fn begin(&mut self) {
        let mut command = self.place.command(&format!("serve --json --log error --listen {}", self.address));
        command.env("HANDOVER_KEY", MARKER).env("COUNTER_SECRET", MARKER);
        let (running, line) = Other::start(command);
        assert!(line.contains(&self.url()), "{line}");
        self.running = Some(running);
    }
}
