//! The shape of a payload, as a JSON Schema: the part of it that describes data. A keyword beyond that part is a mistake
//! that is told when the workflow is read, never silently passed over.

mod at;
mod patterns;
#[cfg(test)]
mod tests;

pub(crate) use patterns::Patterns;

use crate::{limits, nearest::nearest};
use at::At;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// Keywords that are understood.
const KEYWORDS: [&str; 21] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "anyOf",
    "allOf",
    "not",
    "minProperties",
    "maxProperties",
];
/// Keywords that only tell something to people.
const NOTES: [&str; 7] = ["$schema", "$id", "$comment", "title", "description", "examples", "default"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// A JSON Schema. In JSON it is as it was written; its patterns are compiled when it is first used, once.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub struct Schema {
    written: Value,
    patterns: OnceLock<Patterns>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl From<Value> for Schema {
    fn from(written: Value) -> Self {
        Self { written, patterns: OnceLock::new() }
    }
}

impl From<Schema> for Value {
    fn from(schema: Schema) -> Self {
        schema.written
    }
}

/// Where something has another shape, or a schema cannot be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where, such as `passengers` or `legs[0].from`.
    pub at: String,
    /// What.
    pub message: String,
}

impl Schema {
    /// Compiles its patterns, apart from those that are known from other schemas.
    pub(crate) fn prepare(&self, known: &mut Patterns) {
        self.patterns.get_or_init(|| Patterns::of(&self.written, known));
    }

    fn patterns(&self) -> &Patterns {
        self.patterns.get_or_init(|| Patterns::of(&self.written, &mut Patterns::default()))
    }

    /// What is wrong with the schema itself.
    #[must_use]
    pub fn mistakes(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        sound(&self.written, self.patterns(), &At::Whole, 0, &mut faults);
        faults
    }

    /// What is wrong with a value.
    #[must_use]
    pub fn check(&self, value: &Value) -> Vec<Fault> {
        let mut faults = Vec::new();
        check(&self.written, self.patterns(), value, &At::Whole, 0, &mut faults);
        faults.truncate(limits::SCHEMA_FAULTS_MAX);
        faults
    }
}

fn fault(at: &At<'_>, message: impl Into<String>) -> Fault {
    Fault { at: at.text(), message: message.into() }
}

/// Whether a schema can be: known keywords only, each with the value that it needs.
fn sound(schema: &Value, patterns: &Patterns, at: &At<'_>, depth: usize, faults: &mut Vec<Fault>) {
    let map = match schema {
        Value::Bool(_) => return,
        Value::Object(map) if depth < limits::JSON_DEPTH_MAX => map,
        Value::Object(_) => return faults.push(fault(at, "it is nested too deep")),
        _ => return faults.push(fault(at, "a schema is an object, true or false")),
    };
    for (keyword, value) in map {
        // Nobody reads so many of one schema.
        if faults.len() > limits::MISTAKES_MAX {
            return;
        }
        let here = At::Field(at, keyword);
        let why = match keyword.as_str() {
            "type" => not_types(value),
            "properties" => return_nested(value, patterns, &here, depth, faults),
            "items" | "additionalProperties" | "not" => {
                sound(value, patterns, &here, depth + 1, faults);
                None
            }
            "anyOf" | "allOf" => match value.as_array().filter(|all| !all.is_empty()) {
                None => Some("it is a list of schemas"),
                Some(all) => {
                    let each = |(i, one)| sound(one, patterns, &At::Item(&here, i), depth + 1, faults);
                    all.iter().enumerate().for_each(each);
                    None
                }
            },
            "required" => {
                value.as_array().is_none_or(|all| !all.iter().all(Value::is_string)).then_some("it is a list of names")
            }
            "enum" => value.as_array().is_none_or(Vec::is_empty).then_some("it is a list of values"),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                (!value.is_number()).then_some("it is a number")
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                (!value.is_u64()).then_some("it is a count")
            }
            "pattern" => value.as_str().map_or(Some("it is a text"), |text| patterns.mistake(text)),
            "const" => None,
            known if NOTES.contains(&known) => None,
            _ => {
                faults.push(fault(&here, unknown(keyword)));
                None
            }
        };
        faults.extend(why.map(|why| fault(&here, why)));
    }
}

/// A keyword that is not understood, and the one that was probably meant.
fn unknown(keyword: &str) -> String {
    let near = (keyword.len() <= limits::SLIP_BYTES_MAX).then(|| nearest(keyword, KEYWORDS.map(|name| (name, name))));
    match near.flatten() {
        Some(near) => format!("the keyword is not understood; did you mean `{near}`?"),
        None => format!("the keyword is not understood; known are {}", KEYWORDS.join(", ")),
    }
}

fn not_types(value: &Value) -> Option<&'static str> {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let all = known(value) || value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(known));
    (!all).then_some("it is one of null, boolean, integer, number, string, array, object, or a list of these")
}

fn return_nested(
    value: &Value,
    patterns: &Patterns,
    at: &At<'_>,
    depth: usize,
    faults: &mut Vec<Fault>,
) -> Option<&'static str> {
    let Some(fields) = value.as_object() else { return Some("it has a schema for each field") };
    fields.iter().for_each(|(name, one)| sound(one, patterns, &At::Field(at, name), depth + 1, faults));
    None
}

fn check(schema: &Value, patterns: &Patterns, value: &Value, at: &At<'_>, depth: usize, faults: &mut Vec<Fault>) {
    if depth > limits::JSON_DEPTH_MAX || faults.len() > limits::SCHEMA_FAULTS_MAX {
        return;
    }
    let map = match schema {
        Value::Bool(false) => return faults.push(fault(at, "nothing may be here")),
        Value::Object(map) => map,
        _ => return,
    };
    if let Some(types) = map.get("type").filter(|types| !is_of(types, value)) {
        let wanted =
            types.as_array().map_or_else(|| word(types), |all| all.iter().map(word).collect::<Vec<_>>().join(" or "));
        return faults.push(fault(at, format!("it is {}, {wanted} is needed", kind(value))));
    }
    let same = |one: &Value| same(one, value);
    if map.get("enum").and_then(Value::as_array).is_some_and(|all| !all.iter().any(same)) {
        let all = map.get("enum").map(Value::to_string).unwrap_or_default();
        faults.push(fault(at, format!("{value} is none of {all}")));
    }
    if let Some(only) = map.get("const").filter(|only| !same(only)) {
        faults.push(fault(at, format!("it must be {only}")));
    }
    match value {
        Value::Number(number) => of_number(map, number.as_f64().unwrap_or(0.0), at, faults),
        Value::String(text) => of_text(map, patterns, text, at, faults),
        Value::Array(items) => of_list(map, patterns, items, at, depth, faults),
        Value::Object(fields) => of_object(map, patterns, fields, at, depth, faults),
        Value::Null | Value::Bool(_) => {}
    }
    of_all(map, patterns, value, at, depth, faults);
}

fn of_all(
    map: &Map<String, Value>,
    patterns: &Patterns,
    value: &Value,
    at: &At<'_>,
    depth: usize,
    faults: &mut Vec<Fault>,
) {
    let fits = |schema: &Value| {
        let mut own = Vec::new();
        check(schema, patterns, value, at, depth + 1, &mut own);
        own.is_empty()
    };
    for one in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        check(one, patterns, value, at, depth + 1, faults);
    }
    if map.get("anyOf").and_then(Value::as_array).is_some_and(|all| !all.iter().any(fits)) {
        faults.push(fault(at, "it fits none of the shapes that it may have"));
    }
    if map.get("not").is_some_and(fits) {
        faults.push(fault(at, "it has a shape that it must not have"));
    }
}

fn of_number(map: &Map<String, Value>, number: f64, at: &At<'_>, faults: &mut Vec<Fault>) {
    let bound = |name: &str| map.get(name).and_then(Value::as_f64);
    let checks = [
        (bound("minimum").filter(|min| number < *min), "at least"),
        (bound("maximum").filter(|max| number > *max), "at most"),
        (bound("exclusiveMinimum").filter(|min| number <= *min), "more than"),
        (bound("exclusiveMaximum").filter(|max| number >= *max), "less than"),
    ];
    let broken = checks.into_iter().filter_map(|(bound, words)| Some((bound?, words)));
    faults.extend(broken.map(|(bound, words)| fault(at, format!("{number} is not {words} {bound}"))));
}

/// A count that is out of its bounds, in words.
fn counted(map: &Map<String, Value>, count: usize, least: &str, most: &str, what: &str) -> Option<String> {
    let bound = |name: &str| map.get(name).and_then(Value::as_u64);
    let few = bound(least)
        .filter(|min| (count as u64) < *min)
        .map(|min| format!("{count} {what}, at least {min} are needed"));
    few.or_else(|| {
        bound(most).filter(|max| count as u64 > *max).map(|max| format!("{count} {what}, at most {max} are allowed"))
    })
}

fn of_text(map: &Map<String, Value>, patterns: &Patterns, text: &str, at: &At<'_>, faults: &mut Vec<Fault>) {
    faults.extend(counted(map, text.chars().count(), "minLength", "maxLength", "characters").map(|why| fault(at, why)));
    let wanted = map.get("pattern").and_then(Value::as_str);
    if let Some(wanted) = wanted.filter(|wanted| patterns.get(wanted).is_some_and(|regex| !regex.is_match(text))) {
        faults.push(fault(at, format!("it does not match {wanted}")));
    }
}

fn of_list(
    map: &Map<String, Value>,
    patterns: &Patterns,
    items: &[Value],
    at: &At<'_>,
    depth: usize,
    faults: &mut Vec<Fault>,
) {
    faults.extend(counted(map, items.len(), "minItems", "maxItems", "items").map(|why| fault(at, why)));
    if let Some(schema) = map.get("items") {
        for (i, item) in items.iter().enumerate() {
            check(schema, patterns, item, &At::Item(at, i), depth + 1, faults);
        }
    }
}

fn of_object(
    map: &Map<String, Value>,
    patterns: &Patterns,
    fields: &Map<String, Value>,
    at: &At<'_>,
    depth: usize,
    faults: &mut Vec<Fault>,
) {
    faults.extend(counted(map, fields.len(), "minProperties", "maxProperties", "fields").map(|why| fault(at, why)));
    for name in map.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            faults.push(fault(&At::Field(at, name), "it is missing"));
        }
    }
    let known = map.get("properties").and_then(Value::as_object);
    for (name, value) in fields {
        let schema = known.and_then(|known| known.get(name)).or_else(|| map.get("additionalProperties"));
        match schema {
            Some(Value::Bool(false)) => faults.push(fault(&At::Field(at, name), "there is no such field")),
            Some(schema) => check(schema, patterns, value, &At::Field(at, name), depth + 1, faults),
            None => {}
        }
    }
}

/// Whether two values are the same. A number is, however it is written.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.is_f64() != b.is_f64() && a.as_f64() == b.as_f64()),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        (a, b) => a == b,
    }
}

fn is_of(types: &Value, value: &Value) -> bool {
    let one = |name: &str| match name {
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        name => name == kind(value),
    };
    types
        .as_str()
        .map_or_else(|| types.as_array().is_some_and(|all| all.iter().filter_map(Value::as_str).any(one)), one)
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
