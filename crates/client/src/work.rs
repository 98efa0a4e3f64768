//! What can be asked of a server by an agent from outside.

use crate::{
    client::Client,
    error::Error,
    send::Asked,
    views::{Assignment, Claiming},
};
use handover_core::{
    command::{Answer, Giving, Goto},
    ids::{AgentId, HandoffId, LeaseId},
    limits::CLAIM_WAIT_MS_MAX,
};
use serde_json::{Value, json};
use std::time::Duration;
use uuid::Uuid;

impl Client {
    /// Takes the next piece of work for an agent, waiting for it; nothing when nothing came in time.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn claim(&self, agent: &AgentId, claiming: &Claiming) -> Result<Option<Assignment>, Error> {
        self.claim_by(&Uuid::new_v4().simple().to_string(), agent, claiming).await
    }

    /// The same with a key: it gives the same work again for as long as that is held.
    pub(crate) async fn claim_by(
        &self,
        key: &str,
        agent: &AgentId,
        claiming: &Claiming,
    ) -> Result<Option<Assignment>, Error> {
        let wait_ms = claiming.wait_ms.min(CLAIM_WAIT_MS_MAX);
        let claiming = Claiming { wait_ms, ..claiming.clone() };
        let asked = Asked::post(["v1", "agents", agent.as_str(), "claim"], &claiming).key(key);
        self.ask(&asked.wait(Duration::from_millis(wait_ms))).await
    }

    /// Keeps a lease alive.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn heartbeat(&self, id: HandoffId, lease: LeaseId) -> Result<Answer, Error> {
        self.act(id, "heartbeat", &json!({ "lease": lease })).await
    }

    /// Records what a step of the work gave, once.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn step(&self, id: HandoffId, lease: LeaseId, name: &str, output: &Value) -> Result<Answer, Error> {
        self.act(id, "steps", &json!({ "lease": lease, "name": name, "output": output })).await
    }

    /// Gives the result back, and says who goes on where somebody does.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn give_back(
        &self,
        id: HandoffId,
        lease: LeaseId,
        giving: &Giving,
        then: Option<&Goto>,
    ) -> Result<Answer, Error> {
        self.answer(&returning(id, lease, giving, then)).await
    }

    /// Says no to an offer.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn reject(&self, id: HandoffId, by: &AgentId, reason: &str) -> Result<Answer, Error> {
        self.act(id, "reject", &json!({ "by": by, "reason": reason })).await
    }

    /// Says no to work that was taken.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn decline(&self, id: HandoffId, lease: LeaseId, reason: &str) -> Result<Answer, Error> {
        self.act(id, "decline", &json!({ "lease": lease, "reason": reason })).await
    }

    /// Puts an offer off.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn defer(&self, id: HandoffId, by: &AgentId, wait: Duration, reason: &str) -> Result<Answer, Error> {
        let for_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.act(id, "defer", &json!({ "by": by, "for_ms": for_ms, "reason": reason })).await
    }

    /// Asks something before the work goes on, and gives the lease up until it is answered.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn ask_back(&self, id: HandoffId, lease: LeaseId, question: &str) -> Result<Answer, Error> {
        self.act(id, "ask", &json!({ "lease": lease, "question": question })).await
    }

    /// Answers what an agent asked about a handoff: it goes on with that.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn answer_question(&self, id: HandoffId, by: &str, text: &str) -> Result<Answer, Error> {
        self.act(id, "answer", &json!({ "by": by, "text": text })).await
    }

    /// Hands the work further up.
    ///
    /// # Errors
    /// As every request: [`Error`].
    pub async fn escalate(&self, id: HandoffId, lease: LeaseId, assessment: &str) -> Result<Answer, Error> {
        self.act(id, "escalate", &json!({ "lease": lease, "assessment": assessment })).await
    }

    async fn act(&self, id: HandoffId, what: &str, body: &Value) -> Result<Answer, Error> {
        self.answer(&Asked::post(["v1", "handoffs", &id.to_string(), what], body)).await
    }
}

/// The request that gives a result back. Sent twice, it is done once.
pub(crate) fn returning(id: HandoffId, lease: LeaseId, giving: &Giving, then: Option<&Goto>) -> Asked {
    // What is given are our own types: they can all be written.
    let mut body = serde_json::to_value(giving).unwrap_or_default();
    body["lease"] = json!(lease);
    if let Some(then) = then {
        body["then"] = json!(then);
    }
    Asked::post(["v1", "handoffs", &id.to_string(), "return"], &body)
}
