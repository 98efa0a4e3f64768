//! The crate `cel` has an evaluator too. Wherever it has an answer, ours is the same.

use super::{DO_NOT_HOLD, HOLD, context};
use cel::{Context, Env, Value, objects::Key};
use serde_json::Value as Json;
use std::{collections::HashMap, sync::Arc};

/// As we read JSON: every whole number that fits is an `int`.
fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => number
            .as_i64()
            .map(Value::Int)
            .or_else(|| number.as_u64().map(Value::UInt))
            .unwrap_or_else(|| Value::Float(number.as_f64().unwrap())),
        Json::String(text) => text.clone().into(),
        Json::Array(items) => items.iter().map(value).collect::<Vec<_>>().into(),
        Json::Object(map) => {
            let pairs = map.iter().map(|(key, json)| (Key::from(key.clone()), value(json)));
            pairs.collect::<HashMap<_, _>>().into()
        }
    }
}

pub(super) fn theirs(source: &str) -> Option<bool> {
    stacker::grow(16 * 1024 * 1024, || {
        let env = Arc::new(Env::stdlib());
        let mut known = Context::with_env(Arc::clone(&env));
        for (name, json) in context().as_object().unwrap() {
            known.add_variable_from_value(name.as_str(), value(json));
        }
        match env.compile(source).ok()?.execute(&known) {
            Ok(Value::Bool(answer)) => Some(answer),
            _ => None,
        }
    })
}

/// Where ours is right: the crate compares a whole number with a fraction after rounding it.
const DIFFER: &[&str] = &[
    "9007199254740993 > 9007199254740992.0",
    "handoff.big == 18446744073709551614.0 && handoff.big == 18446744073709551616.0",
];

#[test]
fn agrees_with_the_evaluator_of_the_crate() {
    let mut answered = 0;
    for (table, ours) in [(HOLD, true), (DO_NOT_HOLD, false)] {
        for source in table {
            let theirs = theirs(source);
            answered += usize::from(theirs.is_some());
            let differs = theirs.is_some_and(|theirs| theirs != ours);
            assert_eq!(differs, DIFFER.contains(source), "{source}");
        }
    }
    println!("{answered} of {}", HOLD.len() + DO_NOT_HOLD.len());
    assert!(answered > 40, "only {answered} were answered");
}
