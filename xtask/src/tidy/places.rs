//! Nothing in the tree may depend on one machine: no path of somebody's disk, no registry or mirror of somebody's network.

use super::Problem;
use crate::tree::File;

/// This file names the places that it looks for.
const HERE: &str = "xtask/src/tidy/places.rs";
/// Folders that exist on one machine only.
const FOLDERS: [&str; 6] = ["root", "home", "Users", "work", "tmp", "mnt"];
/// Parts of the names of registries and mirrors.
const HOSTS: [&str; 4] = [".crates.", "artifactory", "mirror", "nexus"];
/// Settings that send cargo elsewhere.
const SETTINGS: [&str; 4] = ["[source.", "[registries", "replace-with", "registry ="];
/// Where every dependency comes from, as the lock file writes it.
const CRATES: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path != HERE) {
        for (at, line) in file.text.lines().enumerate() {
            let found =
                if file.path == "Cargo.lock" { locked(line) } else { place(line).or_else(|| setting(file, line)) };
            problems.extend(found.map(|text| Problem::new(&file.path, at + 1, text)));
        }
    }
    problems
}

fn locked(line: &str) -> Option<String> {
    (line.starts_with("source = ") && line != CRATES)
        .then(|| "a dependency that does not come from crates.io".to_owned())
}

fn place(line: &str) -> Option<String> {
    let folders = FOLDERS.iter().map(|name| format!("/{name}/"));
    let mut found = folders.filter(|folder| line.match_indices(folder.as_str()).any(|(at, _)| begins(&line[..at])));
    if let Some(folder) = found.next() {
        return Some(format!("`{folder}` is a folder of one machine"));
    }
    let urls = line.split("://").skip(1).filter_map(|rest| rest.split(['/', '"', ' ', ')']).next());
    let host = urls.into_iter().find(|host| HOSTS.iter().any(|part| host.contains(part)));
    host.map(|host| format!("`{host}` is a registry or a mirror; the default one is meant"))
}

/// Whether a path begins after this, and does not merely go on.
fn begins(before: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || "_-.}~)".contains(c))
}

fn setting(file: &File, line: &str) -> Option<String> {
    let found = SETTINGS.iter().find(|setting| file.is(".toml") && line.trim().starts_with(**setting));
    found.map(|setting| format!("`{setting}` sends cargo to another registry; that belongs in a person's own settings"))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_path_of_one_machine_is_found() {
        let files =
            [("a.md", "x\nsee /home/ada/notes"), ("b.rs", "open(\"/tmp/x.db\")"), ("c.md", "docs/home/page, ./work/x")];
        let expected = ["a.md:2: `/home/` is a folder of one machine", "b.rs:1: `/tmp/` is a folder of one machine"];
        assert_eq!(said(check, &files), expected);
    }

    #[test]
    fn a_registry_or_mirror_is_found() {
        assert_eq!(said(check, &[("a.sh", "curl https://artifactory.example.com/x")]).len(), 1);
        assert_eq!(said(check, &[("a.toml", "[source.crates-io]\nreplace-with = \"near\"")]).len(), 2);
        assert_eq!(said(check, &[("a.md", "https://crates.io/crates/handover, a mirror of the truth")]), [""; 0]);
    }

    #[test]
    fn a_dependency_from_elsewhere_is_found() {
        let other = "source = \"git+https://example.com/x\"";
        assert_eq!(said(check, &[("Cargo.lock", CRATES)]), [""; 0]);
        assert_eq!(
            said(check, &[("Cargo.lock", other)]),
            ["Cargo.lock:1: a dependency that does not come from crates.io"]
        );
    }
}
