//! Official packages of others speak MCP and A2A with a real server, in both directions. What they understand, any host
//! does.

use crate::{
    contract::binary,
    node::modules,
    run::{root, show},
    sdk::Home,
};
use std::process::Command;

/// Where the check lies, with the versions that it is made for.
const FOLDER: &str = "crates/handover/tests/foreign";
/// The packages of Python.
const HOME: Home = Home { folder: FOLDER, name: "foreign-venv", modules: "a2a, agents, mcp, nats, uvicorn" };

/// Runs the check. It fails where it cannot be run: nothing is left out.
pub fn check() -> Result<(), String> {
    let (python, modules) = (HOME.python()?, modules(FOLDER, "foreign-node")?);
    let home = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
    let mut run = Command::new(python);
    run.arg(root().join(FOLDER).join("run.py")).arg(binary()?).arg(home.path()).arg(modules);
    show(run.env("PYTHONDONTWRITEBYTECODE", "1"))
}
