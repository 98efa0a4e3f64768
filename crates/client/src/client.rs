//! What can be asked of a server by whoever hands over, decides and looks.

pub use crate::send::Client;
use crate::{
    error::Error,
    send::Asked,
    views::{Agent, Approving, Denying, Handoff, Me, Opening, Session},
};
use handover_core::{
    agent::Profile,
    command::{Answer, Write},
    handoff::{Request, Return},
    ids::{AgentId, HandoffId, SessionId},
    limits::RESULT_WAIT_MS_MAX,
    message::NewMessage,
    session::Variable,
};
use reqwest::Method;
use serde_json::json;
use std::{
    collections::BTreeMap,
    fmt::Display,
    time::{Duration, Instant},
};

impl Client {
    /// Who this client is to the server.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn me(&self) -> Result<Me, Error> {
        self.answer(&Asked::get(["v1", "me"])).await
    }

    /// Whether the server can take work, and its version. Needs no key.
    ///
    /// # Errors
    /// When it cannot, or does not answer.
    pub async fn health(&self) -> Result<String, Error> {
        let found = self.health_told().await?;
        Ok(found["version"].as_str().unwrap_or_default().to_owned())
    }

    /// Whether the server takes work, with everything that it says: its version, its store, its nodes and its bus.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn health_told(&self) -> Result<serde_json::Value, Error> {
        self.answer(&Asked::get(["health", "ready"])).await
    }

    /// Opens a session.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn open_session(&self, opening: &Opening) -> Result<Session, Error> {
        self.answer(&Asked::post(["v1", "sessions"], opening)).await
    }

    /// Reads a session.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn session(&self, id: &SessionId) -> Result<Session, Error> {
        self.answer(&Asked::get(["v1", "sessions", id.as_str()])).await
    }

    /// Says something in the conversation.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn say(&self, session: &SessionId, messages: &[NewMessage]) -> Result<Answer, Error> {
        let body = json!({ "messages": messages });
        self.answer(&Asked::post(["v1", "sessions", session.as_str(), "messages"], &body)).await
    }

    /// Hands work over. A key of the request itself comes first.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn hand_off(&self, session: &SessionId, request: &Request) -> Result<Answer, Error> {
        let asked = Asked::post(["v1", "sessions", session.as_str(), "handoffs"], request);
        let asked = match &request.idempotency_key {
            Some(key) => asked.key(key),
            None => asked,
        };
        self.answer(&asked).await
    }

    /// Reads a handoff.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn handoff(&self, id: HandoffId) -> Result<Handoff, Error> {
        self.answer(&Asked::get(["v1", "handoffs", &id.to_string()])).await
    }

    /// Waits for the end of a handoff; nothing when it is not over within this time.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn returned(&self, id: HandoffId, within: Duration) -> Result<Option<Return>, Error> {
        let until = Instant::now() + within;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let wait = left.min(Duration::from_millis(RESULT_WAIT_MS_MAX));
            let asked = Asked::get(["v1", "handoffs", &id.to_string(), "return"]).query("wait_ms", &wait.as_millis());
            let began = Instant::now();
            if let Some(found) = self.ask(&asked.wait(wait)).await? {
                return Ok(Some(found));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
            // A server that ends sends those who wait away at once.
            rest(began, wait).await;
        }
    }

    /// Writes variables, all or none.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn set(&self, session: &SessionId, by: &AgentId, writes: &[Write]) -> Result<Answer, Error> {
        let body = json!({ "by": by, "writes": writes });
        self.answer(&Asked::post(["v1", "sessions", session.as_str(), "variables"], &body)).await
    }

    /// Reads all variables of a session.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn variables(&self, session: &SessionId) -> Result<BTreeMap<String, Variable>, Error> {
        self.answer(&Asked::get(["v1", "sessions", session.as_str(), "variables"])).await
    }

    /// Approves a handoff.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn approve(&self, id: HandoffId, approving: &Approving) -> Result<Answer, Error> {
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), "approve"], approving)).await
    }

    /// Denies a handoff.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn deny(&self, id: HandoffId, denying: &Denying) -> Result<Answer, Error> {
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), "deny"], denying)).await
    }

    /// Takes a handoff back.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn cancel(&self, id: HandoffId, by: impl Display, reason: &str) -> Result<Answer, Error> {
        let body = json!({ "by": by.to_string(), "reason": reason });
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), "cancel"], &body)).await
    }

    /// Takes an open handoff from whoever has it and offers it to somebody else. The key of an operator may; it is done
    /// in its name.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn redirect(&self, id: HandoffId, to: &AgentId, reason: &str) -> Result<Answer, Error> {
        let body = json!({ "to_agent": to, "reason": reason });
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), "redirect"], &body)).await
    }

    /// Has the same work tried once more. What was over is begun anew, as the handoff that the answer names. The key of an
    /// operator may; it is done in its name.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn retry(&self, id: HandoffId, reason: &str) -> Result<Answer, Error> {
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), "retry"], &json!({ "reason": reason }))).await
    }

    /// Lists agents.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn agents(&self) -> Result<Vec<Agent>, Error> {
        self.answer(&Asked::get(["v1", "agents"])).await
    }

    /// Registers an agent, or changes its profile.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn register(&self, profile: &Profile) -> Result<Agent, Error> {
        self.answer(&Asked::write(Method::PUT, ["v1", "agents", profile.id.as_str()], profile)).await
    }
}

/// Waits a moment where a long wait came back early, so that nobody asks in a circle without a pause.
pub(crate) async fn rest(began: Instant, wait: Duration) {
    let pause = Duration::from_millis(handover_core::limits::CLIENT_WAIT_MS);
    if began.elapsed() + pause < wait {
        tokio::time::sleep(pause).await;
    }
}
