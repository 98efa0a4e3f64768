//! Streamable HTTP with bounds: an answer that is too large is not read to its end.

use super::{link::in_words, watch::TooLarge};
use axum::body::Bytes;
use futures_util::stream::{self, Stream};
use handover_core::limits::{HTTP_SHOWN_CHARS_MAX, MCP_MESSAGE_BYTES_MAX};
use reqwest::{
    Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE},
};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        common::client_side_sse::BoxedSseResponse,
        streamable_http_client::{
            AuthRequiredError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
        },
    },
};
use sse_stream::SseStream;
use std::{collections::HashMap, sync::Arc};

const SESSION: &str = "mcp-session-id";
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
/// Headers that belong to the protocol.
const RESERVED: [&str; 5] = ["accept", "content-type", SESSION, "mcp-protocol-version", "last-event-id"];

type Failure = StreamableHttpError<reqwest::Error>;
type Headers = HashMap<HeaderName, HeaderValue>;

/// A client that reads no more than a bound.
#[derive(Clone)]
pub(super) struct Bounded {
    client: reqwest::Client,
    told: TooLarge,
}

impl Bounded {
    pub(super) fn new(url: &reqwest::Url, told: TooLarge) -> Result<Self, String> {
        crate::crypto::install();
        // A redirect would send keys to an address that nobody configured.
        let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        // Connections that are kept are slower here than new ones, as answers are often not read to their end.
        client = client.pool_max_idle_per_host(0);
        if matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| format!("no connection can be made: {error}"))?;
        Ok(Self { client, told })
    }

    fn too_large(&self) -> Failure {
        self.told.notify_waiters();
        said(format!("the answer has more than {MCP_MESSAGE_BYTES_MAX} bytes (MCP_MESSAGE_BYTES_MAX)"))
    }

    /// The body of an answer, up to the bound.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if body.len() + piece.len() > MCP_MESSAGE_BYTES_MAX {
                return Err(self.too_large());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// The pieces of an answer, up to the bound.
    fn pieces(&self, response: Response) -> impl Stream<Item = Result<Bytes, std::io::Error>> + Send + use<> {
        let this = self.clone();
        stream::try_unfold((response, 0), move |(mut response, read)| {
            let this = this.clone();
            async move {
                let Some(piece) = response.chunk().await.map_err(std::io::Error::other)? else { return Ok(None) };
                let read = read + piece.len();
                if read > MCP_MESSAGE_BYTES_MAX {
                    return Err(std::io::Error::other(this.too_large()));
                }
                Ok(Some((piece, (response, read))))
            }
        })
    }

    async fn read(&self, response: Response, asked: bool) -> Result<StreamableHttpPostResponse, Failure> {
        let session = text(response.headers(), &HeaderName::from_static(SESSION));
        let kind = text(response.headers(), &CONTENT_TYPE);
        match kind.as_deref() {
            Some(kind) if kind.starts_with(EVENTS) => {
                let events = SseStream::from_bytes_stream(Box::pin(self.pieces(response)));
                Ok(StreamableHttpPostResponse::Sse(Box::pin(events), session))
            }
            Some(kind) if kind.starts_with(JSON) => {
                let body = self.body(response).await?;
                match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
                    Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
                    // Nobody waits for an answer to what was no question.
                    Err(_) if !asked => Ok(StreamableHttpPostResponse::Accepted),
                    Err(error) => Err(said(format!("the answer cannot be read: {error}; it was: {}", shown(&body)))),
                }
            }
            _ if !asked => Ok(StreamableHttpPostResponse::Accepted),
            kind => Err(StreamableHttpError::UnexpectedContentType(kind.map(str::to_owned))),
        }
    }

    async fn refused(&self, response: Response, in_session: bool) -> Failure {
        let status = response.status();
        if status == StatusCode::NOT_FOUND && in_session {
            return StreamableHttpError::SessionExpired;
        }
        if status == StatusCode::UNAUTHORIZED || status == StatusCode::FORBIDDEN {
            let wanted = text(response.headers(), &WWW_AUTHENTICATE).unwrap_or_else(|| format!("HTTP {status}"));
            return StreamableHttpError::AuthRequired(AuthRequiredError::new(wanted));
        }
        let body = self.body(response).await.unwrap_or_default();
        said(format!("HTTP {status}: {}", shown(&body)))
    }
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let asked = matches!(message, ClientJsonRpcMessage::Request(_));
        let mut request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        request = request.headers(custom_headers.into_iter().collect()).header(CONTENT_TYPE, JSON);
        if let Some(key) = auth_header {
            request = request.bearer_auth(key);
        }
        if let Some(session) = &session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.body(serde_json::to_vec(&message)?).send().await.map_err(broken)?;
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(StreamableHttpPostResponse::Accepted),
            status if status.is_success() => self.read(response, asked).await,
            _ => Err(self.refused(response, session_id.is_some()).await),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failure> {
        self.client.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxedSseResponse, Failure> {
        let most = MCP_MESSAGE_BYTES_MAX;
        let client = &self.client;
        client
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, most)
            .await
    }
}

/// An error of a connection with what is behind it. An address may hold a key, so it is left out.
fn broken(error: reqwest::Error) -> Failure {
    StreamableHttpError::Io(std::io::Error::other(in_words(&error.without_url())))
}

fn said(why: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(why.into())
}

fn shown(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(HTTP_SHOWN_CHARS_MAX).collect()
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// A header of the settings.
pub(in crate::tool) fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| "this cannot be the name of a header".to_owned())?;
    if RESERVED.contains(&name.as_str()) {
        return Err("the protocol sets this header itself".to_owned());
    }
    let mut value = HeaderValue::from_str(value).map_err(|_| "this cannot be the value of a header".to_owned())?;
    value.set_sensitive(true);
    Ok((name, value))
}
