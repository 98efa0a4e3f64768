//! The document of the interface: OpenAPI 3.1, made from the table of routes and the types behind them.

use crate::{
    problem::Problem,
    table::{Entry, Route, routes},
};
use handover_core::{agent::Profile, command::Giving, command::Turn, handoff::Request};
use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The document, made once.
pub(crate) fn text_of_document() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| serde_json::to_string_pretty(&document()).unwrap_or_default() + "\n")
}

/// The whole document.
#[must_use]
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let problem = generator.subschema_for::<Problem>();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes() {
        let operation = operation(&route, &mut generator);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation;
    }
    let mut schemas = generator.take_definitions(true);
    tidy(&mut schemas);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Handover",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Hands work, context and responsibility from one agent to the next.",
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "A key made by `handover keys make`." },
            },
            "schemas": schemas,
            "responses": { "Problem": {
                "description": "Why it was refused.",
                "content": { "application/problem+json": { "schema": problem } },
            } },
        },
    })
}

const ABOUT: &str = "An answer of success means that it is on disk. A refusal has a stable code, says what is wrong, where, \
and how to mend it, and has changed nothing. What is not yours does not exist for you. The same `Idempotency-Key` with the \
same request gives the first answer.";

/// Statuses that every route with a key can have.
const ALWAYS: [(u16, &str); 3] = [
    (401, "No key was sent, or it is not valid."),
    (403, "The key does not allow this."),
    (429, "Too many requests; `Retry-After` says how long to wait."),
];

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut responses: Map<String, Value> = Map::new();
    for answer in &route.answers {
        let mut response = json!({ "description": answer.says });
        if let Some(shape) = answer.shape {
            response["content"] = json!({ answer.media: { "schema": shape(generator) } });
        }
        responses.insert(answer.status.to_string(), response);
    }
    for (status, says) in refused(route) {
        let problem = json!({ "$ref": "#/components/responses/Problem" });
        let mut response = problem;
        response["description"] = json!(says);
        responses.entry(status.to_string()).or_insert(response);
    }
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.says,
        "tags": [route.tag],
        "responses": responses,
    });
    let parameters = parameters(route, generator);
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    if let Some((shape, optional)) = route.body {
        let schema = shape(generator);
        operation["requestBody"] =
            json!({ "required": !optional, "content": { "application/json": { "schema": schema } } });
    }
    match route.entry {
        Entry::Anybody => operation["security"] = json!([]),
        Entry::With(right) => operation["x-right"] = json!(format!("{right:?}").to_ascii_lowercase()),
    }
    operation
}

/// The statuses of refusals of a route, with what they mean.
#[must_use]
pub fn refused(route: &Route) -> Vec<(u16, &'static str)> {
    let mut found: Vec<(u16, &'static str)> = Vec::new();
    if route.entry != Entry::Anybody {
        found.extend(ALWAYS);
        found.push((500, "Trouble of ours; the log has more."));
        found.push((503, "Too much is going on, or the server ends; try again."));
    }
    if route.parameters.iter().any(|parameter| parameter.place == "path") {
        found.push((404, "There is no such thing for you."));
    }
    if route.body.is_some() || !route.parameters.is_empty() || route.query.is_some() {
        found.push((400, "The request cannot be read."));
    }
    if route.query.is_some() {
        found.push((422, "The query is wrong; all of it is told."));
    }
    if route.body.is_some() {
        found.push((408, "The body took too long to arrive."));
        found.push((413, "Something is larger than its limit, which is named."));
        found.push((415, "The body is not JSON."));
        found.push((422, "The request is wrong; all of it is told."));
    }
    found.extend(route.refuses.iter().map(|status| (*status, meaning(*status))));
    found
}

fn meaning(status: u16) -> &'static str {
    match status {
        404 => "There is no such thing for you.",
        409 => "It does not fit what has happened meanwhile, or a guard stops it.",
        412 => "It is not what you saw any more.",
        413 => "Something is larger than its limit, which is named.",
        422 => "The request is wrong; all of it is told.",
        429 => "Too often.",
        500 => "Trouble of ours.",
        503 => "Not now.",
        _ => "It was refused.",
    }
}

fn parameters(route: &Route, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for parameter in &route.parameters {
        let schema = (parameter.shape)(generator);
        let required = parameter.place == "path";
        all.push(json!({
            "name": parameter.name, "in": parameter.place, "required": required,
            "description": parameter.says, "schema": schema,
        }));
    }
    if let Some(query) = route.query {
        all.extend(fields(query, generator));
    }
    all
}

/// The fields of a form, as parameters of the query.
fn fields(form: crate::table::Describe, generator: &mut SchemaGenerator) -> Vec<Value> {
    let whole = form(generator).to_value();
    let name = whole["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_owned();
    let described = generator.definitions_mut().remove(&name).unwrap_or(whole);
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

/// A form that a reader of ours takes, in which null is the same as leaving out.
fn lenient<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A request for a handoff.
pub(crate) fn request(generator: &mut SchemaGenerator) -> Schema {
    lenient::<Request>(generator)
}

/// The end of a turn.
pub(crate) fn turn(generator: &mut SchemaGenerator) -> Schema {
    lenient::<Turn>(generator)
}

/// The profile of an agent.
pub(crate) fn profile(generator: &mut SchemaGenerator) -> Schema {
    lenient::<Profile>(generator)
}

/// What is given back, with its lease and what follows.
pub(crate) fn giving(generator: &mut SchemaGenerator) -> Schema {
    lenient::<Giving>(generator)
}

/// The definition of a workflow.
pub(crate) fn workflow(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } })
}

/// Any JSON.
pub(crate) fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Text.
pub(crate) fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

/// A part of an address, with what an address cannot have in other words.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'~');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// Formats of numbers that OpenAPI has no word for say nothing that the bounds do not.
fn tidy(schemas: &mut Map<String, Value>) {
    for schema in schemas.values_mut() {
        walk(schema);
    }
}

fn walk(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("format").and_then(Value::as_str).is_some_and(|word| word.starts_with("uint")) {
                fields.remove("format");
            }
            fields.values_mut().for_each(walk);
        }
        Value::Array(items) => items.iter_mut().for_each(walk),
        _ => {}
    }
}
