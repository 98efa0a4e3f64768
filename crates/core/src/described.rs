//! What the types of the core look like as JSON Schema, where that cannot be derived.

use crate::{
    access::KeyId,
    digest::Digest,
    ids::{AgentId, ArtifactId, GroupId, HandoffId, LeaseId, SessionId},
    limits::{
        AGENT_ID_CHARS_MAX, EXPRESSION_BYTES_MAX, KEY_CHARS_MAX, KEY_ID_CHARS, SESSION_ID_CHARS_MAX, STATE_CHARS_MAX,
        TEXT_BYTES_MAX, VARIABLE_NAME_CHARS_MAX,
    },
    refusal::Code,
    schema::Schema as Shape,
    time::Timestamp,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The characters that a name can have.
const NAME: &str = r"^[\p{L}\p{N}\-_.:/]+$";
/// Something besides spaces, and no control characters but line breaks and tabs.
const SAYS: &str =
    r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$";
/// A line with something in it.
pub const ONE_LINE: &str = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";
/// The same, or nothing.
const CLEAN: &str = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$";

/// The usual ways to write a length of time with its units.
const SPAN: &str = "^([1-9][0-9]{0,2}h( [1-9][0-9]{0,2}m)?|[1-9][0-9]{0,3}m( [1-9][0-9]{0,2}s)?|[1-9][0-9]{0,6}s\
|[1-9][0-9]{0,8}ms|[1-9][0-9]?d)$";

/// A text that says something.
#[derive(Debug)]
pub struct Text;
/// A text that may be empty.
#[derive(Debug)]
pub struct FreeText;
/// The name of a variable.
#[derive(Debug)]
pub struct VariableName;
/// The name of a workflow, a state, a rule or a signal.
#[derive(Debug)]
pub struct StateName;
/// The name of a workflow or of a state, which is safe as the name of a file.
#[derive(Debug)]
pub struct FileName;
/// A name that makes something once.
#[derive(Debug)]
pub struct KeyText;
/// A length of time as a workflow writes it.
#[derive(Debug)]
pub struct Span;
/// A condition in CEL.
#[derive(Debug)]
pub struct Cel;
/// What happened, as a record keeps it.
#[derive(Debug)]
pub struct EventBody;

/// The names of states.
pub(crate) fn file_name() -> serde_json::Value {
    FileName::json_schema(&mut SchemaGenerator::default()).to_value()
}

macro_rules! described {
    ($($type:ty, $name:literal => $schema:tt;)*) => {
        $(impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        })*
    };
}

described! {
    AgentId, "AgentId" => {
        "type": "string", "minLength": 1, "maxLength": AGENT_ID_CHARS_MAX, "pattern": NAME,
        "description": "Names an agent: an LLM, a program, a remote service, a person."
    };
    SessionId, "SessionId" => {
        "type": "string", "minLength": 1, "maxLength": SESSION_ID_CHARS_MAX, "pattern": NAME,
        "description": "Names a session: one conversation or request from start to end."
    };
    HandoffId, "HandoffId" => { "type": "string", "format": "uuid", "description": "Names a handoff." };
    GroupId, "GroupId" => {
        "type": "string", "format": "uuid", "description": "Names the members of one broadcast as a group."
    };
    LeaseId, "LeaseId" => {
        "type": "string", "format": "uuid", "description": "Fences the writes of whoever accepted a handoff."
    };
    ArtifactId, "ArtifactId" => { "type": "string", "format": "uuid", "description": "Names an artifact." };
    KeyId, "KeyId" => {
        "type": "string", "minLength": KEY_ID_CHARS, "maxLength": KEY_ID_CHARS, "pattern": "^[a-z0-9]+$",
        "description": "Names a key. It is no secret."
    };
    Timestamp, "Timestamp" => {
        "type": "string", "format": "date-time", "description": "A point in time, in UTC, to the millisecond."
    };
    Digest, "Digest" => {
        "type": "string", "pattern": "^[0-9a-f]{64}$", "description": "A SHA-256 digest, in hexadecimal digits."
    };
    Code, "Code" => {
        "type": "string", "pattern": "^HO[0-9]{4}$", "description": "A stable code. Each has a page of its own."
    };
    Shape, "Shape" => {
        "type": ["object", "boolean"], "description": "The shape of data, as JSON Schema."
    };
    Text, "Text" => {
        "type": "string", "minLength": 1, "maxLength": TEXT_BYTES_MAX, "pattern": SAYS,
        "description": "A text that says something: at most TEXT_BYTES_MAX bytes, and no control characters but line breaks and tabs."
    };
    FreeText, "FreeText" => {
        "type": "string", "maxLength": TEXT_BYTES_MAX, "pattern": CLEAN,
        "description": "A text that may be empty: at most TEXT_BYTES_MAX bytes, and no control characters but line breaks and tabs."
    };
    VariableName, "VariableName" => {
        "type": "string", "minLength": 1, "maxLength": VARIABLE_NAME_CHARS_MAX, "pattern": SAYS,
        "description": "The name of a variable, at most VARIABLE_NAME_CHARS_MAX characters. `agent/name` is in the scope of that agent; a name without a slash is shared."
    };
    StateName, "StateName" => {
        "type": "string", "minLength": 1, "maxLength": STATE_CHARS_MAX, "pattern": SAYS,
        "description": "The name of a workflow, a state, a rule or a signal, at most STATE_CHARS_MAX characters."
    };
    FileName, "FileName" => {
        "type": "string", "minLength": 1, "maxLength": STATE_CHARS_MAX,
        "pattern": r"^[\p{L}\p{N}\-_]+(\.[\p{L}\p{N}\-_]+)*$",
        "description": "The name of a workflow or of a state, at most STATE_CHARS_MAX characters: letters, digits, `-`, `_` and `.`; no dot at the ends, and no two in a row."
    };
    KeyText, "KeyText" => {
        "type": "string", "minLength": 1, "maxLength": KEY_CHARS_MAX, "pattern": ONE_LINE,
        "description": "A name that makes something once, at most KEY_CHARS_MAX characters."
    };
    Span, "Span" => {
        "type": "string", "pattern": SPAN, "examples": ["30s", "5m", "1h 30m", "7d"],
        "description": "A length of time with its units, at most WAIT_MS_MAX."
    };
    Cel, "Condition" => {
        "type": "string", "maxLength": EXPRESSION_BYTES_MAX,
        "description": "A condition in CEL, at most EXPRESSION_BYTES_MAX bytes."
    };
    EventBody, "Event" => {
        "type": "object", "required": ["kind"], "properties": { "kind": { "type": "string" } },
        "description": "What happened, in full: enough to rebuild the session. `kind` says what else is in it; the lifecycle page of the reference has all kinds."
    };
}
