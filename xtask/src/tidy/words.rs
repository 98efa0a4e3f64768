//! Words that do not belong in what is finished, and tests that sleep instead of waiting for something.

use super::Problem;
use crate::{
    source::{Kind, has_word, lines},
    tree::File,
};

/// This file names the words that it looks for.
const HERE: &str = "xtask/src/tidy/words.rs";
/// Marks of unfinished work, in any text.
const MARKS: [&str; 2] = ["TODO", "FIXME"];
/// The same in code.
const CODE: [&str; 3] = ["todo!", "unimplemented!", "#[ignore"];

/// A test that sleeps is slow when all is well and wrong when the machine is busy.
pub fn sleeps(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.is(".rs") && file.path != HERE) {
        let Some(first) = tests_from(file) else { continue };
        let asleep =
            lines(&file.text, Kind::Code).into_iter().filter(|(at, line)| *at >= first && line.contains("sleep("));
        let say = "a test sleeps; wait for what it waits for, or move the clock";
        problems.extend(asleep.map(|(at, _)| Problem::new(&file.path, at, say)));
    }
    problems
}

/// The line from which a file is tests: all of a test file, or from its test module on.
fn tests_from(file: &File) -> Option<usize> {
    let path = format!("/{}", file.path);
    if path.contains("/tests/") || path.ends_with("/tests.rs") {
        return Some(1);
    }
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let opens =
        |at: usize| lines[at..].iter().find(|line| line.starts_with("mod ")).is_some_and(|line| line.ends_with('{'));
    (0..lines.len()).find(|at| lines[*at] == "#[cfg(test)]" && opens(*at)).map(|at| at + 1)
}

/// What is here is finished.
pub fn unfinished(files: &[File]) -> Vec<Problem> {
    files.iter().filter(|file| file.path != HERE && file.path != "Cargo.lock").flat_map(left).collect()
}

fn left(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let marks = MARKS.iter().filter(|word| has_word(line, word));
        problems.extend(
            marks.map(|word| Problem::new(&file.path, at + 1, format!("`{word}`: finish it, or leave it out"))),
        );
    }
    if file.is(".rs") {
        for (at, line) in lines(&file.text, Kind::Code) {
            let found = CODE.iter().filter(|code| line.contains(**code));
            problems.extend(
                found.map(|code| Problem::new(&file.path, at, format!("`{code}`: finish it, or leave it out"))),
            );
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_sleeping_test_is_found_and_sleeping_code_is_not() {
        let text = "//! x\nfn f() { sleep(1); }\n#[cfg(test)]\nmod tests {\n    fn g() { sleep(2); } // sleep(3)\n}";
        let say = "a test sleeps; wait for what it waits for, or move the clock";
        assert_eq!(said(sleeps, &[("src/a.rs", text)]), [format!("src/a.rs:5: {say}")]);
        assert_eq!(said(sleeps, &[("crates/a/tests/b.rs", "x\nsleep(1);")]), [format!("crates/a/tests/b.rs:2: {say}")]);
        assert_eq!(said(sleeps, &[("src/tests.rs", "sleep(1);")]).len(), 1);
    }

    #[test]
    fn a_test_module_in_another_file_does_not_make_the_rest_a_test() {
        assert_eq!(said(sleeps, &[("src/a.rs", "#[cfg(test)]\nmod tests;\nfn f() { sleep(1); }")]), [""; 0]);
    }

    #[test]
    fn unfinished_work_is_found() {
        assert_eq!(said(unfinished, &[("a.md", "x\nTODO: y")]), ["a.md:2: `TODO`: finish it, or leave it out"]);
        assert_eq!(
            said(unfinished, &[("a.rs", "// FIXME\nfn f() { todo!() }\n#[ignore = \"slow\"]\nfn g() {}")]).len(),
            3
        );
        assert_eq!(said(unfinished, &[("a.rs", "fn f() { unimplemented!() }")]).len(), 1);
        assert_eq!(said(unfinished, &[("a.rs", "let TODOS = \"a todo! in a text\";")]), [""; 0]);
    }
}
