//! What is asked of a remote agent, in the words of the binding that it speaks, and what it answers in the envelope of that
//! binding. Nothing is sent here.

use super::{
    card::{Interface, Speaks},
    old,
    peer::Trouble,
};
use crate::assignment::tame;
use a2a::{
    CancelTaskRequest, GetTaskRequest, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
    error_code, methods, reason_to_error_code,
};
use handover_core::limits::HTTP_SHOWN_CHARS_MAX;
use reqwest::{Method, Url};
use serde::Serialize;
use serde_json::{Value, json};

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Ask<'a> {
    /// To take a message; what is new is asked for.
    Send(&'a SendMessageRequest),
    /// To take a message, and to tell what is new.
    Stream(&'a SendMessageRequest),
    /// How a task is.
    Get(&'a str),
    /// To tell what is new of a task.
    Subscribe(&'a str),
    /// To give up a task.
    Cancel(&'a str),
    /// To call when something is new.
    Push(&'a TaskPushNotificationConfig),
}

impl Ask<'_> {
    /// Whether the answer comes in pieces.
    pub(super) fn streams(&self) -> bool {
        matches!(self, Self::Stream(_) | Self::Subscribe(_))
    }
}

/// A request as it is sent.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Option<Value>,
    /// What the answer must be to, where the binding says so.
    pub(super) id: Option<String>,
}

/// The request for this. `id` tells it from others.
pub(super) fn call(at: &Interface, ask: &Ask<'_>, id: &str) -> Call {
    match at.speaks {
        Speaks::HttpJson => by_paths(at, ask),
        Speaks::JsonRpc => by_methods(at, new_method(ask), &params(ask, at.tenant.as_deref()), id),
        Speaks::Old => by_methods(at, old_method(ask), &old_params(ask), id),
    }
}

fn by_methods(at: &Interface, method: &str, params: &Value, id: &str) -> Call {
    let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    Call { method: Method::POST, url: at.url.clone(), body: Some(body), id: Some(id.to_owned()) }
}

fn new_method(ask: &Ask<'_>) -> &'static str {
    match ask {
        Ask::Send(_) => methods::SEND_MESSAGE,
        Ask::Stream(_) => methods::SEND_STREAMING_MESSAGE,
        Ask::Get(_) => methods::GET_TASK,
        Ask::Subscribe(_) => methods::SUBSCRIBE_TO_TASK,
        Ask::Cancel(_) => methods::CANCEL_TASK,
        Ask::Push(_) => methods::CREATE_PUSH_CONFIG,
    }
}

fn old_method(ask: &Ask<'_>) -> &'static str {
    match ask {
        Ask::Send(_) => "message/send",
        Ask::Stream(_) => "message/stream",
        Ask::Get(_) => "tasks/get",
        Ask::Subscribe(_) => "tasks/resubscribe",
        Ask::Cancel(_) => "tasks/cancel",
        Ask::Push(_) => "tasks/pushNotificationConfig/set",
    }
}

fn written(value: &impl Serialize) -> Value {
    // Whatever the protocol's types hold can be written.
    serde_json::to_value(value).unwrap_or_default()
}

fn params(ask: &Ask<'_>, tenant: Option<&str>) -> Value {
    let tenant = tenant.map(str::to_owned);
    match ask {
        Ask::Send(request) | Ask::Stream(request) => written(&SendMessageRequest { tenant, ..(*request).clone() }),
        Ask::Get(id) => written(&GetTaskRequest { id: (*id).to_owned(), history_length: Some(0), tenant }),
        Ask::Subscribe(id) => written(&SubscribeToTaskRequest { id: (*id).to_owned(), tenant }),
        Ask::Cancel(id) => written(&CancelTaskRequest { id: (*id).to_owned(), metadata: None, tenant }),
        Ask::Push(config) => written(&TaskPushNotificationConfig { tenant, ..(*config).clone() }),
    }
}

fn old_params(ask: &Ask<'_>) -> Value {
    match ask {
        Ask::Send(request) | Ask::Stream(request) => old::request(&written(request)),
        Ask::Get(id) => json!({"id": id, "historyLength": 0}),
        Ask::Subscribe(id) | Ask::Cancel(id) => json!({"id": id}),
        Ask::Push(config) => old::push_request(&written(config)),
    }
}

fn by_paths(at: &Interface, ask: &Ask<'_>) -> Call {
    let (path, method, body): (Vec<String>, Method, Option<Value>) = match ask {
        Ask::Send(request) => (vec!["message:send".into()], Method::POST, Some(written(request))),
        Ask::Stream(request) => (vec!["message:stream".into()], Method::POST, Some(written(request))),
        Ask::Get(id) => (vec!["tasks".into(), (*id).to_owned()], Method::GET, None),
        Ask::Subscribe(id) => (vec!["tasks".into(), format!("{id}:subscribe")], Method::POST, Some(json!({}))),
        Ask::Cancel(id) => (vec!["tasks".into(), format!("{id}:cancel")], Method::POST, Some(json!({}))),
        Ask::Push(config) => {
            let path = vec!["tasks".into(), config.task_id.clone(), "pushNotificationConfigs".into()];
            (path, Method::POST, Some(written(config)))
        }
    };
    let mut url = at.url.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        // Whatever an id holds, it stays one step of the path.
        segments.pop_if_empty().extend(at.tenant.iter()).extend(&path);
    }
    if matches!(ask, Ask::Get(_)) {
        url.query_pairs_mut().append_pair("historyLength", "0");
    }
    Call { method, url, body, id: None }
}

/// What is in the envelope.
///
/// # Errors
/// What the agent says went wrong, or that this is no answer to what was asked.
pub(super) fn unwrapped(speaks: Speaks, mut value: Value, id: Option<&str>) -> Result<Value, Trouble> {
    if let Some(error) = value.get("error").filter(|error| error.is_object()) {
        return Err(said(error));
    }
    if speaks == Speaks::HttpJson {
        return Ok(value);
    }
    if id.is_some_and(|id| value["id"] != id) {
        return Err(Trouble::Lasting("it answered to something else: the `id` of the answer is wrong".to_owned()));
    }
    let result = value.get_mut("result").map(Value::take).filter(|result| !result.is_null());
    let result =
        result.ok_or_else(|| Trouble::Lasting("the answer has neither a `result` nor an `error`".to_owned()))?;
    Ok(if speaks == Speaks::Old { old::newer(result) } else { result })
}

/// An error in the form of either binding: a number of JSON-RPC, or a reason among the details.
pub(super) fn said(error: &Value) -> Trouble {
    let details = ["details", "data"].into_iter().filter_map(|name| error[name].as_array()).flatten();
    let mut reasons = details.filter_map(|detail| detail["reason"].as_str());
    let code = reasons.find_map(reason_to_error_code).or_else(|| {
        let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok())?;
        // A status of HTTP stands where the other binding has its number.
        (code < 0).then_some(code)
    });
    let message: String =
        tame(error["message"].as_str().unwrap_or("nothing more")).chars().take(HTTP_SHOWN_CHARS_MAX).collect();
    Trouble::Said { code: code.unwrap_or(error_code::INTERNAL_ERROR), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(speaks: Speaks, tenant: Option<&str>) -> Interface {
        Interface { url: Url::parse("https://example.org/x/").unwrap(), speaks, tenant: tenant.map(str::to_owned) }
    }

    #[test]
    fn an_id_stays_one_step_of_the_path() {
        let rest = at(Speaks::HttpJson, None);
        let table = [
            (Ask::Get("t-1"), "https://example.org/x/tasks/t-1?historyLength=0"),
            (Ask::Get("a/b?c#d"), "https://example.org/x/tasks/a%2Fb%3Fc%23d?historyLength=0"),
            (Ask::Get("../../admin"), "https://example.org/x/tasks/..%2F..%2Fadmin?historyLength=0"),
            (Ask::Cancel("ü"), "https://example.org/x/tasks/%C3%BC:cancel"),
            (Ask::Subscribe("t-1"), "https://example.org/x/tasks/t-1:subscribe"),
        ];
        for (ask, wanted) in table {
            let call = call(&rest, &ask, "1");
            assert_eq!(call.url.as_str(), wanted);
            assert_eq!(call.method == Method::GET, call.body.is_none());
        }
    }

    #[test]
    fn a_tenant_is_said_in_every_binding() {
        let rest = call(&at(Speaks::HttpJson, Some("a b")), &Ask::Get("t"), "1");
        assert_eq!(rest.url.path(), "/x/a%20b/tasks/t");
        let rpc = call(&at(Speaks::JsonRpc, Some("a b")), &Ask::Get("t"), "1");
        assert_eq!(rpc.body.unwrap()["params"], json!({"id": "t", "historyLength": 0, "tenant": "a b"}));
    }
}
