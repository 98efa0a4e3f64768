//! Pieces that the forms are made of.

use handover_core::{
    agent::Risk,
    described::{FreeText, Text, VariableName},
    ids::AgentId,
    limits::{VARIABLES_MAX, WAIT_MS_MAX},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The texts that stand for a length of time. More are read: whatever ISO 8601 and plain English have for one.
const SPOKEN: &str = "^([1-9][0-9]{0,2}h( [1-9][0-9]{0,2}m)?|[1-9][0-9]{0,3}m( [1-9][0-9]{0,2}s)?|[1-9][0-9]{0,6}s\
|[1-9][0-9]{0,8}ms|[1-9][0-9]?d|PT[1-9][0-9]{0,2}[HMS]|P[1-9][0-9]?D)$";

/// An object whose fields are all known.
pub(super) struct Form<'g> {
    generator: &'g mut SchemaGenerator,
    says: &'static str,
    fields: Map<String, Value>,
    needed: Vec<&'static str>,
    pairs: Vec<(&'static str, &'static str)>,
}

impl<'g> Form<'g> {
    pub(super) fn new(generator: &'g mut SchemaGenerator, says: &'static str) -> Self {
        Self { generator, says, fields: Map::new(), needed: Vec::new(), pairs: Vec::new() }
    }

    /// The schema of a type, by its name.
    pub(super) fn of<T: JsonSchema>(&mut self) -> Value {
        self.generator.subschema_for::<T>().to_value()
    }

    /// A field that must be there.
    pub(super) fn needs(mut self, name: &'static str, says: &'static str, shape: Value) -> Self {
        self.needed.push(name);
        self.fields.insert(name.into(), described(shape, says));
        self
    }

    /// A field that may be left out.
    pub(super) fn takes(mut self, name: &'static str, says: &'static str, shape: Value) -> Self {
        self.fields.insert(name.into(), described(or_null(shape), says));
        self
    }

    /// The same, by a type.
    pub(super) fn takes_a<T: JsonSchema>(mut self, name: &'static str, says: &'static str) -> Self {
        let shape = self.of::<T>();
        self.takes(name, says, shape)
    }

    /// A field that must be there, by a type.
    pub(super) fn needs_a<T: JsonSchema>(mut self, name: &'static str, says: &'static str) -> Self {
        let shape = self.of::<T>();
        self.needs(name, says, shape)
    }

    pub(super) fn text(self, name: &'static str, says: &'static str) -> Self {
        self.takes_a::<Text>(name, says)
    }

    pub(super) fn free_text(self, name: &'static str, says: &'static str) -> Self {
        self.takes_a::<FreeText>(name, says)
    }

    pub(super) fn agent(self, name: &'static str, says: &'static str) -> Self {
        self.takes_a::<AgentId>(name, says)
    }

    pub(super) fn flag(self, name: &'static str, says: &'static str) -> Self {
        self.takes(name, says, json!({ "type": "boolean" }))
    }

    pub(super) fn anything(mut self, name: &'static str, says: &'static str) -> Self {
        self.fields.insert(name.into(), json!({ "description": says }));
        self
    }

    pub(super) fn count(self, name: &'static str, says: &'static str) -> Self {
        self.takes(name, says, whole(0, u64::MAX))
    }

    /// Exact milliseconds, or a length of time under another name; one of the two.
    pub(super) fn time(self, exact: &'static str, plain: &'static str, says: &'static str) -> Self {
        self.takes(exact, says, whole(1, WAIT_MS_MAX))
            .takes_a::<super::Duration>(plain, "The same, in seconds or in words.")
            .one_of(exact, plain)
    }

    /// Two names of one thing: both at once is a mistake.
    pub(super) fn one_of(mut self, name: &'static str, other: &'static str) -> Self {
        self.pairs.push((name, other));
        self
    }

    pub(super) fn value(self) -> Value {
        let mut made = json!({
            "type": "object", "description": self.says, "properties": self.fields, "additionalProperties": false,
        });
        if !self.needed.is_empty() {
            made["required"] = json!(self.needed);
        }
        let apart: Vec<Value> = self.pairs.iter().map(|(name, other)| not_both(name, other)).collect();
        if !apart.is_empty() {
            made["allOf"] = json!(apart);
        }
        made
    }

    pub(super) fn done(self) -> Schema {
        schema(self.value())
    }
}

/// A schema that was made as a value.
pub(super) fn schema(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}

fn not_both(name: &str, other: &str) -> Value {
    let nothing = |field: &str| json!({ "properties": { field: { "type": "null" } } });
    json!({ "anyOf": [nothing(name), nothing(other)] })
}

fn described(mut shape: Value, says: &str) -> Value {
    shape["description"] = json!(says);
    shape
}

pub(super) fn or_null(mut shape: Value) -> Value {
    match shape.get("type").and_then(Value::as_str) {
        Some(word) if shape.get("enum").is_none() => {
            shape["type"] = json!([word, "null"]);
            shape
        }
        _ => json!({ "anyOf": [shape, { "type": "null" }] }),
    }
}

/// A whole number between these two.
pub(super) fn whole(min: u64, max: u64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

/// A number from 0 on.
pub(super) fn amount() -> Value {
    json!({ "type": "number", "minimum": 0 })
}

/// A number from 0 to 1.
pub(super) fn share() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

/// A list of so many at most.
pub(super) fn list(of: &Value, most: usize) -> Value {
    json!({ "type": "array", "items": of, "maxItems": most })
}

/// A risk as a word, or as an object.
pub(super) fn autonomy(form: &mut Form<'_>) -> Value {
    let risk = form.of::<Risk>();
    let long = json!({
        "type": "object", "properties": { "max_risk": risk }, "required": ["max_risk"], "additionalProperties": false,
    });
    json!({ "anyOf": [risk, long] })
}

/// A length of time in seconds or in words.
pub(super) fn duration(_: &mut SchemaGenerator) -> Schema {
    let most = WAIT_MS_MAX as f64 / 1_000.0;
    let seconds = json!({ "type": "number", "minimum": 0.000_5, "maximum": most });
    schema(json!({
        "description": "A length of time: a number of seconds, or a text such as `30s`, `5m`, `1h 30m` or `PT30S`; \
            from 1 millisecond to WAIT_MS_MAX.",
        "anyOf": [seconds, { "type": "string", "pattern": SPOKEN, "examples": ["30s", "PT5M"] }],
    }))
}

/// Variables by their names.
pub(super) fn variables(generator: &mut SchemaGenerator) -> Schema {
    let name = generator.subschema_for::<VariableName>();
    schema(json!({
        "type": "object", "propertyNames": name, "maxProperties": VARIABLES_MAX,
        "description": "Variables by their names, at most VARIABLES_MAX, each of at most PAYLOAD_BYTES_MAX bytes of JSON.",
    }))
}
