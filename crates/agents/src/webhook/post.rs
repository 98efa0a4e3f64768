//! Sends a piece of work to a service: with a bound on time, tries and size.

use super::signature::{SIGNATURE, Secret, TIMESTAMP};
use crate::{assignment::tame, crypto};
use handover_core::limits::{
    COMMAND_OUTPUT_BYTES_MAX, HTTP_SHOWN_CHARS_MAX, MODEL_CONNECT_MS, WEBHOOK_MS, WEBHOOK_TRIES_MAX, WEBHOOK_WAIT_MS,
    WEBHOOK_WAIT_MS_MAX,
};
use handover_engine::agent::{Failure, Work};
use reqwest::{Client, Response, StatusCode, Url, header, redirect};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What a service said to a piece of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Posted {
    /// This is the answer.
    Answered(String),
    /// The answer comes later.
    Later,
}

/// What may go better another time, and when; or what will not.
enum Trouble {
    Passing(String, Option<u64>),
    Lasting(String),
}

/// Whoever sends work to one service.
pub(super) struct Poster {
    http: Client,
    url: Url,
}

/// How long a service may take.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Until there is a connection.
    pub connect: Duration,
    /// Until the answer is there, with all of its body.
    pub answer: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self { connect: Duration::from_millis(MODEL_CONNECT_MS), answer: Duration::from_millis(WEBHOOK_MS) }
    }
}

impl Poster {
    pub(super) fn new(url: &str, times: Times) -> Result<Self, String> {
        crypto::install();
        // An address may hold a password, so what is said of it shows none of it.
        let url = Url::parse(url).map_err(|error| format!("this is no address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it begins with neither http:// nor https://".to_owned());
        }
        let http = Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(times.connect)
            .timeout(times.answer)
            .build()
            .map_err(|error| format!("no connection can be made: {error}"))?;
        Ok(Self { http, url })
    }

    /// Sends the work, and again where that may go better.
    pub(super) async fn post(&self, work: &Work, body: String, secret: Option<&Secret>) -> Result<Posted, Failure> {
        let mut wait_ms = WEBHOOK_WAIT_MS;
        let mut tries = 1;
        loop {
            let (why, after) = match self.once(work, &body, secret).await {
                Ok(posted) => return Ok(posted),
                Err(Trouble::Lasting(why)) => return Err(tame(&why).into()),
                Err(Trouble::Passing(why, after)) => (why, after),
            };
            if tries >= WEBHOOK_TRIES_MAX {
                return Err(tame(&format!("{why}; tried {tries} times (WEBHOOK_TRIES_MAX)")).into());
            }
            tries += 1;
            work.engine().wait(after.unwrap_or(wait_ms).min(WEBHOOK_WAIT_MS_MAX)).await;
            wait_ms = wait_ms.saturating_mul(2);
        }
    }

    async fn once(&self, work: &Work, body: &str, secret: Option<&Secret>) -> Result<Posted, Trouble> {
        let (id, now) = (work.handoff().id, work.engine().now());
        let mut request = self
            .http
            .post(self.url.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header("handover-id", id.to_string())
            .header("idempotency-key", id.to_string())
            .header("traceparent", work.traceparent())
            .header(TIMESTAMP, now.0.to_string());
        if let Some(secret) = secret {
            request = request.header(SIGNATURE, secret.sign(now, id, body.as_bytes()));
        }
        let host = self.url.host_str().unwrap_or_default();
        let sent = request.body(body.to_owned()).send().await;
        let response = sent.map_err(|error| Trouble::Passing(unreached(host, error), None))?;
        let status = response.status();
        if status == StatusCode::ACCEPTED {
            return Ok(Posted::Later);
        }
        let after = after(&response);
        let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504);
        let text = match whole(response).await {
            Ok(text) => text,
            // What a service says of its trouble may be anything.
            Err(_) if !status.is_success() => String::new(),
            Err(Broken::Off(why)) => return Err(Trouble::Passing(format!("{host}: {why}"), None)),
            Err(Broken::Bad(why)) => return Err(Trouble::Lasting(format!("{host}: {why}"))),
        };
        if status.is_success() {
            return Ok(Posted::Answered(text));
        }
        if status.is_redirection() {
            let why = format!("{host} answered {status}, and redirects are not followed: give the address it leads to");
            return Err(Trouble::Lasting(why));
        }
        let said: String = tame(&text).chars().take(HTTP_SHOWN_CHARS_MAX).collect();
        let why = format!("{host} answered {status}: {}", if said.is_empty() { "nothing more" } else { &said });
        Err(if passing { Trouble::Passing(why, after) } else { Trouble::Lasting(why) })
    }
}

/// How long the service asks to wait.
fn after(response: &Response) -> Option<u64> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1_000))
}

/// Why a body cannot be had: it broke off, or it cannot be an answer.
enum Broken {
    Off(String),
    Bad(String),
}

/// The body, up to a bound.
async fn whole(mut response: Response) -> Result<String, Broken> {
    let mut bytes = Vec::new();
    let off = |error: reqwest::Error| Broken::Off(format!("the answer broke off: {}", causes(error)));
    while let Some(chunk) = response.chunk().await.map_err(off)? {
        if (bytes.len() + chunk.len()) as u64 > COMMAND_OUTPUT_BYTES_MAX {
            let why = format!("the answer has more than {COMMAND_OUTPUT_BYTES_MAX} bytes (COMMAND_OUTPUT_BYTES_MAX)");
            return Err(Broken::Bad(why));
        }
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).map_err(|_| Broken::Bad("the answer is no text".to_owned()))
}

fn unreached(host: &str, error: reqwest::Error) -> String {
    let what = if error.is_timeout() { "did not answer in time" } else { "cannot be reached" };
    format!("{host} {what}: {}", causes(error))
}

/// An error with what caused it, and without the address: it may hold a password.
fn causes(error: reqwest::Error) -> String {
    let error = error.without_url();
    let first = std::error::Error::source(&error);
    let causes = std::iter::successors(first, |cause| cause.source()).map(ToString::to_string);
    [error.to_string()].into_iter().chain(causes).collect::<Vec<_>>().join(": ")
}
