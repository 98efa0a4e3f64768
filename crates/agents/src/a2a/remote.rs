//! One remote agent: the line to it, and its card as it was last fetched.

use super::{
    card::{Card, place},
    peer::{Along, Peer, Times, Trouble, host, unreached, whole},
    speak::Ask,
};
use crate::{assignment::tame, webhook::Callbacks};
use handover_core::limits::{
    REMOTE_CANCEL_MS, REMOTE_CARD_BYTES_MAX, REMOTE_CARD_FRESH_MS, REMOTE_CARD_FRESH_MS_MAX, REMOTE_CARD_FRESH_MS_MIN,
    REMOTE_CARD_MS, REMOTE_CARD_WAIT_MS, REMOTE_CARD_WAIT_MS_MAX, REMOTE_TRIES_MAX, REMOTE_WAIT_MS,
};
use handover_engine::agent::Work;
use parking_lot::Mutex;
use reqwest::{Method, Response, StatusCode, Url, header};
use std::{sync::Arc, time::Duration};
use tokio::task::JoinHandle;

/// What is known of the card.
#[derive(Default)]
struct Known {
    card: Option<Arc<Card>>,
    etag: Option<String>,
    fresh_ms: u64,
    /// Why it could not be had the last time, and how often in a row.
    trouble: Option<String>,
    failures: u32,
}

/// A remote agent.
pub(super) struct Remote {
    pub(super) peer: Peer,
    pub(super) callbacks: Option<Arc<Callbacks>>,
    /// The address that was configured, as it was written.
    pub(super) url: String,
    place: Url,
    known: Mutex<Known>,
    /// Whoever fetches the card again from time to time.
    keeper: Mutex<Option<JoinHandle<()>>>,
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.lock().take() {
            keeper.abort();
        }
    }
}

impl Remote {
    pub(super) fn new(
        url: &str,
        key: Option<&str>,
        allow_private: bool,
        callbacks: Option<Arc<Callbacks>>,
        times: Times,
    ) -> Result<Self, String> {
        let place = place(url)?;
        let peer = Peer::new(place.clone(), key, allow_private, times)?;
        Ok(Self { peer, callbacks, url: url.to_owned(), place, known: Mutex::default(), keeper: Mutex::default() })
    }

    /// The card, as it was last fetched.
    pub(super) fn card(&self) -> Option<Arc<Card>> {
        self.known.lock().card.clone()
    }

    /// Why the card could not be had the last time.
    pub(super) fn trouble(&self) -> Option<String> {
        self.known.lock().trouble.clone()
    }

    pub(super) fn kept_by(&self, keeper: JoinHandle<()>) {
        if let Some(before) = self.keeper.lock().replace(keeper) {
            before.abort();
        }
    }

    /// In how many milliseconds the card is looked at again.
    pub(super) fn next_look(&self) -> u64 {
        let known = self.known.lock();
        if known.failures == 0 {
            return known.fresh_ms.max(REMOTE_CARD_FRESH_MS_MIN);
        }
        let doubled = REMOTE_CARD_WAIT_MS.saturating_mul(1 << known.failures.min(16).saturating_sub(1));
        doubled.min(REMOTE_CARD_WAIT_MS_MAX)
    }

    /// Fetches the card, where it changed since it was fetched last.
    ///
    /// # Errors
    /// When it cannot be had or used, in words. What was known before stays.
    pub(super) async fn fetch(&self) -> Result<Arc<Card>, String> {
        let within = Duration::from_millis(REMOTE_CARD_MS);
        let fetched = tokio::time::timeout(within, self.fetched()).await;
        let fetched = fetched.unwrap_or_else(|_| {
            let told = format!("{} did not send it within {REMOTE_CARD_MS} ms (REMOTE_CARD_MS)", host(&self.place));
            Err(Trouble::Passing(told, None))
        });
        let mut known = self.known.lock();
        match fetched {
            Ok(card) => {
                (known.trouble, known.failures) = (None, 0);
                Ok(card)
            }
            Err(trouble) => {
                let why = tame(&format!("its card cannot be had: {}", trouble.words()));
                known.failures = known.failures.saturating_add(1);
                known.trouble = Some(why.clone());
                Err(why)
            }
        }
    }

    async fn fetched(&self) -> Result<Arc<Card>, Trouble> {
        let mut request = self.peer.request(Method::GET, &self.place)?.header("a2a-version", a2a::VERSION);
        request = request.header(header::ACCEPT, "application/json, application/a2a+json");
        let before = self.card().zip(self.known.lock().etag.clone());
        if let Some((_, etag)) = &before {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        let response = request.send().await.map_err(|error| unreached(&self.place, error))?;
        let (status, fresh_ms) = (response.status(), fresh(&response));
        if let Some((card, _)) = before.filter(|_| status == StatusCode::NOT_MODIFIED) {
            self.known.lock().fresh_ms = fresh_ms;
            return Ok(card);
        }
        if status != StatusCode::OK {
            return Err(Trouble::Lasting(format!("{} answered {status}", host(&self.place))));
        }
        let word = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (etag, kind) = (word(header::ETAG), word(header::CONTENT_TYPE).unwrap_or_default());
        if !kind.to_ascii_lowercase().contains("json") {
            return Err(Trouble::Lasting(format!("{} sent no JSON, but `{kind}`", host(&self.place))));
        }
        let text = whole(response, (REMOTE_CARD_BYTES_MAX, "REMOTE_CARD_BYTES_MAX")).await?;
        let card = Card::read(&text, self.peer.home(), self.peer.allows_private()).map_err(Trouble::Lasting)?;
        let card = Arc::new(card);
        let mut known = self.known.lock();
        (known.card, known.etag, known.fresh_ms) = (Some(card.clone()), etag, fresh_ms);
        Ok(card)
    }

    /// Cancels a task: as well as it can be done, within a bound.
    pub(super) async fn cancel(&self, work: &Work, task: &str) {
        let Some(card) = self.card() else { return };
        let along = Along { traceparent: Some(work.traceparent()), extension: None };
        let trying = async {
            let mut wait_ms = REMOTE_WAIT_MS;
            for _ in 0..REMOTE_TRIES_MAX {
                // Whatever is answered is an answer: it was cancelled, or it cannot be.
                let answered = self.peer.ask(&card.interface, &Ask::Cancel(task), &along).await;
                if !matches!(answered, Err(Trouble::Passing(..))) {
                    return;
                }
                work.engine().wait(wait_ms).await;
                wait_ms *= 2;
            }
        };
        // One that hangs holds nothing but this.
        let _ = tokio::time::timeout(Duration::from_millis(REMOTE_CANCEL_MS), trying).await;
    }
}

/// How long a card counts by what is said with it, in milliseconds.
fn fresh(response: &Response) -> u64 {
    let said = response.headers().get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let age = said.split(',').find_map(|word| word.trim().strip_prefix("max-age=")?.parse::<u64>().ok());
    let ms = age.map_or(REMOTE_CARD_FRESH_MS, |seconds| seconds.saturating_mul(1_000));
    ms.clamp(REMOTE_CARD_FRESH_MS_MIN, REMOTE_CARD_FRESH_MS_MAX)
}
