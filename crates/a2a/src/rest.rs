//! The binding to HTTP+JSON, in version 1.0.

use crate::{
    calls,
    desk::{Desk, Reply},
    place::Door,
    sse,
    wrong::{Kind, Wrong},
};
use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};
use serde_json::{Map, Value, json};

/// A request as HTTP has it.
pub(crate) struct Asked<'r> {
    pub(crate) method: &'r Method,
    pub(crate) door: &'r Door,
    pub(crate) query: &'r str,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) body: &'r [u8],
}

/// Answers a request.
pub(crate) async fn answer(desk: Result<Desk, Wrong>, asked: Asked<'_>) -> Response<Body> {
    match perform(desk, &asked).await {
        Ok(Reply::Document(document)) => said(StatusCode::OK, &document),
        Ok(Reply::Stream(streamed)) => {
            let written = |update: Result<Value, &Wrong>| match update {
                Ok(update) => update,
                Err(wrong) => wrong.rest(),
            };
            sse::answer(*streamed, Box::new(written))
        }
        Err(wrong) => refused(&wrong),
    }
}

async fn perform(desk: Result<Desk, Wrong>, asked: &Asked<'_>) -> Result<Reply, Wrong> {
    let desk = desk?;
    let (method, params) = meant(asked)?;
    desk.perform(calls::call(method, params)?).await
}

/// The method of 1.0 that an address stands for, and its parameters.
fn meant(asked: &Asked<'_>) -> Result<(&'static str, Value), Wrong> {
    let (get, post, delete) =
        (asked.method == Method::GET, asked.method == Method::POST, asked.method == Method::DELETE);
    Ok(match asked.door {
        Door::Send if post => ("SendMessage", body(asked)?),
        Door::Stream if post => ("SendStreamingMessage", body(asked)?),
        Door::Tasks if get => ("ListTasks", query(asked.query)?),
        Door::Task(id) if get => ("GetTask", with(query(asked.query)?, "id", id)),
        Door::Cancel(id) if post => ("CancelTask", with(body(asked)?, "id", id)),
        Door::Subscribe(id) if get || post => ("SubscribeToTask", json!({"id": id})),
        Door::Pushes(id) if post => ("CreateTaskPushNotificationConfig", with(body(asked)?, "taskId", id)),
        Door::Pushes(id) if get => ("ListTaskPushNotificationConfigs", with(query(asked.query)?, "taskId", id)),
        Door::Push(id, config) if get => ("GetTaskPushNotificationConfig", json!({"taskId": id, "id": config})),
        Door::Push(id, config) if delete => ("DeleteTaskPushNotificationConfig", json!({"taskId": id, "id": config})),
        Door::Card if get => ("GetExtendedAgentCard", json!({})),
        _ => {
            let message = format!("there is nothing at this address for {}", asked.method);
            return Err(Wrong::new(Kind::MethodNotFound, message));
        }
    })
}

fn with(mut params: Value, name: &str, value: &str) -> Value {
    if let Value::Object(fields) = &mut params {
        fields.insert(name.to_owned(), json!(value));
    }
    params
}

/// The body: JSON, or nothing where nothing is needed.
fn body(asked: &Asked<'_>) -> Result<Value, Wrong> {
    if asked.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    let media = asked.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !matches!(media.as_str(), "application/json" | "application/a2a+json") {
        let message = "the body is said to be neither application/a2a+json nor application/json";
        return Err(Wrong::new(Kind::ContentType, message));
    }
    let value = calls::json(asked.body)?;
    if value.is_object() { Ok(value) } else { Err(Wrong::new(Kind::InvalidRequest, "the body is not an object")) }
}

/// Parameters of an address, each as the field of its name has it.
fn query(text: &str) -> Result<Value, Wrong> {
    let mut fields = Map::new();
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        let typed = match &*name {
            "pageSize" | "historyLength" => {
                let number = value.parse::<i32>().map_err(|_| Wrong::field(&name, "it is not a whole number"))?;
                json!(number)
            }
            "includeArtifacts" => {
                let yes = value.parse::<bool>().map_err(|_| Wrong::field(&name, "it is neither true nor false"))?;
                json!(yes)
            }
            _ => json!(value),
        };
        fields.insert(name.into_owned(), typed);
    }
    Ok(Value::Object(fields))
}

/// A refusal as an answer.
pub(crate) fn refused(wrong: &Wrong) -> Response<Body> {
    let status = StatusCode::from_u16(wrong.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = said(status, &wrong.rest());
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn said(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/a2a+json"));
    response
}
