//! Official packages of others: those of both providers talk to the scripted model, and those of OpenTelemetry and
//! Prometheus read what is sent to them. What they understand, any client does.

use crate::{
    contract, foreign,
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
/// The example that writes traces and metrics.
const SAMPLE: &str = "telemetry_sample";
/// Checks of packages.
const MODELS: Home = Home { folder: "crates/agents/tests/sdk", name: "sdk-venv", modules: "openai, anthropic" };
const TELEMETRY: Home = Home {
    folder: "crates/telemetry/tests/packages",
    name: "telemetry-venv",
    modules: "opentelemetry.proto, prometheus_client",
};
/// Says in that home what is installed there.
const READY: &str = "handover-ready";
/// What has to be installed where Python is missing.
const PACKAGES: [&str; 2] = ["python3", "python3-venv"];

/// A Python of our own for one check.
pub struct Home {
    /// Where the check lies, with the versions that it is made for.
    pub folder: &'static str,
    /// Its folder, beside what is built.
    pub name: &'static str,
    /// The modules that it must know.
    pub modules: &'static str,
}

/// Builds what the checks need, and runs them.
pub fn main() -> Result<(), String> {
    for (package, example) in [("handover-agents", EXAMPLE), ("handover-telemetry", SAMPLE)] {
        show(&mut cargo(&["build", "--package", package, "--example", example, "--locked"]))?;
    }
    show(&mut cargo(&["build", "--package", "handover", "--bin", "handover", "--locked"]))?;
    check()
}

/// Runs all checks. One that cannot be run fails: nothing is left out.
pub fn check() -> Result<(), String> {
    models()?;
    telemetry()?;
    foreign::check()?;
    contract::check()
}

/// What an example writes is read by the packages of those for whom it is written.
fn telemetry() -> Result<(), String> {
    let example = built(SAMPLE)?;
    let folder = root().join(TELEMETRY.folder);
    let python = TELEMETRY.python()?;
    let written = tempfile::tempdir().map_err(|e| format!("no folder can be made: {e}"))?;
    show(Command::new(&example).arg(written.path()))?;
    show(Command::new(&python).arg(folder.join("check.py")).arg(written.path()))
}

/// Runs the check against a server that an example starts.
fn models() -> Result<(), String> {
    let example = built(EXAMPLE)?;
    let folder = root().join(MODELS.folder);
    let python = MODELS.python()?;
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
    /// The Python with the packages of its folder in it. It is made once, and again when something about it changes.
    pub fn python(&self) -> Result<PathBuf, String> {
        let list = root().join(self.folder).join("requirements.txt");
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
        show(&mut install)
            .map_err(|e| format!("the packages of {}/requirements.txt cannot be installed: {e}", self.folder))?;
        fs::write(home.join(READY), wanted).map_err(|e| format!("{}: {e}", home.display()))?;
        Ok(python)
    }
}

/// Makes sure of Python and of what makes it a home, which small installations leave out.
fn need_python() -> Result<(), String> {
    if has_python() {
        return Ok(());
    }
    install(&PACKAGES, "python3 with venv is missing")?;
    if has_python() {
        Ok(())
    } else {
        Err(format!("{} are installed, and python3 still has no venv", PACKAGES.join(" and ")))
    }
}

/// Installs packages of the system, as whoever may.
pub fn install(packages: &[&str], why: &str) -> Result<(), String> {
    let words = packages.join(" and ");
    eprintln!("{why}: installing {words}");
    let update = show(apt().args(["update", "-q"]));
    let installed =
        update.and_then(|()| show(apt().args(["install", "-qy", "--no-install-recommends"]).args(packages)));
    installed.map_err(|e| format!("{why}; install {words}: {e}"))
}

/// apt-get, by way of sudo for somebody who is not root. It asks for no password: nobody may be there to type it.
fn apt() -> Command {
    let who = Command::new("id").arg("-u").output().map(|output| output.stdout).unwrap_or_default();
    if who.trim_ascii() == b"0" {
        return Command::new("apt-get");
    }
    let mut sudo = Command::new("sudo");
    sudo.args(["-n", "apt-get"]);
    sudo
}

fn has_python() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]).stdout(Stdio::null()).stderr(Stdio::null());
    python.status().is_ok_and(|end| end.success())
}

/// The folder that cargo builds into, which this very program lies in.
pub fn built_folder() -> Result<PathBuf, String> {
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
