//! The routes: who asks, where, in which version; and the cards.

use crate::{
    Inner,
    cards::{self, Frame},
    desk::Desk,
    place::{self, Door, Place},
    rest, rpc,
    version::{self, EXTENSIONS, Version},
    wrong::{Kind, Wrong},
};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Path, Request},
    http::{HeaderMap, HeaderValue, Response, StatusCode, header, request::Parts},
    routing::{any, get},
};
use handover_core::{
    a2a::LINEAGE,
    access::KeyId,
    agent::Agent,
    digest::Digest,
    ids::AgentId,
    limits::{A2A_CARD_SECONDS, REQUEST_BYTES_MAX},
    trace,
};
use handover_engine::Engine;
use http_body_util::{BodyExt as _, Limited};
use serde_json::Value;
use std::sync::Arc;

/// Below this address everything needs a key.
const PREFIX: &str = "/a2a";

/// The routes that need a key where the server has keys.
pub(crate) fn keyed(inner: Arc<Inner>) -> Router {
    let on = move |request: Request| {
        let inner = inner.clone();
        async move { handle(&inner, request).await }
    };
    Router::new().route(PREFIX, any(on.clone())).route("/a2a/", any(on.clone())).route("/a2a/{*rest}", any(on))
}

async fn handle(inner: &Arc<Inner>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let Some(place) = place::place(path.strip_prefix(PREFIX).unwrap_or(path)) else {
        return rest::refused(&Wrong::new(Kind::MethodNotFound, "there is nothing at this address"));
    };
    let body = match read(body).await {
        Ok(body) => body,
        Err(wrong) => return rest::refused(&wrong),
    };
    let spoken = version::version(&parts.headers, parts.uri.query().unwrap_or_default());
    let mut response = if place.door == Door::Rpc {
        if parts.method != axum::http::Method::POST {
            let mut response = rest::refused(&Wrong::new(Kind::MethodNotFound, "JSON-RPC is spoken by POST"));
            *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            return response;
        }
        let old = spoken.as_ref().is_ok_and(|version| *version == Version::Old);
        let tenant = tenant_of(&body);
        rpc::answer(desk(inner, &parts, place, tenant, old), spoken, &body).await
    } else {
        let door = place.door.clone();
        let desk = spoken.and_then(version::only_one).and_then(|()| desk(inner, &parts, place, None, false));
        let query = parts.uri.query().unwrap_or_default();
        let asked = rest::Asked { method: &parts.method, door: &door, query, headers: &parts.headers, body: &body };
        rest::answer(desk, asked).await
    };
    if version::asks_for_lineage(&parts.headers) {
        response.headers_mut().insert(EXTENSIONS, HeaderValue::from_static(LINEAGE));
    }
    response
}

/// The body, within the bound of a request; whoever mounts the routes may have a lower one.
async fn read(body: Body) -> Result<Bytes, Wrong> {
    let collected = Limited::new(body, REQUEST_BYTES_MAX).collect().await;
    collected.map(http_body_util::Collected::to_bytes).map_err(|_| {
        let message = format!("the body broke off, or has more than {REQUEST_BYTES_MAX} bytes (REQUEST_BYTES_MAX)");
        Wrong::new(Kind::InvalidRequest, message)
    })
}

/// The tenant that the parameters of a request name.
fn tenant_of(body: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Around {
        #[serde(default)]
        params: Option<Within>,
    }
    #[derive(serde::Deserialize)]
    struct Within {
        #[serde(default)]
        tenant: Option<String>,
    }
    let around: Option<Around> = serde_json::from_slice(body).ok();
    around.and_then(|around| around.params?.tenant).filter(|tenant| !tenant.is_empty())
}

fn desk(inner: &Inner, parts: &Parts, place: Place, tenant: Option<String>, old: bool) -> Result<Desk, Wrong> {
    let engine = parts.extensions.get::<Engine>().cloned();
    let engine = engine.ok_or_else(|| Wrong::new(Kind::Unauthenticated, "a key is needed"))?;
    let engine = for_tenant(engine, place.tenant.or(tenant))?;
    let agent = match place.agent {
        None => None,
        Some(name) => Some(known(&engine, &name)?.profile.id.clone()),
    };
    let traceparent = parts.headers.get("traceparent").and_then(|value| value.to_str().ok());
    Ok(Desk {
        engine,
        key: parts.extensions.get::<KeyId>().cloned(),
        agent,
        pushes: inner.pushes.clone(),
        old,
        traceparent: traceparent.and_then(trace::from_header),
        base: base(inner, &parts.headers),
        house: (inner.options.name.clone(), inner.options.description.clone()),
    })
}

/// A caller of the house speaks for the tenant that it names; others name their own or none.
fn for_tenant(engine: Engine, named: Option<String>) -> Result<Engine, Wrong> {
    let Some(named) = named.filter(|named| *named != engine.caller().tenant) else { return Ok(engine) };
    let fits = AgentId::new(&named).is_ok() && !named.starts_with("handover:");
    if !engine.caller().house || !fits {
        return Err(
            Wrong::new(Kind::Forbidden, "a key of one tenant speaks for no other").and("tenant", "it is not yours")
        );
    }
    let mut caller = engine.caller().clone();
    caller.tenant = named;
    Ok(engine.for_caller(caller))
}

/// An agent that exists for the caller and takes work.
fn known(engine: &Engine, name: &str) -> Result<Agent, Wrong> {
    let unknown = || Wrong::new(Kind::NotFound, "there is no such agent");
    let id = AgentId::new(name).map_err(|_| unknown())?;
    engine.agent(&id).ok().filter(cards::takes).ok_or_else(unknown)
}

/// The address of this server: as it was set up, or as it was asked for.
fn base(inner: &Inner, headers: &HeaderMap) -> String {
    if let Some(url) = &inner.options.url {
        return url.clone();
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or("localhost");
    let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]_".contains(c);
    let scheme = if inner.options.secure { "https" } else { "http" };
    format!("{scheme}://{}", if host.chars().all(plain) { host } else { "localhost" })
}

/// The routes for everybody.
pub(crate) fn public(inner: Arc<Inner>) -> Router {
    let (house, agent, catalog) = (inner.clone(), inner.clone(), inner);
    Router::new()
        .route("/.well-known/agent-card.json", get(move |request: Request| async move { house_card(&house, &request) }))
        .route(
            "/a2a/agents/{agent}/.well-known/agent-card.json",
            get(move |Path(name): Path<String>, request: Request| async move { agent_card(&agent, &name, &request) }),
        )
        .route(
            "/.well-known/ai-catalog.json",
            get(move |request: Request| async move { catalogue(&catalog, &request) }),
        )
}

fn house_card(inner: &Inner, request: &Request) -> Response<Body> {
    let base = base(inner, request.headers());
    let agents = shown(inner, request);
    cached(request, &cards::of_house(&frame(inner, &base, request), &agents), "application/json")
}

fn agent_card(inner: &Inner, name: &str, request: &Request) -> Response<Body> {
    let base = base(inner, request.headers());
    match shown(inner, request).into_iter().find(|agent| agent.profile.id.as_str() == name) {
        Some(agent) => cached(request, &cards::of_agent(&frame(inner, &base, request), &agent), "application/json"),
        None => rest::refused(&Wrong::new(Kind::NotFound, "there is no such agent")),
    }
}

fn catalogue(inner: &Inner, request: &Request) -> Response<Body> {
    let base = base(inner, request.headers());
    let query = request.uri().query().unwrap_or_default();
    let after = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "after").map(|(_, value)| value);
    let catalog = cards::catalog(&frame(inner, &base, request), &shown(inner, request), after.as_deref());
    let mut response = cached(request, &catalog, "application/json");
    // The catalogue is for registries and pages of everybody.
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

fn frame<'f>(inner: &'f Inner, base: &'f str, request: &Request) -> Frame<'f> {
    let known = request.extensions().get::<Engine>().is_some();
    let keyed = inner.house.was_keyed() || !known;
    Frame { base, name: &inner.options.name, description: &inner.options.description, keyed, extended: known }
}

/// The agents that whoever asks may know of: all that exist for a caller, those that are public for everybody else.
fn shown(inner: &Inner, request: &Request) -> Vec<Agent> {
    let taking = |engine: &Engine| engine.agents().into_iter().filter(cards::takes).collect::<Vec<_>>();
    match request.extensions().get::<Engine>() {
        Some(engine) => taking(engine),
        None => taking(&inner.house).into_iter().filter(cards::is_public).collect(),
    }
}

/// A document that may be kept for a while, and asked for again by its tag.
fn cached(request: &Request, document: &Value, media: &'static str) -> Response<Body> {
    let tag = format!("\"{}\"", Digest::of_json(document));
    let asked = request.headers().get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let fresh = asked.split(',').any(|one| one.trim().trim_start_matches("W/") == tag || one.trim() == "*");
    let mut response = Response::new(if fresh { Body::empty() } else { Body::from(document.to_string()) });
    if fresh {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let whose = if request.extensions().get::<Engine>().is_some() { "private" } else { "public" };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    headers.insert(header::VARY, HeaderValue::from_static("authorization, host"));
    for (name, value) in [(header::CACHE_CONTROL, format!("{whose}, max-age={A2A_CARD_SECONDS}")), (header::ETAG, tag)]
    {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
    response
}
