//! SQL is written in the store and nowhere else, so that a change of the schema is a change of one crate.

use super::Problem;
use crate::{
    source::{Kind, pieces},
    tree::File,
};

/// Where SQL may be: the store, the benchmark that measures it beside others, and this file. And in tests: some read or
/// spoil a file as a stranger would.
const ALLOWED: [&str; 3] = ["crates/store/", "xtask/src/bench", "xtask/src/tidy/sql.rs"];

pub fn check(files: &[File]) -> Vec<Problem> {
    let allowed = |path: &str| path.contains("/tests/") || ALLOWED.iter().any(|start| path.starts_with(start));
    let outside = |file: &&File| file.is(".rs") && !allowed(&file.path);
    files.iter().filter(outside).flat_map(statements).collect()
}

fn statements(file: &File) -> Vec<Problem> {
    let literals = pieces(&file.text).into_iter().filter(|piece| piece.kind == Kind::Literal);
    let found = literals.filter(|piece| is_sql(piece.text));
    found.map(|piece| Problem::new(&file.path, piece.line, "SQL outside crates/store; ask the store instead")).collect()
}

/// Whether a literal holds a statement. Case tells it from prose.
fn is_sql(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "SELECT" | "PRAGMA" => true,
            "INSERT" | "REPLACE" => matches!(next, "INTO" | "OR"),
            "UPDATE" => next == "OR" || words[at..].contains(&"SET"),
            "DELETE" => next == "FROM",
            "CREATE" | "ALTER" | "DROP" => {
                matches!(next, "TABLE" | "INDEX" | "UNIQUE" | "VIEW" | "TRIGGER" | "VIRTUAL" | "TEMP")
            }
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::said, *};

    #[test]
    fn a_statement_outside_the_store_is_found() {
        let text = "//! x\nfn f() {\n    run(\"SELECT id\n        FROM handoffs\");\n}";
        let expected = "crates/engine/src/feed.rs:3: SQL outside crates/store; ask the store instead";
        assert_eq!(said(check, &[("crates/engine/src/feed.rs", text)]), [expected]);
        assert_eq!(
            said(check, &[("crates/store/src/sqlite/read.rs", text), ("xtask/src/bench/peers.rs", text)]),
            [""; 0]
        );
        assert_eq!(said(check, &[("crates/engine/tests/tampering.rs", text)]), [""; 0]);
    }

    #[test]
    fn every_sort_of_statement_is_known_and_prose_is_none() {
        for sql in ["INSERT INTO t", "UPDATE t SET a = 1", "DELETE FROM t", "CREATE TABLE t", "PRAGMA x", "DROP VIEW v"]
        {
            assert!(is_sql(sql), "{sql}");
        }
        for prose in ["select one from the list", "DELETE", "an UPDATE came", "insert into the queue", "CREATE"] {
            assert!(!is_sql(prose), "{prose}");
        }
    }

    #[test]
    fn a_comment_may_speak_of_it() {
        assert_eq!(said(check, &[("a.rs", "// SELECT is what the store does\nlet x = 1;")]), [""; 0]);
    }
}
