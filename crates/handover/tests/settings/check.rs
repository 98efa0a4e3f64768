//! The command `handover check`, and the guide that shows what it says.

use super::EXAMPLE;
use std::{path::Path, process::Command};

const GUIDE: &str = include_str!("../../../../docs/guides/registry-file.md");

/// What the command prints and how it ends, in a folder of its own.
fn check(text: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("handover.yaml"), text).unwrap();
    run(folder.path())
}

fn run(folder: &Path) -> (Option<i32>, String, String) {
    let command =
        Command::new(env!("CARGO_BIN_EXE_handover")).args(["check", "handover.yaml"]).current_dir(folder).output();
    let output = command.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// A block of the guide.
fn block(opening: &str) -> &'static str {
    let (_, rest) = GUIDE.split_once(opening).expect("the guide has the block");
    rest.split_once("```").expect("the block ends").0
}

#[test]
fn a_good_file_is_counted() {
    let good = |text| Some((Some(0), format!("handover.yaml: {text}, all good\n"), String::new()));
    assert_eq!(Some(check(EXAMPLE)), good("8 agents"));
    assert_eq!(Some(check("agents: [{id: a}]")), good("1 agent"));
}

#[test]
fn a_bad_file_is_told_everything_and_ends_with_1() {
    let (code, said, told) = check("agents: [{id: a, kind: robot}, {id: a}]");
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(told.contains("error[HO0103]") && told.contains("error[HO0209]"), "{told}");
    assert!(told.ends_with("\nhandover.yaml: 2 mistakes\n"), "{told}");
}

#[test]
fn a_missing_file_ends_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, told) = run(folder.path());
    assert_eq!(code, Some(1));
    assert!(told.contains("there is no such file\n --> handover.yaml\n"), "{told}");
}

#[test]
fn the_guide_shows_what_is_said() {
    let file = block("```yaml\n");
    assert_eq!(check(file).1, "handover.yaml: 2 agents, all good\n");
    let slips = file.replace("proficiency:", "proficency:").replace("escalates_to: ops", "escalates_to: opps");
    let shown = format!("{}\nhandover.yaml: 2 mistakes\n", block("```text\n"));
    assert_eq!(check(&slips).2, shown);
}
