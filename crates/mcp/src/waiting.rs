//! One call of a tool, as long as it takes: a wait is made of many short ones, with progress in between, and a person at the
//! host is asked where only a person can go on.

use crate::{
    call::{Fault, What, read},
    front::{fault, key, result},
    state::State,
    table::{Done, Question, Tool, refused},
    way::Way,
};
use handover_core::limits::{MCP_ELICIT_MS, MCP_WAIT_MS_MAX};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, ElicitRequest, ElicitRequestParams, ElicitResult,
        ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, ProgressNotificationParam,
        ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::{Map, Value};
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

/// The name of the one question that is asked by return.
const ASKED: &str = "approval";

/// Calls a tool and waits as long as the call says.
pub(crate) async fn call(
    way: &dyn Way,
    tool: &Tool,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = request.arguments.unwrap_or_default();
    let state = match request.request_state.as_deref() {
        Some(text) => Some(State::read(text, tool.name, &way.whose()).ok_or_else(strange_state)?),
        None => None,
    };
    let key = state.as_ref().map_or_else(key, |state| state.key.clone());
    let answers = request.input_responses.unwrap_or_default();
    let answer = answers.get(ASKED).cloned().and_then(|value| serde_json::from_value(value).ok());
    let traceparent = context.meta.get("traceparent").and_then(Value::as_str).map(str::to_owned);
    let place = match tool.looks_for(&arguments) {
        Some(session) => way.ask(What::Where { session }, &key).await.unwrap_or_default(),
        None => Value::Null,
    };
    let what = What::Tool { name: tool.name.to_owned(), arguments: arguments.clone(), place, traceparent };
    let mut done = ask(way, &what, &key).await?;
    if let Some(question) = done.question.take().filter(|_| can_ask(context)) {
        match (answer, state) {
            (Some(answer), Some(state)) if state.digest == question.digest => decide(way, &question, answer).await?,
            _ if asks_by_return(context) => return input_required(way, tool, &question, &key),
            _ => ask_now(way, &question, context).await?,
        }
        done = ask(way, &what, &key).await?;
    }
    let until = Instant::now() + Duration::from_millis(wait_ms(tool, &arguments));
    let mut told = 0_u32;
    while done.again && Instant::now() < until {
        told += 1;
        progress(context, told, &done).await;
        done = tokio::select! {
            done = ask(way, &what, &key) => done?,
            // Nobody waits for it any more; what was begun goes on.
            () = context.ct.cancelled() => break,
        };
    }
    Ok(result(done).into())
}

async fn ask(way: &dyn Way, what: &What, key: &str) -> Result<Done, ErrorData> {
    match way.ask(what.clone(), key).await {
        Ok(value) => read(value).map_err(fault),
        Err(Fault::Refused(error)) => Ok(refused(&error)),
        Err(other) => Err(fault(other)),
    }
}

fn wait_ms(tool: &Tool, arguments: &Map<String, Value>) -> u64 {
    let said = arguments.get("wait_seconds").and_then(Value::as_u64).map(|seconds| seconds.saturating_mul(1_000));
    said.or(tool.waits).unwrap_or(0).min(MCP_WAIT_MS_MAX)
}

/// Tells a client that it goes on, where it wants to be told.
async fn progress(context: &RequestContext<RoleServer>, told: u32, done: &Done) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let mut param = ProgressNotificationParam::new(token, f64::from(told));
    param.message = done.text.lines().next().map(str::to_owned);
    // Whoever cannot be told goes on all the same.
    let _ = context.peer.notify_progress(param).await;
}

/// Whether a question goes back in the place of a result: the current revision has no other way.
fn asks_by_return(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capable = |capabilities: ClientCapabilities| {
        // Without a word on how, a client asks by a form.
        capabilities.elicitation.is_some_and(|ways| ways.form.is_some() || ways.url.is_none())
    };
    context.client_capabilities().is_some_and(capable)
}

fn form(question: &Question) -> Result<ElicitRequestParams, ErrorData> {
    let schema = ElicitationSchema::builder()
        .required_bool("approve")
        .optional_string("comment")
        .build()
        .map_err(|why| ErrorData::internal_error(why, None))?;
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: schema,
    })
}

fn strange_state() -> ErrorData {
    ErrorData::invalid_params("this requestState is not one of this call: make the call again without it", None)
}

fn input_required(way: &dyn Way, tool: &Tool, question: &Question, key: &str) -> Result<CallToolResponse, ErrorData> {
    let asked = InputRequest::Elicitation(ElicitRequest::new(form(question)?));
    let state = State::new(key, question.digest, tool.name, &way.whose());
    let state = serde_json::to_string(&state).map_err(|why| ErrorData::internal_error(why.to_string(), None))?;
    let requests = BTreeMap::from([(ASKED.to_owned(), asked)]);
    Ok(InputRequiredResult::new(Some(requests), Some(state)).into())
}

/// Asks the person at the host while the call waits. Where nobody answers, the question stays open for others.
async fn ask_now(way: &dyn Way, question: &Question, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let asked = context.peer.create_elicitation(form(question)?);
    let answered = tokio::time::timeout(Duration::from_millis(MCP_ELICIT_MS), asked).await;
    let Ok(Ok(answer)) = answered else { return Ok(()) };
    decide(way, question, answer).await
}

/// Passes on what a person said. Whoever did not decide leaves it to others.
async fn decide(way: &dyn Way, question: &Question, answer: ElicitResult) -> Result<(), ErrorData> {
    if answer.action != ElicitationAction::Accept {
        return Ok(());
    }
    let content = answer.content.unwrap_or_default();
    let Some(yes) = content.get("approve").and_then(Value::as_bool) else { return Ok(()) };
    let comment = content.get("comment").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (handoff, digest) = (question.handoff, question.digest);
    let what = What::Decide { handoff, digest, yes, comment };
    match way.ask(what, &key()).await {
        // It was decided by somebody else meanwhile, or is not theirs to decide: the call tells where it stands.
        Ok(_) | Err(Fault::Refused(_)) => Ok(()),
        Err(other) => Err(fault(other)),
    }
}
