//! Whether data has the shape that a schema promises: as much of JSON Schema as the tools use, and nothing is let pass that
//! is not known.

use serde_json::Value;

const KNOWN: [&str; 12] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "description",
    "additionalProperties",
    "minimum",
    "default",
    "oneOf",
    "const",
    "title",
];

/// All that does not fit.
pub fn faults(schema: &Value, data: &Value, at: &str) -> Vec<String> {
    let Some(schema) = schema.as_object() else { return Vec::new() };
    let mut found: Vec<String> =
        schema.keys().filter(|word| !KNOWN.contains(&word.as_str())).map(|word| format!("{at}: {word}?")).collect();
    if let Some(kind) = schema.get("type") {
        let kinds: Vec<&str> = kind
            .as_array()
            .map_or_else(|| kind.as_str().into_iter().collect(), |all| all.iter().filter_map(Value::as_str).collect());
        if !kinds.iter().any(|kind| is(kind, data)) {
            found.push(format!("{at}: {data} is not {kinds:?}"));
        }
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array)
        && !words.contains(data)
    {
        found.push(format!("{at}: {data} is none of {words:?}"));
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if data.get(name).is_none() {
            found.push(format!("{at}: {name} is missing"));
        }
    }
    if let (Some(properties), Some(data)) = (schema.get("properties").and_then(Value::as_object), data.as_object()) {
        for (name, value) in data {
            match properties.get(name) {
                Some(schema) => found.extend(faults(schema, value, &format!("{at}.{name}"))),
                None if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) => {}
                None => found.push(format!("{at}: {name} is not promised")),
            }
        }
    }
    if let (Some(items), Some(data)) = (schema.get("items"), data.as_array()) {
        for (i, item) in data.iter().enumerate() {
            found.extend(faults(items, item, &format!("{at}[{i}]")));
        }
    }
    found
}

fn is(kind: &str, data: &Value) -> bool {
    match kind {
        "object" => data.is_object(),
        "array" => data.is_array(),
        "string" => data.is_string(),
        "integer" => data.is_i64() || data.is_u64(),
        "number" => data.is_number(),
        "boolean" => data.is_boolean(),
        "null" => data.is_null(),
        _ => false,
    }
}

/// Whether a schema says only what is known here, at every depth.
pub fn is_plain(schema: &Value, at: &str) -> Vec<String> {
    let mut found = faults(schema, &Value::Null, at);
    found.retain(|fault| fault.ends_with('?'));
    for (name, below) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        found.extend(is_plain(below, &format!("{at}.{name}")));
    }
    found.extend(schema.get("items").into_iter().flat_map(|items| is_plain(items, &format!("{at}[]"))));
    found
}

#[test]
fn what_does_not_fit_is_found() {
    use serde_json::json;
    let schema = json!({
        "type": "object", "required": ["a"],
        "properties": { "a": { "type": "string" }, "b": { "type": "array", "items": { "type": "integer" } } },
    });
    for (data, count) in [
        (json!({ "a": "x" }), 0),
        (json!({ "a": "x", "b": [1, 2] }), 0),
        (json!({ "a": 1 }), 1),
        (json!({}), 1),
        (json!({ "a": "x", "c": 1 }), 1),
        (json!({ "a": "x", "b": [1, "2"] }), 1),
        (json!([]), 2),
    ] {
        assert_eq!(faults(&schema, &data, "$").len(), count, "{data}");
    }
    assert_eq!(is_plain(&json!({ "properties": { "a": { "pattern": "x" } } }), "$"), ["$.a: pattern?"]);
}
