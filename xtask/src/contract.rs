//! The contract of the interface, tried by a property-based tester on the document that a real server serves.

use crate::{
    run::{root, show},
    sdk::Home,
};
use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// Where the check lies, with its settings and the versions that it is made for.
const FOLDER: &str = "crates/server/tests/contract";
/// Where the tester lives.
const HOME: Home = Home { folder: FOLDER, name: "contract-venv", modules: "schemathesis" };

/// Runs the check, against a server of its own in a folder of its own, with a key: without one, the first key that the
/// tester makes would shut it out. It fails where it cannot be run: nothing is left out.
pub fn check() -> Result<(), String> {
    let folder = root().join(FOLDER);
    let python = HOME.python()?;
    let home = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let key = key(home.path())?;
    let server = Server::start(home.path())?;
    show(Command::new(python).arg(folder.join("run.py")).arg(&server.url).env("HANDOVER_KEY", key))
}

pub fn binary() -> Result<PathBuf, String> {
    let me = std::env::current_exe().map_err(|e| format!("this program cannot find itself: {e}"))?;
    let folder = me.parent().ok_or("this program lies in no folder")?.with_file_name("debug");
    Ok(folder.join(format!("handover{}", std::env::consts::EXE_SUFFIX)))
}

/// The first key of the house, which is printed once.
fn key(home: &Path) -> Result<String, String> {
    let mut make = Command::new(binary()?);
    make.args(["keys", "make", "contract", "--role", "admin", "--house"]).current_dir(home);
    let made = make.output().map_err(|e| format!("`handover keys make` cannot be started: {e}"))?;
    let text = String::from_utf8_lossy(&made.stdout);
    let found = text.split_whitespace().find(|word| word.starts_with("ho_")).map(str::to_owned);
    found.ok_or_else(|| format!("`handover keys make` gave no key: {text}{}", String::from_utf8_lossy(&made.stderr)))
}

/// A server that ends with the check.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(home: &Path) -> Result<Self, String> {
        let mut command = Command::new(binary()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off"]).current_dir(home).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("`handover serve` cannot be started: {e}"))?;
        let output = child.stdout.take().ok_or("`handover serve` has no output")?;
        let mut server = Self { child, url: String::new() };
        server.url = told(output)?;
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address that a server tells in its first lines. The rest is read by nobody, and must not stand in its way.
fn told(output: impl Read + Send + 'static) -> Result<String, String> {
    let mut lines = BufReader::new(output).lines();
    let url = lines.by_ref().map_while(Result::ok).find_map(|line| address(&line));
    std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
    url.ok_or_else(|| "`handover serve` does not say where it listens".to_owned())
}

fn address(line: &str) -> Option<String> {
    let at = line.find("http://")?;
    let end = line[at..].find([';', ' ']).map_or(line.len(), |end| at + end);
    Some(line[at..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_what_a_server_says() {
        let said = "x\nhandover.db is served at http://127.0.0.1:7; the interface is at http://127.0.0.1:7/docs.\n";
        assert_eq!(told(said.as_bytes()), Ok("http://127.0.0.1:7".to_owned()));
        assert!(told("nothing\n".as_bytes()).unwrap_err().contains("does not say"));
    }
}
