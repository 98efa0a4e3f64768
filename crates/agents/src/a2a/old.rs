//! Version 0.3 of the protocol, in which things had a `kind` and states small letters: to it, and from it.

use super::read::field;
use serde_json::{Map, Value, json};

/// The parameters of a message that is sent, as they were then.
pub(super) fn request(new: &Value) -> Value {
    let mut params = json!({"message": message(&new["message"])});
    let said = &new["configuration"];
    let mut configuration = Map::new();
    configuration.insert("blocking".to_owned(), json!(said["returnImmediately"] != true));
    if !said["historyLength"].is_null() {
        configuration.insert("historyLength".to_owned(), said["historyLength"].clone());
    }
    if said["taskPushNotificationConfig"].is_object() {
        configuration.insert("pushNotificationConfig".to_owned(), push(&said["taskPushNotificationConfig"]));
    }
    params["configuration"] = Value::Object(configuration);
    params
}

/// The parameters by which pushes are asked for, as they were then.
pub(super) fn push_request(new: &Value) -> Value {
    json!({"taskId": new["taskId"], "pushNotificationConfig": push(new)})
}

fn push(new: &Value) -> Value {
    let mut old = new.clone();
    if let Value::Object(old) = &mut old {
        old.remove("taskId");
        old.remove("tenant");
        if let Some(said) = old.get_mut("authentication") {
            *said = json!({"schemes": [said["scheme"]], "credentials": said["credentials"]});
        }
    }
    old
}

fn message(new: &Value) -> Value {
    let mut old = new.clone();
    old["kind"] = json!("message");
    old["role"] = json!(if new["role"] == "ROLE_AGENT" { "agent" } else { "user" });
    old["parts"] = new["parts"].as_array().map(|parts| parts.iter().map(old_part).collect()).unwrap_or_default();
    old
}

fn old_part(new: &Value) -> Value {
    let mut old = match (&new["text"], &new["data"]) {
        (Value::String(text), _) => json!({"kind": "text", "text": text}),
        (_, Value::Object(data)) => json!({"kind": "data", "data": data}),
        // Data was an object then.
        (_, data) => json!({"kind": "data", "data": {"value": data}}),
    };
    if new["metadata"].is_object() {
        old["metadata"] = new["metadata"].clone();
    }
    old
}

/// What was answered, as it is said today.
pub(super) fn newer(mut old: Value) -> Value {
    let kind = old["kind"].as_str().unwrap_or_default().to_owned();
    match kind.as_str() {
        "task" => {
            renew_task(&mut old);
            json!({"task": old})
        }
        "message" => {
            renew_message(&mut old);
            json!({"message": old})
        }
        "status-update" => {
            field(&mut old, "status").into_iter().for_each(renew_status);
            json!({"statusUpdate": old})
        }
        "artifact-update" => {
            field(&mut old, "artifact").into_iter().for_each(renew_parts);
            json!({"artifactUpdate": old})
        }
        _ => old,
    }
}

fn renew_task(task: &mut Value) {
    field(task, "status").into_iter().for_each(renew_status);
    if let Some(Value::Array(artifacts)) = field(task, "artifacts") {
        artifacts.iter_mut().for_each(renew_parts);
    }
}

fn renew_status(status: &mut Value) {
    if let Some(Value::String(state)) = field(status, "state") {
        let capitals = state.to_uppercase().replace('-', "_");
        *state = format!("TASK_STATE_{}", if capitals == "UNKNOWN" { "UNSPECIFIED" } else { &capitals });
    }
    field(status, "message").into_iter().for_each(renew_message);
}

fn renew_message(message: &mut Value) {
    if let Some(Value::String(role)) = field(message, "role") {
        *role = format!("ROLE_{}", role.to_uppercase());
    }
    renew_parts(message);
}

fn renew_parts(holder: &mut Value) {
    if let Some(Value::Array(parts)) = field(holder, "parts") {
        parts.iter_mut().for_each(renew_part);
    }
}

fn renew_part(part: &mut Value) {
    let Value::Object(part) = part else { return };
    let Some(Value::Object(mut file)) = part.remove("file") else { return };
    for (then, now) in [("bytes", "raw"), ("uri", "url"), ("name", "filename"), ("mimeType", "mediaType")] {
        if let Some(said @ Value::String(_)) = file.remove(then) {
            part.insert(now.to_owned(), said);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::a2a::read;
    use a2a::{PartContent, StreamResponse, TaskState};

    #[test]
    fn answers_of_then_are_read_as_those_of_today() {
        let task = json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "input-required",
            "message": {"kind": "message", "role": "agent", "messageId": "m", "parts": [{"kind": "text", "text": "Which?"}]}},
            "artifacts": [{"artifactId": "a", "parts": [{"kind": "file", "file": {"uri": "https://x/y", "mimeType": "a/b"}}]}]});
        let StreamResponse::Task(task) = read::told(newer(task)).unwrap() else { panic!("no task") };
        assert_eq!(task.status.state, TaskState::InputRequired);
        assert_eq!(read::text(task.status.message.as_ref()), "Which?");
        let part = &task.artifacts.unwrap()[0].parts[0];
        assert_eq!((&part.content, part.media_type.as_deref()), (&PartContent::Url("https://x/y".into()), Some("a/b")));
        for (state, new) in [("submitted", TaskState::Submitted), ("unknown", TaskState::Unspecified)] {
            let said = json!({"kind": "status-update", "taskId": "t", "status": {"state": state}, "final": true});
            let StreamResponse::StatusUpdate(update) = read::told(newer(said)).unwrap() else { panic!("no status") };
            assert_eq!(update.status.state, new);
        }
    }

    #[test]
    fn what_could_not_be_an_answer_then_is_told() {
        let task = |more: Value| {
            let mut task = json!({"kind": "task", "id": "t", "status": {"state": "working"}});
            task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            task
        };
        let message = |parts: Value| json!({"kind": "message", "role": "agent", "parts": parts});
        let table = [
            json!(7),
            json!([]),
            json!({"kind": "task"}),
            json!({"kind": "status-update"}),
            json!({"kind": "status-update", "taskId": "t", "status": 7}),
            json!({"kind": "status-update", "taskId": "t", "status": {"state": []}}),
            json!({"kind": "artifact-update", "taskId": "t"}),
            json!({"kind": "artifact-update", "taskId": "t", "artifact": 7}),
            json!({"kind": "artifact-update", "taskId": "t", "artifact": []}),
            json!({"kind": "artifact-update", "taskId": "t", "artifact": {"parts": ["x"]}}),
            task(json!({"status": []})),
            task(json!({"status": {"state": "working", "message": 7}})),
            task(json!({"artifacts": 7})),
            task(json!({"artifacts": [7]})),
            task(json!({"artifacts": [[]]})),
            task(json!({"artifacts": [{"parts": [7]}]})),
            message(json!(7)),
            message(json!([7])),
            message(json!([[]])),
            message(json!([{"kind": "file", "file": 7}])),
        ];
        for said in table {
            assert!(read::told(newer(said.clone())).is_err(), "{said}");
        }
    }

    #[test]
    fn a_message_of_today_is_sent_as_one_of_then() {
        let new = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}, {"data": [1]}]},
            "configuration": {"returnImmediately": true, "historyLength": 0,
                "taskPushNotificationConfig": {"url": "u", "token": "t", "taskId": ""}}});
        let wanted = json!({"message": {"kind": "message", "messageId": "m", "role": "user",
                "parts": [{"kind": "text", "text": "x"}, {"kind": "data", "data": {"value": [1]}}]},
            "configuration": {"blocking": false, "historyLength": 0, "pushNotificationConfig": {"url": "u", "token": "t"}}});
        assert_eq!(request(&new), wanted);
    }
}
