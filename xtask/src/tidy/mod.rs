//! `cargo xtask tidy`: formatting, lints and the rules of this house. Every problem is told, with its place.

mod limits;
mod lines;
mod links;
pub mod pictures;
mod places;
mod sql;
mod walls;
mod words;

use crate::{
    docs,
    run::{cargo, need, root, show},
    tree::{self, File},
};

/// Something against the rules, and where. Line 0 is the file as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: String,
    pub line: usize,
    pub text: String,
}

impl Problem {
    pub fn new(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, text: text.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line.max(1), self.text)
    }
}

type Check = fn(&[File]) -> Vec<Problem>;

const CHECKS: [(&str, Check); 13] = [
    ("every source says what it is for", lines::openings),
    ("no file grows too long", lines::lengths),
    ("SQL stays in the store", sql::check),
    ("crates keep their walls", walls::check),
    ("tests do not sleep", words::sleeps),
    ("nothing is left for later", words::unfinished),
    ("no path or registry of one machine", places::check),
    ("every limit is used", limits::check),
    ("links lead somewhere", links::check),
    ("the README and CI run the same", links::one_command),
    ("the README shows the example that runs", links::one_example),
    ("pictures show the pages as they are", pictures::check),
    ("generated pages are current", |_| docs::drift()),
];

pub fn main() -> Result<(), String> {
    let mut failed = Vec::new();
    for (name, outcome) in [("format", formatted()), ("lints", linted())] {
        report(name, outcome.err().into_iter().collect(), &mut failed);
    }
    let files = tree::files(&root())?;
    for (name, check) in CHECKS {
        report(name, check(&files).iter().map(Problem::to_string).collect(), &mut failed);
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("not tidy: {}", failed.join("; "))) }
}

fn formatted() -> Result<(), String> {
    need("fmt", "rustfmt")?;
    show(&mut cargo(&["fmt", "--all", "--check"])).map_err(|e| format!("{e}; `cargo fmt --all` mends it"))
}

fn linted() -> Result<(), String> {
    need("clippy", "clippy")?;
    show(&mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

fn report(name: &'static str, problems: Vec<String>, failed: &mut Vec<&'static str>) {
    println!("{} {name}", if problems.is_empty() { "ok    " } else { "FAILED" });
    if !problems.is_empty() {
        failed.push(name);
    }
    for problem in problems {
        println!("       {problem}");
    }
}

/// For the tests of the checks: a file, and what a check has to say about some, as text.
#[cfg(test)]
mod testing {
    use super::{Check, File};

    pub fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    pub fn said(check: Check, files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> = files.iter().map(|(path, text)| file(path, text)).collect();
        check(&files).iter().map(ToString::to_string).collect()
    }
}
