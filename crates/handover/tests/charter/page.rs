//! The page of the workflow is true: its table of rules is what the tests run by, and its commands work.

use crate::{HOME, Place};
use std::{fs, path::Path};

/// A row of the table of rules.
#[derive(Debug)]
pub struct Row {
    pub rule: String,
    pub way: String,
    pub priority: String,
    pub next: String,
    /// The request, and what else to say to see it.
    pub see: String,
}

fn page() -> String {
    fs::read_to_string(Path::new(HOME).join("README.md")).unwrap()
}

/// The table of the thirteen rules.
pub fn rows() -> Vec<Row> {
    let is_rule = |cells: &Vec<String>| cells.len() == 6 && cells[0].starts_with(|c: char| c.is_ascii_digit());
    let cells =
        |line: &str| line.trim_matches('|').split('|').map(|cell| cell.replace('`', "").trim().to_owned()).collect();
    let rows: Vec<Vec<String>> =
        page().lines().filter(|line| line.starts_with('|')).map(cells).filter(is_rule).collect();
    let row = |cells: Vec<String>| {
        let [rule, way, _, priority, next, see] = cells.try_into().unwrap();
        Row { rule, way, priority, next, see }
    };
    rows.into_iter().map(row).collect()
}

/// The blocks of commands; each may begin in a folder where nothing has happened.
fn blocks() -> Vec<Vec<String>> {
    let text = page();
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default());
    let commands = |block: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix("handover "));
        lines.map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned()).collect()
    };
    blocks.map(commands).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, kind) = {
            let entry = entry.unwrap();
            (entry.path(), entry.file_type().unwrap())
        };
        let to = to.join(path.file_name().unwrap());
        if kind.is_dir() { copy(&path, &to) } else { assert!(fs::copy(&path, &to).is_ok()) }
    }
}

#[test]
fn the_commands_of_the_page_work() {
    let blocks = blocks();
    assert!(blocks.iter().flatten().count() >= 5, "{blocks:?}");
    std::thread::scope(|scope| {
        for block in &blocks {
            scope.spawn(move || {
                let place = Place::new();
                copy(Path::new(HOME), &place.at("workflows/charter"));
                for line in block {
                    let words: Vec<&str> = line.split(' ').collect();
                    let output = place.handover(&words).output().unwrap();
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(output.status.success(), "handover {line}\n{said}");
                }
            });
        }
    });
}
