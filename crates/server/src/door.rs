//! The way of a request: named, let in, read, answered, written to the log.

use crate::{
    ask::Ask,
    auth::{self, Entered},
    docs,
    mount::Mount,
    problem::Problem,
    rate::Standing,
    start::State,
    table::{self, Entry, Route},
};
use axum::{
    Router,
    body::Body,
    extract::{RawPathParams, Request},
    http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header},
    response::{Html, IntoResponse as _},
    routing::{MethodFilter, MethodRouter},
};
use bytes::Bytes;
use futures_util::FutureExt as _;
use handover_core::{
    access::{KeyInfo, Right},
    limits::REQUEST_BYTES_MAX,
    refusal::{Code, Refusal},
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    panic::AssertUnwindSafe,
    sync::Arc,
    time::{Duration, Instant},
};
use uuid::Uuid;

/// Who is at the other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest id that a caller may give its request, in characters.
const REQUEST_ID_CHARS_MAX: usize = 64;

/// All routes of the table, and what others mount beside them.
pub(crate) fn router(state: &Arc<State>, beside: Router, mounts: Vec<Mount>) -> Router {
    let mut paths: BTreeMap<&str, Vec<Route>> = BTreeMap::new();
    for route in table::routes() {
        paths.entry(route.path).or_default().push(route);
    }
    let mut router = Router::new();
    for (path, routes) in paths {
        let mut allowed: Vec<String> = routes.iter().map(|route| route.method.to_string()).collect();
        if allowed.iter().any(|method| method == "GET") {
            allowed.push("HEAD".into());
        }
        let mut methods = MethodRouter::new();
        for route in routes {
            methods = methods.on(filter(&route.method), on(state.clone(), Arc::new(route)));
        }
        router = router.route(path, methods.fallback(wrong_method(state.clone(), allowed.join(", "))));
    }
    let nobody = state.clone();
    let router = router.fallback(move |request| nowhere(nobody.clone(), request)).merge(beside);
    mounts.into_iter().fold(router, |router, mount| router.merge(mount.guarded(state)))
}

fn filter(method: &Method) -> MethodFilter {
    // The table has no other methods; a test looks at each route.
    MethodFilter::try_from(method.clone()).unwrap_or(MethodFilter::GET)
}

type Handled = std::pin::Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

fn on(
    state: Arc<State>,
    route: Arc<Route>,
) -> impl Fn(Result<RawPathParams, axum::extract::rejection::RawPathParamsRejection>, Request) -> Handled
+ Clone
+ Send
+ Sync
+ 'static {
    move |params, request| {
        let (state, route) = (state.clone(), route.clone());
        let path = params.map(|params| params.iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect());
        Box::pin(async move {
            match path {
                Ok(path) => handle(state, route, path, request).await,
                Err(_) => nowhere(state, request).await,
            }
        })
    }
}

fn wrong_method(state: Arc<State>, allowed: String) -> impl Fn(Request) -> Handled + Clone + Send + Sync + 'static {
    move |request| {
        let (state, allowed) = (state.clone(), allowed.clone());
        Box::pin(async move {
            let message = format!("{} is not one of {allowed}", request.method());
            let problem: Problem = Refusal::new(Code::WrongMethod, message).into();
            let id = id_of(&request);
            let mut response = named(problem.into_response(&id), &id, has_body(request.headers()));
            astray(&state, request.method(), &id, 405);
            if let Ok(value) = HeaderValue::from_str(&allowed) {
                response.headers_mut().insert(header::ALLOW, value);
            }
            response
        })
    }
}

/// Writes down a request that no route took. Where it went is not told: there is no end of addresses.
fn astray(state: &State, method: &Method, id: &str, status: u16) {
    state.metrics.http(method.as_str(), "-", status, 0.0);
    tracing::info!(target: "handover::http", request_id = %id, method = %method, route = "-", status, "answered");
}

async fn nowhere(state: Arc<State>, request: Request) -> Response<Body> {
    let id = id_of(&request);
    astray(&state, request.method(), &id, 404);
    let path: String = request.uri().path().chars().filter(|c| !c.is_control()).take(120).collect();
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepts.contains("text/html") && !path.starts_with("/v1") {
        let page = (StatusCode::NOT_FOUND, Html(docs::nowhere(&path))).into_response();
        return named(page, &id, has_body(request.headers()));
    }
    let problem: Problem = Refusal::new(Code::NoSuchAddress, format!("there is nothing at {path}")).into();
    named(problem.into_response(&id), &id, has_body(request.headers()))
}

/// The id of a request: the caller's own where it can be, else a new one.
pub(crate) fn id_of(request: &Request) -> String {
    let given = request.headers().get(&REQUEST_ID).and_then(|value| value.to_str().ok());
    let fits = |text: &&str| {
        !text.is_empty() && text.len() <= REQUEST_ID_CHARS_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    given.filter(fits).map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned)
}

/// `unread` says that a body came with the request and nobody read all of it.
fn named(mut response: Response<Body>, id: &str, unread: bool) -> Response<Body> {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if unread {
        // The rest of the body is not waited for. A client that does not know would send its next request into a
        // connection that ends.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// The bytes that the body has by its head, where that says so.
fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether a body follows the head.
fn has_body(headers: &HeaderMap) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING) || announced(headers).is_some_and(|bytes| bytes > 0)
}

async fn handle(
    state: Arc<State>,
    route: Arc<Route>,
    path: Vec<(String, String)>,
    mut request: Request,
) -> Response<Body> {
    let (began, id) = (Instant::now(), id_of(&request));
    let _in_flight = state.metrics.http_in_flight();
    let method = request.method().clone();
    // Shared by whoever looks at them: the handler, its answer, and the note of a denial.
    let headers = Arc::new(std::mem::take(request.headers_mut()));
    let mut told = Told::default();
    let answering = AssertUnwindSafe(answer(&state, &route, path, (request, &headers), &mut told)).catch_unwind();
    let most = match route.entry {
        Entry::With(Right::Administer) => None,
        Entry::Anybody | Entry::With(_) => Some(state.answer),
    };
    let answered = in_time(most, answering).await.unwrap_or_else(|_| {
        // A mistake of ours. It must not take the server with it, and nobody learns more than that.
        Err(Refusal::new(Code::StoreFailed, "something went wrong here; the log has more").into())
    });
    let asked = Asked { began, id, method, route: route.path };
    finish(&state, &asked, &headers, told, answered)
}

/// Waits for an answer at most so long. What was begun for it is finished: whoever repeats the request learns what came of it.
async fn in_time<T, E>(
    most: Option<Duration>,
    answering: impl Future<Output = Result<Result<T, Problem>, E>>,
) -> Result<Result<T, Problem>, E> {
    let Some(most) = most else { return answering.await };
    let late = || Refusal::new(Code::NoAnswer, format!("no answer came within {} s", most.as_secs())).into();
    tokio::time::timeout(most, answering).await.unwrap_or_else(|_| Ok(Err(late())))
}

/// A request, as it is told of in the log.
pub(crate) struct Asked {
    pub(crate) began: Instant,
    pub(crate) id: String,
    pub(crate) method: Method,
    pub(crate) route: &'static str,
}

/// The end of every request: what was refused is written down, and what was answered is counted and logged.
pub(crate) fn finish(
    state: &State,
    asked: &Asked,
    headers: &HeaderMap,
    mut told: Told,
    answered: Result<Response<Body>, Problem>,
) -> Response<Body> {
    let Asked { began, id, method, route } = asked;
    let mut response = match answered {
        Ok(response) => response,
        Err(problem) => {
            let what = format!("{method} {}", route);
            told.limited = problem.code == Code::RateLimited.text();
            state.gate.note(&problem, headers, told.tenant.clone(), what);
            if problem.status >= 500 {
                tracing::error!(target: "handover::http", request_id = %id, code = problem.code, "{}", problem.detail);
            }
            let retry = (problem.status == 429 || problem.status == 503).then(|| retry_after(&problem));
            let challenge = problem.status == 401;
            let mut response = problem.into_response(id);
            if let Some(value) = retry.and_then(|seconds| HeaderValue::from_str(&seconds.to_string()).ok()) {
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
            if challenge {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            response
        }
    };
    if let Some(standing) = told.standing {
        limits_of(standing, response.headers_mut());
    }
    let status = response.status().as_u16();
    state.metrics.http(method.as_str(), route, status, began.elapsed().as_secs_f64());
    match status {
        401 | 403 => state.metrics.denied(),
        429 if told.limited => state.metrics.rate_limited(),
        _ => {}
    }
    tracing::info!(
        target: "handover::http",
        request_id = %id,
        method = %method,
        route,
        status,
        ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        key = told.key.as_deref().unwrap_or("-"),
        tenant = told.tenant.as_deref().unwrap_or("-"),
        "answered"
    );
    named(response, id, !told.read && has_body(headers))
}

/// What is known of a request when it has been answered.
#[derive(Default)]
pub(crate) struct Told {
    key: Option<String>,
    tenant: Option<String>,
    standing: Option<Standing>,
    /// Whether the rate of the key stopped it.
    limited: bool,
    /// Whether all of the body was read.
    pub(crate) read: bool,
}

impl Told {
    /// Somebody whom a mount found by itself.
    pub(crate) fn found(&mut self, key: &KeyInfo) {
        self.key = Some(key.id.to_string());
        self.tenant = Some(key.tenant.clone());
    }

    /// Who was let in.
    pub(crate) fn entered(&mut self, entered: &Entered) {
        self.key = entered.key.as_ref().map(|key| key.id.to_string());
        self.tenant = Some(entered.caller.tenant.clone());
        self.standing = entered.standing;
    }
}

fn retry_after(problem: &Problem) -> u64 {
    let asked = problem.errors.first().and_then(|first| first.details["retry_after_s"].as_f64()).unwrap_or(1.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number above 0")]
    let seconds = asked.ceil().max(1.0) as u64;
    seconds
}

/// What is left of the rate, as the draft for `RateLimit` headers has it.
fn limits_of(standing: Standing, headers: &mut HeaderMap) {
    for (name, value) in [("ratelimit-limit", standing.limit), ("ratelimit-remaining", standing.left)] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from(value));
    }
}

/// Where a request comes from.
pub(crate) fn peer_of(request: &Request) -> SocketAddr {
    request.extensions().get::<Peer>().map_or(SocketAddr::from(([127, 0, 0, 1], 0)), |peer| peer.0)
}

async fn answer(
    state: &Arc<State>,
    route: &Route,
    path: Vec<(String, String)>,
    (request, headers): (Request, &Arc<HeaderMap>),
    told: &mut Told,
) -> Result<Response<Body>, Problem> {
    let peer = peer_of(&request);
    let (parts, body) = request.into_parts();
    let entered = match route.entry {
        Entry::Anybody => None,
        Entry::With(_) => Some(state.gate.enter(headers, peer).await?),
    };
    if let Some(entered) = &entered {
        told.entered(entered);
        auth::may(entered, route.entry)?;
    }
    if route.parameters.iter().any(|parameter| parameter.name.starts_with("If-")) {
        crate::etag::readable(headers)?;
    }
    let body = if route.body.is_some() {
        let body = read(headers, body, state.body).await?;
        told.read = true;
        body
    } else {
        // Nobody wants it, but the next request stands behind it.
        told.read = !has_body(headers) || read(headers, body, state.body).await.is_ok();
        Bytes::new()
    };
    if !body.is_empty() && !is_json(headers) {
        return Err(Refusal::new(Code::WrongMediaType, "the body is not said to be JSON").at("content-type").into());
    }
    let (engine, who, key) = match entered {
        Some(Entered { engine, caller, key, .. }) => {
            (engine, key.as_ref().map_or(caller.name, |key| key.name.clone()), key.map(|key| key.id.clone()))
        }
        None => (state.engine.clone(), String::new(), None),
    };
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let ask = Ask { engine, state: state.clone(), path, query, headers: headers.clone(), body, who, key };
    let reads = route.method == Method::GET;
    Ok((route.handler)(ask).await?.into_response(reads, headers))
}

/// The body of a request, within its bounds.
pub(crate) async fn read(headers: &HeaderMap, body: Body, patience: Duration) -> Result<Bytes, Problem> {
    let too_large = || {
        let message = format!("the body has more than {REQUEST_BYTES_MAX} bytes (REQUEST_BYTES_MAX)");
        let details = serde_json::json!({ "limit": "REQUEST_BYTES_MAX", "max": REQUEST_BYTES_MAX });
        Problem::from(Refusal::new(Code::TooLarge, message).details(details))
    };
    if announced(headers).is_some_and(|bytes| bytes > REQUEST_BYTES_MAX) {
        return Err(too_large());
    }
    let collected = Limited::new(body, REQUEST_BYTES_MAX).collect();
    let Ok(collected) = tokio::time::timeout(patience, collected).await else {
        let message = format!("the body was not there after {} ms (BODY_MS)", patience.as_millis());
        return Err(Refusal::new(Code::TooSlow, message).into());
    };
    match collected {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(error) => Err(Refusal::new(Code::NotJson, format!("the body broke off: {error}")).into()),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let text = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = text.split(';').next().unwrap_or_default().trim();
    media.eq_ignore_ascii_case("application/json") || media.to_ascii_lowercase().ends_with("+json")
}
