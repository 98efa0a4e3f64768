//! A mistake inside of a condition is shown inside of it, however the condition is written.

use super::{refused, small};
use expect_test::expect;
use handover::workflow;

/// Ways to write the same condition, whose mistake is the word `sesion`.
const WAYS: &[&str] = &[
    "condition: sesion.tokens > 5",
    "condition: outcome.ok && sesion.tokens > 5",
    "condition: 'outcome.data.kind == ''a'' && sesion.tokens > 5'",
    "condition: \"outcome.data.kind == \\\"a\\\" && sesion.tokens > 5\"",
    "condition: \"outcome.data.kind == '\\u00e9\\t' && sesion.tokens > 5\"",
    "condition: 'outcome.data.name == ''Zoë'' && sesion.tokens > 5'",
    "condition: outcome.ok\n      && sesion.tokens > 5",
    "condition: 'outcome.ok\n\n      && sesion.tokens > 5'",
    "condition: |\n      outcome.ok &&\n        sesion.tokens > 5",
    "condition: |-   # Both must hold.\n      outcome.ok &&\n\n      sesion.tokens > 5",
    "condition: >\n      outcome.ok &&\n      sesion.tokens > 5",
    "condition: >2-\n      outcome.ok &&\n      sesion.tokens > 5",
    "condition: |\n      'a' == 'b' && sesion.tokens > 5",
    "condition: '''a'' == ''b'' && sesion.tokens > 5'",
    "condition: \"\\\"a\\\" == 'b' && sesion.tokens > 5\"",
    "condition: |\n      \"a\" == 'b' &&\n      sesion.tokens > 5",
    "condition: &same outcome.ok && sesion.tokens > 5",
];

#[test]
fn the_caret_stands_under_the_word() {
    for way in WAYS {
        let rule = format!("  - id: done\n    from: reviewer\n    reason: Approved\n    next_state: DONE\n    {way}\n");
        let text = small("  - {id: done, from: reviewer, reason: Approved, next_state: DONE}\n", &rule);
        let error = workflow::parse("flow.yaml", &text).expect_err("the file is refused");
        let (line, column) = text
            .lines()
            .enumerate()
            .find_map(|(i, line)| Some((i + 1, line[..line.find("sesion")?].chars().count() + 1)))
            .unwrap();
        let found: Vec<_> = error.mistakes.iter().map(|m| (m.line, m.column, m.field.as_str())).collect();
        assert_eq!(found, [(line, column, "rules[2].condition")], "{error}");
    }
}

#[test]
fn a_mistake_at_the_end_is_shown_behind_the_last_word() {
    for (way, at) in [("condition: outcome.ok &&  ", 25), ("condition: 'outcome.ok && '", 26)] {
        let text = small("reason: Approved", &format!("reason: Approved, {way}"));
        let error = workflow::parse("flow.yaml", &text).expect_err("the file is refused");
        let start = text.lines().find_map(|line| line.find("condition:")).unwrap();
        assert_eq!(error.mistakes[0].column, start + at, "{error}");
    }
}

#[test]
fn it_is_shown_so() {
    refused(
        &small("reason: Approved", "reason: Approved, condition: outcome.ok && outcome.data.price.max() > 5"),
        &expect![[r#"
            error[HO0715]: there is no function `max`
              --> flow.yaml:11:94 in rules[2].condition
               |
            11 |   - {id: done, from: reviewer, reason: Approved, condition: outcome.ok && outcome.data.price.max() > 5, next_state: DONE
               |                                                                                              ^^^
               = hint: did you mean `map`? the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
        "#]],
    );
}
