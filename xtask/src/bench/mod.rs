//! `cargo xtask bench NAME [--json] [--quick]`: figures as ratios against a limit that is measured in the same run.

mod dashboard;
mod disk;
mod engine;
mod guards;
mod load;
mod million;
mod raw;
mod report;
mod rows;
mod scale;
mod served;
mod server;
mod spent;
mod tokens;
mod wire;
mod workflow;

use report::Report;

/// How a benchmark is run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// A line per figure instead of a table.
    pub(crate) json: bool,
    /// Ends within a minute.
    pub(crate) quick: bool,
}

pub(crate) fn main(args: &[&str]) -> Result<(), String> {
    let [name, flags @ ..] = args else {
        return Err("which benchmark? `cargo xtask bench engine [--json] [--quick]`".into());
    };
    if *name == "handover" {
        return tokens::handover(flags);
    }
    if *name == "node" {
        return scale::node(flags);
    }
    let mut settings = Settings { json: false, quick: false };
    for flag in flags {
        match *flag {
            "--json" => settings.json = true,
            "--quick" => settings.quick = true,
            other => return Err(format!("`{other}` is not a flag of bench; there are --json and --quick")),
        }
    }
    if cfg!(debug_assertions) && *name != "tokens" {
        // Tokens are counted and the same in every build. Where time is measured, a debug build measures the compiler, not the engine.
        return in_release(args);
    }
    let mut report = Report::new(settings);
    match *name {
        "dashboard" => dashboard::run(&mut report, settings)?,
        "engine" => engine::run(&mut report, settings)?,
        "guards" => guards::run(&mut report, settings)?,
        "scale" => scale::run(&mut report, settings)?,
        "server" => server::run(&mut report, settings)?,
        "tokens" => tokens::run(&mut report, settings)?,
        "workflow" => workflow::run(&mut report, settings)?,
        other => {
            let known = "there are `dashboard`, `engine`, `guards`, `scale`, `server`, `tokens` and `workflow`";
            return Err(format!("there is no benchmark `{other}`; {known}"));
        }
    }
    report.print();
    Ok(())
}

fn in_release(args: &[&str]) -> Result<(), String> {
    let status = crate::run::cargo(&["run", "--quiet", "--release", "--locked", "--package", "xtask", "--", "bench"])
        .args(args)
        .status()
        .map_err(|error| format!("cargo could not be started: {error}"))?;
    if status.success() { Ok(()) } else { Err("the benchmark failed".into()) }
}
