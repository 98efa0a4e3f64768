//! Messages.

use super::build::Form;
use handover_core::{
    described::{FreeText, Text},
    ids::AgentId,
    limits::MESSAGE_BYTES_MAX,
    message::Role,
};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};

/// A message to append.
pub(super) fn message(generator: &mut SchemaGenerator) -> Schema {
    said(generator, "A message to append.").done()
}

/// A message that may be kept already.
pub(super) fn kept(generator: &mut SchemaGenerator) -> Schema {
    let says = "Added by the engine where the message is kept; not read.";
    let mut form = said(generator, "A message of the conversation, kept or new.");
    for name in ["n", "at", "tokens", "redacted"] {
        form = form.anything(name, says);
    }
    form.done()
}

fn said<'g>(generator: &'g mut SchemaGenerator, says: &'static str) -> Form<'g> {
    let calls = json!({ "type": "array", "items": tool_call(generator) });
    let content = json!({ "type": "string", "maxLength": MESSAGE_BYTES_MAX });
    Form::new(generator, says)
        .needs_a::<Role>("role", "Who speaks.")
        .takes("content", "What is said, at most MESSAGE_BYTES_MAX bytes.", content)
        .takes_a::<AgentId>("agent", "The agent that speaks, where one does.")
        .takes("tool_calls", "The tools that it asks for.", calls)
        .takes_a::<FreeText>("tool_call_id", "The call that this is the result of.")
        .takes_a::<FreeText>("tool_name", "The tool that this is the result of.")
        .flag("reasoning", "Whether this is thinking rather than saying.")
        .flag("aside", "Whether this was said within work that was delegated.")
}

fn tool_call(generator: &mut SchemaGenerator) -> Value {
    Form::new(generator, "A tool that an agent asks for.")
        .needs_a::<Text>("id", "The call's id; the result names it.")
        .needs_a::<Text>("name", "The tool.")
        .anything("arguments", "What it is called with.")
        .value()
}
