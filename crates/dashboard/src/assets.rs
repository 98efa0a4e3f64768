//! The style sheet, the script and the sign of the house. They are part of the binary and change their address with their
//! content, so that browsers may keep them.

use axum::{
    body::Body,
    http::{HeaderValue, Response, header},
};
use handover_core::{digest::Digest, graph::SVG_STYLE};
use std::sync::LazyLock;

/// The sign: a baton that goes from one hand to the next.
pub(crate) const LOGO: &str = r##"<circle cx="8" cy="22" r="5" class="from"/><circle cx="24" cy="10" r="5" class="to"/><path d="M12 19 20 13" class="baton"/>"##;
/// The same for the tab, as a picture of its own.
pub(crate) const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Ccircle cx='8' cy='22' r='6' fill='%23818cf8'/%3E%3Ccircle cx='24' cy='10' r='6' fill='%234338ca'/%3E%3Cpath d='M12 19 20 13' stroke='%2306b6d4' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E";

static STYLE: LazyLock<String> = LazyLock::new(|| {
    let own = [
        include_str!("assets/base.css"),
        include_str!("assets/session.css"),
        include_str!("assets/overview.css"),
        include_str!("assets/desk.css"),
        include_str!("assets/print.css"),
    ];
    format!("{}{SVG_STYLE}", own.concat())
});
const SCRIPT: &str = include_str!("assets/app.js");

static STYLE_URL: LazyLock<String> = LazyLock::new(|| format!("/assets/app.css?v={}", short(&STYLE)));
static SCRIPT_URL: LazyLock<String> = LazyLock::new(|| format!("/assets/app.js?v={}", short(SCRIPT)));

fn short(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string().chars().rev().take(12).collect()
}

pub(crate) fn style_url() -> &'static str {
    &STYLE_URL
}

pub(crate) fn script_url() -> &'static str {
    &SCRIPT_URL
}

pub(crate) async fn style() -> Response<Body> {
    kept("text/css; charset=utf-8", &STYLE)
}

pub(crate) async fn script() -> Response<Body> {
    kept("text/javascript; charset=utf-8", SCRIPT)
}

fn kept(kind: &'static str, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
