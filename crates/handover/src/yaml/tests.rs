//! Types of every shape are read, whatever a policy or a profile may hold one day.

use super::Document;
use expect_test::{Expect, expect};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Choice {
    Never,
    Above(u32),
    Within { from: u32, to: u32 },
    Pair(u8, bool),
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Tagged {
    Random { seed: u64 },
    First,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged)]
enum Either {
    Count(u64),
    Names(Vec<String>),
}

#[derive(Debug, Deserialize, PartialEq)]
struct Around {
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Shapes {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    by_name: BTreeMap<String, Option<f64>>,
    #[serde(default)]
    by_number: BTreeMap<u32, String>,
    #[serde(default, alias = "old_pair")]
    pair: Option<(i8, String)>,
    #[serde(default)]
    tagged: Option<Tagged>,
    #[serde(default)]
    either: Option<Either>,
    #[serde(default)]
    around: Option<Around>,
    #[serde(default)]
    any: Value,
}

/// What is read, and everything that is wrong.
fn read(text: &str) -> (Option<Shapes>, String) {
    let document = Document::parse("x.yaml", text).unwrap();
    let found = document.read(document.root);
    let brief = |error: super::FileError| {
        let line = |m: &super::Mistake| format!("{}:{} {} {}: {}\n", m.line, m.column, m.code, m.field, m.message);
        error.mistakes.iter().map(line).collect()
    };
    (found, document.verdict().err().map(brief).unwrap_or_default())
}

fn wrong(text: &str, expect: &Expect) {
    expect.assert_eq(&read(text).1);
}

#[test]
fn every_shape_is_read() {
    let text = "choices: [never, above: 3, {within: {from: 1, to: 2}}, pair: [1, true]]\nby_name: {a: 0.5, b: ~, 010: 1}\n\
        by_number: {1: one}\nold_pair: [-1, no]\ntagged: {type: random, seed: 7}\neither: [a, b]\naround: {x: 1, y: [z]}\n\
        any: {n: 1, f: 1.5, t: true, s: \"1\", u: text, z: ~, l: [-1, 0x10]}\n";
    let (found, mistakes) = read(text);
    assert_eq!(mistakes, "");
    let around = BTreeMap::from([("x".to_owned(), json!(1)), ("y".to_owned(), json!(["z"]))]);
    let expected = Shapes {
        choices: vec![Choice::Never, Choice::Above(3), Choice::Within { from: 1, to: 2 }, Choice::Pair(1, true)],
        by_name: BTreeMap::from([("a".into(), Some(0.5)), ("b".into(), None), ("010".into(), Some(1.0))]),
        by_number: BTreeMap::from([(1, "one".into())]),
        pair: Some((-1, "no".into())),
        tagged: Some(Tagged::Random { seed: 7 }),
        either: Some(Either::Names(vec!["a".into(), "b".into()])),
        around: Some(Around { rest: around }),
        any: json!({"n": 1, "f": 1.5, "t": true, "s": "1", "u": "text", "z": null, "l": [-1, 16]}),
    };
    assert_eq!(found, Some(expected));
}

#[test]
fn every_shape_has_its_mistakes_at_once() {
    wrong(
        "choices: [nevr, above: x, {within: {from: 1, too: 2}}, pair: [1], pair: [300, true], pair: [1, 7], {a: 1, b: 2}, above, never: 1, within: 3]\n\
        by_name: {a: x, b: y}\nby_number: {one: 1, 2: two}\npair: [1, a, b]\n\
        tagged: {type: rando}\neither: yes\naround: 7\nany: [010]\n",
        &expect![[r#"
            1:11 HO0103 choices[0]: `nevr` is not one of never, above, within, pair
            1:24 HO0104 choices[1].above: expected a whole number, found `x`
            1:36 HO0101 choices[2].within: `to` is missing
            1:46 HO0105 choices[2].within.too: there is no field `too`
            1:62 HO0104 choices[3].pair: expected a list of 2, found one of 1
            1:74 HO0109 choices[4].pair[0]: `300` is not between 0 and 255
            1:96 HO0104 choices[5].pair[1]: expected true or false, found `7`
            1:100 HO0104 choices[6]: expected one of never, above, within, pair, found an object
            1:114 HO0104 choices[7]: the word needs a value of its own
            1:128 HO0104 choices[8].never: expected nothing, found a text
            1:139 HO0104 choices[9].within: expected an object, found a text
            2:14 HO0104 by_name.a: expected a number, found `x`
            2:20 HO0104 by_name.b: expected a number, found `y`
            3:13 HO0104 by_number.one: expected a whole number, found `one`
            4:7 HO0104 pair: expected a list of 2, found one of 3
            5:16 HO0103 tagged.type: `rando` is not one of random, first
            6:9 HO0104 either: data did not match any variant of untagged enum Either
            7:9 HO0104 around: expected an object, found a text
            8:7 HO0104 any[0]: `010` begins with a zero, which some read as octal
        "#]],
    );
}

#[test]
fn what_is_right_is_read_beside_what_is_wrong() {
    let (found, mistakes) = read("choices: [never, nevr, above: 3]\nby_name: {a: 0.5, b: x}\nfoo: 1\n");
    let found = found.unwrap();
    assert_eq!(found.choices, [Choice::Never, Choice::Above(3)]);
    assert_eq!(found.by_name, BTreeMap::from([("a".into(), Some(0.5))]));
    assert_eq!(mistakes.lines().count(), 3, "{mistakes}");
}

#[test]
fn two_names_for_one_field_are_one_too_many() {
    wrong(
        "pair: [1, a]\nold_pair: [2, b]\n",
        &expect![[r#"
        1:1 HO0112 : `pair` is given twice
    "#]],
    );
}
