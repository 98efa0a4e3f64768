//! What the document keeps once: headers of answers, and the shapes that something leads to.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The headers that answers have.
const HEADERS: [(&str, bool, &str, &str); 5] = [
    ("X-Request-Id", true, "^[\\x21-\\x7e]{1,64}$", "The id of the request, as the log has it: the caller's own where it gave one."),
    ("ETag", true, "^\"[\\x21\\x23-\\x7e]*\"$", "The version of what is answered."),
    ("Location", true, "^/v1/", "Where it is."),
    ("Retry-After", true, "^[0-9]+$", "Seconds to wait."),
    ("WWW-Authenticate", true, "^Bearer", "How to show who you are."),
];

/// All headers of answers.
pub(super) fn headers() -> Map<String, Value> {
    let made = HEADERS.into_iter().map(|(name, required, pattern, says)| {
        let schema = json!({ "type": "string", "pattern": pattern });
        (name.to_owned(), json!({ "description": says, "required": required, "schema": schema }))
    });
    made.collect()
}

/// These headers, by their names.
pub(super) fn named(names: &[&str]) -> Value {
    let each = names.iter().map(|name| {
        ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
    });
    Value::Object(each.collect())
}

/// Says bounds of numbers as bounds, and leaves out the shapes that nothing leads to.
pub(super) fn tidy(document: &mut Value) {
    bound(document);
    let mut wanted = BTreeSet::new();
    let mut left: Vec<Value> = vec![document["paths"].clone(), document["components"]["responses"].clone()];
    while let Some(value) = left.pop() {
        for name in referred(&value) {
            let shape = &document["components"]["schemas"][&name];
            if !shape.is_null() && wanted.insert(name) {
                left.push(shape.clone());
            }
        }
    }
    if let Some(schemas) = document["components"]["schemas"].as_object_mut() {
        schemas.retain(|name, _| wanted.contains(name));
    }
}

/// The shapes that a value leads to, by their names.
fn referred(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str);
            let own = own.and_then(|path| path.strip_prefix("#/components/schemas/")).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(referred)).collect()
        }
        Value::Array(items) => items.iter().flat_map(referred).collect(),
        _ => Vec::new(),
    }
}

/// Formats of numbers that OpenAPI has no word for become bounds.
fn bound(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let most = match fields.get("format").and_then(Value::as_str) {
                Some("uint64" | "uint") => Some(u64::MAX),
                Some("uint32") => Some(u64::from(u32::MAX)),
                Some("uint16") => Some(u64::from(u16::MAX)),
                Some("uint8") => Some(u64::from(u8::MAX)),
                _ => None,
            };
            if let Some(most) = most {
                fields.remove("format");
                fields.entry("maximum").or_insert(json!(most));
            }
            fields.values_mut().for_each(bound);
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
}
