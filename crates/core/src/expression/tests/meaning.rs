//! What is said about an expression that is well formed and means nothing.

use super::mistakes::refused;
use expect_test::expect;

#[test]
fn names_and_functions() {
    let sources = [
        "handof.risk == 'high'",
        "risk == 'high'",
        "handoff.tags.all(tag, tga == 'x')",
        "handoff.tags.all(tag, tag == 'x') && tag == 'x'",
        "has(hanoff.risk)",
        "for == 1",
        "handoff.risk.lenght() > 3",
        "handoff.risk.startswith('h')",
        "now() > 5",
        "timestamp('2025-01-01T00:00:00Z') > 5",
        "handoff.random()",
        "contains(handoff.risk, 'h')",
        "handoff.risk.contains()",
        "handoff.risk.has()",
        "has(handoff)",
        "has(handoff['risk'])",
        "has(handoff.risk, handoff.urgent)",
        "size() > 3",
        "handoff.tags.all(t)",
        "handoff.tags.all(handoff.x, true)",
        "handoff.tags.all(.t, true)",
        "handoff.tags.map(1, 2) == []",
        "handoff.risk.matches(handoff.id)",
        "handoff.risk.matches('(')",
        "handoff.risk.matches('(a{1,100}){1,100}')",
    ];
    refused(
        &sources,
        &expect![[r#"
            handof.risk == 'high'
                1:1 there is no name `handof`
                did you mean `handoff`?
            risk == 'high'
                1:1 there is no name `risk`
                the names are `handoff`, `session`, `target`; put a text between quotation marks
            handoff.tags.all(tag, tga == 'x')
                1:23 there is no name `tga`
                did you mean `tag`?
            handoff.tags.all(tag, tag == 'x') && tag == 'x'
                1:38 there is no name `tag`
                the names are `handoff`, `session`, `target`; put a text between quotation marks
            has(hanoff.risk)
                1:5 there is no name `hanoff`
                did you mean `handoff`?
            for == 1
                1:1 `for` is a word that CEL keeps for itself
                use another name
            handoff.risk.lenght() > 3
                1:14 there is no function `lenght`
                did you mean `size`? the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
            handoff.risk.startswith('h')
                1:14 there is no function `startswith`
                did you mean `startsWith`? the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
            now() > 5
                1:1 there is no function `now`
                the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
            timestamp('2025-01-01T00:00:00Z') > 5
                1:1 there is no function `timestamp`
                the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
            handoff.random()
                1:9 there is no function `random`
                the functions are `has`, `size`, `contains`, `startsWith`, `endsWith`, `matches`, `all`, `exists`, `exists_one`, `map`, `filter`, `int`, `double`, `string`, `bool`
            contains(handoff.risk, 'h')
                1:1 `contains` is not called like this
                write `text.contains("part")`
            handoff.risk.contains()
                1:14 `contains` is not called like this
                write `text.contains("part")`
            handoff.risk.has()
                1:14 `has` is not called like this
                write `has(handoff.deadline)`, with a name and a dot
            has(handoff)
                1:1 `has` is not called like this
                write `has(handoff.deadline)`, with a name and a dot
            has(handoff['risk'])
                1:1 `has` is not called like this
                write `has(handoff.deadline)`, with a name and a dot
            has(handoff.risk, handoff.urgent)
                1:1 `has` is not called like this
                write `has(handoff.deadline)`, with a name and a dot
            size() > 3
                1:1 `size` is not called like this
                write `size(list)` or `list.size()`
            handoff.tags.all(t)
                1:14 `all` is not called like this
                write `list.all(x, x > 0)`
            handoff.tags.all(handoff.x, true)
                1:26 a loop begins with the name of its variable
                write `list.all(x, x > 0)`
            handoff.tags.all(.t, true)
                1:19 a loop begins with the name of its variable
                write `list.all(x, x > 0)`
            handoff.tags.map(1, 2) == []
                1:18 a loop begins with the name of its variable
                write `list.all(x, x > 0)`
            handoff.risk.matches(handoff.id)
                1:30 the pattern of `matches` is no plain text
                write it between quotation marks
            handoff.risk.matches('(')
                1:22 the pattern of `matches` is wrong: unclosed group
                write `\\` before a sign that stands for itself
            handoff.risk.matches('(a{1,100}){1,100}')
                1:22 the pattern of `matches` takes more than 8192 bytes (EXPRESSION_PATTERN_BYTES_MAX)
                make it simpler; repetitions such as `{1,100}` are costly
        "#]],
    );
}

#[test]
fn never_true_or_false() {
    let sources = [
        "'high'",
        "5",
        "2.5",
        "null",
        "[true]",
        "1 + 2",
        "size(handoff.tags)",
        "-handoff.priority",
        "string(handoff.urgent)",
        "handoff.tags.map(t, true)",
        "handoff.urgent && 'high'",
        "handoff.risk == 'high' || 'critical'",
        "!5",
        "'high' ? true : false",
        "handoff.urgent ? 'yes' : 'no'",
        "handoff.tags.all(t, 'x')",
        "handoff.tags.filter(t, 1) == []",
        "handoff.tags.map(t, 1, t) == []",
        "null < 5",
        "handoff.risk + 'x'",
    ];
    refused(
        &sources,
        &expect![[r#"
            'high'
                1:1 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            5
                1:1 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            2.5
                1:1 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            null
                1:1 this gives null, not true or false
                compare it with something, as in `size(list) > 0`
            [true]
                1:1 this gives a list, not true or false
                compare it with something, as in `size(list) > 0`
            1 + 2
                1:3 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            size(handoff.tags)
                1:1 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            -handoff.priority
                1:1 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            string(handoff.urgent)
                1:1 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            handoff.tags.map(t, true)
                1:14 this gives a list, not true or false
                compare it with something, as in `size(list) > 0`
            handoff.urgent && 'high'
                1:19 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            handoff.risk == 'high' || 'critical'
                1:27 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            !5
                1:2 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            'high' ? true : false
                1:1 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            handoff.urgent ? 'yes' : 'no'
                1:16 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            handoff.tags.all(t, 'x')
                1:21 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
            handoff.tags.filter(t, 1) == []
                1:24 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            handoff.tags.map(t, 1, t) == []
                1:21 this gives a number, not true or false
                compare it with something, as in `size(list) > 0`
            null < 5
                1:1 this gives null, which is neither less nor greater than anything
                compare numbers, or texts
            handoff.risk + 'x'
                1:14 this gives a text, not true or false
                compare it with something, as in `handoff.risk == "high"`
        "#]],
    );
}
