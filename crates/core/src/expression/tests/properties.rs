//! Whatever is written: an answer or a message, never a panic, and the same one each time.

use super::{ROOTS, context, oracle::theirs};
use crate::expression::{Expression, Mistake};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

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

fn one_of(choices: &[&'static str]) -> impl Strategy<Value = String> + use<> {
    prop::sample::select(choices.to_vec()).prop_map(str::to_owned)
}

fn number() -> impl Strategy<Value = String> {
    let leaf = one_of(&[
        "handoff.cost",
        "handoff.priority",
        "handoff.negative",
        "handoff.big",
        "handoff.gone",
        "0",
        "3",
        "2.5",
    ]);
    leaf.prop_recursive(3, 8, 2, |inner| {
        let sign = one_of(&["+", "-", "*", "/", "%"]);
        prop_oneof![
            (inner.clone(), sign, inner.clone()).prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            inner.prop_map(|of| format!("-({of})")),
            list().prop_map(|of| format!("size({of})")),
            list().prop_map(|of| format!("{of}[1]")),
        ]
    })
}

fn list() -> impl Strategy<Value = String> {
    one_of(&[
        "handoff.tags",
        "handoff.none",
        "handoff.matrix",
        "[1, 2.0, 'x', null]",
        "[0] + [handoff.priority]",
        "[3, 1].map(x, x * 2)",
        "handoff.steps.map(s, has(s.cost), s.cost)",
        "handoff.matrix.filter(x, size(x) > 1)",
    ])
    .prop_map(|list| format!("({list})"))
}

/// Conditions that are well formed, most of which have an answer.
fn formed() -> impl Strategy<Value = String> {
    let compared = one_of(&["==", "!=", "<", "<=", ">", ">="]);
    let any = || prop_oneof![number(), list(), one_of(&["handoff", "handoff.risk", "'x'", "null", "true"])];
    let leaf = prop_oneof![
        one_of(&["true", "handoff.urgent", "handoff.gone == 1", "has(handoff.note)", "has(handoff.gone)"]),
        (number(), compared, number()).prop_map(|(left, sign, right)| format!("{left} {sign} {right}")),
        (any(), one_of(&["==", "!="]), any()).prop_map(|(left, sign, right)| format!("{left} {sign} {right}")),
        (any(), list()).prop_map(|(one, list)| format!("{one} in {list}")),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let both = one_of(&["&&", "||", "==", "!="]);
        let each = one_of(&["all", "exists", "exists_one"]);
        prop_oneof![
            (inner.clone(), both, inner.clone()).prop_map(|(left, sign, right)| format!("({left} {sign} {right})")),
            (list(), each, inner.clone()).prop_map(|(of, each, body)| format!("{of}.{each}(x, x == 1 || {body})")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(one, yes, no)| format!("(({one}) ? {yes} : {no})")),
            inner.prop_map(|of| format!("!({of})")),
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
}

/// A fixed seed, so that the count of those that both can answer is the same each time.
#[test]
fn a_form_means_what_the_crate_says() {
    let mut runner = TestRunner::deterministic();
    let mut compared = 0;
    for _ in 0..400 {
        let source = formed().new_tree(&mut runner).unwrap().current();
        let ours = Expression::compile(&source, &ROOTS).ok().and_then(|expression| expression.holds(&context()).ok());
        if let (Some(ours), Some(theirs)) = (ours, theirs(&source)) {
            compared += 1;
            assert_eq!(ours, theirs, "{source}");
        }
    }
    assert!(compared > 200, "only {compared} were compared");
}
