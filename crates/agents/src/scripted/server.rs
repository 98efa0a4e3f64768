//! The server: finds the entry that answers, and sends what it says or how it fails.

use super::{
    api::{Api, Question},
    asked::{Asked, Log},
    body::{self, Stopping},
    choose::{Counters, choose},
    said::say,
    script::{Answer, Broken, Entry, Fail, Outcome, Script},
    seen::Seen,
    spot::Refused,
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
    routing::{get, post},
};
use handover_core::{
    digest::Digest,
    limits::{QUOTE_CHARS_MAX, SCRIPT_QUESTION_BYTES_MAX, SCRIPT_STOP_MS},
};
use serde_json::Value;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle, time::timeout};

/// A scripted model that answers. It stops when it is dropped.
pub struct Server {
    address: SocketAddr,
    log: Arc<Log>,
    stopping: watch::Sender<bool>,
    task: JoinHandle<()>,
}

struct House {
    script: Script,
    counters: Counters,
    log: Arc<Log>,
    stopping: Stopping,
}

/// Starts a scripted model at an address; port 0 takes one that is free. It runs in the runtime of the caller.
pub async fn serve(script: Script, address: SocketAddr) -> io::Result<Server> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let (stopping, mut stop) = watch::channel(false);
    let log = Arc::new(Log::default());
    let counters = Counters::new(&script);
    let house = House { script, counters, log: log.clone(), stopping: stop.clone() };
    let router = Router::new()
        .route("/v1/chat/completions", post(|house, headers, body| ask(Api::OpenAi, house, headers, body)))
        .route("/v1/messages", post(|house, headers, body| ask(Api::Anthropic, house, headers, body)))
        .route("/v1/models", get(models))
        .route("/asked", get(asked))
        .fallback(nowhere)
        .with_state(Arc::new(house));
    let task = tokio::spawn(async move {
        let serving = axum::serve(listener, router);
        // An error of one connection is its own business; there are no others.
        let _ = serving.with_graceful_shutdown(async move { body::stopped(&mut stop).await }).await;
    });
    Ok(Server { address, log, stopping, task })
}

impl Server {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The questions that it was asked, in the order in which they came, up to `SCRIPT_ASKED_MAX` of the latest.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.log.all()
    }

    /// Stops. Answers that wait or stall break off.
    pub async fn stop(mut self) {
        self.stopping.send_replace(true);
        // Whoever does not read the answer must not keep the server.
        let _ = timeout(Duration::from_millis(SCRIPT_STOP_MS), &mut self.task).await;
        self.task.abort();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.send_replace(true);
    }
}

async fn ask(api: Api, State(house): State<Arc<House>>, headers: HeaderMap, body: Body) -> Response {
    let bytes = axum::body::to_bytes(body, SCRIPT_QUESTION_BYTES_MAX).await;
    let read = authorized(&house, api, &headers).and_then(|()| question(&house, api, &headers, bytes.as_ref().ok()));
    let question = match read {
        Ok(question) => question,
        Err(refused) => {
            let digest = Digest::of(bytes.as_deref().unwrap_or_default()).to_string();
            let (model, agent) = (String::new(), String::new());
            house.log.add(Asked { api, model, agent, digest, lines: 0, status: refused.status, entry: None });
            return refusal(api, &refused, None);
        }
    };
    let seen = Seen::new(&question.ask);
    let entry = choose(&house.script, &house.counters, &seen);
    house.log.add(Asked {
        api,
        model: question.ask.model.clone(),
        agent: seen.agent().to_owned(),
        digest: Digest::of_json(&question.ask).to_string(),
        lines: question.ask.lines.len(),
        status: status(entry),
        entry: entry.map(|entry| entry.line),
    });
    let Some(entry) = entry else { return refusal(api, &unanswered(&seen), None) };
    let mut stopping = house.stopping.clone();
    match &entry.outcome {
        Outcome::Fail(fail) => {
            body::wait(entry.slow, &mut stopping).await;
            failure(api, fail)
        }
        Outcome::Answer(answer) => answered(api, &question, entry, answer, stopping).await,
    }
}

fn status(entry: Option<&Entry>) -> u16 {
    match entry.map(|entry| &entry.outcome) {
        None => 400,
        Some(Outcome::Fail(fail)) => fail.status,
        Some(Outcome::Answer(_)) => 200,
    }
}

/// Whether the key is the one that the script asks for.
fn authorized(house: &House, api: Api, headers: &HeaderMap) -> Result<(), Refused> {
    let Some(key) = &house.script.key else { return Ok(()) };
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let given = match api {
        Api::OpenAi => bearer,
        Api::Anthropic => text("x-api-key").or(bearer),
    };
    let message = match (api, given) {
        (_, Some(given)) if given == key => return Ok(()),
        (Api::OpenAi, None) => "You didn't provide an API key.",
        (Api::OpenAi, Some(_)) => "Incorrect API key provided.",
        (Api::Anthropic, None) => "x-api-key header is required",
        (Api::Anthropic, Some(_)) => "invalid x-api-key",
    };
    Err(Refused::new(401, message))
}

fn question(house: &House, api: Api, headers: &HeaderMap, bytes: Option<&Bytes>) -> Result<Question, Refused> {
    if api == Api::Anthropic && !headers.contains_key("anthropic-version") {
        return Err(Refused::question("anthropic-version: header is required"));
    }
    let Some(bytes) = bytes else {
        let most = format!("the question has more than {SCRIPT_QUESTION_BYTES_MAX} bytes (SCRIPT_QUESTION_BYTES_MAX)");
        return Err(Refused::new(413, most));
    };
    let body: Value = serde_json::from_slice(bytes)
        .map_err(|error| Refused::question(format!("We could not parse the JSON body of your request: {error}")))?;
    if !body.is_object() {
        return Err(Refused::question("The body of a request is a JSON object."));
    }
    let question = api.question(&body)?;
    let models = &house.script.models;
    if models.is_empty() || models.contains(&question.ask.model) {
        return Ok(question);
    }
    Err(Refused::new(
        404,
        format!("The model `{}` does not exist or you do not have access to it.", question.ask.model),
    ))
}

/// The script has no answer: whoever wrote it must see what it lacks. Asking again would not help.
fn unanswered(seen: &Seen<'_>) -> Refused {
    let tools: Vec<&str> = seen.results().iter().map(|result| result.name.as_str()).collect();
    let user: String = seen.user().chars().take(QUOTE_CHARS_MAX).collect();
    Refused::question(format!(
        "no entry of the script answers this: agent {:?}, model {:?}, user {user:?}, turn {}, after tools {tools:?}",
        seen.agent(),
        seen.model(),
        seen.turn()
    ))
}

async fn answered(api: Api, question: &Question, entry: &Entry, answer: &Answer, mut stopping: Stopping) -> Response {
    let seen = Seen::new(&question.ask);
    let silent = matches!(answer.broken, Some(Broken::Stall(most)) if most == 0 || !question.stream);
    if silent {
        body::stopped(&mut stopping).await;
        return refusal(api, &Refused::new(503, "the server stops"), None);
    }
    let said = say(entry, answer, &seen);
    if question.stream {
        let body = body::stream(api.events(&said, question.usage), entry.slow, answer.broken, stopping);
        return response(StatusCode::OK, "text/event-stream; charset=utf-8", body);
    }
    body::wait(entry.slow, &mut stopping).await;
    let body = body::whole(api.whole(&said).to_string(), answer.broken, stopping);
    response(StatusCode::OK, "application/json", body)
}

fn failure(api: Api, fail: &Fail) -> Response {
    let message = fail.message.clone().unwrap_or_else(|| match fail.status {
        429 => "Rate limit reached.".to_owned(),
        529 => "Overloaded".to_owned(),
        status => format!("The script fails with status {status}."),
    });
    refusal(api, &Refused::new(fail.status, message), fail.retry_after)
}

fn refusal(api: Api, refused: &Refused, retry_after: Option<Duration>) -> Response {
    let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = response(status, "application/json", Body::from(api.error(refused).to_string()));
    if let Some(wait) = retry_after {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.as_millis().div_ceil(1_000) as u64));
        if wait.subsec_millis() != 0 {
            headers.insert("retry-after-ms", HeaderValue::from(wait.as_millis() as u64));
        }
    }
    response
}

fn response(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

async fn models(State(house): State<Arc<House>>, headers: HeaderMap) -> Response {
    let api = if headers.contains_key("anthropic-version") { Api::Anthropic } else { Api::OpenAi };
    if let Err(refused) = authorized(&house, api, &headers) {
        return refusal(api, &refused, None);
    }
    let any = ["scripted".to_owned()];
    let names = if house.script.models.is_empty() { &any[..] } else { &house.script.models };
    response(StatusCode::OK, "application/json", Body::from(api.models(names).to_string()))
}

async fn asked(State(house): State<Arc<House>>) -> Response {
    let lines = house.log.all().into_iter().filter_map(|asked| serde_json::to_string(&asked).ok());
    let text: String = lines.map(|line| line + "\n").collect();
    response(StatusCode::OK, "application/x-ndjson", Body::from(text))
}

async fn nowhere() -> Response {
    let message = "There is nothing here: ask POST /v1/chat/completions or POST /v1/messages.";
    let refused = Refused { code: Some("unknown_url"), ..Refused::new(404, message) };
    refusal(Api::OpenAi, &refused, None)
}
