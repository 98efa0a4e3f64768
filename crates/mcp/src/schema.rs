//! The shapes of what tools take and give: plain JSON Schema that every host and every model provider reads.

use schemars::{
    JsonSchema,
    generate::{Contract, SchemaSettings},
};
use serde_json::{Map, Value};

/// The shape of what is taken.
pub(crate) fn taken<T: JsonSchema>() -> Map<String, Value> {
    of::<T>(Contract::Deserialize)
}

/// The shape of what is given: what may be left out is not promised.
pub(crate) fn given<T: JsonSchema>() -> Map<String, Value> {
    of::<T>(Contract::Serialize)
}

/// The shape of a type, as an object. Nothing is referred to, nothing may be null, no format or pattern is asked for.
fn of<T: JsonSchema>(contract: Contract) -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.contract = contract;
    });
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut value);
    match value {
        Value::Object(mut object) => {
            object.remove("$schema");
            object.remove("title");
            object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
            object
        }
        _ => Map::new(),
    }
}

/// What is left out is left out: nobody has to write null, and nobody gets it.
fn plain(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for word in ["format", "pattern"] {
                if object.get(word).is_some_and(Value::is_string) {
                    object.remove(word);
                }
            }
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            without_null_type(object);
            without_null_choice(object);
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn without_null_type(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(words)) = object.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

fn without_null_choice(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|one| one != "null"));
    if let [Value::Object(one)] = choices.as_mut_slice() {
        let one = std::mem::take(one);
        object.remove("anyOf");
        for (name, value) in one {
            object.entry(name).or_insert(value);
        }
    }
}
