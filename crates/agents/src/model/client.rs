//! A provider that is reached over the network: one question with all its tries, bounded in time and in size.

use super::{
    Ask, Listener, Model, ModelError, Piece, Reply, Trouble, anthropic, openai,
    provider::{Address, Api, Provider},
    sse,
    troubles::{Failed, Refused, tamed},
};
use crate::crypto;
use async_trait::async_trait;
use handover_core::{
    limits::{
        MODEL_BODY_BYTES_MAX, MODEL_CONNECT_MS, MODEL_ERROR_BYTES_MAX, MODEL_RETRY_AFTER_MS_MAX, MODEL_TRIES_MAX,
        MODEL_WAIT_MS, MODEL_WAIT_MS_MAX,
    },
    time::Timestamp,
};
use handover_engine::clock::{Clock, SystemClock};
use reqwest::{Response, header};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// Somebody who answers over the network.
pub struct Client {
    http: reqwest::Client,
    provider: Provider,
    address: Address,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("url", &self.address.url.as_str()).field("provider", &self.provider).finish()
    }
}

impl Client {
    /// A client for this provider, with the key and the address that the environment has for it.
    ///
    /// # Errors
    /// When a setting is wrong, or there is no key for a provider that wants one.
    pub fn new(provider: Provider) -> Result<Self, ModelError> {
        let clock = Arc::new(SystemClock::starting_at_least(Timestamp(0)));
        Self::with(provider, &|name| std::env::var(name).ok(), clock)
    }

    /// A client with another environment and another clock. All waiting goes by the clock.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with(
        provider: Provider,
        env: &dyn Fn(&str) -> Option<String>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ModelError> {
        let address = provider.address(env)?;
        let http = connection(&address).map_err(|error| {
            let message = format!("no connection can be made: {}", chain(&error));
            ModelError::new(Trouble::Connection, tamed(&message, &address.secrets))
        })?;
        Ok(Self { http, provider, address, clock })
    }

    fn filled(&self, ask: &Ask) -> Ask {
        Ask {
            max_output_tokens: ask.max_output_tokens.or(self.provider.max_output_tokens),
            temperature: ask.temperature.or(self.provider.temperature),
            ..ask.clone()
        }
    }

    fn body(&self, ask: &Ask) -> String {
        let (stream, parallel) = (self.provider.stream, self.provider.parallel_tool_calls);
        match self.provider.api {
            Api::Openai => openai::body(ask, openai::Manner { stream, official: self.address.official, parallel }),
            Api::Anthropic => anthropic::body(ask, anthropic::Manner { stream, parallel }),
        }
        .to_string()
    }

    /// Asks until there is an answer, or no more sense in asking.
    async fn persist(&self, ask: &Ask, until: Timestamp, heard: Listener<'_>) -> Result<Reply, ModelError> {
        let body = self.body(ask);
        let mut tries = 1;
        loop {
            let spoken = AtomicBool::new(false);
            let note = |piece: Piece| {
                spoken.store(true, Ordering::SeqCst);
                heard(piece);
            };
            let failed = match self.once(ask, body.clone(), &note).await {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let wait_ms = wait_ms(tries, &failed);
            let fits = wait_ms.is_some_and(|ms| self.clock.now() + ms < until);
            let Some(wait_ms) = wait_ms.filter(|_| fits && tries < MODEL_TRIES_MAX) else {
                return Err(self.told(&failed.error, tries));
            };
            if spoken.load(Ordering::SeqCst) {
                heard(Piece::Again);
            }
            self.clock.until(self.clock.now() + wait_ms).await;
            tries += 1;
        }
    }

    /// One try.
    async fn once(&self, ask: &Ask, body: String, heard: Listener<'_>) -> Result<Reply, Failed> {
        let mut request = self.http.post(self.address.url.clone()).headers(self.address.headers.clone()).body(body);
        if let Some(traceparent) = &ask.traceparent {
            request = request.header("traceparent", traceparent.as_str());
        }
        let response = self.soon(request.send()).await?.map_err(|error| broken(&error))?;
        if !response.status().is_success() {
            return Err(self.refused(response).await);
        }
        if is_stream(&response, self.provider.stream) {
            return self.listen(ask, response, heard).await;
        }
        let bytes = self.whole(response).await?;
        let reply = match self.provider.api {
            Api::Openai => openai::read(ask, &bytes),
            Api::Anthropic => anthropic::read(ask, &bytes),
        }?;
        if !reply.text.is_empty() {
            heard(Piece::Text(reply.text.clone()));
        }
        reply.calls.iter().for_each(|call| heard(Piece::Tool(call.name.clone())));
        Ok(reply)
    }

    /// Hears an answer piece by piece.
    async fn listen(&self, ask: &Ask, mut response: Response, heard: Listener<'_>) -> Result<Reply, Failed> {
        let mut parser = sse::Parser::default();
        let mut stream = match self.provider.api {
            Api::Openai => Growing::Openai(openai::Stream::new(ask)),
            Api::Anthropic => Growing::Anthropic(anthropic::Stream::new(ask)),
        };
        let mut bytes = 0;
        while let Some(chunk) = self.soon(response.chunk()).await?.map_err(|error| broken(&error))? {
            bytes += chunk.len();
            if bytes > MODEL_BODY_BYTES_MAX {
                return Err(too_large());
            }
            let events = parser.feed(&chunk).map_err(|error| Failed::new(Trouble::Answer, error.to_string()))?;
            for event in events {
                stream.feed(&event)?.into_iter().for_each(heard);
            }
        }
        if let Some(rest) = parser.rest() {
            // Half an event is no event: whether the answer is whole is told by what came before.
            stream.feed(&rest).unwrap_or_default().into_iter().for_each(heard);
        }
        stream.finish()
    }

    async fn whole(&self, mut response: Response) -> Result<Vec<u8>, Failed> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.soon(response.chunk()).await?.map_err(|error| broken(&error))? {
            if bytes.len() + chunk.len() > MODEL_BODY_BYTES_MAX {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// What an answer says that is none. It is read as far as it comes: its status is known already.
    async fn refused(&self, mut response: Response) -> Failed {
        let mut body = Vec::new();
        while let Ok(Ok(Some(chunk))) = self.soon(response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() >= MODEL_ERROR_BYTES_MAX {
                body.truncate(MODEL_ERROR_BYTES_MAX);
                break;
            }
        }
        let headers = response.headers();
        let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
        let status = response.status().as_u16();
        let mut failed = Refused { status, header: &header, body: &body, now: self.clock.now() }.failed();
        if response.status().is_redirection() {
            let to = header("location").unwrap_or_default();
            failed.error.message = format!(
                "it points elsewhere ({status}), to {to}, and the key goes nowhere else; if that is right, set it as base_url"
            );
        }
        failed
    }

    /// Waits, but not longer than the provider may be silent. An answer in one piece is silent until it is there.
    async fn soon<T>(&self, what: impl Future<Output = T>) -> Result<T, Failed> {
        if !self.provider.stream {
            return Ok(what.await);
        }
        let idle_ms = self.provider.idle_ms;
        tokio::select! {
            biased;
            done = what => Ok(done),
            () = self.clock.until(self.clock.now() + idle_ms) => {
                Err(Failed::new(Trouble::Time, format!("nothing was heard for {idle_ms} ms (idle_ms)")))
            }
        }
    }

    /// The error with all that helps to mend it, and nothing that must not be shown.
    fn told(&self, error: &ModelError, tries: u32) -> ModelError {
        let host = self.address.url.host_str().unwrap_or_default();
        let hint = match error.trouble {
            Trouble::Key => format!(" (the key comes from {})", self.address.key_env),
            Trouble::NotFound => format!(" (asked at {})", self.address.url),
            Trouble::Question
            | Trouble::RateLimit
            | Trouble::Provider
            | Trouble::Connection
            | Trouble::Time
            | Trouble::Answer => String::new(),
        };
        let tried = if tries > 1 { format!(" after {tries} tries") } else { String::new() };
        let words = tamed(&error.message, &self.address.secrets);
        ModelError { message: format!("{host}{tried}: {words}{hint}"), ..error.clone() }
    }
}

#[async_trait]
impl Model for Client {
    async fn ask(&self, ask: &Ask, heard: Listener<'_>) -> Result<Reply, ModelError> {
        let timeout_ms = self.provider.timeout_ms;
        let until = self.clock.now() + timeout_ms;
        let ask = self.filled(ask);
        tokio::select! {
            biased;
            answered = self.persist(&ask, until, heard) => answered,
            () = self.clock.until(until) => {
                let message = format!("there was no whole answer within {timeout_ms} ms (timeout_ms)");
                Err(self.told(&ModelError::new(Trouble::Time, message), 1))
            }
        }
    }
}

/// An answer that comes in pieces, of either interface.
enum Growing {
    Openai(openai::Stream),
    Anthropic(anthropic::Stream),
}

impl Growing {
    fn feed(&mut self, event: &sse::Event) -> Result<Vec<Piece>, Failed> {
        match self {
            Self::Openai(stream) => stream.feed(event),
            Self::Anthropic(stream) => stream.feed(event),
        }
    }

    fn finish(self) -> Result<Reply, Failed> {
        match self {
            Self::Openai(stream) => stream.finish(),
            Self::Anthropic(stream) => stream.finish(),
        }
    }
}

/// How long to wait before the next try; nothing when there should be none.
fn wait_ms(tries: u32, failed: &Failed) -> Option<u64> {
    if !failed.again {
        return None;
    }
    match failed.error.retry_after_ms {
        Some(ms) if ms > 0 => (ms <= MODEL_RETRY_AFTER_MS_MAX).then_some(ms),
        // Whoever says "at once" is still not asked without a pause.
        Some(_) | None => Some(MODEL_WAIT_MS.saturating_mul(1 << (tries - 1).min(16)).min(MODEL_WAIT_MS_MAX)),
    }
}

/// Whether the answer comes in pieces. Some send it whole although pieces were asked for.
fn is_stream(response: &Response, asked: bool) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.map_or(asked, |kind| kind.starts_with("text/event-stream") || (asked && !kind.contains("json")))
}

fn connection(address: &Address) -> Result<reqwest::Client, reqwest::Error> {
    crypto::install();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(Duration::from_millis(MODEL_CONNECT_MS))
        // The key must not travel to whomever an answer points at.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("handover/", env!("CARGO_PKG_VERSION")));
    if address.url.scheme() == "http" {
        // Nothing is proved over http, so a machine without certificates can use it.
        builder = builder.tls_certs_only([]);
    }
    if matches!(address.url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    builder.build()
}

fn broken(error: &reqwest::Error) -> Failed {
    let what = if error.is_connect() { "it cannot be reached" } else { "the connection broke" };
    Failed::new(Trouble::Connection, format!("{what}: {}", chain(error)))
}

/// An error with its causes: the last one mostly says what is wrong.
fn chain(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words = format!("{words}: {inner}");
        cause = inner.source();
    }
    words
}

fn too_large() -> Failed {
    Failed::new(
        Trouble::Answer,
        format!("the answer is larger than {MODEL_BODY_BYTES_MAX} bytes (MODEL_BODY_BYTES_MAX)"),
    )
}
