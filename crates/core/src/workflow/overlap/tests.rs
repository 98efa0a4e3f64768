//! What is compared by numbers is found as if the texts were compared, and no file makes it compare without end.

use super::*;
use serde_json::{Value, json};

/// Parts of conditions that agree, contradict each other or have nothing to do with each other.
const PARTS: [&str; 27] = [
    "x", "!x", "!(x)", "!(!x)", "y", "x.z", "x==1", "x==1.0", "x==2", "x=='a'", "x=='b'", "x=='a'+y", "x==y", "x!=1",
    "x!='a'", "x!=y", "x<1", "x<=1", "x<2", "x<=2", "x>1", "x>=1", "x>2", "x>=2", "x>y", "x<y", "!(x==1)",
];

/// Whether two parts exclude each other, by their texts.
fn excluded(a: &str, b: &str) -> bool {
    let denied = |inner: &str| inner == a || inner.strip_prefix('(').and_then(|it| it.strip_suffix(')')) == Some(a);
    if b.strip_prefix('!').is_some_and(denied) {
        return true;
    }
    let (Some((left, sign, right)), Some((other_left, other_sign, other_right))) = (compared(a), compared(b)) else {
        return false;
    };
    let numbers = || number(right).zip(number(other_right));
    left == other_left
        && match (sign, other_sign) {
            ("==", "==") => right != other_right && literal(right) && literal(other_right),
            ("==", "!=") => right == other_right,
            ("==", "<") => numbers().is_some_and(|(is, below)| is >= below),
            ("==", "<=") => numbers().is_some_and(|(is, most)| is > most),
            ("==", ">") => numbers().is_some_and(|(is, above)| is <= above),
            ("==", ">=") => numbers().is_some_and(|(is, least)| is < least),
            ("<=", ">=") => numbers().is_some_and(|(most, least)| most < least),
            ("<" | "<=", ">" | ">=") => right == other_right || numbers().is_some_and(|(most, least)| most <= least),
            _ => false,
        }
}

/// Rules of one agent that lead to different places.
fn with(rules: impl Iterator<Item = (String, Vec<String>)>) -> Workflow {
    let rule = |(i, (condition, signals)): (usize, (String, Vec<String>))| {
        json!({"id": format!("r{i}"), "from": "a", "to": format!("b{}", i % 2), "reason": "r", "condition": condition,
               "trigger_state": signals})
    };
    let rules: Vec<Value> = rules.enumerate().map(rule).collect();
    let agents = json!({"a": {}, "b0": {}, "b1": {}});
    serde_json::from_value(json!({"name": "x", "agents": agents, "start": "A", "states": {}, "rules": rules})).unwrap()
}

fn noted(workflow: &Workflow) -> bool {
    !notes(workflow).is_empty()
}

#[test]
fn conditions_are_apart_when_their_texts_are() {
    for one in PARTS {
        for other in PARTS {
            let apart = excluded(one, other) || excluded(other, one);
            let plain = [one.to_owned(), other.to_owned()];
            let among = [format!("p && {one} && q"), format!("{other} && p && q")];
            for pair in [plain, among] {
                let workflow = with(pair.clone().into_iter().map(|condition| (condition, vec![])));
                assert_eq!(noted(&workflow), !apart, "{pair:?}");
            }
        }
    }
}

#[test]
fn rules_meet_in_a_signal() {
    let table = [("A", "A", true), ("A", "B", false), ("A B", "C B", true), ("B C A", "D E F", false), ("", "A", true)];
    for (one, other, meet) in table {
        let signals = [one, other].map(|all| all.split_whitespace().map(str::to_owned).collect());
        let workflow = with(signals.into_iter().map(|signals| ("x".to_owned(), signals)));
        assert_eq!(noted(&workflow), meet, "{one} / {other}");
    }
}

#[test]
fn no_file_makes_it_compare_without_end() {
    let signals = |i: usize| (0..100).map(|k| format!("T{}", k * 10_000 + i)).collect::<Vec<_>>();
    let parts = |i: usize| (0..16).map(|k| format!("x{k}<{i}")).collect::<Vec<_>>().join("&&");
    let same = |i: usize| (0..16).map(|k| format!("x<{}", i * 16 + k)).collect::<Vec<_>>().join("&&");
    type Rule<'a> = &'a dyn Fn(usize) -> (String, Vec<String>);
    let table: [(&str, Rule<'_>, usize); 4] = [
        ("signals", &|i| (format!("x == y{i}"), signals(i)), 200),
        ("parts", &|i| (parts(i), vec![format!("T{}", i / 2)]), 200),
        ("one name", &|i| (same(i), vec![]), 200),
        ("few", &|i| (format!("x == {i}"), vec![]), 4),
    ];
    for (name, rule, count) in table {
        let workflow = with((0..count).map(rule));
        let all = 100_000;
        let mut left = all;
        notes_within(&workflow, &mut left);
        assert_eq!(all - left < 50, name == "few", "{name}: {left} left");
        let mut none = 0;
        assert_eq!(notes_within(&workflow, &mut none), [], "{name}");
    }
}
