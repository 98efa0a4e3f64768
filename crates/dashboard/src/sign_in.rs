//! Signing in with a key, and out again.

use crate::{
    House,
    ask::{self, Answer, Ask, see},
    assets,
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
    access::Denial,
    limits::SIGN_IN_MS,
    refusal::{Code, HandoffError, Refusal},
};
use handover_engine::{Denied, Engine, Turnstile};
use maud::{PreEscaped, html};
use std::sync::Arc;

/// The name of the cookie. With its prefix browsers take it by TLS alone, and from no other host. Without TLS it has the port
/// in its name, because servers of one machine share their cookies.
fn cookie_name(headers: &HeaderMap, secure: bool) -> String {
    if secure {
        return "__Host-handover".to_owned();
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let port = host.rsplit_once(':').map_or("", |(_, port)| port);
    let port: String = port.chars().filter(char::is_ascii_digit).take(5).collect();
    if port.is_empty() { "handover".to_owned() } else { format!("handover-{port}") }
}

/// The sign-in that a browser carries.
pub(crate) fn cookie(headers: &HeaderMap, secure: bool) -> Option<String> {
    let wanted = cookie_name(headers, secure);
    let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

fn set_cookie(response: &mut Response<Body>, name: &str, secure: bool, value: &str, seconds: u64) {
    let only = if secure { "; Secure" } else { "" };
    // Links in a mail or a chat lead to the page, and not to the door. What changes something needs the word of a form, which
    // no other house knows.
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{only}");
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
            Ok(body) => {
                let turnstile = parts.extensions.get::<Turnstile>();
                shown(&house, &parts.headers, turnstile, &Fields::read(&body)).await
            }
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

async fn shown(house: &House, headers: &HeaderMap, turnstile: Option<&Turnstile>, fields: &Fields) -> Response<Body> {
    let next = next_of(fields);
    let mut found = house.engine.key_of(fields.get("key"));
    if found == Err(Denial::Unknown) && house.engine.catch_up().await.is_ok() {
        // It may have been made at another node a moment ago.
        found = house.engine.key_of(fields.get("key"));
    }
    let Ok(key) = found else {
        // Only those who guess are slowed down: others may come from the same address.
        let wait = turnstile.and_then(Turnstile::miss);
        let refusal = match wait {
            Some(_) => {
                Refusal::new(Code::RateLimited, "too many wrong keys were tried just now").hint("try again in a second")
            }
            None => {
                // Nobody is named: whoever made a key up could blame another one.
                let denied = Denied { key: None, tenant: None, what: "POST /sign-in".to_owned(), why: Code::BadKey };
                if let Err(error) = house.engine.note_denial(denied).await {
                    tracing::warn!(target: "handover::dashboard", "a denial was not written down: {error}");
                }
                let hint = "check it for what copying left out; an administrator makes one with `handover keys make NAME \
                            --role operator`";
                Refusal::new(Code::BadKey, "this key does not open anything").hint(hint)
            }
        };
        return form(&next, Some(&refusal.into()));
    };
    match house.seats.take(&house.engine, &key.id).await {
        Ok(value) => {
            let mut response = see(&next);
            set_cookie(&mut response, &cookie_name(headers, house.secure), house.secure, &value, SIGN_IN_MS / 1_000);
            response
        }
        Err(error) => wrong::page(&Frame::bare(), &error.into()),
    }
}

fn form(next: &str, problem: Option<&HandoffError>) -> Response<Body> {
    let body = html! {
        section.door {
            p.brand {
                svg.logo viewBox="0 0 32 32" width="26" height="26" aria-hidden="true" { (PreEscaped(assets::LOGO)) }
                span { "Handover" }
            }
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
    let name = cookie_name(&ask.headers, ask.house.secure);
    set_cookie(&mut response, &name, ask.house.secure, "", 0);
    Ok(response)
}
