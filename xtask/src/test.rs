//! `cargo xtask test`: everything that a newcomer and CI run, step by step, with a table of what it took.

use crate::{
    browser,
    run::{cargo, has, root, show},
    sdk,
    servers::Servers,
    tidy,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
    time::Instant,
};

/// Crashes that the crash test survives unless told otherwise.
const ROUNDS: u32 = 200;
/// The same with `--fast`.
const ROUNDS_FAST: u32 = 20;
/// The example that dies in the middle and goes on.
const README: &str = "readme";

type Step = (&'static str, fn(u32) -> Result<(), String>);

const STEPS: [Step; 6] = [
    ("build", |_| show(&mut cargo(&["build", "--workspace", "--all-targets", "--locked"]))),
    ("tests", tests),
    ("doc tests", |_| show(&mut cargo(&["test", "--doc", "--workspace", "--locked"]))),
    ("examples", |_| examples()),
    ("packages", |_| sdk::check()),
    ("tidy", |_| tidy::main()),
];

pub fn main(args: &[&str]) -> Result<(), String> {
    let rounds = rounds(args)?;
    if args.contains(&"--fast") {
        eprintln!("fast: every step runs; the crash test makes {rounds} rounds instead of {ROUNDS}");
    }
    let mut table = String::new();
    let mut failed = None;
    for (name, step) in STEPS {
        let begun = Instant::now();
        let outcome = if failed.is_none() { Some(step(rounds)) } else { None };
        let seconds = begun.elapsed().as_secs_f64();
        table += &match outcome {
            Some(Ok(())) => format!("{name:<12}{seconds:>8.1} s  ok\n"),
            Some(Err(why)) => {
                failed = Some(format!("step `{name}`: {why}"));
                format!("{name:<12}{seconds:>8.1} s  FAILED\n")
            }
            None => format!("{name:<12}{:>8}    not run\n", "-"),
        };
    }
    println!("\n{table}");
    failed.map_or(Ok(()), Err)
}

fn rounds(args: &[&str]) -> Result<u32, String> {
    match args {
        [] => Ok(ROUNDS),
        ["--fast"] => Ok(ROUNDS_FAST),
        ["--rounds", number] => {
            let rounds = number.parse().ok().filter(|rounds| *rounds > 0);
            rounds.ok_or_else(|| format!("`--rounds {number}`: a whole number above 0 is expected, such as 500"))
        }
        _ => Err(format!("test takes `--rounds N` or `--fast`, not `{}`", args.join(" "))),
    }
}

fn tests(rounds: u32) -> Result<(), String> {
    // All that is wrong is told in one run.
    let args: &[&str] = if has("nextest") {
        &["nextest", "run", "--workspace", "--locked", "--no-fail-fast"]
    } else {
        &["test", "--workspace", "--tests", "--locked", "--no-fail-fast"]
    };
    let mut command = cargo(args);
    browser::ready(&mut command)?;
    let servers = Servers::start()?;
    servers.tell(&mut command);
    show(command.env("HANDOVER_CRASH_ROUNDS", rounds.to_string()))
}

/// Runs every example of the crate that people use, each in a folder of its own.
fn examples() -> Result<(), String> {
    show(&mut cargo(&["build", "--workspace", "--examples", "--locked"]))?;
    let mut names = example_names(&root().join("crates/handover/examples"))?;
    let at = names.iter().position(|name| name == README).ok_or("crates/handover/examples/readme.rs is missing")?;
    let readme = built(&names.remove(at))?;
    dies_and_goes_on(|| Command::new(&readme))?;
    for name in names {
        let folder = folder()?;
        show(Command::new(built(&name)?).current_dir(folder.path()))?;
    }
    Ok(())
}

/// The example must die when told to, and say `resumed` when it is started again in the same folder.
fn dies_and_goes_on(example: impl Fn() -> Command) -> Result<(), String> {
    let folder = folder()?;
    let (first, _) = start(example().env("HANDOVER_DIE", "1").current_dir(folder.path()))?;
    if !aborted(first) {
        return Err(format!("the example `{README}` should have died in its first run, but ended with {first}"));
    }
    let (second, text) = start(example().env_remove("HANDOVER_DIE").current_dir(folder.path()))?;
    if !second.success() {
        return Err(format!("the example `{README}` did not go on after its death: {second}"));
    }
    if !text.contains("resumed") {
        return Err(format!("the second run of the example `{README}` prints no line with \"resumed\""));
    }
    Ok(())
}

/// Runs an example, shows what it prints, and gives its end and its output.
fn start(example: &mut Command) -> Result<(ExitStatus, String), String> {
    let output = example.output().map_err(|e| format!("the example `{README}` cannot be started: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{text}");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    Ok((output.status, text))
}

/// Whether a process was ended by a signal and not by itself. Where there are no signals, any failure counts.
fn aborted(status: ExitStatus) -> bool {
    !status.success() && (cfg!(windows) || status.code().is_none())
}

fn example_names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// Where cargo put an example: beside this very program.
pub fn built(example: &str) -> Result<PathBuf, String> {
    let me = std::env::current_exe().map_err(|e| format!("this program cannot find itself: {e}"))?;
    let folder = me.parent().ok_or("this program lies in no folder")?.with_file_name("debug");
    Ok(folder.join("examples").join(format!("{example}{}", std::env::consts::EXE_SUFFIX)))
}

fn folder() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_given_or_known() {
        assert_eq!(rounds(&[]), Ok(200));
        assert_eq!(rounds(&["--fast"]), Ok(20));
        assert_eq!(rounds(&["--rounds", "7"]), Ok(7));
        assert!(rounds(&["--rounds"]).is_err());
        assert!(rounds(&["--rounds", "many"]).is_err());
        assert!(rounds(&["--rounds", "0"]).is_err());
        assert!(rounds(&["--slow"]).is_err());
    }

    #[cfg(unix)]
    fn judge(script: &str) -> Result<(), String> {
        dies_and_goes_on(|| {
            let mut shell = Command::new("sh");
            shell.args(["-c", script]);
            shell
        })
    }

    #[cfg(unix)]
    #[test]
    fn an_example_that_dies_and_resumes_passes() {
        assert_eq!(
            judge("test -n \"$HANDOVER_DIE\" && touch here && kill -ABRT $$; test -f here && echo resumed"),
            Ok(())
        );
    }

    #[cfg(unix)]
    #[test]
    fn one_that_does_not_is_named_with_its_fault() {
        let says = |script: &str| judge(script).unwrap_err();
        assert!(says("exit 0").contains("should have died"));
        assert!(says("exit 1").contains("should have died"));
        assert!(says("test -n \"$HANDOVER_DIE\" && kill -ABRT $$; exit 3").contains("did not go on"));
        assert!(says("test -n \"$HANDOVER_DIE\" && kill -ABRT $$; echo done").contains("prints no line"));
    }
}
