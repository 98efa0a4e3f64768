//! What every answer says to the browser besides its page: nothing from elsewhere, nothing inline, nothing kept.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

/// Nothing but what this server sends. No inline script and no inline style: a text that slips through does nothing.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// Adds what is not there yet.
pub(crate) fn guard(headers: &mut HeaderMap) {
    let say = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in say {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}
