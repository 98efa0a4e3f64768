//! What others build and this server answers: their routes stand behind the same gate as ours, with the same bounds, the
//! same log and the same end. They find the engine of whoever asks in the extensions of the request, and the id of the key
//! that was shown.

use crate::{
    auth::{self, Entered},
    door::{self, Asked, Told},
    problem::Problem,
    start::State,
    table::Entry,
};
use axum::{
    Router,
    body::Body,
    extract::Request,
    http::{HeaderMap, Response, header},
    middleware::{self, Next},
};
use futures_util::{FutureExt as _, StreamExt as _};
use handover_core::{
    access::{KeyId, KeyInfo, Right},
    refusal::{Code, Refusal},
};
use std::{panic::AssertUnwindSafe, sync::Arc, time::Instant};

/// Who may ask what is mounted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    /// Whoever may look. What they may do besides is for the engine to say.
    Keyed,
    /// Everybody. Whoever shows a key must have a good one; without one there is no engine in the request, unless the
    /// server is open.
    Public,
}

/// Routes that others build.
#[derive(Debug, Clone)]
pub struct Mount {
    /// Its name in the log and in the figures.
    pub name: &'static str,
    /// Who may ask.
    pub guard: Guard,
    /// The routes.
    pub router: Router,
}

impl Mount {
    /// Routes for whoever has a key.
    #[must_use]
    pub fn keyed(name: &'static str, router: Router) -> Self {
        Self { name, guard: Guard::Keyed, router }
    }

    /// Routes for everybody.
    #[must_use]
    pub fn public(name: &'static str, router: Router) -> Self {
        Self { name, guard: Guard::Public, router }
    }

    pub(crate) fn guarded(self, state: &Arc<State>) -> Router {
        let (state, name, guard) = (state.clone(), self.name, self.guard);
        self.router.layer(middleware::from_fn(move |request: Request, next: Next| {
            handle(state.clone(), name, guard, request, next)
        }))
    }
}

async fn handle(state: Arc<State>, route: &'static str, guard: Guard, request: Request, next: Next) -> Response<Body> {
    let (began, id) = (Instant::now(), door::id_of(&request));
    let _in_flight = state.metrics.http_in_flight();
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let mut told = Told::default();
    let answering = AssertUnwindSafe(answer(&state, guard, request, next, &mut told)).catch_unwind();
    let answered = answering
        .await
        .unwrap_or_else(|_| Err(Refusal::new(Code::StoreFailed, "something went wrong here; the log has more").into()));
    door::finish(&state, &Asked { began, id, method, route }, &headers, told, answered)
}

async fn answer(
    state: &Arc<State>,
    guard: Guard,
    mut request: Request,
    next: Next,
    told: &mut Told,
) -> Result<Response<Body>, Problem> {
    auth::check_same_origin(request.headers())?;
    let came = enter(state, guard, &mut request, told).await?;
    let (parts, body) = request.into_parts();
    let body = door::read(&parts.headers, body, state.body).await?;
    told.read = true;
    let response = tokio::select! {
        response = next.run(Request::from_parts(parts, Body::from(body))) => response,
        refusal = sent_away(state, &came) => return Err(refusal.into()),
    };
    if let Some(key) = response.extensions().get::<Arc<KeyInfo>>() {
        told.found(key);
    }
    if !is_stream(response.headers()) {
        return Ok(response);
    }
    let Ok(place) = state.listeners.clone().try_acquire_owned() else {
        return Err(Refusal::new(Code::Overloaded, "too many listen already (LISTENERS_MAX)").into());
    };
    // Whoever listens is sent away with the key, and with the server.
    let ends = state.clone();
    let ends = async move { leaves(&ends, &came).await };
    Ok(response.map(|body| {
        Body::from_stream(body.into_data_stream().take_until(Box::pin(ends)).map(move |chunk| {
            let _place = &place;
            chunk
        }))
    }))
}

/// How somebody came in.
enum Came {
    /// Nobody looked: what is public knows itself whom it lets in.
    Unseen,
    /// With this key, or without one where the server is open.
    Let(Option<KeyId>),
}

async fn leaves(state: &State, came: &Came) {
    match came {
        Came::Unseen => state.ends().await,
        Came::Let(key) => state.leaves(key.as_ref()).await,
    }
}

async fn sent_away(state: &State, came: &Came) -> Refusal {
    match came {
        Came::Unseen => state.ended().await,
        Came::Let(key) => state.sent_away(key.as_ref()).await,
    }
}

/// Lets whoever asks in, and puts their engine into the request.
async fn enter(state: &State, guard: Guard, request: &mut Request, told: &mut Told) -> Result<Came, Problem> {
    let shows = request.headers().contains_key(header::AUTHORIZATION);
    if guard == Guard::Public && !shows && !state.gate.is_open() {
        // Whatever finds a key by itself counts its requests by ours.
        let counts = state.gate.turnstile(door::peer_of(request));
        request.extensions_mut().insert(counts);
        return Ok(Came::Unseen);
    }
    let entered = state.gate.enter(request.headers(), door::peer_of(request)).await?;
    told.entered(&entered);
    auth::may(&entered, Entry::With(Right::Look))?;
    let Entered { engine, key, .. } = entered;
    request.extensions_mut().insert(engine);
    let key = key.map(|key| key.id.clone());
    // For whatever stays when the request is over, and must end with its key.
    if let Some(key) = &key {
        request.extensions_mut().insert(key.clone());
    }
    Ok(Came::Let(key))
}

fn is_stream(headers: &HeaderMap) -> bool {
    let text = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.starts_with("text/event-stream")
}
