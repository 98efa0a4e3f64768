//! Whatever is written: an answer or a message, never a panic, and the same one each time.

use super::{ROOTS, context, oracle::theirs};
use crate::expression::{Expression, Mistake};
use proptest::prelude::*;

/// Pieces of expressions, so that many texts get past the scanner and some past the parser.
fn pieces() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "handoff",
        "session",
        ".",
        "tags",
        ".risk",
        ".cost",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "?",
        ":",
        "!",
        "-",
        "+",
        "*",
        "/",
        "%",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "in",
        "&&",
        "||",
        "true",
        "false",
        "null",
        "1",
        "0",
        "2.5",
        "9223372036854775807",
        "'x'",
        "\"\"",
        "'ü'",
        "r'\\d'",
        "size",
        "has",
        "(handoff.cost)",
        ".all(x, x == ",
        ".map(x, ",
        ".exists(y,",
        ".matches('a*')",
        ".contains(",
        "x",
        "y",
        " ",
        "\n",
        "// c\n",
        "=",
        "&",
        "'",
        "\"",
        "\\",
        "`",
        "5u",
        "b'a'",
        "'''",
        "if",
        "and",
        "@",
        "\u{0}",
        "𝕏",
        "handoff.steps",
        "int(",
        "string(",
        "double(",
        ".size()",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 0..24).prop_map(|pieces| pieces.concat())
}

/// Expressions that are mostly well formed.
fn formed() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "handoff.cost",
        "handoff.priority",
        "handoff.tags",
        "handoff.steps",
        "handoff.risk",
        "handoff.missing",
        "handoff",
        "1",
        "0",
        "-3",
        "2.5",
        "'x'",
        "true",
        "false",
        "null",
        "[]",
        "x",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 2, |inner| {
        let operator = prop::sample::select(vec!["==", "!=", "<", ">=", "+", "-", "*", "/", "%", "in", "&&", "||"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            (inner.clone(), inner.clone()).prop_map(|(of, body)| format!("{of}.exists(x, {body})")),
            (inner.clone(), inner.clone()).prop_map(|(of, body)| format!("{of}.map(x, {body})")),
            (inner.clone(), inner.clone()).prop_map(|(of, index)| format!("{of}[{index}]")),
            (inner.clone(), inner.clone()).prop_map(|(yes, no)| format!("({yes} == 1 ? {yes} : {no})")),
            inner.prop_map(|of| format!("size({of})")),
        ]
    })
}

/// What one text comes to, twice, on a small stack.
fn twice(source: String) -> Result<(), TestCaseError> {
    let run = move || {
        let once = || Expression::compile(&source, &ROOTS).map(|expression| expression.holds(&context()));
        let (first, second) = (once(), once());
        assert_eq!(first, second);
        if let Err(Mistake { line, column, message, hint }) = &first {
            let lines: Vec<&str> = source.split('\n').collect();
            let width = lines[*line as usize - 1].chars().count();
            assert!((1..=width + 1).contains(&(*column as usize)), "{source:?}: {line}:{column} {message}");
            assert!(!message.is_empty() && !hint.is_empty() && !message.contains("expecting"));
        }
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap();
    thread.join().map_err(|_| TestCaseError::fail("it panics"))
}

proptest! {
    #[test]
    fn any_text(source in any::<String>()) {
        twice(source)?;
    }

    #[test]
    fn any_pieces(source in pieces()) {
        twice(source)?;
    }

    #[test]
    fn any_form(source in formed()) {
        twice(source)?;
    }

    #[test]
    fn any_form_means_what_the_crate_says(source in formed()) {
        let ours = Expression::compile(&source, &ROOTS).ok().and_then(|expression| expression.holds(&context()).ok());
        if let (Some(ours), Some(theirs)) = (ours, theirs(&source)) {
            prop_assert_eq!(ours, theirs);
        }
    }
}
