//! Answers of a remote agent, from JSON. What has its default is left out on the wire, and many leave out more: that is put
//! back before the types of the protocol read it. History is dropped: nobody here needs it, and it may be endless.

use a2a::{Message, StreamResponse, Task};
use serde_json::{Map, Value, json};

/// An answer, an event or a push: exactly one of a task, a message, a status or an artifact.
///
/// # Errors
/// When it is none of them, in words.
pub(super) fn told(mut value: Value) -> Result<StreamResponse, String> {
    let known = ["task", "message", "statusUpdate", "artifactUpdate"];
    let object = value.as_object_mut().ok_or("it is no JSON object")?;
    object.retain(|name, inner| known.contains(&name.as_str()) && !inner.is_null());
    if object.len() != 1 {
        return Err(format!("it has {} of {}, and must have exactly one", object.len(), known.join(", ")));
    }
    for (name, inner) in object.iter_mut() {
        match name.as_str() {
            "task" => mend_task(inner),
            "message" => mend_message(inner),
            "statusUpdate" => {
                fill(inner, &[("contextId", json!(""))]);
                field(inner, "status").into_iter().for_each(mend_status);
            }
            _ => {
                fill(inner, &[("contextId", json!(""))]);
                field(inner, "artifact").into_iter().for_each(mend_artifact);
            }
        }
    }
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// A task as it is given by itself.
///
/// # Errors
/// When it is none, in words.
pub(super) fn task(mut value: Value) -> Result<Task, String> {
    mend_task(&mut value);
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// The words of a message; other parts of it are left out.
pub(super) fn text(message: Option<&Message>) -> String {
    let parts = message.map(|message| message.parts.as_slice()).unwrap_or_default();
    parts.iter().filter_map(|part| part.as_text()).collect::<Vec<_>>().join("\n\n")
}

fn fill(value: &mut Value, defaults: &[(&str, Value)]) {
    let Value::Object(object) = value else { return };
    for (name, default) in defaults {
        if object.get(*name).is_none_or(Value::is_null) {
            object.insert((*name).to_owned(), default.clone());
        }
    }
}

/// A field of what may be anything. To index it by name would panic where it is no object.
pub(super) fn field<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    value.as_object_mut().and_then(|object: &mut Map<String, Value>| object.get_mut(name))
}

fn mend_task(task: &mut Value) {
    fill(task, &[("contextId", json!(""))]);
    if let Value::Object(object) = task {
        object.remove("history");
    }
    if let Some(status) = field(task, "status") {
        mend_status(status);
    }
    if let Some(Value::Array(artifacts)) = field(task, "artifacts") {
        artifacts.iter_mut().for_each(mend_artifact);
    }
}

fn mend_status(status: &mut Value) {
    fill(status, &[("state", json!(""))]);
    if let Some(message) = field(status, "message").filter(|message| !message.is_null()) {
        mend_message(message);
    }
}

fn mend_message(message: &mut Value) {
    fill(message, &[("messageId", json!("")), ("role", json!("")), ("parts", json!([]))]);
}

fn mend_artifact(artifact: &mut Value) {
    fill(artifact, &[("artifactId", json!("")), ("parts", json!([]))]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use a2a::TaskState;

    #[test]
    fn what_is_left_out_on_the_wire_is_put_back() {
        let said = json!({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING", "message": {}},
            "artifacts": [{"artifactId": "a"}, {}], "history": [{"anything": 1}]}});
        let StreamResponse::Task(task) = told(said).unwrap() else { panic!("no task") };
        assert_eq!((task.context_id.as_str(), &task.status.state, &task.history), ("", &TaskState::Working, &None));
        assert_eq!(task.artifacts.unwrap().len(), 2);
        let said = json!({"statusUpdate": {"taskId": "t", "status": {}}});
        let StreamResponse::StatusUpdate(update) = told(said).unwrap() else { panic!("no status") };
        assert_eq!(update.status.state, TaskState::Unspecified);
    }

    #[test]
    fn what_cannot_be_an_answer_is_told() {
        let table = [
            json!(null),
            json!([]),
            json!({}),
            json!({"task": null}),
            json!({"task": {"id": "t", "status": {"state": "done"}}}),
            json!({"task": {"status": {"state": "TASK_STATE_WORKING"}}}),
            json!({"task": {"id": "t"}}),
            json!({"task": 7}),
            json!({"message": {"parts": 7}}),
            json!({"message": {"parts": [{}]}}),
            json!({"statusUpdate": {"status": {"state": "TASK_STATE_WORKING"}}}),
            json!({"artifactUpdate": {"taskId": "t"}}),
            json!({"task": {"id": "t", "status": {}}, "message": {}}),
            json!({"task": []}),
            json!({"task": {"id": "t", "status": 7}}),
            json!({"task": {"id": "t", "status": {}, "artifacts": [7]}}),
            json!({"task": {"id": "t", "status": {"message": 7}}}),
            json!({"message": 7}),
            json!({"message": {"parts": [7]}}),
            json!({"statusUpdate": 7}),
            json!({"statusUpdate": "x"}),
            json!({"statusUpdate": []}),
            json!({"statusUpdate": {"taskId": "t", "status": []}}),
            json!({"artifactUpdate": true}),
            json!({"artifactUpdate": []}),
            json!({"artifactUpdate": {"taskId": "t", "artifact": 7}}),
        ];
        for said in table {
            assert!(told(said.clone()).is_err(), "{said}");
        }
    }
}
