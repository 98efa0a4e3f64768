//! Official packages of others speak MCP and A2A with a real server, in both directions. What they understand, any host
//! does.

use crate::{
    contract::binary,
    run::{root, show},
    sdk::{Home, built_folder, install},
};
use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

/// Where the check lies, with the versions that it is made for.
const FOLDER: &str = "crates/handover/tests/foreign";
/// The packages of Python.
const HOME: Home = Home { folder: FOLDER, name: "foreign-venv", modules: "a2a, agents, mcp, uvicorn" };
/// What has to be installed where Node is missing.
const PACKAGES: [&str; 2] = ["nodejs", "npm"];
/// What says which packages are wanted.
const LISTS: [&str; 2] = ["package.json", "package-lock.json"];

/// Runs the check. It fails where it cannot be run: nothing is left out.
pub fn check() -> Result<(), String> {
    let (python, modules) = (HOME.python()?, modules()?);
    let home = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let mut run = Command::new(python);
    run.arg(root().join(FOLDER).join("run.py")).arg(binary()?).arg(home.path()).arg(modules);
    show(run.env("PYTHONDONTWRITEBYTECODE", "1"))
}

/// The packages of Node, installed once, and again when the list changes.
fn modules() -> Result<PathBuf, String> {
    let (from, home) = (root().join(FOLDER), built_folder()?.join("foreign-node"));
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
    show(&mut npm).map_err(|e| format!("the packages of {FOLDER}/package.json cannot be installed: {e}"))?;
    Ok(modules)
}

fn need_node() -> Result<(), String> {
    let has = || {
        ["node", "npm"].iter().all(|name| {
            let mut program = Command::new(name);
            program.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            program.status().is_ok_and(|end| end.success())
        })
    };
    if has() {
        return Ok(());
    }
    install(&PACKAGES, "node with npm is missing")?;
    if has() { Ok(()) } else { Err("node and npm are installed, and cannot be started".to_owned()) }
}
