//! The document of the interface: OpenAPI 3.1, made from the table of routes and the types behind them.

mod components;
mod query;
mod refused;

pub use refused::refused;

use crate::{
    forms::{GivingForm, HandoffRequest, ProfileForm, TurnForm, WorkflowForm},
    problem::Problem,
    table::{Answered, Entry, Route, routes, shape},
};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde::Serialize as _;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The document, made once.
///
/// A server that is open says that a key may be left out.
pub(crate) fn text_of_document(open: bool) -> &'static str {
    static CLOSED: OnceLock<String> = OnceLock::new();
    static OPEN: OnceLock<String> = OnceLock::new();
    if !open {
        return CLOSED.get_or_init(text);
    }
    OPEN.get_or_init(|| {
        let mut document = document();
        document["security"] = json!([{}, { "key": [] }]);
        written(&document)
    })
}

/// The document as text, as it is served and kept in the reference.
#[must_use]
pub fn text() -> String {
    written(&document())
}

/// Indented by one: a difference shows line by line, and it is not much longer than it must be.
fn written(document: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
    // A value can always be written to memory.
    let _ = document.serialize(&mut serializer);
    String::from_utf8_lossy(&bytes).into_owned() + "\n"
}

/// What is taken and what is given are told apart: a field that is always there in an answer may be left out of a request.
struct Sides {
    taken: SchemaGenerator,
    given: SchemaGenerator,
}

impl Sides {
    fn new() -> Self {
        let mut settings = SchemaSettings::draft2020_12();
        settings.meta_schema = None;
        settings.definitions_path = "/components/schemas".into();
        let given = settings.clone().for_serialize().into_generator();
        settings.definitions_path = components::TAKEN.into();
        Self { taken: settings.into_generator(), given }
    }
}

/// The whole document.
#[must_use]
pub fn document() -> Value {
    let mut sides = Sides::new();
    let problem = sides.given.subschema_for::<Problem>().to_value();
    let mut paths: Map<String, Value> = Map::new();
    let mut tags: Vec<Value> = Vec::new();
    for route in routes() {
        let operation = operation(&route, &mut sides);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation;
        let tag = json!({ "name": route.tag });
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    let (given, taken) = (sides.given.take_definitions(true), sides.taken.take_definitions(true));
    let mut document = json!({
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
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": {
                "key": { "type": "http", "scheme": "bearer", "description": "A key made by `handover keys make`." },
            },
            "schemas": given,
            "responses": refused::components(&problem),
            "headers": components::headers(),
        },
    });
    components::join(&mut document, taken);
    components::tidy(&mut document);
    document
}

const ABOUT: &str = "An answer of success means that it is on disk. A refusal has a stable code, says what is wrong, where, \
and how to mend it, and has changed nothing. What is not yours does not exist for you. The same `Idempotency-Key` with the \
same request gives the first answer. A key of the house speaks for the tenant that it names in the header `Handover-Tenant`. \
Every answer has a header `X-Request-Id`, by which the log knows it. A server of this machine that has no keys yet needs none.";

fn operation(route: &Route, sides: &mut Sides) -> Value {
    let mut responses: Map<String, Value> = Map::new();
    for answer in &route.answers {
        responses.insert(answer.status.to_string(), answered(route, answer, &mut sides.given));
    }
    for (status, _) in refused(route) {
        responses.entry(status.to_string()).or_insert_with(|| refused::reference(status));
    }
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.says,
        "tags": [route.tag],
        "responses": responses,
    });
    let parameters = parameters(route, &mut sides.taken);
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    if let Some((shape, optional)) = route.body {
        let schema = shape(&mut sides.taken);
        operation["requestBody"] =
            json!({ "required": !optional, "content": { "application/json": { "schema": schema } } });
    }
    match route.entry {
        Entry::Anybody => operation["security"] = json!([]),
        Entry::With(right) => operation["x-right"] = json!(format!("{right:?}").to_ascii_lowercase()),
    }
    operation
}

fn answered(route: &Route, answer: &Answered, generator: &mut SchemaGenerator) -> Value {
    let mut response = json!({ "description": answer.says, "headers": headers(route, answer.status) });
    if let Some(shape) = answer.shape {
        response["content"] = json!({ answer.media: { "schema": shape(generator) } });
    }
    response
}

/// The headers of an answer.
fn headers(route: &Route, status: u16) -> Value {
    let versioned = route.answers.iter().any(|answer| answer.status == 304);
    let mut found = vec!["X-Request-Id"];
    if versioned {
        found.push("ETag");
    }
    if status == 201 {
        found.push("Location");
    }
    components::named(&found)
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
        all.extend(query::fields(query, generator));
    }
    all
}

/// A request for a handoff.
pub(crate) fn request(generator: &mut SchemaGenerator) -> Schema {
    shape::<HandoffRequest>(generator)
}

/// The end of a turn.
pub(crate) fn turn(generator: &mut SchemaGenerator) -> Schema {
    shape::<TurnForm>(generator)
}

/// The profile of an agent.
pub(crate) fn profile(generator: &mut SchemaGenerator) -> Schema {
    shape::<ProfileForm>(generator)
}

/// What is given back, with its lease and what follows.
pub(crate) fn giving(generator: &mut SchemaGenerator) -> Schema {
    shape::<GivingForm>(generator)
}

/// The definition of a workflow.
pub(crate) fn workflow(generator: &mut SchemaGenerator) -> Schema {
    shape::<WorkflowForm>(generator)
}

/// Any JSON object.
pub(crate) fn anything(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object" })
}

/// Text.
pub(crate) fn text_shape(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

/// A part of an address, with what an address cannot have in other words.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'~');
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
