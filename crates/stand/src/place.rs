//! Where a server finds room: a port that nobody has, a folder of its own, its programs, and a person to run as.

use crate::Fault;
use std::{
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Where Debian keeps the programs of PostgreSQL, by version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// A port that nobody has at this moment.
///
/// # Errors
/// When there is none.
pub fn free_port() -> Result<u16, Fault> {
    let found = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    found.map(|address| address.port()).map_err(|e| Fault::of("no free port", e))
}

/// A temporary folder, of this person where one is named.
pub fn folder(person: Option<&str>) -> Result<TempDir, Fault> {
    let folder = TempDir::with_prefix("handover-stand-").map_err(|e| Fault::of("no temporary folder", e))?;
    if let Some(person) = person {
        give(folder.path(), person)?;
    }
    Ok(folder)
}

#[cfg(unix)]
fn give(folder: &Path, person: &str) -> Result<(), Fault> {
    let number = |which: &str| {
        let text = said("id", &[which, person])?;
        text.parse::<u32>().map_err(|e| Fault::of(&format!("`id {which} {person}`"), e))
    };
    std::os::unix::fs::chown(folder, Some(number("-u")?), Some(number("-g")?))
        .map_err(|e| Fault::of(&format!("{} cannot be given to {person}", folder.display()), e))
}

#[cfg(not(unix))]
fn give(_: &Path, _: &str) -> Result<(), Fault> {
    Ok(())
}

/// The person that PostgreSQL runs as: it refuses to run as root.
pub fn person() -> Result<Option<&'static str>, Fault> {
    if said("id", &["-u"]).is_ok_and(|who| who == "0") {
        said("id", &["-u", "postgres"]).map_err(|_| missing("postgresql", "the person `postgres`"))?;
        return Ok(Some("postgres"));
    }
    Ok(None)
}

/// A program of PostgreSQL: the newest of Debian's, or the one that a shell would find.
pub fn postgres_program(name: &str) -> Result<PathBuf, Fault> {
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir(VERSIONS)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin").join(name))))
        .filter(|(_, program)| program.is_file())
        .collect();
    versions.sort();
    let newest = versions.pop().map(|(_, program)| program);
    newest.or_else(|| on_path(name)).ok_or_else(|| missing("postgresql", name))
}

/// A program that a shell would find.
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    // Debian keeps servers where the shell of an ordinary person does not look.
    let folders = std::env::split_paths(&folders).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join(name)).find(|program| program.is_file())
}

pub fn missing(package: &str, what: &str) -> Fault {
    Fault(format!("{what} is missing: install the Debian package `{package}` (as root: apt-get install {package})"))
}

/// What a program answers; its words where it fails.
pub fn said(program: &str, args: &[&str]) -> Result<String, Fault> {
    run(Command::new(program).args(args))
}

/// The same of a command.
pub fn run(command: &mut Command) -> Result<String, Fault> {
    let line = format!("{command:?}");
    let output = command.output().map_err(|e| Fault::of(&line, e))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(Fault::of(&line, String::from_utf8_lossy(&output.stderr).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        let fault = missing("nats-server", "nats-server").to_string();
        assert!(fault.contains("Debian package `nats-server`"), "{fault}");
        assert!(on_path("no-such-program").is_none() && on_path("sh").is_some());
        let fault = postgres_program("no-such-program").unwrap_err().to_string();
        assert!(fault.contains("no-such-program is missing") && fault.contains("`postgresql`"), "{fault}");
    }

    #[test]
    fn a_program_that_fails_is_told_with_its_words() {
        let fault = said("sh", &["-c", "echo no luck >&2; exit 3"]).unwrap_err().to_string();
        assert!(fault.contains("no luck"), "{fault}");
    }
}
