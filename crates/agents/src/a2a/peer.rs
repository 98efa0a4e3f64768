//! The line to a remote agent: with a bound on time and size, without redirects, and with the key only for the place that
//! was configured.

use super::{
    address,
    card::{Interface, Speaks},
    speak::{self, Ask},
    stream::Events,
};
use crate::{assignment::tame, crypto};
use a2a::error_code;
use handover_core::limits::{
    HTTP_SHOWN_CHARS_MAX, MODEL_CONNECT_MS, MODEL_ERROR_BYTES_MAX, REMOTE_ANSWER_BYTES_MAX, REMOTE_ANSWER_MS,
    REMOTE_IDLE_MS,
};
use reqwest::{
    Client, ClientBuilder, RequestBuilder, Response, StatusCode, Url,
    header::{self, HeaderValue},
    redirect,
};
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It may go better another time, and when.
    Passing(String, Option<u64>),
    /// It will not.
    Lasting(String),
    /// The agent says so, by a number of the protocol.
    Said { code: i32, message: String },
}

impl Trouble {
    /// The same for people.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Passing(why, _) | Self::Lasting(why) => why.clone(),
            Self::Said { code, message } => format!("the remote agent says {}: {message}", a2a::error_reason(*code)),
        }
    }

    pub(super) fn is(&self, wanted: i32) -> bool {
        matches!(self, Self::Said { code, .. } if *code == wanted)
    }
}

/// How long a remote agent may take.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until an answer is there, with all of its body.
    pub answer: Duration,
    /// Between two pieces of a stream.
    pub idle: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let of = Duration::from_millis;
        Self { connect: of(MODEL_CONNECT_MS), answer: of(REMOTE_ANSWER_MS), idle: of(REMOTE_IDLE_MS) }
    }
}

/// The line to one remote agent.
pub(super) struct Peer {
    /// For the place that was configured, wherever it is.
    own: Client,
    /// For all other places that a card names.
    strange: Client,
    home: Url,
    key: Option<HeaderValue>,
    allow_private: bool,
    times: Times,
}

/// What goes with every request of one piece of work.
#[derive(Debug, Clone, Default)]
pub(super) struct Along {
    pub(super) traceparent: Option<String>,
    /// The extension that is used, where the agent knows it.
    pub(super) extension: Option<&'static str>,
}

fn client(times: Times) -> ClientBuilder {
    // No proxy: the address is looked at when the connection is made, and it would be that of the proxy.
    Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .connect_timeout(times.connect)
        .read_timeout(times.idle)
}

impl Peer {
    /// A line to the agent whose card is at `home`.
    pub(super) fn new(home: Url, key: Option<&str>, allow_private: bool, times: Times) -> Result<Self, String> {
        crypto::install();
        let built =
            |builder: ClientBuilder| builder.build().map_err(|error| format!("no connection can be made: {error}"));
        let strange = if allow_private { client(times) } else { client(times).dns_resolver(address::resolver()) };
        let key = key.map(bearer).transpose()?;
        Ok(Self { own: built(client(times))?, strange: built(strange)?, home, key, allow_private, times })
    }

    pub(super) fn home(&self) -> &Url {
        &self.home
    }

    pub(super) fn allows_private(&self) -> bool {
        self.allow_private
    }

    /// A request to this address: with the key where it is meant for it, and not at all where nobody may be asked.
    pub(super) fn request(&self, method: reqwest::Method, url: &Url) -> Result<RequestBuilder, Trouble> {
        if let Some(why) = address::trouble(url, &self.home, self.allow_private) {
            return Err(Trouble::Lasting(why));
        }
        let home = address::is_home(url, &self.home);
        let request = if home { &self.own } else { &self.strange }.request(method, url.clone());
        Ok(match &self.key {
            Some(key) if home => request.header(header::AUTHORIZATION, key.clone()),
            Some(_) | None => request,
        })
    }

    async fn send(&self, at: &Interface, ask: &Ask<'_>, along: &Along) -> Result<(Response, Option<String>), Trouble> {
        let call = speak::call(at, ask, &Uuid::new_v4().to_string());
        let mut request = self.request(call.method, &call.url)?.header("a2a-version", at.speaks.version());
        let accept = if ask.streams() {
            "text/event-stream, application/json"
        } else {
            "application/json, application/a2a+json"
        };
        request = request.header(header::ACCEPT, accept);
        if let Some(traceparent) = &along.traceparent {
            request = request.header("traceparent", traceparent);
        }
        if let Some(extension) = along.extension {
            let name = if at.speaks == Speaks::Old { "x-a2a-extensions" } else { "a2a-extensions" };
            request = request.header(name, extension);
        }
        if let Some(body) = call.body {
            let kind = if at.speaks == Speaks::HttpJson { "application/a2a+json" } else { "application/json" };
            request = request.header(header::CONTENT_TYPE, kind).body(body.to_string());
        }
        let response = request.send().await.map_err(|error| unreached(&call.url, error))?;
        Ok((response, call.id))
    }

    /// Asks, and reads the whole answer.
    pub(super) async fn ask(&self, at: &Interface, ask: &Ask<'_>, along: &Along) -> Result<Value, Trouble> {
        let whole = async {
            let (response, id) = self.send(at, ask, along).await?;
            let value = body(response).await?;
            speak::unwrapped(at.speaks, value, id.as_deref())
        };
        let told = || {
            format!("{} did not answer within {} ms (REMOTE_ANSWER_MS)", host(&at.url), self.times.answer.as_millis())
        };
        tokio::time::timeout(self.times.answer, whole).await.unwrap_or_else(|_| Err(Trouble::Passing(told(), None)))
    }

    /// Asks, and gives the stream that is answered.
    pub(super) async fn open(&self, at: &Interface, ask: &Ask<'_>, along: &Along) -> Result<Events, Trouble> {
        let told = || {
            format!("{} did not answer within {} ms (REMOTE_ANSWER_MS)", host(&at.url), self.times.answer.as_millis())
        };
        let begun = async {
            let (response, id) = self.send(at, ask, along).await?;
            if response.status().is_success() && kind(&response) == "text/event-stream" {
                return Ok(Events::of(response, at.speaks, id));
            }
            // It may answer at once, as it would without a stream.
            let value = body(response).await?;
            Ok(Events::only(speak::unwrapped(at.speaks, value, id.as_deref())?))
        };
        tokio::time::timeout(self.times.answer, begun).await.unwrap_or_else(|_| Err(Trouble::Passing(told(), None)))
    }
}

fn bearer(key: &str) -> Result<HeaderValue, String> {
    let value = HeaderValue::from_str(&format!("Bearer {}", key.trim()));
    let mut value = value.map_err(|_| "the key has letters that no header may have".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

/// What a body is, without its details.
fn kind(response: &Response) -> String {
    let said = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    said.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The JSON of an answer, or what it says went wrong.
async fn body(response: Response) -> Result<Value, Trouble> {
    let (status, kind, after) = (response.status(), kind(&response), after(&response));
    let host = host(response.url());
    if status.is_redirection() {
        let why = format!("{host} answered {status}, and redirects are not followed: give the address it leads to");
        return Err(Trouble::Lasting(why));
    }
    if !status.is_success() {
        let text = whole(response, (MODEL_ERROR_BYTES_MAX, "MODEL_ERROR_BYTES_MAX")).await.unwrap_or_default();
        return Err(failed(&host, status, &text, after));
    }
    if kind != "application/json" && kind != "application/a2a+json" {
        let shown: String = tame(&kind).chars().take(HTTP_SHOWN_CHARS_MAX).collect();
        return Err(Trouble::Lasting(format!("{host} answered with `{shown}`, not with JSON")));
    }
    let text = whole(response, (REMOTE_ANSWER_BYTES_MAX, "REMOTE_ANSWER_BYTES_MAX")).await?;
    serde_json::from_str(&text).map_err(|error| Trouble::Lasting(format!("the answer of {host} is no JSON: {error}")))
}

/// What a status means, and what is said with it.
fn failed(host: &str, status: StatusCode, text: &str, after: Option<u64>) -> Trouble {
    if matches!(status.as_u16(), 408 | 425 | 429 | 502 | 503 | 504) {
        return Trouble::Passing(format!("{host} answered {status}: {}", shown(text)), after);
    }
    if matches!(status.as_u16(), 401 | 403) {
        let why = format!(
            "{host} answered {status}: {}; an operator must give it a key by `secret_env`, which is sent only to the host of \
             `url`",
            shown(text)
        );
        return Trouble::Lasting(why);
    }
    let error = serde_json::from_str::<Value>(text).ok().map(|value| value["error"].clone());
    match error.filter(Value::is_object).map(|error| speak::said(&error)) {
        // A status tells more than a number that stands for anything.
        Some(said) if status != StatusCode::NOT_FOUND || !said.is(error_code::INTERNAL_ERROR) => said,
        _ if status == StatusCode::INTERNAL_SERVER_ERROR => {
            let message = format!("{host} answered {status}: {}", shown(text));
            Trouble::Said { code: error_code::INTERNAL_ERROR, message }
        }
        _ => Trouble::Lasting(format!("{host} answered {status}: {}", shown(text))),
    }
}

fn shown(text: &str) -> String {
    let said: String = tame(text).chars().take(HTTP_SHOWN_CHARS_MAX).collect();
    if said.trim().is_empty() { "nothing more".to_owned() } else { said }
}

/// How long the agent asks to wait.
fn after(response: &Response) -> Option<u64> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1_000))
}

/// The body, up to a bound.
pub(super) async fn whole(mut response: Response, (most, name): (usize, &str)) -> Result<String, Trouble> {
    let host = host(response.url());
    let mut bytes = Vec::new();
    let off =
        |error: reqwest::Error| Trouble::Passing(format!("the answer of {host} broke off: {}", causes(error)), None);
    while let Some(chunk) = response.chunk().await.map_err(off)? {
        if bytes.len() + chunk.len() > most {
            return Err(Trouble::Lasting(format!("the answer of {host} has more than {most} bytes ({name})")));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Trouble::Lasting(format!("the answer of {host} is no text")))
}

pub(super) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

pub(super) fn unreached(url: &Url, error: reqwest::Error) -> Trouble {
    let what = if error.is_timeout() { "did not answer in time" } else { "cannot be reached" };
    let why = tame(&format!("{} {what}: {}", host(url), causes(error)));
    // A name that leads to a private address will do so again.
    if why.contains("allow_private") { Trouble::Lasting(why) } else { Trouble::Passing(why, None) }
}

/// An error with what caused it, and without the address: it may hold a password.
pub(super) fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let first = std::error::Error::source(&error);
    let causes = std::iter::successors(first, |cause| cause.source()).map(ToString::to_string);
    [error.to_string()].into_iter().chain(causes).collect::<Vec<_>>().join(": ")
}
