//! Signing in with a key, and out again.

use crate::{
    House,
    ask::{self, Answer, Ask, see},
    fields::Fields,
    headers,
    page::{self, Frame, Nav},
    wrong,
};
use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, Response, StatusCode, header},
};
use handover_core::{
    access,
    limits::{SIGN_IN_MS, SIGN_IN_TRIES_PER_SECOND},
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::{Denied, Engine};
use maud::html;
use parking_lot::Mutex;
use std::{sync::Arc, time::Instant};

/// Wrong keys that were tried in the present second, by everybody.
#[derive(Default)]
pub(crate) struct Tries(Mutex<Option<(Instant, u32)>>);

impl Tries {
    fn now(&self) -> u32 {
        self.0.lock().filter(|(since, _)| since.elapsed().as_millis() < 1_000).map_or(0, |(_, tries)| tries)
    }

    fn one_more(&self) {
        let mut held = self.0.lock();
        *held = match *held {
            Some((since, tries)) if since.elapsed().as_millis() < 1_000 => Some((since, tries.saturating_add(1))),
            _ => Some((Instant::now(), 1)),
        };
    }
}

/// The name of the cookie. With its prefix browsers take it by TLS alone, and from no other host.
fn cookie_name(secure: bool) -> &'static str {
    if secure { "__Host-handover" } else { "handover" }
}

/// The sign-in that a browser carries.
pub(crate) fn cookie(headers: &HeaderMap, secure: bool) -> Option<String> {
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == cookie_name(secure)).map(|(_, value)| value.to_owned())
}

fn set_cookie(response: &mut Response<Body>, secure: bool, value: &str, seconds: u64) {
    let only = if secure { "; Secure" } else { "" };
    let name = cookie_name(secure);
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{only}");
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}

/// Somebody who is not known is shown the door; what they came for is kept in mind.
pub(crate) fn please(method: &Method, path: &str) -> Response<Body> {
    if path.starts_with("/live") {
        // A page that listens would take the door for a broken stream. It is told that there is nothing to hear, and asks
        // for itself.
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        return response;
    }
    let mut next = form_urlencoded::Serializer::new(String::new());
    let next =
        if method == Method::GET && path != "/" { next.append_pair("next", path).finish() } else { String::new() };
    let to = if next.is_empty() { "/sign-in".to_owned() } else { format!("/sign-in?{next}") };
    let mut response = see(&to);
    headers::guard(response.headers_mut());
    response
}

/// The door, and the key that somebody shows.
pub(crate) async fn door(house: Arc<House>, request: Request) -> Response<Body> {
    let open = request.extensions().get::<Engine>().is_some();
    let (parts, body) = request.into_parts();
    let query = Fields::read(parts.uri.query().unwrap_or_default().as_bytes());
    let mut response = if open {
        see("/")
    } else if parts.method == Method::POST {
        match ask::read(body).await {
            Ok(body) => shown(&house, &Fields::read(&body)).await,
            Err(response) => response,
        }
    } else {
        form(&next_of(&query), None)
    };
    headers::guard(response.headers_mut());
    response
}

/// Where somebody wanted to go: an address of this house, and nowhere else.
fn next_of(fields: &Fields) -> String {
    let next = fields.get("next");
    let ours = next.starts_with('/') && !next.starts_with("//") && !next.contains('\\') && !next.contains("/sign-");
    let plain = next.bytes().all(|byte| byte.is_ascii_graphic());
    if ours && plain { next.to_owned() } else { "/".to_owned() }
}

async fn shown(house: &House, fields: &Fields) -> Response<Body> {
    let next = next_of(fields);
    if house.tries.now() >= SIGN_IN_TRIES_PER_SECOND {
        let refusal = Refusal::new(Code::RateLimited, "too many wrong keys were tried just now");
        return form(&next, Some(&refusal.hint("try again in a second").into()));
    }
    let text = fields.get("key");
    let key = match house.engine.key_of(text) {
        Ok(key) => key,
        Err(_) => {
            house.tries.one_more();
            let key = access::id_of(text);
            let denied = Denied { key, tenant: None, what: "POST /sign-in".to_owned(), why: Code::BadKey };
            if let Err(error) = house.engine.note_denial(denied).await {
                tracing::warn!(target: "handover::dashboard", "a denial was not written down: {error}");
            }
            let refusal = Refusal::new(Code::BadKey, "this key does not open anything");
            let hint = "check it for what copying left out; an administrator makes one with `handover keys make NAME --role operator`";
            return form(&next, Some(&refusal.hint(hint).into()));
        }
    };
    match house.seats.take(&key.id, house.engine.now()) {
        Ok(value) => {
            let mut response = see(&next);
            set_cookie(&mut response, house.secure, &value, SIGN_IN_MS / 1_000);
            response
        }
        Err(error) => wrong::page(&Frame::bare(), &error.into()),
    }
}

fn form(next: &str, problem: Option<&HandoffError>) -> Response<Body> {
    let body = html! {
        section.door {
            h1 { "Sign in" }
            p.soft { "See what is handed over, as it happens, and step in." }
            @if let Some(problem) = problem { (wrong::problem(problem)) }
            form method="post" action="/sign-in" {
                input type="hidden" name="next" value=(next);
                label for="key" { "Your key" }
                input id="key" name="key" type="password" autocomplete="current-password" required autofocus
                    placeholder="ho_…" spellcheck="false";
                button.main type="submit" { "Sign in" }
            }
            details {
                summary { "Where do I get a key?" }
                p { "Whoever runs this server makes one for you. The first one is made on its machine:" }
                pre { code { "handover keys make ops --role admin --house" } }
                p.soft { "Viewers look, operators step in, administrators run the installation." }
            }
        }
    };
    let status = match problem.map(HandoffError::code) {
        None => StatusCode::OK,
        Some(Code::RateLimited) => StatusCode::TOO_MANY_REQUESTS,
        Some(_) => StatusCode::UNAUTHORIZED,
    };
    page::answer(&Frame::bare(), status, "Sign in", Nav::None, None, &body)
}

/// Out, on every page and in every tab.
pub(crate) async fn out(ask: Ask) -> Answer {
    if let Some(seat) = &ask.seat {
        ask.house.seats.leave(&ask.house.engine, seat).await?;
    }
    let mut response = see("/sign-in");
    set_cookie(&mut response, ask.house.secure, "", 0);
    Ok(response)
}
