//! The query of a route: a form, told field by field.

use crate::table::Describe;
use schemars::SchemaGenerator;
use serde_json::{Value, json};

/// The fields of a form, as parameters of the query.
pub(super) fn fields(form: Describe, generator: &mut SchemaGenerator) -> Vec<Value> {
    let whole = form(generator).to_value();
    let name = whole["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    // It stays where it is, because another route may have the same one; what nothing leads to is left out later.
    let described = generator.definitions().get(name).cloned().unwrap_or(whole);
    let required: Vec<&str> =
        described["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = described["properties"].as_object().cloned().unwrap_or_default();
    properties
        .into_iter()
        .map(|(name, mut schema)| {
            let says = schema["description"].as_str().unwrap_or_default().to_owned();
            let needed = required.contains(&name.as_str());
            schema = plain(schema);
            json!({ "name": name, "in": "query", "required": needed, "description": says, "schema": schema })
        })
        .collect()
}

/// A parameter that is left out is left out: there is no null in a query.
fn plain(mut schema: Value) -> Value {
    let Some(fields) = schema.as_object_mut() else { return schema };
    for word in ["description", "default"] {
        fields.remove(word);
    }
    if let Some(types) = fields.get_mut("type").filter(|types| types.is_array()) {
        let first = types.as_array().and_then(|types| types.iter().find(|word| *word != "null").cloned());
        *types = first.unwrap_or(Value::Null);
    }
    let one = fields
        .get("anyOf")
        .and_then(Value::as_array)
        .and_then(|all| all.iter().find(|one| one["type"] != "null").cloned());
    one.unwrap_or(schema)
}
