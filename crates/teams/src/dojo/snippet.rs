//! What the debugger knows: JSON, and a small language of `let name = value` and `print value`.

use super::brackets;
use handover_core::limits::{FAULTS_SHOWN, SNIPPET_CHARS_MAX};
use serde::Serialize;
use std::collections::BTreeSet;

/// Something wrong in a snippet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) what: String,
    /// How to mend it.
    pub(super) mend: String,
}

/// What JSON is refused for, in the words of its reader, and how to mend it.
const MENDING: [(&str, &str); 6] = [
    ("trailing comma", "remove the comma before the closing bracket"),
    ("key must be a string", "put the name in double quotes"),
    ("expected `,`", "put a comma after what stands before"),
    ("expected `:`", "put a colon between the name and its value"),
    ("trailing characters", "leave one value, and put several into a list"),
    ("expected value", "put a value there: a text in double quotes, a number, true, false or null"),
];

/// All faults of a snippet.
///
/// # Errors
/// When it cannot be looked at.
pub(super) fn check(language: &str, text: &str) -> Result<Vec<Fault>, String> {
    let count = text.chars().count();
    if count > SNIPPET_CHARS_MAX {
        return Err(format!(
            "the snippet has {count} characters; at most {SNIPPET_CHARS_MAX} are read (SNIPPET_CHARS_MAX)"
        ));
    }
    match language {
        "json" => Ok(json(text).into_iter().collect()),
        "let" => Ok(lets(text)),
        other => Err(format!("nobody here reads \"{other}\"; known are json and let")),
    }
}

/// The language of a snippet that names none: what begins like JSON is JSON.
pub(super) fn guess(text: &str) -> &'static str {
    if text.trim_start().starts_with(['{', '[']) { "json" } else { "let" }
}

/// The reader stops at the first fault; a bracket that is missing at the end is told where it was opened.
fn json(text: &str) -> Option<Fault> {
    let error = serde_json::from_str::<serde_json::Value>(text).err()?;
    if error.is_eof()
        && let Some(lonely) = brackets::check(text)
    {
        return Some(Fault { line: lonely.line, what: lonely.what, mend: "close it".to_owned() });
    }
    let said = error.to_string();
    let what = said.split(" at line ").next().unwrap_or(&said).to_owned();
    let mend =
        MENDING.iter().find(|(words, _)| what.contains(words)).map_or("look at what stands there", |(_, mend)| mend);
    let line = if what == "trailing comma" { comma_before(text, error.line(), error.column()) } else { error.line() };
    Some(Fault { line, what, mend: mend.to_owned() })
}

/// The line of the last comma before a place: the reader stops at the bracket after it.
fn comma_before(text: &str, line: usize, column: usize) -> usize {
    let before: Vec<&str> = text.lines().take(line).collect();
    let cut =
        |at: usize| if at + 1 == line { before[at].get(..column.saturating_sub(1)).unwrap_or("") } else { before[at] };
    (0..before.len()).rev().find(|at| cut(*at).contains(',')).map_or(line, |at| at + 1)
}

/// Brackets, unknown words, and names that are used before they are given.
fn lets(text: &str) -> Vec<Fault> {
    let lonely = brackets::check(text);
    let mut faults: Vec<Fault> = lonely
        .into_iter()
        .map(|it| Fault { line: it.line, what: it.what, mend: "give each bracket its partner".to_owned() })
        .collect();
    let mut known = BTreeSet::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or(line).trim();
        match statement(line) {
            _ if line.is_empty() => {}
            Some((name, value)) => {
                faults.extend(undefined(value, &known, at + 1));
                known.extend(name);
            }
            None => {
                let mend = "write `let name = value` or `print value`".to_owned();
                faults.push(Fault { line: at + 1, what: format!("`{line}` is no statement"), mend });
            }
        }
    }
    faults.sort_by_key(|fault| fault.line);
    faults.truncate(FAULTS_SHOWN);
    faults
}

/// The name that a line gives, if it does, and the value in it.
fn statement(line: &str) -> Option<(Option<&str>, &str)> {
    if let Some(value) = line.strip_prefix("print ") {
        return Some((None, value));
    }
    let (name, value) = line.strip_prefix("let ")?.split_once('=')?;
    let name = name.trim();
    let fits = name.starts_with(|c: char| c.is_alphabetic() || c == '_') && name.chars().all(is_part);
    fits.then_some((Some(name), value))
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names of a value that nobody has given yet.
fn undefined(value: &str, known: &BTreeSet<&str>, line: usize) -> Vec<Fault> {
    // What stands in quotes is every second part.
    let code = value.split('"').step_by(2);
    let words = code.flat_map(|part| part.split(|c: char| !is_part(c)));
    let names = words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let fault = |name: &str| Fault {
        line,
        what: format!("`{name}` is not defined"),
        mend: format!("write `let {name} = …` in a line before"),
    };
    names.filter(|name| !known.contains(name)).map(fault).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn faults_are_told_with_their_line_and_how_to_mend_them() {
        let snippets = [
            ("json", "{\n  \"port\": 8080,\n}"),
            ("json", "{\"port\" 8080}"),
            ("json", "{port: 8080}"),
            ("json", "{\"a\": [1, 2,\n\"b\": 3}"),
            ("json", "{\n\"a\": {\"b\": 1}\n"),
            ("json", "[1, 2] 3"),
            ("json", "[{\"a\": 1,\n}, 2]"),
            ("json", "{\"a\": [1, {}]}"),
            ("let", "let price = 3\nlet sum = price * cont # a comment\nprint \"sum of it\" + sum"),
            ("let", "print (1 + 2\nfoo\nlet 1a = 2"),
            ("let", "let a = 1\n\nprint a"),
            ("cobol", "x"),
        ];
        let told: Vec<String> = snippets
            .iter()
            .map(|(language, text)| match check(language, text) {
                Err(why) => why,
                Ok(faults) => faults
                    .iter()
                    .map(|it| format!("{}: {}; {}", it.line, it.what, it.mend))
                    .collect::<Vec<_>>()
                    .join(" | "),
            })
            .collect();
        expect![[r#"
            2: trailing comma; remove the comma before the closing bracket
            1: expected `:`; put a colon between the name and its value
            1: key must be a string; put the name in double quotes
            2: expected `,` or `]`; put a comma after what stands before
            1: `{` is never closed; close it
            1: trailing characters; leave one value, and put several into a list
            1: trailing comma; remove the comma before the closing bracket

            2: `cont` is not defined; write `let cont = …` in a line before
            1: `(` is never closed; give each bracket its partner | 2: `foo` is no statement; write `let name = value` or `print value` | 3: `let 1a = 2` is no statement; write `let name = value` or `print value`

            nobody here reads "cobol"; known are json and let"#]].assert_eq(&told.join("\n"));
    }

    #[test]
    fn a_snippet_has_a_bound() {
        assert!(check("let", &"x".repeat(SNIPPET_CHARS_MAX + 1)).unwrap_err().contains("SNIPPET_CHARS_MAX"));
        let many = "print nobody\n".repeat(FAULTS_SHOWN + 1);
        assert_eq!(check("let", &many).unwrap().len(), FAULTS_SHOWN);
    }
}
