//! What holds for any input: valid things come back as they were, and nothing makes a reader fall over.

use super::strategies::{giving, messages, profile, request, turn, value};
use crate::{refusal::HandoffError, wire};
use proptest::prelude::*;
use serde_json::Value;

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Reads the text as everything. A refusal always says something.
fn read_as_all(text: &str) {
    fn told<T>(found: Result<T, HandoffError>) {
        if let Err(error) = found {
            assert!(!error.refusals.is_empty() && error.refusals.iter().all(|refusal| !refusal.message.is_empty()));
            assert!(error.refusals.windows(2).all(|pair| pair[0].code <= pair[1].code));
        }
    }
    told(wire::request(text));
    told(wire::turn(text));
    told(wire::messages(text));
    told(wire::profile(text));
    told(wire::giving(text));
}

/// Puts something else in one place of a value.
fn spoil(value: &mut Value, place: usize, other: Value) {
    let count = match value {
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    let inner = match value {
        Value::Array(items) if count > 0 => items.get_mut(place % count),
        Value::Object(map) if count > 0 => map.values_mut().nth(place % count),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match inner {
        Some(inner) => spoil(inner, place / count, other),
        None => *value = other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_request_comes_back(request in request(), history in messages()) {
        let parsed = wire::request(&json(&request)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(&parsed.request, &request);
        prop_assert!(parsed.history.is_none());
        let mut with_history = serde_json::to_value(&request).unwrap();
        with_history["context"]["conversation_history"] = serde_json::to_value(&history).unwrap();
        let parsed = wire::request(&with_history.to_string()).unwrap();
        prop_assert_eq!((parsed.request, parsed.history), (request, Some(history)));
    }

    #[test]
    fn the_others_come_back(turn in turn(), giving in giving(), messages in messages(), profile in profile()) {
        prop_assert_eq!(wire::turn(&json(&turn)), Ok(turn));
        prop_assert_eq!(wire::giving(&json(&giving)), Ok(giving));
        prop_assert_eq!(wire::messages(&json(&messages)), Ok(messages));
        prop_assert_eq!(wire::profile(&json(&profile)), Ok(profile));
    }

    #[test]
    fn no_bytes_make_it_fall_over(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_as_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_json_makes_it_fall_over(value in value(), turn in turn(), place in any::<usize>()) {
        read_as_all(&json(&value));
        let mut spoilt = serde_json::to_value(&turn).unwrap();
        spoil(&mut spoilt, place, value);
        read_as_all(&json(&spoilt));
        read_as_all(&json(&spoilt["goto"]["request"]));
        read_as_all(&json(&spoilt["update"]));
    }

    #[test]
    fn pieces_of_json_do_not_either(pieces in proptest::collection::vec(
        prop::sample::select(vec!["{", "}", "[", "]", ",", ":", "\"", "\\", "\"goto\"", "\"task\"", "1e9", "null", "-"]), 0..60)) {
        read_as_all(&pieces.concat());
    }
}
