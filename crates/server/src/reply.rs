//! What a handler answers.

use crate::etag::ETag;
use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header},
};
use serde::Serialize;

/// An answer on its way out.
pub(crate) struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
    etag: Option<ETag>,
}

impl Reply {
    fn new(status: StatusCode, body: Body) -> Self {
        Self { status, headers: HeaderMap::new(), body, etag: None }
    }

    /// With a value as JSON.
    pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Self {
        // What is answered are our own types: they can all be written.
        let body = serde_json::to_vec(value).unwrap_or_default();
        Self::new(status, Body::from(body)).header(header::CONTENT_TYPE, "application/json")
    }

    pub(crate) fn ok(value: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, value)
    }

    /// Something new, and where it is.
    pub(crate) fn created(location: &str, value: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, value).header(header::LOCATION, location)
    }

    pub(crate) fn nothing() -> Self {
        Self::new(StatusCode::NO_CONTENT, Body::empty())
    }

    /// A body of another type.
    pub(crate) fn typed(media: &str, body: impl Into<Body>) -> Self {
        Self::new(StatusCode::OK, body.into()).header(header::CONTENT_TYPE, media)
    }

    pub(crate) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
        self
    }

    /// The version of what is answered. Whoever has it already gets nothing but that.
    pub(crate) fn etag(mut self, etag: ETag) -> Self {
        self = self.header(header::ETAG, &etag.to_string());
        self.etag = Some(etag);
        self
    }

    pub(crate) fn into_response(self, reads: bool, asked: &HeaderMap) -> Response<Body> {
        let known = reads && self.etag.as_ref().is_some_and(|etag| etag.is_known_to(asked));
        let mut response = Response::new(if known { Body::empty() } else { self.body });
        *response.status_mut() = if known { StatusCode::NOT_MODIFIED } else { self.status };
        *response.headers_mut() = self.headers;
        if known {
            response.headers_mut().remove(header::CONTENT_TYPE);
        }
        response
    }
}
