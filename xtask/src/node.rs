//! Packages of Node for a check, in the versions that its folder names.

use crate::{
    run::{root, show},
    sdk::{built_folder, install},
};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

/// What has to be installed where Node is missing.
const PACKAGES: [&str; 2] = ["nodejs", "npm"];
/// What says which packages are wanted.
const LISTS: [&str; 2] = ["package.json", "package-lock.json"];

/// The packages that a folder of the project lists, installed once under this name beside what is built, and again when
/// the list changes.
pub fn modules(folder: &str, name: &str) -> Result<PathBuf, String> {
    let (from, home) = (root().join(folder), built_folder()?.join(name));
    let modules = home.join("node_modules");
    let read = |folder: &PathBuf| LISTS.map(|name| fs::read_to_string(folder.join(name)).ok());
    if modules.join(".package-lock.json").exists() && read(&from) == read(&home) {
        return Ok(modules);
    }
    need_node()?;
    fs::create_dir_all(&home).map_err(|e| format!("{}: {e}", home.display()))?;
    for name in LISTS {
        fs::copy(from.join(name), home.join(name)).map_err(|e| format!("{name}: {e}"))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&home);
    show(&mut npm).map_err(|e| format!("the packages of {folder}/package.json cannot be installed: {e}"))?;
    Ok(modules)
}

fn need_node() -> Result<(), String> {
    let has = || ["node", "npm"].iter().all(|name| starts(name));
    if has() {
        return Ok(());
    }
    install(&PACKAGES, "node with npm is missing")?;
    if has() { Ok(()) } else { Err("node and npm are installed, and cannot be started".to_owned()) }
}

/// Whether a program is there and says its version.
pub fn starts(program: &str) -> bool {
    let mut program = Command::new(program);
    program.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    program.status().is_ok_and(|end| end.success())
}
