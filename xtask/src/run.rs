//! Running other programs, above all cargo, from the root of the workspace.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
};

/// The root of the workspace that cargo was called in.
pub fn root() -> PathBuf {
    let here =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// Cargo, the same one that runs us, with these arguments.
pub fn cargo(args: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    // What cargo says to us about our own package. Build scripts read such names (that of `ring` does) and would take what we build
    // for another build than that of a person who calls cargo by hand: each would throw away the work of the other.
    let ours = |name: &str| OURS.iter().any(|prefix| name.starts_with(prefix));
    for (name, _) in env::vars_os().filter(|(name, _)| name.to_str().is_some_and(ours)) {
        command.env_remove(name);
    }
    command
}

/// Beginnings of the names by which cargo tells a program about its package.
const OURS: [&str; 4] = ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"];

/// Runs a command with its output shown. An end other than success is an error that names it.
pub fn show(command: &mut Command) -> Result<(), String> {
    let line = words(command);
    eprintln!("$ {line}");
    let status = command.status().map_err(|e| format!("`{line}` cannot be started: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{line}` failed ({status})")) }
}

/// Whether cargo has this subcommand.
pub fn has(subcommand: &str) -> bool {
    let mut command = cargo(&[subcommand, "--version"]);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Makes sure of a part of the toolchain that a minimal installation leaves out.
pub fn need(subcommand: &str, component: &str) -> Result<(), String> {
    if has(subcommand) {
        return Ok(());
    }
    eprintln!("`cargo {subcommand}` is missing: adding {component} to the toolchain");
    show(Command::new("rustup").args(["component", "add", component]).current_dir(root()))
        .map_err(|e| format!("`cargo {subcommand}` is needed; install the component {component} of your Rust: {e}"))
}

fn words(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut line = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for arg in command.get_args() {
        line.push(' ');
        line.push_str(&arg.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_command() {
        let message = show(&mut cargo(&["no-such-subcommand"])).unwrap_err();
        assert!(message.starts_with("`cargo no-such-subcommand` failed"), "{message}");
        assert!(!has("no-such-subcommand"));
    }

    #[test]
    fn cargo_is_not_told_about_our_package() {
        let command = cargo(&["build"]);
        let removed: Vec<_> = command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        assert!(removed.contains(&std::ffi::OsStr::new("CARGO_PKG_NAME")), "{removed:?}");
        assert!(command.get_envs().all(|(name, _)| name != "CARGO_TARGET_DIR"));
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("crates/core/Cargo.toml").is_file());
    }
}
