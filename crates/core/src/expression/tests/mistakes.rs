//! What is said about a text that is no expression, because of its signs.

use super::ROOTS;
use crate::expression::{Expression, Mistake};
use expect_test::{Expect, expect};

pub(super) fn refused(sources: &[&str], expected: &Expect) {
    let said = sources.iter().map(|source| {
        let shown = source.replace('\n', "⏎");
        match Expression::compile(source, &ROOTS) {
            Ok(_) => format!("{shown}\n    is accepted\n"),
            Err(Mistake { message, line, column, hint }) => {
                format!("{shown}\n    {line}:{column} {message}\n    {hint}\n")
            }
        }
    });
    expected.assert_eq(&said.collect::<String>());
}

#[test]
fn operators() {
    let sources = [
        "handoff.risk = 'high'",
        "handoff.risk === 'high'",
        "handoff.priority => 3",
        "handoff.priority =< 3",
        "handoff.priority <> 3",
        "handoff.urgent & true",
        "handoff.urgent | true",
        "handoff.urgent and true",
        "handoff.urgent OR true",
        "not handoff.urgent",
        "handoff.risk not in ['low']",
        "handoff.risk is 'high'",
        "handoff.risk 'high'",
        "handoff.risk ==",
        "== 'high'",
        "handoff.priority == == 3",
        "handoff.priority >",
        "handoff.urgent &&\n  handoff.risk ==\n  && true",
        "handoff.urgent ? true",
        "1 < handoff.priority < 5",
    ];
    refused(
        &sources,
        &expect![[r#"
            handoff.risk = 'high'
                1:14 `=` is no operator
                write `==` to compare
            handoff.risk === 'high'
                1:16 `=` is no operator
                write `==` to compare
            handoff.priority => 3
                1:18 `=>` is no operator
                write `>=`
            handoff.priority =< 3
                1:18 `=<` is no operator
                write `<=`
            handoff.priority <> 3
                1:19 `>` cannot stand here
                write `!=` for "not equal"
            handoff.urgent & true
                1:16 `&` is no operator
                write `&&` for "and"
            handoff.urgent | true
                1:16 `|` is no operator
                write `||` for "or"
            handoff.urgent and true
                1:16 `and` is no operator
                write `&&` for "and"
            handoff.urgent OR true
                1:16 `OR` is no operator
                write `||` for "or"
            not handoff.urgent
                1:1 `not` is no operator
                write `!` for "not", as in `!(a == b)`
            handoff.risk not in ['low']
                1:14 `not` is no operator
                write `!` for "not", as in `!(a in b)`
            handoff.risk is 'high'
                1:14 `is` is no operator
                write `==` to compare
            handoff.risk 'high'
                1:14 there is no operator between `risk` and `'high'`
                join them with an operator, such as `==`, `&&` or `||`
            handoff.risk ==
                1:16 it ends too early after `==`
                write the value that is missing
            == 'high'
                1:1 `==` cannot stand here
                an expression begins with a value
            handoff.priority == == 3
                1:21 `==` cannot stand here
                a value is expected after `==`
            handoff.priority >
                1:19 it ends too early after `>`
                write the value that is missing
            handoff.urgent &&⏎  handoff.risk ==⏎  && true
                3:3 `&&` cannot stand here
                a value is expected after `==`
            handoff.urgent ? true
                1:22 it ends too early after `true`
                `a ? b : c` has three parts
            1 < handoff.priority < 5
                1:3 this gives true or false, which is neither less nor greater than anything
                write `1 < x && x < 5` instead of `1 < x < 5`
        "#]],
    );
}

#[test]
fn brackets_and_texts() {
    let sources = [
        "(handoff.urgent",
        "handoff.urgent)",
        "handoff.tags[0 == 'x'",
        "(handoff.tags[0) == 'x'",
        "'übung' == handoff.risk + )",
        "()",
        "handoff.risk == 'high",
        "handoff.risk == \"high\n\"",
        "handoff.risk == “high”",
        "handoff.risk == high",
        "handoff.risk.matches('\\d')",
        "handoff.risk == b'high'",
        "{'a': 1} == handoff",
        "handoff{a: 1}",
        "handoff.priority == 5u",
        "handoff.priority == 1_000",
        "handoff.priority == 10k",
        "handoff.priority == 99999999999999999999",
        "handoff.priority == 1e999",
        "handoff.priority == #3",
        "handoff.`odd key` == 1",
        "handoff.?risk == 'x'",
        "handoff. == 'x'",
        "handoff.tags[] == 'x'",
        "handoff.risk == 'x';",
        "handoff.risk == '\\ud800'",
        "",
        "  // nothing\n ",
    ];
    refused(
        &sources,
        &expect![[r#"
            (handoff.urgent
                1:1 this `(` is not closed
                write the `)` that belongs to it
            handoff.urgent)
                1:15 `)` closes a bracket that was not opened
                leave this `)` away
            handoff.tags[0 == 'x'
                1:13 this `[` is not closed
                write the `]` that belongs to it
            (handoff.tags[0) == 'x'
                1:16 `)` cannot close the `[` of line 1, column 14
                write `]` before it
            'übung' == handoff.risk + )
                1:27 `)` closes a bracket that was not opened
                leave this `)` away
            ()
                1:2 `)` cannot stand here
                a value is expected after `(`
            handoff.risk == 'high
                1:17 the text that begins here with `'` does not end
                write `'` after its last letter
            handoff.risk == "high⏎"
                1:17 the text that begins here with `"` does not end
                write `"` after its last letter
            handoff.risk == “high”
                1:17 this quotation mark is not a straight one
                write `"`
            handoff.risk == high
                1:17 there is no name `high`
                the names are `handoff`, `session`, `target`; put a text between quotation marks
            handoff.risk.matches('\d')
                1:22 this text has `\d`, which stands for nothing
                write `\\` for one `\`, or begin the text with `r`, as in `r"\d+"`
            handoff.risk == b'high'
                1:17 `b` begins a text of bytes, and JSON has none
                leave `b` away
            {'a': 1} == handoff
                1:1 maps cannot be written in an expression
                compare the keys one by one
            handoff{a: 1}
                1:8 maps cannot be written in an expression
                compare the keys one by one
            handoff.priority == 5u
                1:21 `5u` is no number
                write digits alone, such as `1000` or `2.5`; there is no unit and no `u`
            handoff.priority == 1_000
                1:21 `1_000` is no number
                write digits alone, such as `1000` or `2.5`; there is no unit and no `u`
            handoff.priority == 10k
                1:21 `10k` is no number
                write digits alone, such as `1000` or `2.5`; there is no unit and no `u`
            handoff.priority == 99999999999999999999
                1:21 `99999999999999999999` is too large a number
                use a smaller one
            handoff.priority == 1e999
                1:21 `1e999` is too large a number
                use a smaller one
            handoff.priority == #3
                1:21 `#` cannot stand here
                put a text between quotation marks
            handoff.`odd key` == 1
                1:9 a backtick cannot stand here
                write `handoff["odd key"]` for such a key
            handoff.?risk == 'x'
                1:8 `?` cannot stand here
                write `has(a.b) && a.b == 1` for a key that may be missing
            handoff. == 'x'
                1:10 `==` cannot stand here
                write a name after `.`, or `["key"]`
            handoff.tags[] == 'x'
                1:14 `]` cannot stand here
                write an index between `[` and `]`
            handoff.risk == 'x';
                1:20 `;` cannot stand here
                write one condition, without a sign at its end
            handoff.risk == '\ud800'
                1:17 `'\ud800'` is no text
                look at what follows each `\`

                1:1 it is empty
                write a condition, such as `handoff.risk == "high"`
              // nothing⏎ 
                2:2 it is empty
                write a condition, such as `handoff.risk == "high"`
        "#]],
    );
}
