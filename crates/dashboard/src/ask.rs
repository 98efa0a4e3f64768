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
    access::Right,
    ids::{HandoffId, SessionId},
    limits::REQUEST_BYTES_MAX,
    refusal::{Code, HandoffError, Refusal},
    time::Timestamp,
};
use handover_engine::Engine;
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
    /// Where the page is.
    pub(crate) path: String,
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

    /// The name under which whoever asks decides and speaks: the one that they gave in a form, else their own.
    pub(crate) fn name(&self) -> String {
        self.form.some("by").map_or_else(|| self.engine.caller().name.clone(), str::to_owned)
    }

    /// The name that a field for it begins with.
    pub(crate) fn own_name(&self) -> &str {
        let caller = self.engine.caller();
        match caller.acts_as.as_deref() {
            Some([agent]) => agent.as_str(),
            _ => &caller.name,
        }
    }

    /// What a form carries.
    pub(crate) fn form_word(&self) -> String {
        self.house.seats.form_word(self.seat.as_ref())
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
    let mut response = match ask(&house, params, request).await {
        Ok(ask) => {
            let frame = page::Frame::of(&ask);
            match handler(ask).await {
                Ok(response) => response,
                Err(wrong) => wrong::page(&frame, &wrong),
            }
        }
        Err(response) => *response,
    };
    headers::guard(response.headers_mut());
    response
}

async fn ask(house: &Arc<House>, params: Vec<(String, String)>, request: Request) -> Result<Ask, Box<Response<Body>>> {
    let position = house.engine.feed_position();
    let (parts, body) = request.into_parts();
    let known = parts.extensions.get::<Engine>().cloned().map(|engine| (engine, None));
    let seated = || {
        let text = sign_in::cookie(&parts.headers, house.secure)?;
        let (seat, key) = house.seats.find(&house.engine, &text)?;
        Some((house.engine.for_caller(key.caller()), Some(seat)))
    };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let Some((engine, seat)) = known.or_else(seated) else {
        return Err(Box::new(sign_in::please(&parts.method, &path)));
    };
    let body = if parts.method == Method::POST { read(body).await.map_err(Box::new)? } else { Bytes::new() };
    let query = Fields::read(parts.uri.query().unwrap_or_default().as_bytes());
    let form = Fields::read(&body);
    if parts.method == Method::POST && !house.seats.fits_form(seat.as_ref(), form.get("word")) {
        let refusal = Refusal::new(Code::StrangeOrigin, "the form is not from this page, or it is too old");
        let wrong: Wrong = HandoffError::one(refusal.hint("go back, load the page again and send it once more")).into();
        return Err(Box::new(wrong::page(&page::Frame::bare(), &wrong)));
    }
    let now = house.engine.now();
    let (house, headers) = (house.clone(), parts.headers);
    Ok(Ask { engine, house, seat, path, query, form, headers, now, position, params })
}

/// The body of a form, within the bound of a request; whoever mounts the routes may have a lower one.
pub(crate) async fn read(body: Body) -> Result<Bytes, Response<Body>> {
    let read = Limited::new(body, REQUEST_BYTES_MAX).collect().await;
    read.map(http_body_util::Collected::to_bytes).map_err(|_| {
        let refusal = Refusal::new(Code::TooLarge, "the form is larger than REQUEST_BYTES_MAX");
        wrong::page(&page::Frame::bare(), &HandoffError::one(refusal).into())
    })
}
