//! Sends a piece of work to a service: with a bound on time, tries and size.

use super::signature::{SIGNATURE, Secret, TIMESTAMP};
use crate::crypto;
use handover_core::{
    ids::HandoffId,
    limits::{
        COMMAND_OUTPUT_BYTES_MAX, MODEL_CONNECT_MS, WEBHOOK_MS, WEBHOOK_TRIES_MAX, WEBHOOK_WAIT_MS, WEBHOOK_WAIT_MS_MAX,
    },
};
use handover_engine::{Engine, agent::Failure};
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

impl Poster {
    pub(super) fn new(url: &str) -> Result<Self, String> {
        crypto::install();
        let url = Url::parse(url).map_err(|error| format!("`{url}` is no address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("`{url}` begins with neither http:// nor https://"));
        }
        let http = Client::builder()
            .redirect(redirect::Policy::none())
            .connect_timeout(Duration::from_millis(MODEL_CONNECT_MS))
            .timeout(Duration::from_millis(WEBHOOK_MS))
            .build()
            .map_err(|error| format!("no connection can be made: {error}"))?;
        Ok(Self { http, url })
    }

    /// Sends the work, and again where that may go better.
    pub(super) async fn post(
        &self,
        id: HandoffId,
        body: String,
        secret: Option<&Secret>,
        engine: &Engine,
    ) -> Result<Posted, Failure> {
        let mut wait_ms = WEBHOOK_WAIT_MS;
        for tries in 1.. {
            let why = match self.once(id, &body, secret, engine).await {
                Ok(posted) => return Ok(posted),
                Err(Trouble::Lasting(why)) => return Err(why.into()),
                Err(Trouble::Passing(why, after)) => {
                    wait_ms = after.unwrap_or(wait_ms).min(WEBHOOK_WAIT_MS_MAX);
                    why
                }
            };
            if tries >= WEBHOOK_TRIES_MAX {
                return Err(format!("{why}; tried {tries} times").into());
            }
            engine.wait(wait_ms).await;
            wait_ms = wait_ms.saturating_mul(2);
        }
        Err("it was never tried".into())
    }

    async fn once(
        &self,
        id: HandoffId,
        body: &str,
        secret: Option<&Secret>,
        engine: &Engine,
    ) -> Result<Posted, Trouble> {
        let now = engine.now();
        let mut request = self
            .http
            .post(self.url.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .header("handover-id", id.to_string())
            .header("idempotency-key", id.to_string())
            .header(TIMESTAMP, now.0.to_string());
        if let Some(secret) = secret {
            request = request.header(SIGNATURE, secret.sign(now, id, body.as_bytes()));
        }
        let host = self.url.host_str().unwrap_or_default();
        let sent = request.body(body.to_owned()).send().await;
        let response = sent.map_err(|error| Trouble::Passing(format!("{host} cannot be reached: {error}"), None))?;
        let status = response.status();
        if status == StatusCode::ACCEPTED {
            return Ok(Posted::Later);
        }
        let after = after(&response);
        let text = whole(response).await.map_err(|error| Trouble::Lasting(format!("{host}: {error}")))?;
        if status.is_success() {
            return Ok(Posted::Answered(text));
        }
        let said: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
        let why = format!("{host} answered {status}: {}", if said.is_empty() { "nothing more" } else { &said });
        let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504);
        Err(if passing { Trouble::Passing(why, after) } else { Trouble::Lasting(why) })
    }
}

/// How long the service asks to wait.
fn after(response: &Response) -> Option<u64> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1_000))
}

/// The body, up to a bound.
async fn whole(mut response: Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| error.to_string())? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > COMMAND_OUTPUT_BYTES_MAX {
            return Err(format!(
                "the answer has more than {COMMAND_OUTPUT_BYTES_MAX} bytes (COMMAND_OUTPUT_BYTES_MAX)"
            ));
        }
    }
    String::from_utf8(bytes).map_err(|_| "the answer is no text".to_owned())
}
