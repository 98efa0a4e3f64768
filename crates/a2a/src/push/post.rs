//! Delivers updates: at least once, within bounds, and never to a place that only this machine or its network can reach,
//! unless that is allowed. It is looked at again when a connection is made: a name may lead elsewhere by then.

use super::{Config, places::Places};
use handover_core::{
    a2a::PUSH_TOKEN,
    limits::{A2A_PUSH_MS, A2A_PUSH_TEXT_CHARS_MAX, A2A_PUSH_TRIES_MAX, A2A_PUSH_WAIT_MS_MAX},
    net,
    refusal::{Code, HandoffError, Refusal},
};
use reqwest::{
    Client, Url,
    dns::{Addrs, Name, Resolve, Resolving},
    header, redirect,
};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc, time::Duration};

/// Whoever delivers.
pub(super) struct Poster {
    client: Client,
    /// Whether private addresses are allowed.
    private: bool,
    /// The first wait before another try.
    wait: Duration,
}

/// Looks names up, and leaves out what is private.
struct Open;

impl Resolve for Open {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let open: Vec<SocketAddr> = found.filter(|address| !net::is_private(address.ip())).collect();
            if open.is_empty() {
                return Err("the name leads to a private address".into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}

impl Poster {
    pub(super) fn new(private: bool, wait: Duration) -> Result<Self, HandoffError> {
        // Another part of the process may have chosen its provider before: then that one counts.
        drop(rustls::crypto::ring::default_provider().install_default());
        let mut builder = Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(Duration::from_millis(A2A_PUSH_MS))
            .timeout(Duration::from_millis(A2A_PUSH_MS));
        if !private {
            builder = builder.dns_resolver(Arc::new(Open));
        }
        let client = builder.build().map_err(|error| {
            HandoffError::from(Refusal::new(Code::StoreFailed, "no connection for pushes can be made")).because(error)
        })?;
        Ok(Self { client, private, wait })
    }

    /// Whether an update may be sent there.
    pub(super) fn check(&self, url: &str) -> Result<(), String> {
        if url.chars().count() > A2A_PUSH_TEXT_CHARS_MAX {
            return Err(format!("it has more than {A2A_PUSH_TEXT_CHARS_MAX} characters (A2A_PUSH_TEXT_CHARS_MAX)"));
        }
        // An address may hold a password, so what is said of it shows none of it.
        let url = Url::parse(url).map_err(|error| format!("this is no address: {error}"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err("it begins with neither http:// nor https://".to_owned());
        }
        if !self.private && net::is_private_host(url.host_str().unwrap_or_default()) {
            return Err("it is a private address, which is not allowed here".to_owned());
        }
        Ok(())
    }

    /// Sends an update, and again until it is taken; whether it was. Whoever waits gives its place to others meanwhile, and
    /// whoever may not be told any more is given up.
    pub(super) async fn deliver(
        &self,
        config: &Config,
        update: &Value,
        places: &Places,
        lets: impl Fn() -> bool,
    ) -> bool {
        let mut wait = self.wait;
        for tried in 1..=A2A_PUSH_TRIES_MAX {
            let Some(place) = places.take(&config.tenant).await else { return false };
            if !lets() {
                tracing::info!(target: "handover::a2a", task = %config.task, "a receiver of pushes has no key any more");
                return false;
            }
            let why = match self.once(config, update).await {
                Ok(()) => return true,
                Err(why) => why,
            };
            drop(place);
            tracing::info!(target: "handover::a2a", task = %config.task, why, "a push was not taken");
            if tried < A2A_PUSH_TRIES_MAX {
                tokio::time::sleep(wait).await;
                wait = wait.saturating_mul(2).min(Duration::from_millis(A2A_PUSH_WAIT_MS_MAX));
            }
        }
        let tries = A2A_PUSH_TRIES_MAX;
        tracing::warn!(target: "handover::a2a", task = %config.task, tries, "a receiver of pushes is given up");
        false
    }

    async fn once(&self, config: &Config, update: &Value) -> Result<(), String> {
        self.check(&config.url)?;
        let body = update.to_string();
        let content = if config.old { "application/json" } else { "application/a2a+json" };
        let mut request = self.client.post(&config.url).header(header::CONTENT_TYPE, content).body(body);
        if let Some(token) = &config.token {
            request = request.header(PUSH_TOKEN, token);
        }
        if let Some((scheme, credentials)) = config.scheme.as_ref().zip(config.credentials.as_ref()) {
            request = request.header(header::AUTHORIZATION, format!("{scheme} {credentials}"));
        }
        // Neither the address nor what was answered is shown: both are somebody else's.
        let response = request.send().await.map_err(|error| error.without_url().to_string())?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(format!("it was answered with {}", status.as_u16())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_name_is_looked_at_when_the_connection_is_made() {
        let looked = Open.resolve("localhost".parse().unwrap()).await;
        assert!(looked.is_err_and(|error| error.to_string().contains("private")));
        let poster = Poster::new(false, Duration::ZERO).unwrap();
        // Past the look at its words a name that leads here is found by whoever connects.
        let error = poster.client.get("http://localhost:1/").send().await.unwrap_err();
        let causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
        assert!(causes.into_iter().any(|cause| cause.to_string().contains("private address")), "{error:?}");
    }
}
