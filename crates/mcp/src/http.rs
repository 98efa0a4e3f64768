//! Over HTTP: one address, both revisions. Whoever mounts it puts the caller's engine into the extensions of a request.

use crate::{
    front::Front,
    way::{Here, Way, Ways},
};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header, request::Parts},
    middleware::{self, Next},
    response::IntoResponse,
};
use handover_core::{
    command::Caller,
    limits::{MCP_SESSION_IDLE_MS, MCP_SESSIONS_MAX, MCP_SESSIONS_PER_CALLER_MAX, REQUEST_BYTES_MAX},
};
use handover_engine::Engine;
use parking_lot::Mutex;
use rmcp::{
    ErrorData,
    model::Extensions,
    transport::streamable_http_server::{
        SessionManager, StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use std::{collections::HashMap, sync::Arc, time::Duration};

/// The header by which a caller that may speak for everybody says which agent it is.
pub const AGENT: &str = "handover-agent";
/// The header that names a session.
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// The first revision without sessions.
const STATELESS: &str = "2026-07-28";

/// How it is served.
#[derive(Debug, Clone)]
pub struct Options {
    /// The names by which it may be called; any where none is given, because whoever mounts it looks at that.
    pub hosts: Vec<String>,
    /// Sessions of clients at once; at most `MCP_SESSIONS_MAX`.
    pub sessions_max: usize,
    /// How long a session lives without a request, in milliseconds.
    pub idle_ms: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { hosts: Vec::new(), sessions_max: MCP_SESSIONS_MAX, idle_ms: MCP_SESSION_IDLE_MS }
    }
}

impl Options {
    /// For this machine alone.
    #[must_use]
    pub fn local() -> Self {
        Self { hosts: ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec(), ..Self::default() }
    }

    /// Where whoever mounts it has looked at the names.
    #[must_use]
    pub fn mounted() -> Self {
        Self::default()
    }
}

/// Sessions of clients that began with a handshake, and whose they are.
struct Sessions {
    manager: Arc<LocalSessionManager>,
    max: usize,
    owners: Mutex<HashMap<String, (u64, Caller)>>,
}

/// The routes: `/mcp`, and nothing else.
pub fn router(options: &Options) -> Router {
    let mut manager = LocalSessionManager::default();
    let idle = Duration::from_millis(options.idle_ms);
    manager.session_config.keep_alive = Some(idle);
    let manager = Arc::new(manager);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(options.hosts.clone())
        .with_json_response(true)
        .with_max_request_body_bytes(REQUEST_BYTES_MAX);
    let ways: Ways = Arc::new(way);
    let service =
        StreamableHttpService::new(move || Ok(Front::new(ways.clone()).for_silent(idle)), manager.clone(), config);
    let sessions =
        Arc::new(Sessions { manager, max: options.sessions_max.min(MCP_SESSIONS_MAX), owners: Mutex::default() });
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn_with_state(sessions, check))
        .layer(middleware::from_fn(same_origin))
}

/// The way of a request: the engine that came with it, and the agent that it names.
fn way(extensions: &Extensions) -> Result<Arc<dyn Way>, ErrorData> {
    let found = extensions.get::<Parts>().and_then(|parts| Some((parts, parts.extensions.get::<Engine>()?)));
    let Some((parts, engine)) = found else {
        return Err(ErrorData::internal_error("nobody put an engine into this request", None));
    };
    Ok(Arc::new(Here { engine: engine.clone(), agent: agent(parts) }))
}

/// The agent that a request names, in a header or in the address.
fn agent(parts: &Parts) -> Option<String> {
    let header = parts.headers.get(AGENT).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let query = parts.uri.query().unwrap_or_default();
    let named =
        || form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "agent").map(|(_, name)| name.into());
    header.or_else(named)
}

/// A page from elsewhere can make a browser ask: what comes from a page must come from this very server.
async fn same_origin(request: Request, next: Next) -> Response<Body> {
    if is_from_elsewhere(request.headers()) {
        return refuse(StatusCode::FORBIDDEN, "a page from elsewhere may not ask this");
    }
    next.run(request).await
}

fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let Some(origin) = text(header::ORIGIN) else { return false };
    let bare = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    text(header::HOST) != Some(bare)
}

/// A session is its caller's alone, and there are only so many.
async fn check(State(sessions): State<Arc<Sessions>>, mut request: Request, next: Next) -> Response<Body> {
    let stateless = is_stateless(request.headers());
    if stateless {
        // The current revision has no sessions: nobody gets into one by naming it.
        request.headers_mut().remove(SESSION);
    }
    let Some(caller) = request.extensions().get::<Engine>().map(|engine| engine.caller().clone()) else {
        return refuse(StatusCode::UNAUTHORIZED, "nobody knows who asks");
    };
    let named = request.headers().get(SESSION).map(|value| value.to_str().unwrap_or("?").to_owned());
    match &named {
        Some(id) if !sessions.belongs(id, &caller) => {
            return refuse(StatusCode::NOT_FOUND, "there is no such session: begin again with `initialize`");
        }
        None if !stateless && sessions.count().await >= sessions.max => return sessions.full(),
        Some(_) | None => {}
    }
    let ends = request.method() == Method::DELETE;
    let mut response = next.run(request).await;
    if ends && response.status() == StatusCode::ACCEPTED {
        // It is over by now, and clients take a 202 for a failure.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    // Proxies must not gather what is to be heard at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    let begun = response.headers().get(SESSION).and_then(|value| value.to_str().ok());
    if let (None, Some(begun)) = (&named, begun) {
        let begun = begun.to_owned();
        // Whatever the headers said, a session was begun.
        if sessions.count().await > sessions.max {
            let _ = sessions.manager.close_session(&begun.into()).await;
            return sessions.full();
        }
        sessions.begin(begun, caller).await;
    }
    response
}

fn is_stateless(headers: &HeaderMap) -> bool {
    headers.get(VERSION).and_then(|value| value.to_str().ok()).is_some_and(|version| version >= STATELESS)
}

impl Sessions {
    fn belongs(&self, id: &str, caller: &Caller) -> bool {
        self.owners.lock().get(id).is_some_and(|(_, owner)| owner == caller)
    }

    async fn count(&self) -> usize {
        self.manager.sessions.read().await.len()
    }

    fn full(&self) -> Response<Body> {
        let why = format!("there are {} sessions already (MCP_SESSIONS_MAX); come back later", self.max);
        refuse(StatusCode::SERVICE_UNAVAILABLE, &why)
    }

    /// Notes whose a session is. Those that are over are forgotten, and of one caller's too many the oldest ends.
    async fn begin(&self, id: String, caller: Caller) {
        let alive: Vec<String> = self.manager.sessions.read().await.keys().map(ToString::to_string).collect();
        let oldest = {
            let mut owners = self.owners.lock();
            owners.retain(|known, _| alive.contains(known));
            let number = owners.values().map(|(number, _)| number + 1).max().unwrap_or(0);
            owners.insert(id, (number, caller.clone()));
            let mine = owners.iter().filter(|(_, (_, owner))| *owner == caller);
            let (count, oldest) = (mine.clone().count(), mine.min_by_key(|(_, (number, _))| *number));
            let oldest = oldest.map(|(id, _)| id.clone()).filter(|_| count > MCP_SESSIONS_PER_CALLER_MAX);
            oldest.inspect(|id| drop(owners.remove(id)))
        };
        if let Some(oldest) = oldest {
            let _ = self.manager.close_session(&oldest.into()).await;
        }
    }
}

fn refuse(status: StatusCode, message: &str) -> Response<Body> {
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32_600, "message": message } });
    let mut response = (status, error.to_string()).into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
