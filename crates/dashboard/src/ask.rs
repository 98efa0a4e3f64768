//! A request for a page: who asks, for what, with which form.

use crate::{
    House,
    fields::Fields,
    headers, page,
    seat::Seat,
    sign_in,
    wrong::{self, Wrong},
};
use axum::{
    body::Body,
    extract::{RawPathParams, Request},
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};
use bytes::Bytes;
use handover_core::{
    access::{KeyId, KeyInfo, Right},
    command::{self, Command},
    ids::{HandoffId, SessionId},
    limits::{PAGE_LOOK_ROWS, REQUEST_BYTES_MAX},
    refusal::{Code, Family, HandoffError, Refusal},
    time::Timestamp,
};
use handover_engine::{Denied, Engine, Turnstile};
use http_body_util::{BodyExt as _, Limited};
use std::sync::Arc;

/// What a handler answers.
pub(crate) type Answer = Result<Response<Body>, Wrong>;

/// Who asks for a page, and for what.
pub(crate) struct Ask {
    /// The engine of whoever asks: what does not exist for them does not exist here.
    pub(crate) engine: Engine,
    pub(crate) house: Arc<House>,
    /// The sign-in; nothing where the server is open, or a key came with the request itself.
    pub(crate) seat: Option<Seat>,
    /// The key that came with the request itself.
    key: Option<KeyId>,
    pub(crate) query: Fields,
    /// What a form sent. It was looked at whether it is one of ours.
    pub(crate) form: Fields,
    pub(crate) headers: HeaderMap,
    pub(crate) now: Timestamp,
    /// The feed before anything was read: what comes after it is news to the page.
    pub(crate) position: u64,
    params: Vec<(String, String)>,
}

impl Ask {
    /// A part of the address.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The session that the address names.
    pub(crate) fn session(&self) -> Result<SessionId, Wrong> {
        let text = self.param("session");
        SessionId::new(text).map_err(|_| missing(Code::UnknownSession, format!("there is no session {text}")))
    }

    /// The handoff that the address names.
    pub(crate) fn handoff(&self) -> Result<HandoffId, Wrong> {
        let text = self.param("handoff");
        text.parse().map_err(|_| missing(Code::UnknownHandoff, format!("there is no handoff {text}")))
    }

    /// Whether whoever asks may do such things, so that only what they may is offered.
    pub(crate) fn may(&self, right: Right) -> bool {
        self.engine.caller().role.may(right)
    }

    /// What a terminal has to be told so that its commands go to this server.
    pub(crate) fn settings(&self) -> String {
        let host = self.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:7800");
        let plain = |sign: &char| sign.is_ascii_alphanumeric() || ".:-[]".contains(*sign);
        let host: String = host.chars().filter(plain).collect();
        let scheme = if self.house.secure { "https" } else { "http" };
        let key = if self.seat.is_some() || self.key.is_some() { "\nexport HANDOVER_KEY=…" } else { "" };
        format!("export HANDOVER_SERVER={scheme}://{host}{key}")
    }

    /// The name under which whoever asks decides and speaks: the one that they gave in a form, else their own.
    pub(crate) fn name(&self) -> String {
        self.form.some("by").unwrap_or_else(|| self.own_name()).to_owned()
    }

    /// The name that a field for it begins with.
    pub(crate) fn own_name(&self) -> &str {
        let caller = self.engine.caller();
        match caller.acts_as.as_deref() {
            Some([agent]) => agent.as_str(),
            _ => &caller.name,
        }
    }

    /// Whether whoever asked may still have what takes longer: whoever signed out, or whose key was taken back, gets nothing
    /// more, and neither does whoever came without a key once there is one.
    pub(crate) fn may_stay(&self) -> bool {
        let (house, engine) = (&self.house, &self.house.engine);
        let known = match (&self.seat, &self.key) {
            (Some(seat), _) => house.seats.counts(engine, seat),
            (None, Some(key)) => engine.key_opens(key),
            (None, None) => !engine.was_keyed(),
        };
        known && !engine.is_closing()
    }

    /// By what its pages that listen are counted.
    pub(crate) fn counted_as(&self) -> String {
        self.seat.as_ref().map(|seat| &seat.key).or(self.key.as_ref()).map(KeyId::to_string).unwrap_or_default()
    }

    /// What a form carries.
    pub(crate) fn form_word(&self) -> String {
        self.house.seats.form_word(self.seat.as_ref())
    }

    /// The key of the form that was sent: the same form that comes twice is carried out once.
    pub(crate) fn once(&self) -> Option<&str> {
        self.form.some("once")
    }

    /// Submits what a form asks for about a handoff, once for each form.
    pub(crate) async fn submit(&self, id: HandoffId, command: Command) -> Result<command::Answer, HandoffError> {
        let handoff = self.engine.handoff(id).await?;
        self.engine.submit(&handoff.session_id, command, self.once()).await
    }

    /// After something was done: the page again, which says so.
    pub(crate) fn done(&self, to: &str, what: page::Done) -> Response<Body> {
        let sign = if to.contains('?') { '&' } else { '?' };
        let (path, place) = to.split_once('#').map_or((to, String::new()), |(path, place)| (path, format!("#{place}")));
        see(&format!("{path}{sign}done={}{place}", what.word()))
    }
}

fn missing(code: Code, message: String) -> Wrong {
    HandoffError::one(Refusal::new(code, message)).into()
}

/// Look there.
pub(crate) fn see(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let value = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, value);
    response
}

/// Answers a request by this handler, for whoever may come in.
pub(crate) async fn answer<F, R>(
    house: Arc<House>,
    params: RawPathParams,
    request: Request,
    handler: F,
) -> Response<Body>
where
    F: Fn(Ask) -> R,
    R: Future<Output = Answer>,
{
    let params = params.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let what = asked_for(&request);
    let (found, ask) = match ask(&house, params, request).await {
        Ok(found) => found,
        Err(mut response) => {
            headers::guard(response.headers_mut());
            return *response;
        }
    };
    let frame = page::Frame::of(&ask);
    let tenant = ask.engine.caller().tenant.clone();
    let mut response = match handler(ask).await {
        Ok(response) => response,
        Err(wrong) => {
            note(&house, &wrong, found.as_deref(), tenant, what);
            wrong::page(&frame, &wrong)
        }
    };
    // Whoever mounts the pages writes down who asked.
    if let Some(key) = found {
        response.extensions_mut().insert(key);
    }
    headers::guard(response.headers_mut());
    response
}

/// What was asked for, without what it was about: there is no end of addresses.
fn asked_for(request: &Request) -> String {
    let first = request.uri().path().split('/').nth(1).unwrap_or_default();
    let last = request.uri().path().split('/').nth(3).map(|last| format!("/{{}}/{last}")).unwrap_or_default();
    format!("{} /{first}{last}", request.method())
}

/// Somebody asked for what is not theirs to do: that is on the record, as everywhere.
fn note(house: &House, wrong: &Wrong, key: Option<&KeyInfo>, tenant: String, what: String) {
    if wrong.0.code().family() != Family::Forbidden {
        return;
    }
    let denied = Denied { key: key.map(|key| key.id.clone()), tenant: Some(tenant), what, why: wrong.0.code() };
    let engine = house.engine.clone();
    // The store says so itself when it cannot write.
    tokio::spawn(async move { drop(engine.note_denial(denied).await) });
}

type Found = Option<Arc<KeyInfo>>;

/// Whoever signed in, by what their browser carries.
async fn seated(house: &House, headers: &HeaderMap) -> Option<(Engine, Option<Seat>, Found)> {
    let text = sign_in::cookie(headers, house.secure)?;
    let (seat, key) = house.seats.find(&house.engine, &text).await?;
    Some((house.engine.for_caller(key.caller()), Some(seat), Some(key)))
}

async fn ask(
    house: &Arc<House>,
    params: Vec<(String, String)>,
    request: Request,
) -> Result<(Found, Ask), Box<Response<Body>>> {
    let position = house.engine.feed_position();
    let (parts, body) = request.into_parts();
    let known = match parts.extensions.get::<Engine>().cloned() {
        Some(engine) => Some((engine, None, None)),
        None => seated(house, &parts.headers).await,
    };
    let Some((engine, seat, found)) = known else {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        return Err(Box::new(sign_in::please(&parts.method, path)));
    };
    let wait = parts.extensions.get::<Turnstile>().zip(found.as_ref()).and_then(|(counts, key)| counts.pass(key));
    if wait.is_some() {
        let refusal = Refusal::new(Code::RateLimited, "there were too many requests by this key just now");
        return Err(Box::new(wrong::page(&page::Frame::bare(), &HandoffError::one(refusal).into())));
    }
    let body = if parts.method == Method::POST { read(body).await.map_err(Box::new)? } else { Bytes::new() };
    let query = Fields::read(parts.uri.query().unwrap_or_default().as_bytes());
    let form = Fields::read(&body);
    if parts.method == Method::POST && !house.seats.fits_form(seat.as_ref(), form.get("word")) {
        let refusal = Refusal::new(Code::StrangeOrigin, "the form is not from this page, or it is too old");
        let wrong: Wrong = HandoffError::one(refusal.hint("load the page again and send it once more")).into();
        return Err(Box::new(wrong::page(&page::Frame::bare(), &wrong)));
    }
    let now = house.engine.now();
    let engine = engine.looking_past(PAGE_LOOK_ROWS);
    let key = parts.extensions.get::<KeyId>().cloned();
    let (house, headers) = (house.clone(), parts.headers);
    Ok((found, Ask { engine, house, seat, key, query, form, headers, now, position, params }))
}

/// The body of a form, within the bound of a request; whoever mounts the routes may have a lower one.
pub(crate) async fn read(body: Body) -> Result<Bytes, Response<Body>> {
    let read = Limited::new(body, REQUEST_BYTES_MAX).collect().await;
    read.map(http_body_util::Collected::to_bytes).map_err(|_| {
        let refusal = Refusal::new(Code::TooLarge, "the form is larger than REQUEST_BYTES_MAX");
        wrong::page(&page::Frame::bare(), &HandoffError::one(refusal).into())
    })
}
