//! The market as an agent sees it.

use super::{Rfp, RfpRequest};
use crate::{http, words::shortened};
use handover_core::limits::HTTP_SHOWN_CHARS_MAX;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Asks a charter market at `host:port`.
#[derive(Debug, Clone)]
pub struct MarketClient {
    address: String,
}

/// Why the market did not give what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarketError {
    /// What is wrong, in words.
    pub why: String,
    /// Whether another try may do better.
    pub retryable: bool,
}

impl std::fmt::Display for MarketError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.why)
    }
}

impl MarketClient {
    /// A client of the market at this address.
    #[must_use]
    pub fn at(address: impl Into<String>) -> Self {
        Self { address: address.into() }
    }

    /// Asks for quotes. The same key gets the same request, however often it is asked for.
    ///
    /// # Errors
    /// When the market does not answer or refuses.
    pub async fn create(&self, key: &str, request: &RfpRequest) -> Result<Rfp, MarketError> {
        let body = serde_json::json!(request);
        self.ask("POST", "/rfps", &[("Idempotency-Key", key)], Some(&body)).await
    }

    /// Looks at a request and the quotes that have come.
    ///
    /// # Errors
    /// When the market does not answer or does not know it.
    pub async fn get(&self, rfp_id: &str) -> Result<Rfp, MarketError> {
        self.ask("GET", &format!("/rfps/{rfp_id}"), &[], None).await
    }

    async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<Rfp, MarketError> {
        let answer = http::call(&self.address, method, path, headers, body).await;
        let answer = answer.map_err(|error| MarketError {
            why: format!("the charter market at {} does not answer: {error}", self.address),
            // What is malformed stays so; a connection may come back.
            retryable: !matches!(error.kind(), std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput),
        })?;
        if !(200..300).contains(&answer.status) {
            let said = answer.body["error"].as_str().map_or_else(|| answer.body.to_string(), str::to_owned);
            let said = shortened(&said, HTTP_SHOWN_CHARS_MAX);
            let why = format!("the charter market answers {}: {said}", answer.status);
            return Err(MarketError { why, retryable: answer.status >= 500 || answer.status == 429 });
        }
        let unread = |error| MarketError { why: format!("the charter market's answer: {error}"), retryable: false };
        serde_json::from_value(answer.body).map_err(unread)
    }
}
