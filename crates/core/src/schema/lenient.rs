//! The part of somebody else's schema that is understood. Leaving a keyword out must only ever make a schema take more.

use super::{KEYWORDS, NOTES, Schema};
use crate::limits::JSON_DEPTH_MAX;
use serde_json::{Map, Value, json};

/// A schema without what is not understood, and whether nothing had to be left out.
pub(super) fn understood(schema: &Value, depth: usize) -> (Value, bool) {
    let map = match schema {
        Value::Bool(_) => return (schema.clone(), true),
        Value::Object(map) if depth < JSON_DEPTH_MAX => map,
        _ => return (Value::Bool(true), false),
    };
    let mut kept = Map::new();
    let mut whole = true;
    for (keyword, value) in map {
        if NOTES.contains(&keyword.as_str()) {
            continue;
        }
        let (one, all) = keyword_understood(keyword, value, map, depth);
        whole &= all;
        kept.extend(one.map(|one| (keyword.clone(), one)));
    }
    (Value::Object(kept), whole)
}

/// What is understood of one keyword, and whether that is all of it.
fn keyword_understood(
    keyword: &str,
    value: &Value,
    beside: &Map<String, Value>,
    depth: usize,
) -> (Option<Value>, bool) {
    match keyword {
        // Their meaning depends on a keyword beside them that is not understood.
        "additionalProperties" if beside.contains_key("patternProperties") => (None, false),
        "items" if beside.contains_key("prefixItems") || !value.is_object() && !value.is_boolean() => (None, false),
        "items" | "additionalProperties" => {
            let (one, all) = understood(value, depth + 1);
            (Some(one), all)
        }
        // To take more of what must not be is to refuse more: all of it is understood, or none of it counts.
        "not" => match understood(value, depth + 1) {
            (one, true) => (Some(one), true),
            _ => (None, false),
        },
        "properties" => each(value.as_object(), depth),
        "anyOf" | "allOf" => listed(value.as_array(), depth),
        known => {
            let fits = KEYWORDS.contains(&known) && is_sound(keyword, value);
            (fits.then(|| value.clone()), fits)
        }
    }
}

fn each(fields: Option<&Map<String, Value>>, depth: usize) -> (Option<Value>, bool) {
    let Some(fields) = fields else { return (None, false) };
    let mut whole = true;
    let mut kept = Map::new();
    for (name, one) in fields {
        let (one, all) = understood(one, depth + 1);
        whole &= all;
        kept.insert(name.clone(), one);
    }
    (Some(Value::Object(kept)), whole)
}

fn listed(all: Option<&Vec<Value>>, depth: usize) -> (Option<Value>, bool) {
    let Some(all) = all.filter(|all| !all.is_empty()) else { return (None, false) };
    let (kept, whole): (Vec<Value>, Vec<bool>) = all.iter().map(|one| understood(one, depth + 1)).unzip();
    (Some(Value::Array(kept)), whole.into_iter().all(|one| one))
}

fn is_sound(keyword: &str, value: &Value) -> bool {
    Schema::from(json!({keyword: value})).mistakes().is_empty()
}
