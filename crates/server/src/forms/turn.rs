//! The end of a turn.

use super::{
    AggregationForm, GotoForm, NextRequest, UpdateForm, VariablesForm,
    build::{Form, list, schema},
    request::{metrics, sends, usage},
};
use handover_core::{
    described::Text,
    ids::AgentId,
    limits::{ARTIFACTS_MAX, USAGE_MAX},
    session::{ArtifactStatus, ArtifactType},
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

/// The end of a turn.
pub(super) fn turn(generator: &mut SchemaGenerator) -> Schema {
    Form::new(generator, "The end of a turn: where the work goes, and what changes with it.")
        .needs_a::<GotoForm>("goto", "Where the work goes.")
        .takes_a::<UpdateForm>("update", "What changes in the session, in the same step.")
        .done()
}

/// Where the work goes.
pub(super) fn goto(generator: &mut SchemaGenerator) -> Schema {
    let agent = AgentId::json_schema(generator).to_value();
    let mut form = Form::new(generator, "One agent takes over.");
    let (list, next) = (sends(&mut form), form.of::<NextRequest>());
    let one = form
        .needs_a::<AgentId>("to_agent", "Who.")
        .free_text("task", "What it should do; the current task when left out.")
        .free_text("reason", "Why.")
        .value();
    let many = Form::new(generator, "Several at once.")
        .needs("sends", "To whom, at most BROADCAST_TARGETS_MAX, each once.", list.clone())
        .takes_a::<AggregationForm>("aggregation", "When it is decided.")
        .time("timeout_ms", "timeout", "How long each may take, in milliseconds, at most WAIT_MS_MAX.")
        .value();
    let long = [("one", one), ("request", next), ("many", many)].map(|(name, shape)| only(name, &shape));
    let mut ways = vec![agent, list];
    ways.extend(long);
    schema(json!({
        "anyOf": ways,
        "description": "Where the work goes: `END`, an agent, a list of targets, or one of `one`, `request` and `many`.",
    }))
}

/// One of the long forms. The others may be there as null.
fn only(name: &str, shape: &Value) -> Value {
    let mut fields = json!({ "one": { "type": "null" }, "request": { "type": "null" }, "many": { "type": "null" } });
    fields[name] = shape.clone();
    json!({ "type": "object", "properties": fields, "required": [name], "additionalProperties": false })
}

/// What changes in the session.
pub(super) fn update(generator: &mut SchemaGenerator) -> Schema {
    let artifact = Form::new(generator, "An artifact to keep.")
        .needs_a::<ArtifactType>("type", "What it is.")
        .needs_a::<Text>("path", "Where it is: a path or a URI.")
        .free_text("description", "What it is, in words.")
        .takes_a::<ArtifactStatus>("status", "How finished it is.")
        .value();
    let (artifacts, usage) = (list(&artifact, ARTIFACTS_MAX), list(&usage(generator), USAGE_MAX));
    let metrics = metrics(generator);
    Form::new(generator, "What changes in the session, in one step with it.")
        .takes_a::<VariablesForm>("context", "Variables to set.")
        .takes_a::<VariablesForm>("variables_changed", "Another name for `context`.")
        .one_of("context", "variables_changed")
        .takes("artifacts", "Artifacts to keep, at most ARTIFACTS_MAX.", artifacts.clone())
        .takes("artifacts_produced", "Another name for `artifacts`.", artifacts)
        .one_of("artifacts", "artifacts_produced")
        .anything("workflow_state", "Where the workflow stands.")
        .takes("metrics", "What was used.", metrics)
        .takes("usage", "What models reported, at most USAGE_MAX entries.", usage)
        .done()
}
