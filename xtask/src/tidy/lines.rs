//! How a source file opens, and how long it may be.

use super::Problem;
use crate::tree::File;

/// Beyond this a file needs a line in `LONG` that says why.
const LINES: usize = 400;
/// Beyond this there is no excuse.
const LINES_MAX: usize = 500;

/// Files over `LINES`, and why each is one thing.
const LONG: [(&str, &str); 8] = [
    ("crates/engine/tests/access/attempts.rs", "every public method of the engine, each tried once"),
    ("crates/core/tests/scenarios/workflow.rs", "the stories of one workflow"),
    ("crates/core/src/limits.rs", "every bound, with a sentence for each"),
    ("crates/core/src/command/mod.rs", "everything that can be asked, with a sentence for each field"),
    ("crates/core/src/event/mod.rs", "everything that can happen, with a sentence for each field"),
    ("crates/core/src/handoff/request.rs", "the whole schema of a request, with a sentence for each field"),
    ("crates/core/src/refusal/codes.rs", "the table of codes, with what each means"),
    ("crates/engine/tests/audit.rs", "the scenes of one trail"),
];

/// Every source file begins with what it is for.
pub fn openings(files: &[File]) -> Vec<Problem> {
    let silent = files.iter().filter(|file| file.is(".rs") && !file.text.starts_with("//!"));
    silent.map(|file| Problem::new(&file.path, 1, "does not open with `//!` and what it is for")).collect()
}

/// No source file is longer than a reader can hold.
pub fn lengths(files: &[File]) -> Vec<Problem> {
    let mut problems: Vec<Problem> = files.iter().filter(|file| file.is(".rs")).filter_map(too_long).collect();
    for (path, _) in LONG {
        if files.iter().any(|file| file.path == path && file.text.lines().count() <= LINES) {
            problems.push(Problem::new(
                path,
                0,
                "is short enough now: take it off the list in xtask/src/tidy/lines.rs",
            ));
        }
    }
    problems
}

fn too_long(file: &File) -> Option<Problem> {
    let count = file.text.lines().count();
    let text = if count > LINES_MAX {
        format!("has {count} lines; {LINES_MAX} is the most for any file")
    } else if count > LINES && !LONG.iter().any(|(path, _)| *path == file.path) {
        format!("has {count} lines; over {LINES} it needs a reason in xtask/src/tidy/lines.rs")
    } else {
        return None;
    };
    Some(Problem::new(&file.path, count, text))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_source_without_an_opening_is_found() {
        let files = [("a.rs", "//! Good.\nuse x;"), ("b.rs", "use x;\n//! Late."), ("c.md", "x")];
        assert_eq!(said(openings, &files), ["b.rs:1: does not open with `//!` and what it is for"]);
    }

    #[test]
    fn a_long_file_needs_a_reason_and_a_very_long_one_has_none() {
        let (long, longer) = ("x\n".repeat(401), "x\n".repeat(501));
        let (most, listed) = ("x\n".repeat(400), "crates/engine/tests/audit.rs");
        assert_eq!(said(lengths, &[("a.rs", &most), (listed, &long), ("b.md", &longer)]), [""; 0]);
        let expected = "a.rs:401: has 401 lines; over 400 it needs a reason in xtask/src/tidy/lines.rs";
        assert_eq!(said(lengths, &[("a.rs", &long)]), [expected]);
        assert_eq!(
            said(lengths, &[(listed, &longer)]),
            [format!("{listed}:501: has 501 lines; 500 is the most for any file")]
        );
    }

    #[test]
    fn a_reason_that_is_not_needed_any_more_is_found() {
        assert_eq!(said(lengths, &[("crates/engine/tests/audit.rs", "x\n")]).len(), 1);
    }
}
