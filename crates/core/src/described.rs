//! What the types of the core look like as JSON Schema, where that cannot be derived.

use crate::{
    access::KeyId,
    digest::Digest,
    ids::{AgentId, ArtifactId, GroupId, HandoffId, LeaseId, SessionId},
    limits::{AGENT_ID_CHARS_MAX, KEY_ID_CHARS, SESSION_ID_CHARS_MAX},
    refusal::Code,
    schema::Schema as Shape,
    time::Timestamp,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The characters that a name can have.
const NAME: &str = r"^[\p{L}\p{N}\-_.:/]+$";

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
}
