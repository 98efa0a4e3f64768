//! An agent somewhere else that speaks A2A, known by its card. Its skills are capabilities here; work goes out as a task, is
//! followed by a stream, by looking or by pushes, and comes back; what it asks comes back as a question.
//!
//! - The work is sent once. The task is recorded as soon as it is known, and a restart goes on with it; where it came before that,
//!   the same message is sent again, and the agent may know it by its id.
//! - What comes from outside is data: bounded, and never believed where it tells of something else.
//! - The key goes to the place that was configured and to nobody else. Redirects are not followed.

pub mod address;
mod card;
mod course;
mod held;
mod message;
mod old;
mod outcome;
mod peer;
mod profile;
mod read;
mod remote;
mod seen;
mod speak;
mod stream;

pub use card::{Card, Interface, Skill, Speaks, place};
pub use peer::Times;
pub use profile::filled;

use crate::{
    assignment::{self, Came},
    webhook::Callbacks,
};
use async_trait::async_trait;
use course::Course;
use handover_core::{
    agent::{AgentKind, Profile},
    handoff::Handoff,
    ids::AgentId,
    limits::{DEFERRALS_MAX, REMOTE_LACKING_MS},
    refusal::HandoffError,
};
use handover_engine::{
    Engine,
    agent::{Agent, Done, Failure, Reply, Work},
};
use held::Held;
use remote::Remote;
use serde::Deserialize;
use std::sync::{Arc, Weak};

/// What a file says of remote agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct A2aSettings {
    /// Whether cards may point to addresses that only this machine or its network can reach.
    pub allow_private: bool,
}

/// A remote agent that speaks A2A.
#[derive(Clone)]
pub struct A2aAgent(Arc<Remote>);

impl A2aAgent {
    /// An agent whose card is at this address, or at the well-known place below it. The key is shown to it as a bearer.
    ///
    /// # Errors
    /// When the address cannot be one, or the key cannot be sent.
    pub fn new(
        url: &str,
        key: Option<&str>,
        settings: A2aSettings,
        callbacks: Option<Arc<Callbacks>>,
    ) -> Result<Self, String> {
        Self::with_times(url, key, settings, callbacks, Times::default())
    }

    /// The same with other times.
    ///
    /// # Errors
    /// As [`A2aAgent::new`].
    pub fn with_times(
        url: &str,
        key: Option<&str>,
        settings: A2aSettings,
        callbacks: Option<Arc<Callbacks>>,
        times: Times,
    ) -> Result<Self, String> {
        Remote::new(url, key, settings.allow_private, callbacks, times).map(|remote| Self(Arc::new(remote)))
    }

    /// Registers it with what its card says, and puts it to work. Where the card cannot be had, it is registered as it is, and
    /// the card is asked for again and again.
    ///
    /// # Errors
    /// When its profile is refused.
    pub async fn employ(&self, engine: &Engine, profile: Profile) -> Result<(), HandoffError> {
        let id = profile.id.clone();
        let profile = match self.0.fetch().await {
            Ok(card) => filled(&profile, &card),
            // What an earlier card said is better than nothing.
            Err(_) => profile,
        };
        engine.register(profile, self.clone()).await?;
        let keeper = tokio::spawn(keep(Arc::downgrade(&self.0), engine.clone(), id));
        self.0.kept_by(keeper);
        Ok(())
    }

    /// Why it cannot work now, where that is so.
    #[must_use]
    pub fn lacks(&self) -> Option<String> {
        self.0.trouble()
    }

    async fn ready(&self) -> Result<Arc<Card>, String> {
        match self.0.card() {
            Some(card) => Ok(card),
            None => self.0.fetch().await,
        }
    }
}

/// Fetches the card from time to time, and lets the profile say what it says.
async fn keep(remote: Weak<Remote>, engine: Engine, id: AgentId) {
    loop {
        let Some(wait_ms) = remote.upgrade().map(|remote| remote.next_look()) else { return };
        engine.wait(wait_ms).await;
        let Some(remote) = remote.upgrade() else { return };
        let Ok(card) = remote.fetch().await else { continue };
        // Somebody may have removed or changed it meanwhile.
        let Ok(known) = engine.agent(&id) else { return };
        if known.profile.kind != AgentKind::A2a || known.profile.url.as_deref() != Some(&remote.url) {
            return;
        }
        let profile = filled(&known.profile, &card);
        if profile != *known.profile {
            // A refusal leaves what was said before; it is tried again with the next card.
            let _ = engine.register_profile(profile).await;
        }
    }
}

#[async_trait]
impl Agent for A2aAgent {
    /// Whoever cannot be reached says so: the work is put off for a while, and then somebody else may have it.
    async fn consider(&self, offer: &Handoff) -> Reply {
        match self.ready().await {
            Ok(_) => Reply::Accept,
            Err(why) if offer.deferrals < DEFERRALS_MAX => Reply::Defer(REMOTE_LACKING_MS, why),
            Err(why) => Reply::Reject(why),
        }
    }

    async fn run(&self, work: Work) -> Result<Done, Failure> {
        let card = self.ready().await?;
        let held = Held::new(self.0.clone(), work.clone());
        let came = Course::new(&self.0, &work, card, &held).go().await;
        match &came {
            Ok(Came::Asked(_)) => {}
            // Whatever is left of it now is wanted by nobody.
            Ok(Came::Done(_) | Came::Declined(_)) | Err(_) => held.cancel(),
        }
        let came = came?;
        let asked = matches!(came, Came::Asked(_));
        let settled = assignment::settled(&work, came).await;
        if asked {
            match &settled {
                Ok(_) => held.watch(),
                Err(_) => held.cancel(),
            }
        }
        settled
    }

    async fn health(&self) -> bool {
        self.0.trouble().is_none()
    }
}
