//! What the document keeps once: headers of answers, and the shapes that something leads to.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The headers that answers have.
const HEADERS: [(&str, bool, &str, &str); 5] = [
    (
        "X-Request-Id",
        true,
        "^[\\x21-\\x7e]{1,64}$",
        "The id of the request, as the log has it: the caller's own where it gave one.",
    ),
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
    let each = names.iter().map(|name| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") })));
    Value::Object(each.collect())
}

/// Where shapes of requests are until they are joined with those of answers.
pub(super) const TAKEN: &str = "/components/taken";

/// Puts the shapes of requests beside those of answers. One that differs from its namesake is a form.
pub(super) fn join(document: &mut Value, taken: Map<String, Value>) {
    let mut apart: BTreeSet<String> = BTreeSet::new();
    loop {
        let differs = |(name, shape): &(&String, &Value)| {
            let given = &document["components"]["schemas"][name.as_str()];
            !given.is_null() && *given != renamed((*shape).clone(), &apart)
        };
        let found: BTreeSet<String> = taken.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        let more = found.difference(&apart).count();
        apart.extend(found);
        if more == 0 {
            break;
        }
    }
    document["paths"] = renamed(document["paths"].take(), &apart);
    for (name, shape) in taken {
        let shape = renamed(shape, &apart);
        document["components"]["schemas"][final_name(&name, &apart)] = shape;
    }
}

fn final_name(name: &str, apart: &BTreeSet<String>) -> String {
    if apart.contains(name) { format!("{name}Form") } else { name.to_owned() }
}

/// The same, with what leads to shapes of requests leading to where they are in the end.
fn renamed(mut value: Value, apart: &BTreeSet<String>) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for (word, field) in fields.iter_mut() {
                let path = field.as_str().filter(|_| word == "$ref");
                let taken = path.and_then(|path| path.strip_prefix("#/components/taken/"));
                *field = match taken {
                    Some(name) => json!(format!("#/components/schemas/{}", final_name(name, apart))),
                    None => renamed(field.take(), apart),
                };
            }
        }
        Value::Array(items) => {
            for item in items {
                *item = renamed(item.take(), apart);
            }
        }
        _ => {}
    }
    value
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
