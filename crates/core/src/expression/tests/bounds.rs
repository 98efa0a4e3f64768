//! The bounds: the worst that is accepted neither aborts nor runs on, even on a small stack.

use super::ROOTS;
use crate::{
    expression::{Expression, Trouble, scan},
    limits,
};
use serde_json::{Value, json};

/// Runs on a thread with 512 KB of stack, where the parser alone would abort.
fn small<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(512 * 1024).spawn(work).unwrap().join().unwrap()
}

fn wrapped(times: usize, before: &str, middle: &str, after: &str) -> String {
    format!("{}{middle}{}", before.repeat(times), after.repeat(times))
}

/// The largest of its kind that the scanner lets through.
fn largest(make: impl Fn(usize) -> String) -> String {
    let fits = |source: &String| scan::scan(source).is_ok();
    (1..=limits::EXPRESSION_TOKENS_MAX).map(make).take_while(fits).last().unwrap()
}

/// One for each way in which an expression can be deep or long.
fn worst() -> Vec<String> {
    let joined = |by: &'static str, what: &'static str| move |times| vec![what; times].join(by);
    vec![
        largest(|times| wrapped(times, "(", "handoff.yes", ")")),
        largest(|times| wrapped(times, "[", "handoff.yes", "]") + " != handoff"),
        largest(|times| wrapped(times, "handoff.list[", "0", "]") + " == 0"),
        largest(|times| wrapped(times, "size([", "1", "]) == size([1])").replace(" == size([1])", "") + " == 1"),
        largest(|times| wrapped(times, "bool(", "handoff.yes", ")")),
        largest(|times| wrapped(times, "[1].all(x,", "handoff.yes", ")")),
        largest(|times| wrapped(times, "(true?", "handoff.yes", ":false)")),
        largest(|times| "false?false:".repeat(times) + "handoff.yes"),
        largest(|times| "!".repeat(2 * times) + "handoff.yes"),
        largest(|times| "-".repeat(times) + "1 != 0"),
        largest(|times| "!(".repeat(2 * times) + "handoff.yes" + &")".repeat(2 * times)),
        largest(joined("||", "handoff.no").map_last("||handoff.yes")),
        largest(joined("&&", "handoff.yes")),
        largest(joined("==", "handoff.yes").map_last("==true")),
        largest(joined("+", "1").map_last("> 0")),
        largest(joined("*", "1").map_last("> 0")),
        largest(|times| "handoff.list.all(x, true) && ".repeat(times) + "true"),
        largest(|times| format!("1 in [{}]", vec!["1"; times].join(","))),
        largest(|times| "handoff".to_owned() + &".map(k, k)".repeat(times) + " != []"),
        largest(|times| "has(handoff".to_owned() + &".a".repeat(times) + ") || true"),
    ]
}

trait MapLast {
    fn map_last(self, end: &'static str) -> impl Fn(usize) -> String;
}

impl<F: Fn(usize) -> String> MapLast for F {
    fn map_last(self, end: &'static str) -> impl Fn(usize) -> String {
        move |times| self(times) + end
    }
}

#[test]
fn the_worst_that_is_accepted_runs_on_a_small_stack() {
    small(|| {
        let context = json!({"handoff": {"yes": true, "no": false, "list": [0, 0]}});
        for source in worst() {
            let expression = Expression::compile(&source, &ROOTS).unwrap();
            assert_eq!(expression.holds(&context), Ok(true), "{source}");
        }
    });
}

#[test]
fn one_more_is_refused_by_name() {
    let nested = |times| wrapped(times, "(", "handoff.yes", ")");
    let sum = |times| vec!["1"; times].join("+") + " > 0";
    let text = |bytes| format!("handoff.text == '{}'", "x".repeat(bytes));
    let around = text(0).len();
    let cases = [
        (nested(limits::EXPRESSION_DEPTH_MAX), nested(limits::EXPRESSION_DEPTH_MAX + 1), "EXPRESSION_DEPTH_MAX"),
        (sum(limits::EXPRESSION_TOKENS_MAX / 2 - 1), sum(limits::EXPRESSION_TOKENS_MAX / 2), "EXPRESSION_TOKENS_MAX"),
        (
            text(limits::EXPRESSION_BYTES_MAX - around),
            text(limits::EXPRESSION_BYTES_MAX - around + 1),
            "EXPRESSION_BYTES_MAX",
        ),
    ];
    for (fits, does_not, name) in cases {
        assert!(Expression::compile(&fits, &ROOTS).is_ok(), "{name}");
        let mistake = Expression::compile(&does_not, &ROOTS).unwrap_err();
        assert!(mistake.message.contains(name), "{mistake}");
    }
    for hostile in [wrapped(900, "(", "1", ")"), "[".repeat(1_000), "handoff?".repeat(100), "-(".repeat(500)] {
        let mistake = small(move || Expression::compile(&hostile, &ROOTS).unwrap_err());
        assert!(mistake.message.contains("EXPRESSION_DEPTH_MAX"), "{mistake}");
    }
}

/// Some 256 KB of JSON, in the forms that cost most.
fn large() -> Value {
    let text = "a".repeat(limits::PAYLOAD_BYTES_MAX);
    let list = vec![0; limits::PAYLOAD_BYTES_MAX / 2];
    let short = vec!["a".repeat(1_000); 256];
    json!({"handoff": {"text": text, "list": list, "short": short, "twin": list.clone()}})
}

/// Each would take seconds or much memory without a bound on steps.
const COSTLY: [&str; 9] = [
    "handoff.list.all(x, handoff.list.all(y, x == y))",
    "handoff.list.all(x, handoff.list.exists(y, y == 1))",
    "handoff.list.all(x, handoff == handoff)",
    "handoff.short.all(x, handoff.text.contains(x + 'b') || true)",
    "handoff.short.map(x, handoff.short.map(y, x + y + x + y + x + y + x + y)) == []",
    "handoff.list.map(x, handoff.list + handoff.list + handoff.list + handoff.list) == []",
    "handoff.list.all(x, !(1 in handoff.twin))",
    "handoff.text.matches('(a|b|ab|aab)*(c|d)$') || handoff.text.matches('a*b*a*c')",
    "handoff.list.all(x, x.missing == 1)",
];

#[test]
fn a_run_has_a_bound_that_nothing_overrules() {
    let context = large();
    let bound = |trouble: &Trouble| trouble.message.contains("EXPRESSION_STEPS_MAX");
    for source in COSTLY {
        let expression = Expression::compile(source, &ROOTS).unwrap();
        assert!(expression.holds(&context).is_err_and(|trouble| bound(&trouble)), "{source}");
        let overruled = Expression::compile(&format!("{source} || true"), &ROOTS).unwrap();
        assert!(overruled.holds(&context).is_err_and(|trouble| bound(&trouble)), "{source}");
    }
}

#[test]
fn what_authors_write_is_within_the_bound() {
    let items: Vec<Value> = (0..5_000).map(|number| json!({"name": format!("n{number}"), "cost": number})).collect();
    let context = json!({"handoff": {"items": items, "text": "a".repeat(limits::TEXT_BYTES_MAX)}});
    for source in [
        "handoff.items.all(item, item.cost >= 0 && item.name.startsWith('n') && size(item.name) < 10)",
        "size(handoff.items.filter(item, item.cost > 100)) == 4899",
        "!handoff.text.matches('secret')",
        "handoff.items.map(item, item.cost) != []",
    ] {
        assert_eq!(Expression::compile(source, &ROOTS).unwrap().holds(&context), Ok(true), "{source}");
    }
}
