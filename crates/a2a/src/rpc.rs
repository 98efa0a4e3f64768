//! The binding to JSON-RPC 2.0, in versions 1.0 and 0.3.

use crate::{
    calls,
    desk::{Desk, Reply},
    old, sse,
    version::Version,
    wrong::{Kind, Wrong},
};
use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use serde_json::{Value, json};

/// A request: its id, its method and its parameters.
struct Asked {
    id: Value,
    method: String,
    params: Value,
}

/// Answers a request. What goes wrong is told in the answer; the status of HTTP is that of an answer.
pub(crate) async fn answer(desk: Result<Desk, Wrong>, version: Result<Version, Wrong>, body: &[u8]) -> Response<Body> {
    let (id, asked) = match read(body) {
        Ok(asked) => (asked.id.clone(), asked),
        Err((id, wrong)) => return document(&json!({"jsonrpc": "2.0", "id": id, "error": wrong.rpc()})),
    };
    match perform(desk, version, asked).await {
        Ok((Reply::Document(result), _, _)) => document(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
        Ok((Reply::Stream(streamed), version, method)) => {
            let written = move |update: Result<Value, &Wrong>| match update {
                Ok(update) => json!({"jsonrpc": "2.0", "id": id, "result": spoken(version, method, update)}),
                Err(wrong) => json!({"jsonrpc": "2.0", "id": id, "error": wrong.rpc()}),
            };
            sse::answer(*streamed, Box::new(written))
        }
        Err(wrong) => document(&json!({"jsonrpc": "2.0", "id": id, "error": wrong.rpc()})),
    }
}

type Performed = (Reply, Version, &'static str);

async fn perform(desk: Result<Desk, Wrong>, version: Result<Version, Wrong>, asked: Asked) -> Result<Performed, Wrong> {
    let version = version?;
    let desk = desk?;
    let (method, params) = match version {
        Version::One => (known(&asked.method)?, asked.params),
        Version::Old => {
            let method = old::method(&asked.method).ok_or_else(|| not_old(&asked.method))?;
            (method, old::params(method, asked.params)?)
        }
    };
    match desk.perform(calls::call(method, params)?).await? {
        Reply::Document(result) => Ok((Reply::Document(spoken(version, method, result)), version, method)),
        stream @ Reply::Stream(_) => Ok((stream, version, method)),
    }
}

fn spoken(version: Version, method: &str, new: Value) -> Value {
    match version {
        Version::One => new,
        Version::Old => old::answer(method, new),
    }
}

/// The methods of 1.0.
pub(crate) const METHODS: [&str; 11] = [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

fn known(method: &str) -> Result<&'static str, Wrong> {
    METHODS.into_iter().find(|known| *known == method).ok_or_else(|| {
        let wrong = no_method(method);
        if old::method(method).is_some() { wrong.with("hint", "it is a method of version 0.3") } else { wrong }
    })
}

fn not_old(method: &str) -> Wrong {
    let wrong = no_method(method);
    let new = METHODS.contains(&method);
    if new { wrong.with("hint", "it is a method of version 1.0: send the header `A2A-Version: 1.0`") } else { wrong }
}

fn no_method(method: &str) -> Wrong {
    let shown: String = method.chars().filter(|c| !c.is_control()).take(80).collect();
    Wrong::new(Kind::MethodNotFound, format!("there is no method \"{shown}\" in this version"))
}

fn read(body: &[u8]) -> Result<Asked, (Value, Wrong)> {
    let mut value = calls::json(body).map_err(|wrong| (Value::Null, wrong))?;
    let invalid = |message: &str| Wrong::new(Kind::InvalidRequest, message);
    let Value::Object(fields) = &mut value else {
        return Err((Value::Null, invalid("one request of JSON-RPC is expected, as an object")));
    };
    // An id of another kind is none that could be repeated in the answer.
    let id = fields.remove("id").filter(|id| id.is_string() || id.is_number() || id.is_null());
    let Some(id) = id else {
        return Err((Value::Null, invalid("the id is missing, or is neither a text nor a number")));
    };
    if fields.get("jsonrpc") != Some(&json!("2.0")) {
        return Err((id, invalid("\"jsonrpc\" is not \"2.0\"")));
    }
    let Some(Value::String(method)) = fields.remove("method") else {
        return Err((id, invalid("\"method\" is missing, or is no text")));
    };
    let params = fields.remove("params").filter(|params| !params.is_null()).unwrap_or_else(|| json!({}));
    Ok(Asked { id, method, params })
}

fn document(value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
