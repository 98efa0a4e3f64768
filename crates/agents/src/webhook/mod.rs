//! An agent that is a service: its work is posted to it, signed. It answers at once, or says that it will and calls back.
//!
//! - `200` with a document as programs write it: that is the answer.
//! - `202`: the answer comes later, as a signed `POST` to the address in `callback`. Without a secret there is none:
//!   whoever learned the address could answer.
//! - `429` and `503`: asked again after `Retry-After`, a bounded number of times.
//! - Anything else is a failure. Redirects are not followed: the work is for this service and for nobody else.

mod callbacks;
mod post;
mod pushes;
mod signature;

pub use callbacks::{CallbackSettings, Callbacks};
pub use post::Times;
pub(crate) use pushes::Listening;
pub use signature::{SIGNATURE, Secret, TIMESTAMP};

use crate::assignment;
use async_trait::async_trait;
use handover_engine::agent::{Agent, Done, Failure, Work};
use post::{Posted, Poster};
use serde_json::{Value, json};
use std::sync::Arc;

/// An agent that is a service.
pub struct WebhookAgent {
    poster: Poster,
    secret: Option<Secret>,
    callbacks: Option<Arc<Callbacks>>,
    with: Value,
}

impl WebhookAgent {
    /// An agent that is called at this address. With a secret, what is sent and what comes back is signed.
    ///
    /// # Errors
    /// When the address cannot be one.
    pub fn new(url: &str, secret: Option<Secret>, callbacks: Option<Arc<Callbacks>>) -> Result<Self, String> {
        Self::with_times(url, secret, callbacks, Times::default())
    }

    /// The same with other times.
    ///
    /// # Errors
    /// As [`WebhookAgent::new`].
    pub fn with_times(
        url: &str,
        secret: Option<Secret>,
        callbacks: Option<Arc<Callbacks>>,
        times: Times,
    ) -> Result<Self, String> {
        Ok(Self { poster: Poster::new(url, times)?, secret, callbacks, with: Value::Null })
    }

    /// What is given to the service with each piece of work.
    #[must_use]
    pub fn with(mut self, with: Value) -> Self {
        self.with = with;
        self
    }

    /// Where it may call back, and with which secret.
    fn callback(&self) -> Option<(&Arc<Callbacks>, &Secret)> {
        self.callbacks.as_ref().zip(self.secret.as_ref())
    }

    async fn post(&self, work: &Work) -> Result<Posted, Failure> {
        let mut body = assignment::written(work, &self.with).await?;
        let id = work.handoff().id;
        if let Some((callbacks, _)) = self.callback() {
            body["callback"] = json!({"url": callbacks.url_for(id)});
        }
        self.poster.post(work, body.to_string(), self.secret.as_ref()).await
    }
}

#[async_trait]
impl Agent for WebhookAgent {
    async fn run(&self, work: Work) -> Result<Done, Failure> {
        let id = work.handoff().id;
        // Somebody must be there before the work is sent: an answer may come at once.
        let waiting = self.callback().map(|(callbacks, secret)| callbacks.expect(id, secret.clone()));
        // A further attempt is work that is sent again, and so is work with an answer; a restart within one is not.
        let turn = match (work.handoff().attempt, work.handoff().questions.len()) {
            (attempt, 0) => attempt.to_string(),
            (attempt, asked) => format!("{attempt}/{asked}"),
        };
        let (sent, came) = (format!("posted/{turn}"), format!("answered/{turn}"));
        let posted: Posted = work.step(&sent, || self.post(&work)).await?;
        let answer = match (posted, waiting) {
            (Posted::Answered(answer), _) => answer,
            (Posted::Later, Some(mut waiting)) => match work.recorded(&came) {
                Some(answer) => serde_json::from_value(answer)?,
                None => {
                    let called = waiting.called().await.ok_or("callbacks are not taken any more")?;
                    let answer: String = work.step(&came, || async { Ok(called.body.clone()) }).await?;
                    // On disk: whoever called may forget it.
                    called.confirm();
                    answer
                }
            },
            (Posted::Later, None) => {
                let lacks = if self.callbacks.is_none() { "`callbacks` in the settings" } else { "a `secret_env`" };
                return Err(format!(
                    "the service says that it will call back, and no callbacks are taken: set {lacks}"
                )
                .into());
            }
        };
        let came = assignment::read(&answer).map_err(|error| format!("the answer cannot be read: {error}"))?;
        assignment::settled(&work, came).await
    }
}
