//! Version 0.3 of the protocol (pure): its requests become those of 1.0, and what is answered becomes what it had.

use crate::wrong::Wrong;
use serde_json::{Map, Value, json};

/// The method of 1.0 that a method of 0.3 became.
pub(crate) fn method(old: &str) -> Option<&'static str> {
    Some(match old {
        "message/send" => "SendMessage",
        "message/stream" => "SendStreamingMessage",
        "tasks/get" => "GetTask",
        "tasks/cancel" => "CancelTask",
        "tasks/resubscribe" => "SubscribeToTask",
        "tasks/pushNotificationConfig/set" => "CreateTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/get" => "GetTaskPushNotificationConfig",
        "tasks/pushNotificationConfig/list" => "ListTaskPushNotificationConfigs",
        "tasks/pushNotificationConfig/delete" => "DeleteTaskPushNotificationConfig",
        "agent/getAuthenticatedExtendedCard" => "GetExtendedAgentCard",
        _ => return None,
    })
}

/// Takes a field out of what somebody else sent, whatever that is.
fn take(value: &mut Value, name: &str) -> Value {
    value.get_mut(name).map(Value::take).unwrap_or_default()
}

/// The fields that are there, as an object.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    fields.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The parameters of 1.0 that parameters of 0.3 became.
pub(crate) fn params(method: &str, mut old: Value) -> Result<Value, Wrong> {
    match method {
        "SendMessage" | "SendStreamingMessage" => send(old),
        "CreateTaskPushNotificationConfig" => {
            let config = take(&mut old, "pushNotificationConfig");
            Ok(push(config, take(&mut old, "taskId")))
        }
        "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig" => {
            let (task, id) = (take(&mut old, "id"), take(&mut old, "pushNotificationConfigId"));
            // Where none is named, the first is meant.
            Ok(json!({"taskId": task, "id": if id.is_null() { json!("") } else { id }}))
        }
        "ListTaskPushNotificationConfigs" => Ok(json!({"taskId": take(&mut old, "id")})),
        _ => Ok(old),
    }
}

fn send(mut old: Value) -> Result<Value, Wrong> {
    let message = message(take(&mut old, "message"))?;
    let mut said = take(&mut old, "configuration");
    let configuration = if said.is_object() {
        let config = take(&mut said, "pushNotificationConfig");
        let config = if config.is_null() { config } else { push(config, Value::Null) };
        let at_once = said.get("blocking") == Some(&json!(false));
        object([
            ("acceptedOutputModes", take(&mut said, "acceptedOutputModes")),
            ("historyLength", take(&mut said, "historyLength")),
            ("returnImmediately", json!(at_once)),
            ("taskPushNotificationConfig", config),
        ])
    } else {
        said
    };
    Ok(object([("message", message), ("configuration", configuration), ("metadata", take(&mut old, "metadata"))]))
}

fn message(mut old: Value) -> Result<Value, Wrong> {
    let role = match take(&mut old, "role").as_str() {
        Some("user") => json!("ROLE_USER"),
        Some("agent") => json!("ROLE_AGENT"),
        _ => return Err(Wrong::field("message.role", "it is neither \"user\" nor \"agent\"")),
    };
    let parts = match take(&mut old, "parts") {
        Value::Array(parts) => {
            let parts: Result<Vec<Value>, Wrong> =
                parts.into_iter().enumerate().map(|(at, old)| part(at, old)).collect();
            Value::Array(parts?)
        }
        other => other,
    };
    if let Value::Object(fields) = &mut old {
        fields.remove("kind");
        fields.insert("role".to_owned(), role);
        fields.insert("parts".to_owned(), parts);
    }
    Ok(old)
}

fn part(at: usize, mut old: Value) -> Result<Value, Wrong> {
    let metadata = take(&mut old, "metadata");
    Ok(match take(&mut old, "kind").as_str() {
        Some("text") => object([("text", take(&mut old, "text")), ("metadata", metadata)]),
        Some("data") => object([("data", take(&mut old, "data")), ("metadata", metadata)]),
        Some("file") => {
            let mut file = take(&mut old, "file");
            let bytes = take(&mut file, "bytes");
            object([
                if bytes.is_null() { ("url", take(&mut file, "uri")) } else { ("raw", bytes) },
                ("mediaType", take(&mut file, "mimeType")),
                ("filename", take(&mut file, "name")),
                ("metadata", metadata),
            ])
        }
        _ => {
            let field = format!("message.parts[{at}].kind");
            return Err(Wrong::field(&field, "it is none of \"text\", \"file\" and \"data\""));
        }
    })
}

fn push(mut old: Value, task: Value) -> Value {
    let mut authentication = take(&mut old, "authentication");
    let scheme = authentication.get("schemes").and_then(|all| all.get(0)).cloned().unwrap_or_default();
    let authentication = if scheme.is_null() {
        Value::Null
    } else {
        object([("scheme", scheme), ("credentials", take(&mut authentication, "credentials"))])
    };
    object([
        ("taskId", task),
        ("id", take(&mut old, "id")),
        ("url", take(&mut old, "url")),
        ("token", take(&mut old, "token")),
        ("authentication", authentication),
    ])
}

/// The answer of 0.3 for an answer of 1.0.
pub(crate) fn answer(method: &str, new: Value) -> Value {
    match method {
        "SendMessage" | "SendStreamingMessage" | "SubscribeToTask" => event(new),
        "GetTask" | "CancelTask" => task(new),
        "CreateTaskPushNotificationConfig" | "GetTaskPushNotificationConfig" => old_push(new),
        "ListTaskPushNotificationConfigs" => {
            let configs = new["configs"].as_array().cloned().unwrap_or_default();
            configs.into_iter().map(old_push).collect()
        }
        "DeleteTaskPushNotificationConfig" => Value::Null,
        _ => new,
    }
}

/// What a stream, an answer to a message or a push brings.
pub(crate) fn event(mut new: Value) -> Value {
    if new["task"].is_object() {
        return task(new["task"].take());
    }
    if new["statusUpdate"].is_object() {
        let mut update = new["statusUpdate"].take();
        let rests = matches!(
            update["status"]["state"].as_str(),
            Some(
                "TASK_STATE_COMPLETED"
                    | "TASK_STATE_FAILED"
                    | "TASK_STATE_CANCELED"
                    | "TASK_STATE_REJECTED"
                    | "TASK_STATE_INPUT_REQUIRED"
            )
        );
        update["kind"] = json!("status-update");
        update["final"] = json!(rests);
        update["status"] = status(update["status"].take());
        return update;
    }
    let mut update = new["artifactUpdate"].take();
    update["kind"] = json!("artifact-update");
    update["artifact"] = artifact(update["artifact"].take());
    update
}

fn task(mut new: Value) -> Value {
    new["kind"] = json!("task");
    new["status"] = status(new["status"].take());
    for (name, each) in [("artifacts", artifact as fn(Value) -> Value), ("history", old_message)] {
        if let Some(Value::Array(all)) = new.get_mut(name).map(Value::take) {
            new[name] = all.into_iter().map(each).collect();
        }
    }
    new
}

fn status(mut new: Value) -> Value {
    let state = new["state"].as_str().unwrap_or_default();
    let state = state.strip_prefix("TASK_STATE_").unwrap_or("UNKNOWN").to_lowercase().replace('_', "-");
    new["state"] = json!(state);
    if new["message"].is_object() {
        new["message"] = old_message(new["message"].take());
    }
    new
}

fn old_message(mut new: Value) -> Value {
    new["kind"] = json!("message");
    new["role"] = json!(if new["role"] == "ROLE_USER" { "user" } else { "agent" });
    new["parts"] = new["parts"].as_array().cloned().unwrap_or_default().into_iter().map(old_part).collect();
    new
}

fn artifact(mut new: Value) -> Value {
    new["parts"] = new["parts"].as_array().cloned().unwrap_or_default().into_iter().map(old_part).collect();
    new
}

fn old_part(mut new: Value) -> Value {
    let metadata = new["metadata"].take();
    let mut old = if new["text"].is_string() {
        json!({"kind": "text", "text": new["text"].take()})
    } else if new["raw"].is_string() || new["url"].is_string() {
        let (name, content) =
            if new["raw"].is_string() { ("bytes", new["raw"].take()) } else { ("uri", new["url"].take()) };
        let fields = [(name, content), ("mimeType", new["mediaType"].take()), ("name", new["filename"].take())];
        let file: Map<String, Value> =
            fields.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.to_owned(), v)).collect();
        json!({"kind": "file", "file": file})
    } else {
        // In 0.3 data is an object.
        let data = new["data"].take();
        json!({"kind": "data", "data": if data.is_object() { data } else { json!({"value": data}) }})
    };
    if metadata.is_object() {
        old["metadata"] = metadata;
    }
    old
}

fn old_push(mut new: Value) -> Value {
    let task = new["taskId"].take();
    let mut config = Map::new();
    for name in ["id", "url", "token"] {
        config.extend(Some(new[name].take()).filter(|v| !v.is_null()).map(|value| (name.to_owned(), value)));
    }
    if new["authentication"].is_object() {
        let (scheme, credentials) =
            (new["authentication"]["scheme"].take(), new["authentication"]["credentials"].take());
        let schemes = json!([scheme]);
        config.insert("authentication".to_owned(), object([("schemes", schemes), ("credentials", credentials)]));
    }
    json!({"taskId": task, "pushNotificationConfig": config})
}
