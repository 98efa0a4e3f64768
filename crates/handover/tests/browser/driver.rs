//! A Chromium of a test's own: its driver on a port of its own, a fresh profile, and an end with the test, however it ends.

use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// How long the driver may think about one thing.
const PATIENCE: Duration = Duration::from_secs(180);
/// Lines in which the driver says where it listens, and in the head of an answer.
const LINES: usize = 20;
/// A browser that shows nothing on a screen, and asks nobody but our server.
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-proxy-server",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--force-prefers-reduced-motion",
];

pub struct Driver {
    process: Child,
    /// It is open as long as the driver may write to it.
    _says: BufReader<ChildStdout>,
    port: u16,
    session: Option<String>,
    profile: TempDir,
}

impl Driver {
    pub fn start() -> Self {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap_or_else(|error| {
            panic!("chromedriver cannot be started ({error}): run `cargo xtask test`, which installs it")
        });
        let mut says = BufReader::new(process.stdout.take().unwrap());
        let port = port(&mut says);
        Self { process, _says: says, port, session: None, profile: tempfile::tempdir().unwrap() }
    }

    /// Opens the browser.
    pub async fn client(&mut self) -> Client {
        let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.push(format!("--user-data-dir={}", self.profile.path().display()));
        let wanted = json!({
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": PATIENCE.as_millis() as u64, "pageLoad": PATIENCE.as_millis() as u64},
        });
        let Value::Object(wanted) = wanted else { unreachable!() };
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let opening = builder.capabilities(wanted).connect(&format!("http://{}", self.address())).await;
        let client = opening.unwrap_or_else(|error| panic!("Chromium does not start: {error}"));
        self.session = client.session_id().await.unwrap();
        client
    }

    /// What the driver knows beyond the standard.
    pub fn ask(&self, path: &str, body: &Value) -> Value {
        let session = self.session.as_ref().unwrap();
        let answer = self.wire("POST", &format!("/session/{session}/{path}"), &body.to_string()).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
        assert!(answer["value"]["error"].is_null(), "{path}: {answer}");
        answer["value"].clone()
    }

    fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    fn wire(&self, method: &str, path: &str, body: &str) -> std::io::Result<String> {
        let mut line = TcpStream::connect_timeout(&self.address(), PATIENCE)?;
        line.set_read_timeout(Some(PATIENCE))?;
        let (host, length) = (self.address(), body.len());
        let head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n\r\n");
        line.write_all(format!("{head}{body}").as_bytes())?;
        // The driver keeps the line open: its answer ends where it says so.
        let (mut answer, mut length) = (BufReader::new(line), 0);
        for head in answer.by_ref().lines().take(LINES) {
            let head = head?.to_lowercase();
            if head.is_empty() {
                break;
            }
            length = head.strip_prefix("content-length:").and_then(|n| n.trim().parse().ok()).unwrap_or(length);
        }
        let mut body = String::new();
        answer.take(length).read_to_string(&mut body)?;
        Ok(body)
    }
}

fn port(says: &mut impl std::io::BufRead) -> u16 {
    for line in says.by_ref().lines().take(LINES) {
        let line = line.unwrap();
        let number = line.rsplit_once("successfully on port ").map(|(_, number)| number.trim_end_matches('.'));
        if let Some(port) = number.and_then(|number| number.parse().ok()) {
            return port;
        }
    }
    panic!("chromedriver does not say on which port it listens");
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The driver ends the browser; killed without a word, it would leave it behind.
        if let Some(session) = &self.session {
            let _ = self.wire("DELETE", &format!("/session/{session}"), "");
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
