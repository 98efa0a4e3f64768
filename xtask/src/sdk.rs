//! The official packages of both providers, asked to talk to the scripted model: what they understand, any client does.

use crate::{
    contract,
    run::{cargo, root, show},
    test::built,
};
use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The example that serves a script.
const EXAMPLE: &str = "scripted_model";
/// Where the check lies, with its script and the versions that it is made for.
const FOLDER: &str = "crates/agents/tests/sdk";
/// Where Python finds itself a home in the folder of what is built, and what it must know there.
const HOME: Home = Home { name: "sdk-venv", modules: "openai, anthropic" };
/// Says in that home what is installed there.
const READY: &str = "handover-ready";
/// What has to be installed where Python is missing.
const PACKAGES: [&str; 2] = ["python3", "python3-venv"];

/// A Python of our own for one check.
pub struct Home {
    /// Its folder, beside what is built.
    pub name: &'static str,
    /// The modules that it must know.
    pub modules: &'static str,
}

/// Builds what the check needs, and runs it.
pub fn main() -> Result<(), String> {
    show(&mut cargo(&["build", "--package", "handover-agents", "--example", EXAMPLE, "--locked"]))?;
    show(&mut cargo(&["build", "--package", "handover", "--bin", "handover", "--locked"]))?;
    check().and_then(|()| contract::check())
}

/// Runs the check against a server that an example starts. It fails where it cannot be run: nothing is left out.
pub fn check() -> Result<(), String> {
    let example = built(EXAMPLE)?;
    let folder = root().join(FOLDER);
    let python = HOME.python(&folder)?;
    let mut server = Command::new(&example);
    server.arg(folder.join("script.yaml")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let server = server.spawn().map_err(|e| format!("{}: {e}", example.display()))?;
    with_server(server, |address| show(Command::new(&python).arg(folder.join("check.py")).arg(address)))
}

/// Gives the address of a server to somebody, and ends the server by closing what it reads.
fn with_server(mut server: Child, run: impl FnOnce(&str) -> Result<(), String>) -> Result<(), String> {
    let mut address = String::new();
    if let Some(output) = server.stdout.take() {
        BufReader::new(output).read_line(&mut address).map_err(|e| format!("the scripted model says nothing: {e}"))?;
    }
    let address = address.trim();
    let outcome = if address.is_empty() { Err("it does not start".to_owned()) } else { run(address) };
    drop(server.stdin.take());
    let end = server.wait().map_err(|e| format!("the scripted model does not end: {e}"))?;
    outcome
        .and_then(|()| if end.success() { Ok(()) } else { Err(end.to_string()) })
        .map_err(|why| format!("the scripted model: {why}"))
}

impl Home {
    /// The Python with the packages of this folder in it. It is made once, and again when something about it changes.
    pub fn python(&self, folder: &Path) -> Result<PathBuf, String> {
        let list = folder.join("requirements.txt");
        let wanted = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
        let home = built_folder()?.join(self.name);
        let python = home.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
        let modules = format!("import {}", self.modules);
        let works = Command::new(&python).args(["-c", &modules]).status().is_ok_and(|end| end.success());
        if works && fs::read_to_string(home.join(READY)).is_ok_and(|found| found == wanted) {
            return Ok(python);
        }
        need_python()?;
        show(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home))?;
        let mut install = Command::new(&python);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&list);
        show(&mut install).map_err(|e| format!("the packages of {} cannot be installed: {e}", list.display()))?;
        fs::write(home.join(READY), wanted).map_err(|e| format!("{}: {e}", home.display()))?;
        Ok(python)
    }
}

/// Makes sure of Python and of what makes it a home, which small installations leave out.
fn need_python() -> Result<(), String> {
    if has_python() {
        return Ok(());
    }
    let words = PACKAGES.join(" and ");
    eprintln!("python3 with venv is missing: installing {words}");
    let update = show(Command::new("apt-get").args(["update", "-q"]));
    let install = update.and_then(|()| {
        show(Command::new("apt-get").args(["install", "-qy", "--no-install-recommends"]).args(PACKAGES))
    });
    install.map_err(|e| format!("python3 with venv is needed; install {words}: {e}"))?;
    if has_python() { Ok(()) } else { Err(format!("{words} are installed, and python3 still has no venv")) }
}

fn has_python() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|end| end.success())
}

/// The folder that cargo builds into, which this very program lies in.
fn built_folder() -> Result<PathBuf, String> {
    let me = std::env::current_exe().map_err(|e| format!("this program cannot find itself: {e}"))?;
    me.ancestors().nth(2).map(Path::to_path_buf).ok_or_else(|| "this program lies in no folder".to_owned())
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use super::*;

    #[cfg(unix)]
    fn server(script: &str) -> Child {
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    }

    #[cfg(unix)]
    #[test]
    fn a_server_tells_its_address_and_ends_with_its_input() {
        let mut told = String::new();
        let end = with_server(server("echo http://here; cat"), |address| {
            told = address.to_owned();
            Ok(())
        });
        assert_eq!((end, told.as_str()), (Ok(()), "http://here"));
    }

    #[cfg(unix)]
    #[test]
    fn whatever_fails_is_told() {
        let says = |script: &str, outcome: Result<(), String>| with_server(server(script), |_| outcome).unwrap_err();
        assert!(says("exit 0", Ok(())).contains("does not start"));
        assert!(says("echo x; cat; exit 3", Ok(())).contains("exit status: 3"));
        assert!(says("echo x; cat", Err("no luck".into())).contains("no luck"));
    }
}
