//! From what a binding reads to what is asked for: methods and parameters of 1.0.

use crate::{
    desk::Call,
    wrong::{Kind, Wrong},
};
use handover_core::limits::JSON_DEPTH_MAX;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a method of 1.0 asks for.
pub(crate) fn call(method: &str, params: Value) -> Result<Call, Wrong> {
    Ok(match method {
        "SendMessage" => Call::Send(Box::new(message(params)?)),
        "SendStreamingMessage" => Call::Stream(Box::new(message(params)?)),
        "GetTask" => Call::Get(read(params)?),
        "ListTasks" => Call::List(Box::new(read(params)?)),
        "CancelTask" => Call::Cancel(read(params)?),
        "SubscribeToTask" => Call::Subscribe(read(params)?),
        "CreateTaskPushNotificationConfig" => Call::SetPush(Box::new(read(params)?)),
        "GetTaskPushNotificationConfig" => Call::GetPush(read(params)?),
        "ListTaskPushNotificationConfigs" => Call::ListPushes(read(params)?),
        "DeleteTaskPushNotificationConfig" => Call::DeletePush(read(params)?),
        "GetExtendedAgentCard" => Call::Card,
        other => {
            let shown: String = other.chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(Wrong::new(Kind::MethodNotFound, format!("there is no method \"{shown}\"")));
        }
    })
}

/// A message, each part of which has one content.
fn message<T: DeserializeOwned>(params: Value) -> Result<T, Wrong> {
    let parts = params.get("message").and_then(|message| message.get("parts")).and_then(Value::as_array);
    for (at, part) in parts.into_iter().flatten().enumerate() {
        let contents = ["text", "raw", "url", "data"].iter().filter(|name| part.get(**name).is_some()).count();
        if contents != 1 {
            let field = format!("message.parts[{at}]");
            return Err(Wrong::field(&field, format!("it has {contents} of text, raw, url and data; one is needed")));
        }
    }
    read(params)
}

/// Parameters, with the place of what is wrong. Fields that nobody knows are passed over, as the specification asks.
fn read<T: DeserializeOwned>(params: Value) -> Result<T, Wrong> {
    if !params.is_object() {
        return Err(Wrong::new(Kind::InvalidParams, "the parameters are not an object"));
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let (path, what) = (error.path().to_string(), error.inner().to_string());
        let what: String = what.chars().filter(|c| !c.is_control()).take(200).collect();
        Wrong::field(if path == "." { "params" } else { &path }, what)
    })
}

/// JSON of somebody else, not nested too deeply.
pub(crate) fn json(bytes: &[u8]) -> Result<Value, Wrong> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| Wrong::new(Kind::Parse, format!("this is not JSON: {error}")))?;
    if depth(&value) > JSON_DEPTH_MAX {
        let message = format!("it is nested more than {JSON_DEPTH_MAX} levels deep (JSON_DEPTH_MAX)");
        return Err(Wrong::new(Kind::InvalidRequest, message));
    }
    Ok(value)
}

/// How deep it is nested. Reading it has bounded that already.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
