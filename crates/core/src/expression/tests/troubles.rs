//! What is said when an expression has no answer for a context.

use super::{answer, context};
use crate::expression::{Expression, Trouble};
use expect_test::{Expect, expect};
use serde_json::json;

fn troubled(sources: &[&str], expected: &Expect) {
    let said = sources.iter().map(|source| {
        let shown = source.replace('\n', "⏎");
        match answer(source) {
            Ok(answer) => format!("{shown}\n    is {answer}\n"),
            Err(Trouble { message, line, column, hint }) => {
                format!("{shown}\n    {line}:{column} {message}\n    {hint}\n")
            }
        }
    });
    expected.assert_eq(&said.collect::<String>());
}

#[test]
fn missing() {
    let sources = [
        "handoff.prioritty > 3",
        "handoff.urgent &&\n  session.variables.c == 3",
        "session.variables['a b'] == 3",
        "handoff.steps[2].cost > 3",
        "handoff.steps.all(s, s.cost > 0)",
        "handoff.steps.map(s, s.cost) == []",
        "has(handoff.deadline.hour)",
        "handoff.note.x == 1",
        "has(handoff.note.x)",
        "handoff.risk.x == 1",
        "handoff.tags[2] == 'x'",
        "handoff.tags[-1] == 'x'",
        "handoff.tags[0.5] == 'x'",
        "handoff.tags['x'] == 'x'",
        "handoff[0] == 'x'",
        "handoff.risk[0] == 'h'",
        "[].map(x, x)[0] == 1",
        "handoff.deadline > 5 || handoff.dedline > 5",
    ];
    troubled(
        &sources,
        &expect![[r#"
            handoff.prioritty > 3
                1:9 `handoff` has no key `prioritty`; it has `big`, `budget`, `cost`, `empty`, `id`, `intent`, `matrix`, `negative` and more
                did you mean `priority`? if it may be missing, write `has(handoff.prioritty) && …`
            handoff.urgent &&⏎  session.variables.c == 3
                2:21 `session.variables` has no key `c`; it has `a`, `b`
                if it may be missing, write `has(session.variables.c) && …`
            session.variables['a b'] == 3
                1:18 `session.variables` has no key `a b`; it has `a`, `b`
                if it may be missing, write `"a b" in session.variables && …`
            handoff.steps[2].cost > 3
                1:18 `handoff.steps[2]` has no key `cost`; it has `name`
                if it may be missing, write `has(handoff.steps[2].cost) && …`
            handoff.steps.all(s, s.cost > 0)
                1:24 `s` has no key `cost`; it has `name`
                if it may be missing, write `has(s.cost) && …`
            handoff.steps.map(s, s.cost) == []
                1:24 `s` has no key `cost`; it has `name`
                if it may be missing, write `has(s.cost) && …`
            has(handoff.deadline.hour)
                1:13 `handoff` has no key `deadline`; it has `big`, `budget`, `cost`, `empty`, `id`, `intent`, `matrix`, `negative` and more
                if it may be missing, write `has(handoff.deadline) && …`
            handoff.note.x == 1
                1:14 `handoff.note` is null, which has no keys
                only a map has keys; compare with `null` before if it may be null
            has(handoff.note.x)
                1:1 `handoff.note` is null, which has no keys
                only a map has keys; compare with `null` before if it may be null
            handoff.risk.x == 1
                1:14 `handoff.risk` is a text, which has no keys
                only a map has keys; compare with `null` before if it may be null
            handoff.tags[2] == 'x'
                1:13 `handoff.tags` has 2 items, and this one is not among them
                items count from 0; write `size(list) > 0 && …` if there may be none
            handoff.tags[-1] == 'x'
                1:13 `handoff.tags` has 2 items, and this one is not among them
                items count from 0; write `size(list) > 0 && …` if there may be none
            handoff.tags[0.5] == 'x'
                1:13 `handoff.tags` has 2 items, and this one is not among them
                items count from 0; write `size(list) > 0 && …` if there may be none
            handoff.tags['x'] == 'x'
                1:13 a text cannot be the index of a list
                a list has whole numbers from 0, a map has texts
            handoff[0] == 'x'
                1:8 a number cannot be the index of a map
                a list has whole numbers from 0, a map has texts
            handoff.risk[0] == 'h'
                1:13 a number cannot be the index of a text
                a list has whole numbers from 0, a map has texts
            [].map(x, x)[0] == 1
                1:13 this has 0 items, and this one is not among them
                items count from 0; write `size(list) > 0 && …` if there may be none
            handoff.deadline > 5 || handoff.dedline > 5
                1:9 `handoff` has no key `deadline`; it has `big`, `budget`, `cost`, `empty`, `id`, `intent`, `matrix`, `negative` and more
                if it may be missing, write `has(handoff.deadline) && …`
        "#]],
    );
    let promised = Expression::compile("target.kind == 'x'", &["target"]).map(|it| it.holds(&json!({})));
    assert_eq!(promised.unwrap().unwrap_err().message, "there is no `target`");
}

#[test]
fn mixed_up() {
    let sources = [
        "handoff.risk",
        "handoff.risk && true",
        "handoff.risk || handoff.urgent",
        "!handoff.note",
        "handoff.risk ? true : false",
        "handoff.urgent ? handoff.risk : true",
        "handoff.tags.all(t, t)",
        "handoff.risk > 3",
        "handoff.note < 3",
        "handoff.urgent < handoff.urgent",
        "handoff.priority + 'x' == 'x'",
        "handoff.risk - 1 == 0",
        "-handoff.risk == 0",
        "'a' in handoff.risk",
        "1 in handoff",
        "handoff.priority.all(x, true)",
        "handoff.risk.all(x, true)",
        "size(handoff.priority) > 1",
        "handoff.priority.contains('3')",
        "handoff.risk.contains(3)",
        "handoff.priority.matches('3')",
        "int(handoff.risk) > 1",
        "double('NaN') > 1",
        "int(1e30) > 1",
        "int(handoff.big) > 1",
        "string(handoff.tags) == ''",
        "bool(1)",
        "1 / (handoff.priority - 3) == 1",
        "1.5 / 0 == 1",
        "1 % 0 == 1",
        "1.5 % 1 == 1",
        "9223372036854775807 + handoff.priority > 1",
        "handoff.big + 1 > 1",
        "1e308 * 10 > 1",
        "-(-9223372036854775807 - 1) > 0",
    ];
    troubled(
        &sources,
        &expect![[r#"
            handoff.risk
                1:9 `handoff.risk` is a text, not true or false
                compare it with something
            handoff.risk && true
                1:9 `handoff.risk` is a text, not true or false
                compare it with something
            handoff.risk || handoff.urgent
                is true
            !handoff.note
                1:10 `handoff.note` is null, not true or false
                compare it with something
            handoff.risk ? true : false
                1:9 `handoff.risk` is a text, not true or false
                compare it with something
            handoff.urgent ? handoff.risk : true
                1:16 this is a text, not true or false
                compare it with something
            handoff.tags.all(t, t)
                1:21 `t` is a text, not true or false
                compare it with something
            handoff.risk > 3
                1:14 `>` cannot stand between a text and a number
                compare numbers with numbers and texts with texts; `int(x)` or `double(x)` makes a number of a text
            handoff.note < 3
                1:14 `<` cannot stand between null and a number
                compare numbers with numbers and texts with texts; `int(x)` or `double(x)` makes a number of a text
            handoff.urgent < handoff.urgent
                1:16 `<` cannot stand between true or false and true or false
                compare numbers with numbers and texts with texts; `int(x)` or `double(x)` makes a number of a text
            handoff.priority + 'x' == 'x'
                1:18 `+` cannot stand between a number and a text
                `+` adds numbers, joins texts and joins lists; `string(x)` makes a text of a number
            handoff.risk - 1 == 0
                1:14 `-` cannot stand between a text and a number
                both must be numbers; `int(x)` or `double(x)` makes a number of a text
            -handoff.risk == 0
                1:1 `-` cannot take the text `high`
                `-` takes a number
            'a' in handoff.risk
                1:5 `in` cannot stand between a text and a text
                write `text.contains("part")`
            1 in handoff
                1:3 `in` cannot stand between a number and a map
                `in` looks into a list, or among the keys of a map
            handoff.priority.all(x, true)
                1:9 `handoff.priority` is a number, not a list
                a loop goes through a list or the keys of a map
            handoff.risk.all(x, true)
                1:9 `handoff.risk` is a text, not a list
                a loop goes through a list or the keys of a map
            size(handoff.priority) > 1
                1:1 `size` cannot take a number
                `size` takes a text, a list or a map
            handoff.priority.contains('3')
                1:18 `contains` cannot take a number
                `contains` takes a text
            handoff.risk.contains(3)
                1:14 `contains` cannot take a number
                `contains` takes a text
            handoff.priority.matches('3')
                1:9 `matches` cannot take a number
                `matches` takes a text
            int(handoff.risk) > 1
                1:1 `int` cannot take the text `high`
                `int` takes a number, or a text of digits
            double('NaN') > 1
                1:1 `double` cannot take the text `NaN`
                `double` takes a number, or a text of digits
            int(1e30) > 1
                1:1 the result is too large a number
                use smaller numbers
            int(handoff.big) > 1
                1:1 the result is too large a number
                use smaller numbers
            string(handoff.tags) == ''
                1:1 `string` cannot take a list
                `string` takes a text, a number, or true or false
            bool(1)
                1:1 `bool` cannot take a number
                `bool` takes true or false, or the text of one
            1 / (handoff.priority - 3) == 1
                1:3 a number is divided by zero
                write `x != 0 && …` if it may be zero
            1.5 / 0 == 1
                1:5 a number is divided by zero
                write `x != 0 && …` if it may be zero
            1 % 0 == 1
                1:3 a number is divided by zero
                write `x != 0 && …` if it may be zero
            1.5 % 1 == 1
                1:5 `%` is for whole numbers
                write `int(x) % 2`
            9223372036854775807 + handoff.priority > 1
                1:21 the result is too large a number
                use smaller numbers
            handoff.big + 1 > 1
                1:13 the result is too large a number
                use smaller numbers
            1e308 * 10 > 1
                1:7 the result is too large a number
                use smaller numbers
            -(-9223372036854775807 - 1) > 0
                1:1 the result is too large a number
                use smaller numbers
        "#]],
    );
}

#[test]
fn a_message_repeats_only_a_little_of_the_context() {
    let keys: serde_json::Map<_, _> = (0..20_000).map(|key| (format!("key {key:>0200}\n"), json!(1))).collect();
    let mut context = context();
    context["handoff"] = keys.into();
    let trouble = super::compile("handoff.x == 1").holds(&context).unwrap_err();
    assert!(trouble.to_string().len() < 1_000, "{trouble}");
    assert!(!trouble.to_string().contains('\n'));
}
