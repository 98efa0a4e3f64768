//! Bodies that are read by hand, as JSON Schema: what `handover_core::wire` takes, field by field.
//!
//! Null is the same as leaving a field out, short forms stand for long ones, and what nobody asked for is refused. The
//! derived schemas say none of that, so these are written out, next to nothing but each other.

mod build;
mod giving;
mod profile;
mod request;
mod talk;
mod turn;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use std::borrow::Cow;

macro_rules! forms {
    ($($(#[$doc:meta])* $type:ident, $name:literal => $made:path;)*) => {
        $($(#[$doc])*
        pub(crate) struct $type;

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                $made(generator)
            }
        })*
    };
}

/// The form of something that the address names: the body may leave its name out.
fn named<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let mut made = T::json_schema(generator).to_value();
    if let Some(needed) = made["required"].as_array_mut() {
        needed.retain(|field| field != "name");
    }
    let name = build::or_null(made["properties"]["name"].clone());
    made["properties"]["name"] = name;
    build::schema(made)
}

/// A rule for events: it names an agent or a capability.
fn event_rule(generator: &mut SchemaGenerator) -> Schema {
    let mut made = named::<handover_engine::EventRule>(generator).to_value();
    let given = |field: &str| serde_json::json!({ "required": [field], "properties": { field: { "type": "string" } } });
    made["anyOf"] = serde_json::json!([given("to_agent"), given("capability")]);
    build::schema(made)
}

forms! {
    /// A request for a handoff, with the conversation that may come with it.
    HandoffRequest, "HandoffRequest" => request::whole;
    /// A request at the end of a turn, which carries no conversation.
    NextRequest, "NextRequest" => request::next;
    /// A task.
    TaskForm, "TaskForm" => request::task;
    /// A target of a broadcast.
    SendForm, "SendForm" => request::send;
    /// When a broadcast is decided.
    AggregationForm, "AggregationForm" => request::aggregation;
    /// How much of the conversation the receiver is shown.
    TransferForm, "TransferForm" => request::transfer;
    /// The end of a turn.
    TurnForm, "TurnForm" => turn::turn;
    /// Where the work goes.
    GotoForm, "GotoForm" => turn::goto;
    /// What changes with it.
    UpdateForm, "UpdateForm" => turn::update;
    /// A message to append.
    MessageForm, "MessageForm" => talk::message;
    /// A message of a conversation that is sent back.
    HistoryMessage, "HistoryMessage" => talk::kept;
    /// The profile of an agent.
    ProfileForm, "ProfileForm" => profile::profile;
    /// What an agent gives back.
    GivingForm, "GivingForm" => giving::giving;
    /// The definition of a workflow.
    WorkflowForm, "WorkflowForm" => named::<handover_core::workflow::Workflow>;
    /// A rule for events.
    EventRuleForm, "EventRuleForm" => event_rule;
    /// A length of time in seconds or in words.
    Duration, "Duration" => build::duration;
    /// Variables by their names.
    VariablesForm, "VariablesForm" => build::variables;
}
